//! OpenCL bindings, loaded at run time.
