// Calls the functions of library.c, linked and looked up, and prints what they return. The second argument is a number of threads, the third of calls for
// each. With a fourth the program closes what it did not open, and takes away what it does not need.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <pthread.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

typedef struct {
    unsigned x, y, z;
} dim3;
typedef struct {
    size_t width, height, depth;
} hipExtent;
#ifdef LINKED
int hipMalloc(void **pointer, size_t size);
int hipLaunchKernel(const void *function, dim3 grid, dim3 block, void **args, size_t shared, void *stream);
int hipMalloc3D(void *pitched, hipExtent extent);
int hipModuleGetFunction(void **function, void *module, const char *name);
int hipGetLastError(void);
#else
static int (*hipMalloc)(void **, size_t);
static int (*hipLaunchKernel)(const void *, dim3, dim3, void **, size_t, void *);
static int (*hipMalloc3D)(void *, hipExtent);
static int (*hipModuleGetFunction)(void **, void *, const char *);
static int (*hipGetLastError)(void);
#endif

static int calls;

static void *many(void *unused) {
    for (int call = 0; call < calls; ++call) hipGetLastError();
    return unused;
}

// Writes to the runtimes' log as two copies of the runtime do in one process.
static void log_twice(void) {
    char path[4096];
    snprintf(path, sizeof path, "%s_%d", getenv("AMD_LOG_LEVEL_FILE"), getpid());
    FILE *first = fopen(path, "w"), *second = NULL;
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    for (int line = 0; line < 4; ++line) {
        if (line == 2) second = fopen(path, "w");
        fprintf(line % 2 ? first : second ? second : first, ":3:x.cpp : %d : %lld us: [pid:%d tid:0x%lx] line %d\n", line,
                time.tv_sec * 1000000ll + time.tv_nsec / 1000, getpid(), (unsigned long)pthread_self(), line);
        fflush(NULL);
    }
}

int main(int count, char **words) {
#ifndef LINKED
    // For this program alone: the functions are in no scope that others see.
    void *library = dlopen(words[1], RTLD_NOW | RTLD_LOCAL);
    if (!library) return puts(dlerror()), 1;
    dlerror();
    *(void **)&hipMalloc = dlsym(library, "hipMalloc");
    *(void **)&hipLaunchKernel = dlsym(library, "hipLaunchKernel");
    *(void **)&hipMalloc3D = dlsym(library, "hipMalloc3D");
    *(void **)&hipModuleGetFunction = dlsym(library, "hipModuleGetFunction");
    *(void **)&hipGetLastError = dlsym(library, "hipGetLastError");
    printf("no error: %d\n", dlerror() == NULL);
    printf("missing there: %d\n", dlsym(library, "hipFree") == NULL);
#else
    printf("found by default: %d\n", dlsym(RTLD_DEFAULT, "hipMalloc") != NULL);
#endif
    printf("missing: %d\n", dlsym(RTLD_DEFAULT, "hipMallocAsync") == NULL);
    printf("error: %d\n", dlerror() != NULL);
    printf("libc: %d\n", dlsym(RTLD_NEXT, "puts") != NULL);
    void *pointer = NULL;
    printf("hipMalloc: %d", hipMalloc(&pointer, 12345));
    printf(" %p", pointer);
    printf(" %d\n", hipMalloc(&pointer, 1));
    printf("hipLaunchKernel: %d\n", hipLaunchKernel((void *)0x1000, (dim3){1, 2, 3}, (dim3){4, 5, 6}, (void *)0x2000, 7, (void *)0x3000));
    printf("hipMalloc3D: %d\n", hipMalloc3D((void *)0x4000, (hipExtent){8, 9, 10}));
    printf("hipModuleGetFunction: %d\n", hipModuleGetFunction(&pointer, (void *)0x5000, "kernel \"name\""));
    if (getenv("AMD_LOG_LEVEL_FILE")) log_twice();
    int threads = count > 2 ? atoi(words[2]) : 0;
    calls = count > 3 ? atoi(words[3]) : 0;
    if (count > 4) {
        for (int fd = 3; fd < 1000; ++fd) close(fd);
        for (int fd = 3; fd < 20; ++fd) dup2(1, fd);
        setrlimit(RLIMIT_FSIZE, &(struct rlimit){0, 0});
        if (chdir("/")) return 1;
    }
    pthread_t started[16];
    for (int thread = 0; thread < threads; ++thread) pthread_create(&started[thread], NULL, many, NULL);
    for (int thread = 0; thread < threads; ++thread) pthread_join(started[thread], NULL);
    return 7;
}
