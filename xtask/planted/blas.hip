// Calls of rocBLAS.
#include "results.h"
#include <rocblas/rocblas.h>

#define BLAS(call)                                                                                           \
    do {                                                                                                     \
        rocblas_status status_ = (call);                                                                     \
        if (status_ != rocblas_status_success) {                                                             \
            fprintf(stderr, "%s: %s\n", #call, rocblas_status_to_string(status_));                           \
            exit(2);                                                                                         \
        }                                                                                                    \
    } while (0)

// Vectors of `L`, matrices of `N` by `N`, of which `K` diagonals where they are banded.
static const int L = 3000, N = 200, K = 5;
static const float ONE = 1, TWO = 2;
static const rocblas_operation NO = rocblas_operation_none, YES = rocblas_operation_transpose;
static const rocblas_fill LOWER = rocblas_fill_lower, UPPER = rocblas_fill_upper;
static const rocblas_diagonal DIAGONAL = rocblas_diagonal_non_unit;
static const rocblas_side LEFT = rocblas_side_left;

struct Data {
    rocblas_handle handle;
    Buffer<float> x{numbers(L)}, y{numbers(L, 3)}, a{definite(N)}, b{numbers(N * N, 4)}, c{numbers(N * N, 5)}, scalar{1};
    Buffer<int> index{1};
    Data() {
        BLAS(rocblas_create_handle(&handle));
        // Sums in an order that does not change.
        BLAS(rocblas_set_atomics_mode(handle, rocblas_atomics_not_allowed));
    }
    void device() { BLAS(rocblas_set_pointer_mode(handle, rocblas_pointer_mode_device)); }
};

#define CASE(name, call, out)                                                                                \
    static void name() {                                                                                     \
        Data d;                                                                                              \
        call;                                                                                                \
        result(d.out);                                                                                       \
    }

CASE(dot, d.device(); BLAS(rocblas_sdot(d.handle, L, d.x.data, 1, d.y.data, 1, d.scalar.data)), scalar)
CASE(dot_strided, d.device(); BLAS(rocblas_sdot(d.handle, L / 3, d.x.data, 3, d.y.data, 2, d.scalar.data)), scalar)
CASE(asum, d.device(); BLAS(rocblas_sasum(d.handle, L, d.x.data, 1, d.scalar.data)), scalar)
CASE(nrm2, d.device(); BLAS(rocblas_snrm2(d.handle, L, d.x.data, 1, d.scalar.data)), scalar)
CASE(amax, d.device(); BLAS(rocblas_isamax(d.handle, L, d.x.data, 1, d.index.data)), index)
CASE(amin, d.device(); BLAS(rocblas_isamin(d.handle, L, d.x.data, 1, d.index.data)), index)
CASE(gemv, BLAS(rocblas_sgemv(d.handle, NO, N, N, &TWO, d.b.data, N, d.x.data, 1, &ONE, d.y.data, 1)), y)
CASE(gemv_t, BLAS(rocblas_sgemv(d.handle, YES, N, N, &TWO, d.b.data, N, d.x.data, 1, &ONE, d.y.data, 1)), y)
CASE(gbmv, BLAS(rocblas_sgbmv(d.handle, NO, N, N, K, K, &TWO, d.b.data, N, d.x.data, 1, &ONE, d.y.data, 1)), y)
CASE(gbmv_t, BLAS(rocblas_sgbmv(d.handle, YES, N, N, K, K, &TWO, d.b.data, N, d.x.data, 1, &ONE, d.y.data, 1)), y)
CASE(symv, BLAS(rocblas_ssymv(d.handle, LOWER, N, &TWO, d.a.data, N, d.x.data, 1, &ONE, d.y.data, 1)), y)
CASE(symv_u, BLAS(rocblas_ssymv(d.handle, UPPER, N, &TWO, d.a.data, N, d.x.data, 1, &ONE, d.y.data, 1)), y)
CASE(sbmv, BLAS(rocblas_ssbmv(d.handle, LOWER, N, K, &TWO, d.a.data, N, d.x.data, 1, &ONE, d.y.data, 1)), y)
CASE(spmv, BLAS(rocblas_sspmv(d.handle, LOWER, N, &TWO, d.a.data, d.x.data, 1, &ONE, d.y.data, 1)), y)
CASE(trmv, BLAS(rocblas_strmv(d.handle, LOWER, NO, DIAGONAL, N, d.a.data, N, d.x.data, 1)), x)
CASE(trmv_t, BLAS(rocblas_strmv(d.handle, LOWER, YES, DIAGONAL, N, d.a.data, N, d.x.data, 1)), x)
CASE(tbmv, BLAS(rocblas_stbmv(d.handle, LOWER, NO, DIAGONAL, N, K, d.a.data, N, d.x.data, 1)), x)
CASE(tpmv, BLAS(rocblas_stpmv(d.handle, LOWER, NO, DIAGONAL, N, d.a.data, d.x.data, 1)), x)
CASE(trsv, BLAS(rocblas_strsv(d.handle, LOWER, NO, DIAGONAL, N, d.a.data, N, d.x.data, 1)), x)
CASE(trsv_t, BLAS(rocblas_strsv(d.handle, LOWER, YES, DIAGONAL, N, d.a.data, N, d.x.data, 1)), x)
CASE(tbsv, BLAS(rocblas_stbsv(d.handle, LOWER, NO, DIAGONAL, N, K, d.a.data, N, d.x.data, 1)), x)
CASE(tpsv, BLAS(rocblas_stpsv(d.handle, LOWER, NO, DIAGONAL, N, d.a.data, d.x.data, 1)), x)
CASE(trsm, BLAS(rocblas_strsm(d.handle, LEFT, LOWER, NO, DIAGONAL, N, N, &TWO, d.a.data, N, d.b.data, N)), b)
CASE(trsm_u, BLAS(rocblas_strsm(d.handle, LEFT, UPPER, YES, DIAGONAL, 40, 40, &TWO, d.a.data, N, d.b.data, N)), b)
CASE(gemm, BLAS(rocblas_sgemm(d.handle, NO, NO, N, N, N, &TWO, d.a.data, N, d.b.data, N, &ONE, d.c.data, N)), c)
CASE(geam, BLAS(rocblas_sgeam(d.handle, YES, NO, N, N, &TWO, d.a.data, N, &ONE, d.b.data, N, d.c.data, N)), c)

int main(int argc, char **argv) {
    const Case cases[] = {
        {"dot", dot}, {"dot_strided", dot_strided}, {"asum", asum}, {"nrm2", nrm2}, {"amax", amax}, {"amin", amin},
        {"gemv", gemv}, {"gemv_t", gemv_t}, {"gbmv", gbmv}, {"gbmv_t", gbmv_t}, {"symv", symv}, {"symv_u", symv_u},
        {"sbmv", sbmv}, {"spmv", spmv}, {"trmv", trmv}, {"trmv_t", trmv_t}, {"tbmv", tbmv}, {"tpmv", tpmv},
        {"trsv", trsv}, {"trsv_t", trsv_t}, {"tbsv", tbsv}, {"tpsv", tpsv}, {"trsm", trsm}, {"trsm_u", trsm_u},
        {"gemm", gemm}, {"geam", geam},
    };
    return main_of(argc, argv, cases);
}
