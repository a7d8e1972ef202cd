//! One allocation, used by OpenCL, HIP and HSA without a copy.
