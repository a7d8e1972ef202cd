//! HSA runtime (ROCr) bindings, loaded at run time.
