// Written by `cargo xtask bindgen` from the headers that bindings.txt names; do not edit.
use crate::*;
use core::ffi::*;
functions! { Rocrand {
    rocrand_create_discrete_distribution "5.7" "7.2" (probabilities: *const f64, size: c_uint, offset: c_uint, discrete_distribution: *mut rocrand_discrete_distribution) -> rocrand_status;
    rocrand_create_generator "5.7" "7.2" (generator: *mut rocrand_generator, rng_type: rocrand_rng_type) -> rocrand_status;
    rocrand_create_generator_host "6.4" "7.2" (generator: *mut rocrand_generator, rng_type: rocrand_rng_type) -> rocrand_status;
    rocrand_create_generator_host_blocking "6.4" "7.2" (generator: *mut rocrand_generator, rng_type: rocrand_rng_type) -> rocrand_status;
    rocrand_create_poisson_distribution "5.7" "7.2" (lambda: f64, discrete_distribution: *mut rocrand_discrete_distribution) -> rocrand_status;
    rocrand_destroy_discrete_distribution "5.7" "7.2" (discrete_distribution: rocrand_discrete_distribution) -> rocrand_status;
    rocrand_destroy_generator "5.7" "7.2" (generator: rocrand_generator) -> rocrand_status;
    rocrand_generate "5.7" "7.2" (generator: rocrand_generator, output_data: *mut c_uint, n: usize) -> rocrand_status;
    rocrand_generate_char "5.7" "7.2" (generator: rocrand_generator, output_data: *mut c_uchar, n: usize) -> rocrand_status;
    rocrand_generate_log_normal "5.7" "7.2" (generator: rocrand_generator, output_data: *mut f32, n: usize, mean: f32, stddev: f32) -> rocrand_status;
    rocrand_generate_log_normal_double "5.7" "7.2" (generator: rocrand_generator, output_data: *mut f64, n: usize, mean: f64, stddev: f64) -> rocrand_status;
    rocrand_generate_log_normal_half "5.7" "7.2" (generator: rocrand_generator, output_data: *mut half, n: usize, mean: half, stddev: half) -> rocrand_status;
    rocrand_generate_long_long "5.7" "7.2" (generator: rocrand_generator, output_data: *mut c_ulonglong, n: usize) -> rocrand_status;
    rocrand_generate_normal "5.7" "7.2" (generator: rocrand_generator, output_data: *mut f32, n: usize, mean: f32, stddev: f32) -> rocrand_status;
    rocrand_generate_normal_double "5.7" "7.2" (generator: rocrand_generator, output_data: *mut f64, n: usize, mean: f64, stddev: f64) -> rocrand_status;
    rocrand_generate_normal_half "5.7" "7.2" (generator: rocrand_generator, output_data: *mut half, n: usize, mean: half, stddev: half) -> rocrand_status;
    rocrand_generate_poisson "5.7" "7.2" (generator: rocrand_generator, output_data: *mut c_uint, n: usize, lambda: f64) -> rocrand_status;
    rocrand_generate_short "5.7" "7.2" (generator: rocrand_generator, output_data: *mut c_ushort, n: usize) -> rocrand_status;
    rocrand_generate_uniform "5.7" "7.2" (generator: rocrand_generator, output_data: *mut f32, n: usize) -> rocrand_status;
    rocrand_generate_uniform_double "5.7" "7.2" (generator: rocrand_generator, output_data: *mut f64, n: usize) -> rocrand_status;
    rocrand_generate_uniform_half "5.7" "7.2" (generator: rocrand_generator, output_data: *mut half, n: usize) -> rocrand_status;
    rocrand_get_direction_vectors32 "6.4" "7.2" (vectors: *mut *const c_uint, set: rocrand_direction_vector_set) -> rocrand_status;
    rocrand_get_direction_vectors64 "6.4" "7.2" (vectors: *mut *const c_ulonglong, set: rocrand_direction_vector_set) -> rocrand_status;
    rocrand_get_scramble_constants32 "6.4" "7.2" (constants: *mut *const c_uint) -> rocrand_status;
    rocrand_get_scramble_constants64 "6.4" "7.2" (constants: *mut *const c_ulonglong) -> rocrand_status;
    rocrand_get_version "5.7" "7.2" (version: *mut c_int) -> rocrand_status;
    rocrand_initialize_generator "5.7" "7.2" (generator: rocrand_generator) -> rocrand_status;
    rocrand_set_offset "5.7" "7.2" (generator: rocrand_generator, offset: c_ulonglong) -> rocrand_status;
    rocrand_set_ordering "5.7" "7.2" (generator: rocrand_generator, order: rocrand_ordering) -> rocrand_status;
    rocrand_set_quasi_random_generator_dimensions "5.7" "7.2" (generator: rocrand_generator, dimensions: c_uint) -> rocrand_status;
    rocrand_set_seed "5.7" "7.2" (generator: rocrand_generator, seed: c_ulonglong) -> rocrand_status;
    rocrand_set_seed_uint4 "5.7" "7.2" (generator: rocrand_generator, seed: uint4) -> rocrand_status;
    rocrand_set_stream "5.7" "7.2" (generator: rocrand_generator, stream: hipStream_t) -> rocrand_status;
}}
