//! See `Cargo.toml`.
#[cfg(test)]
mod tests {
    use half::f16;

    type TestRuntime = cubecl_hip::HipRuntime;

    cubecl_std::testgen!();
    // Without integers of 16 bits: for vectors of them cubecl 0.10 writes C++ that narrows, which no compiler of HIP
    // takes.
    cubecl_core::testgen_all!(f32: [f16, f32], i32: [i32], u32: [u32]);
}
