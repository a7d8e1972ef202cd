//! HIP bindings, loaded at run time.
