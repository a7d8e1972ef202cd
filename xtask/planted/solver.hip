// Calls of rocSOLVER.
#include "results.h"
#include <rocsolver/rocsolver.h>

#define SOLVE(call)                                                                                          \
    do {                                                                                                     \
        rocblas_status status_ = (call);                                                                     \
        if (status_ != rocblas_status_success) {                                                             \
            fprintf(stderr, "%s: %s\n", #call, rocblas_status_to_string(status_));                           \
            exit(2);                                                                                         \
        }                                                                                                    \
    } while (0)

static const int N = 70;
static const rocblas_fill LOWER = rocblas_fill_lower, UPPER = rocblas_fill_upper;

struct Data {
    rocblas_handle handle;
    // Symmetric, any, orthogonal matrices; vectors and scalars.
    Buffer<float> s{definite(N)}, a{numbers(N * N, 4)}, u{identity()}, v{identity()}, t{std::vector<float>(N * N)};
    Buffer<float> d{numbers(N, 5)}, e{numbers(N, 6)}, f{numbers(N, 7)};
    Buffer<int> pivots{std::vector<int>(N)}, splits{std::vector<int>(N)}, info{std::vector<int>(4)};
    Data() {
        SOLVE(rocblas_create_handle(&handle));
        SOLVE(rocblas_set_atomics_mode(handle, rocblas_atomics_not_allowed));
    }
    static std::vector<float> identity() {
        std::vector<float> values(N * N);
        for (int i = 0; i < N; i++) values[i * N + i] = 1;
        return values;
    }
};

#define CASE(name, call, out)                                                                                \
    static void name() {                                                                                     \
        Data d;                                                                                              \
        SOLVE(call);                                                                                         \
        result(d.out);                                                                                       \
    }

CASE(potf2, rocsolver_spotf2(d.handle, LOWER, N, d.s.data, N, d.info.data), s)
CASE(potrf_u, rocsolver_spotrf(d.handle, UPPER, N, d.s.data, N, d.info.data), s)
CASE(getf2, rocsolver_sgetf2(d.handle, N, N, d.a.data, N, d.pivots.data, d.info.data), a)
CASE(geqr2, rocsolver_sgeqr2(d.handle, N, 12, d.a.data, N, d.f.data), a)
CASE(larfg, rocsolver_slarfg(d.handle, N, d.d.data, d.e.data, 1, d.f.data), e)
CASE(larft, rocsolver_slarft(d.handle, rocblas_forward_direction, rocblas_column_wise, N, 20, d.a.data, N, d.f.data, d.t.data, N), t)
CASE(bdsqr, rocsolver_sbdsqr(d.handle, UPPER, 20, 20, 20, 0, d.d.data, d.e.data, d.u.data, N, d.v.data, N, d.t.data, N, d.info.data), d)
CASE(sterf, rocsolver_ssterf(d.handle, 20, d.d.data, d.e.data, d.info.data), d)
CASE(steqr, rocsolver_ssteqr(d.handle, rocblas_evect_original, 20, d.d.data, d.e.data, d.u.data, N, d.info.data), u)
CASE(stebz, rocsolver_sstebz(d.handle, rocblas_erange_all, rocblas_eorder_entire, 40, 0, 0, 0, 0, 0, d.d.data, d.e.data, d.info.data, d.info.data + 1, d.f.data, d.pivots.data, d.splits.data, d.info.data + 2), f)
CASE(syevj, rocsolver_ssyevj(d.handle, rocblas_esort_ascending, rocblas_evect_original, LOWER, 20, d.s.data, N, 0, d.f.data, 5, d.pivots.data, d.d.data, d.info.data), s)
CASE(syevj_large, rocsolver_ssyevj(d.handle, rocblas_esort_ascending, rocblas_evect_original, LOWER, N, d.s.data, N, 0, d.f.data, 1, d.pivots.data, d.d.data, d.info.data), s)
CASE(sytd2, rocsolver_ssytd2(d.handle, LOWER, 10, d.s.data, N, d.d.data, d.e.data, d.f.data), s)
CASE(gebd2, rocsolver_sgebd2(d.handle, 10, 10, d.a.data, N, d.d.data, d.e.data, d.f.data, d.t.data), a)
CASE(sytf2, rocsolver_ssytf2(d.handle, LOWER, N, d.a.data, N, d.pivots.data, d.info.data), a)
CASE(sytf2_u, rocsolver_ssytf2(d.handle, UPPER, N, d.a.data, N, d.pivots.data, d.info.data), a)
CASE(lasyf, rocsolver_slasyf(d.handle, LOWER, N, 16, d.info.data, d.a.data, N, d.pivots.data, d.info.data + 1), a)
CASE(lasyf_u, rocsolver_slasyf(d.handle, UPPER, N, 16, d.info.data, d.a.data, N, d.pivots.data, d.info.data + 1), a)

int main(int argc, char **argv) {
    const Case cases[] = {
        {"potf2", potf2}, {"potrf_u", potrf_u}, {"getf2", getf2}, {"geqr2", geqr2}, {"larfg", larfg}, {"larft", larft},
        {"bdsqr", bdsqr}, {"sterf", sterf}, {"steqr", steqr}, {"stebz", stebz}, {"syevj", syevj},
        {"syevj_large", syevj_large}, {"sytd2", sytd2}, {"gebd2", gebd2}, {"sytf2", sytf2}, {"sytf2_u", sytf2_u},
        {"lasyf", lasyf}, {"lasyf_u", lasyf_u},
    };
    return main_of(argc, argv, cases);
}
