// rocRAND against Philox4x32-10 as published (Salmon et al., Parallel random numbers: as easy as 1, 2, 3, 2011), on the CPU.
#include "common.h"
#include <rocrand/rocrand.h>

#define RAND(call)                                                                                           \
    do {                                                                                                     \
        rocrand_status status_ = (call);                                                                     \
        if (status_ != ROCRAND_STATUS_SUCCESS) {                                                             \
            fprintf(stderr, "%s:%d: %s: rocrand_status %d\n", __FILE__, __LINE__, #call, (int)status_);      \
            exit(2);                                                                                         \
        }                                                                                                    \
    } while (0)

static const size_t N = 50000;
static const uint64_t SEED = 0x123456789abcdef0;

// The four numbers of counter `block` under `key`.
static void philox(uint64_t block, uint64_t key, uint32_t x[4]) {
    uint32_t k[2] = {(uint32_t)key, (uint32_t)(key >> 32)};
    x[0] = (uint32_t)block, x[1] = (uint32_t)(block >> 32), x[2] = x[3] = 0;
    for (int round = 0; round < 10; round++) {
        uint64_t a = (uint64_t)0xd2511f53 * x[0], b = (uint64_t)0xcd9e8d57 * x[2];
        uint32_t next[4] = {(uint32_t)(b >> 32) ^ x[1] ^ k[0], (uint32_t)b, (uint32_t)(a >> 32) ^ x[3] ^ k[1], (uint32_t)a};
        memcpy(x, next, sizeof next);
        k[0] += 0x9e3779b9, k[1] += 0xbb67ae85;
    }
}

static std::vector<uint32_t> sequence() {
    // The authors' own test vector.
    const uint32_t known[4] = {0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8};
    std::vector<uint32_t> values(N);
    uint32_t x[4];
    philox(0, 0, x);
    for (int i = 0; i < 4; i++) equal("test vector", i, x[i], known[i]);
    for (size_t i = 0; i < N; i++) {
        if (i % 4 == 0) philox(i / 4, SEED, x);
        values[i] = x[i % 4];
    }
    return values;
}

static rocrand_generator generator() {
    rocrand_generator generator;
    RAND(rocrand_create_generator(&generator, ROCRAND_RNG_PSEUDO_PHILOX4_32_10));
    RAND(rocrand_set_seed(generator, SEED));
    return generator;
}

static void integers() {
    std::vector<uint32_t> expected = sequence();
    Buffer<uint32_t> values(N);
    rocrand_generator g = generator();
    RAND(rocrand_generate(g, values.data, N));
    HIP(hipDeviceSynchronize());
    std::vector<uint32_t> got = values.host();
    for (size_t i = 0; i < N; i++) equal("number", i, got[i], expected[i]);
    RAND(rocrand_destroy_generator(g));
}

// The same numbers as fractions of 2^32, in (0, 1].
static void uniform() {
    std::vector<uint32_t> expected = sequence();
    Buffer<float> values(N);
    rocrand_generator g = generator();
    RAND(rocrand_generate_uniform(g, values.data, N));
    HIP(hipDeviceSynchronize());
    std::vector<float> got = values.host();
    for (size_t i = 0; i < N; i++) {
        close_to("fraction", i, got[i], (expected[i] + 1.0) / 4294967296.0, 1.2e-7);
        equal("in (0, 1]", i, got[i] > 0 && got[i] <= 1, true);
    }
    RAND(rocrand_destroy_generator(g));
}

int main(int argc, char **argv) {
    const Case cases[] = {{"integers", integers}, {"uniform", uniform}};
    return run_case(argc, argv, cases);
}
