// Stands for libamdhip64: a few functions of its interface, which check how their arguments arrive.
#include <stddef.h>
#include <stdlib.h>

typedef struct {
    unsigned x, y, z;
} dim3;
typedef struct {
    size_t width, height, depth;
} hipExtent;

int hipMalloc(void **pointer, size_t size) {
    *pointer = size == 12345 ? (void *)0x7f0012345000 : NULL;
    return *pointer ? 0 : 2;
}

int hipLaunchKernel(const void *function, dim3 grid, dim3 block, void **args, size_t shared, void *stream) {
    int right = function == (void *)0x1000 && grid.x == 1 && grid.y == 2 && grid.z == 3 && block.x == 4 &&
                block.y == 5 && block.z == 6 && args == (void *)0x2000 && shared == 7 && stream == (void *)0x3000;
    return right ? 0 : 1;
}

// On the stack, all of them.
int hipMalloc3D(void *pitched, hipExtent extent) {
    return pitched == (void *)0x4000 && extent.width == 8 && extent.height == 9 && extent.depth == 10 ? 0 : 1;
}

int hipModuleGetFunction(void **function, void *module, const char *name) {
    *function = module;
    return name[0] == 'k' ? 0 : 500;
}

int hipGetLastError(void) { return 0; }
