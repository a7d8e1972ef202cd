// Launches, copies and waits by the functions of runtime.c.
#include <stddef.h>

typedef struct {
    unsigned x, y, z;
} dim3;

int hipLaunchKernel(const void *, dim3, dim3, void **, size_t, void *);
int hipMemcpy(void *, const void *, size_t, int);
int hipDeviceSynchronize(void);

int main(void) {
    dim3 one = {1, 1, 1};
    hipLaunchKernel(NULL, one, one, NULL, 0, NULL);
    hipLaunchKernel(NULL, one, one, NULL, 0, NULL);
    hipMemcpy(NULL, NULL, 3, 0);
    hipMemcpy(NULL, NULL, 0, 0);
    hipLaunchKernel(NULL, one, one, NULL, 0, NULL);
    hipDeviceSynchronize();
    return 0;
}
