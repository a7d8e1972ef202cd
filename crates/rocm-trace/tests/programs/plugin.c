// A library that uses library.c's functions, already while it is loaded, as libraries with kernels do (hipcc has them register the kernels then).
#include <stddef.h>

int hipMalloc(void **pointer, size_t size);
int hipModuleGetFunction(void **function, void *module, const char *name);

__attribute__((constructor)) static void loaded(void) {
    void *function;
    hipModuleGetFunction(&function, NULL, "kernel of a constructor");
}

int plugin(void) {
    void *pointer;
    return hipMalloc(&pointer, 12345);
}
