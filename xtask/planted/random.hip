// Generators of rocRAND.
#include "results.h"
#include <rocrand/rocrand.h>

#define RAND(call)                                                                                           \
    do {                                                                                                     \
        rocrand_status status_ = (call);                                                                     \
        if (status_ != ROCRAND_STATUS_SUCCESS) {                                                             \
            fprintf(stderr, "%s: rocrand_status %d\n", #call, (int)status_);                                 \
            exit(2);                                                                                         \
        }                                                                                                    \
    } while (0)

template <rocrand_rng_type type> static void generate() {
    Buffer<uint32_t> values(20000);
    rocrand_generator generator;
    RAND(rocrand_create_generator(&generator, type));
    RAND(rocrand_generate(generator, values.data, values.count));
    result(values);
    RAND(rocrand_destroy_generator(generator));
}

int main(int argc, char **argv) {
    const Case cases[] = {
        {"mtgp32", generate<ROCRAND_RNG_PSEUDO_MTGP32>},
        {"sobol32", generate<ROCRAND_RNG_QUASI_SOBOL32>},
        {"scrambled_sobol32", generate<ROCRAND_RNG_QUASI_SCRAMBLED_SOBOL32>},
    };
    return main_of(argc, argv, cases);
}
