/* A program in C that imports dma-bufs into OpenCL by cl_khr_external_memory_dma_buf, as its specification says. The dma-bufs are of memory of HIP's, by which the bytes are checked.
 * It is called with the name of a case, prints `CASE: N values checked`, or says what is wrong and fails. */
#define CL_TARGET_OPENCL_VERSION 300
#define _GNU_SOURCE
#ifndef __HIP_PLATFORM_AMD__
#define __HIP_PLATFORM_AMD__ 1
#endif
#include <CL/cl.h>
#include <CL/cl_ext.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <hip/hip_runtime_api.h>
#include <hsa/hsa.h>
#include <hsa/hsa_ext_amd.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "instructions.h"

static atomic_size_t checked;

#define FAIL(...) (fprintf(stderr, "%s:%d: ", __FILE__, __LINE__), fprintf(stderr, __VA_ARGS__), fputc('\n', stderr), exit(2))
#define HIP(call) succeeds(__LINE__, #call, call, hipSuccess)
#define CL(call) succeeds(__LINE__, #call, call, CL_SUCCESS)
#define IS(got, expected) (is(__LINE__, #got, (long long)(got), (long long)(expected)))

static void succeeds(int line, const char *call, int got, int success) {
    if (got != success) fprintf(stderr, "%s:%d: %s: error %d\n", __FILE__, line, call, got), exit(2);
}

static void is(int line, const char *what, long long got, long long expected) {
    if (got != expected) fprintf(stderr, "%s:%d: %s is %lld, expected %lld\n", __FILE__, line, what, got, expected), exit(2);
    checked++;
}

/* More than the blocks from which HSA's runtime cuts smaller allocations. */
enum { N = 3 << 18, BYTES = N * 4 };
static cl_platform_id platform;
static cl_device_id device;
static cl_context context;
static cl_command_queue queue;
static clEnqueueAcquireExternalMemObjectsKHR_fn acquire;
static clEnqueueReleaseExternalMemObjectsKHR_fn release;

static const char SOURCE[] = "kernel void add(global uint *values, uint number) { values[get_global_id(0)] += number; }\n"
                             "kernel void brighten(read_only image2d_t from, global uint4 *to) {\n"
                             "    int2 at = (int2)(get_global_id(0), get_global_id(1));\n"
                             "    to[at.y * get_global_size(0) + at.x] = read_imageui(from, at) + 1;\n"
                             "}\n"
                             "kernel void paint(write_only image2d_t to) {\n"
                             "    int2 at = (int2)(get_global_id(0), get_global_id(1));\n"
                             "    write_imageui(to, at, (uint4)(at.x, at.y, at.x ^ at.y, 7));\n"
                             "}\n";

static uint32_t hash(uint32_t x) {
    x ^= x >> 16, x *= 0x7feb352du, x ^= x >> 15, x *= 0x846ca68bu;
    return x ^ x >> 16;
}

static void open_device(void) {
    cl_platform_id platforms[8];
    cl_uint count = 0;
    CL(clGetPlatformIDs(8, platforms, &count));
    for (cl_uint i = 0; i < count; i++) {
        char name[100] = "";
        CL(clGetPlatformInfo(platforms[i], CL_PLATFORM_NAME, sizeof name, name, NULL));
        if (!strcmp(name, "AMD Accelerated Parallel Processing")) platform = platforms[i];
    }
    if (!platform) FAIL("no platform of AMD's");
    CL(clGetDeviceIDs(platform, CL_DEVICE_TYPE_GPU, 1, &device, NULL));
    cl_int status;
    context = clCreateContext(NULL, 1, &device, NULL, NULL, &status);
    CL(status);
    queue = clCreateCommandQueueWithProperties(context, device, NULL, &status);
    CL(status);
    acquire = (clEnqueueAcquireExternalMemObjectsKHR_fn)clGetExtensionFunctionAddressForPlatform(platform, "clEnqueueAcquireExternalMemObjectsKHR");
    release = (clEnqueueReleaseExternalMemObjectsKHR_fn)clGetExtensionFunctionAddressForPlatform(platform, "clEnqueueReleaseExternalMemObjectsKHR");
}

static cl_kernel kernel(const char *name) {
    cl_int status;
    const char *source = SOURCE;
    cl_program program = clCreateProgramWithSource(context, 1, &source, NULL, &status);
    CL(status);
    if (clBuildProgram(program, 1, &device, "-cl-std=CL2.0", NULL, NULL)) {
        static char log[1 << 16];
        clGetProgramBuildInfo(program, device, CL_PROGRAM_BUILD_LOG, sizeof log, log, NULL);
        FAIL("%s", log);
    }
    cl_kernel k = clCreateKernel(program, name, &status);
    CL(status);
    CL(clReleaseProgram(program));
    return k;
}

/* Memory of HIP's with the numbers hash(i + seed), and a dma-buf of it. */
static uint32_t *exported(size_t bytes, uint32_t seed, int *fd) {
    uint32_t *memory, *values = malloc(bytes);
    for (size_t i = 0; i < bytes / 4; i++) values[i] = hash(i + seed);
    HIP(hipMalloc((void **)&memory, bytes));
    HIP(hipMemcpy(memory, values, bytes, hipMemcpyHostToDevice));
    free(values);
    uint64_t offset = 0;
    if (hsa_amd_portable_export_dmabuf(memory, bytes, fd, &offset) != HSA_STATUS_SUCCESS) FAIL("no dma-buf");
    if (offset) FAIL("the dma-buf begins %llu bytes before", (unsigned long long)offset);
    return memory;
}

#define LIST(...) (const cl_mem_properties[]){__VA_ARGS__}

/* That memory of HIP's has the numbers hash(i + seed) + more. */
static void check(const uint32_t *memory, uint32_t seed, uint32_t more) {
    uint32_t *values = malloc(BYTES);
    HIP(hipMemcpy(values, memory, BYTES, hipMemcpyDeviceToHost));
    for (size_t i = 0; i < N; i++)
        if (values[i] != hash(i + seed) + more) FAIL("HIP's memory has %u at %zu, expected %u", values[i], i, hash(i + seed) + more);
    checked += N;
    free(values);
}

static cl_mem try_import(int fd, cl_mem_flags flags, size_t bytes, cl_int *status) {
    cl_mem_properties properties[] = {CL_EXTERNAL_MEMORY_HANDLE_DMA_BUF_KHR, (cl_mem_properties)fd, CL_MEM_DEVICE_HANDLE_LIST_KHR,
                                      (cl_mem_properties)(uintptr_t)device, CL_MEM_DEVICE_HANDLE_LIST_END_KHR, 0};
    return clCreateBufferWithProperties(context, properties, flags, bytes, NULL, status);
}

static cl_mem import(int fd, size_t bytes) {
    cl_int status = 1;
    cl_mem memory = try_import(fd, CL_MEM_READ_WRITE, bytes, &status);
    CL(status);
    if (!memory) FAIL("no object and no error");
    return memory;
}

static void add(cl_command_queue queue, cl_kernel k, cl_mem memory, size_t n, cl_uint number) {
    CL(clSetKernelArg(k, 0, sizeof memory, &memory));
    CL(clSetKernelArg(k, 1, sizeof number, &number));
    CL(clEnqueueNDRangeKernel(queue, k, 1, NULL, &n, NULL, 0, NULL, NULL));
}

static size_t descriptors(void) {
    size_t open = 0;
    for (int fd = 0; fd < 1000; fd++) open += fcntl(fd, F_GETFD) != -1;
    return open;
}

static int has_word(const char *text, const char *word) {
    size_t length = strlen(word);
    int found = 0;
    for (const char *at = text; (at = strstr(at, word)); at += length)
        found += (at == text || at[-1] == ' ') && (at[length] == ' ' || !at[length]);
    return found;
}

static void queries(void) {
    char text[10000] = "";
    size_t size = 0, again = 0;
    CL(clGetPlatformInfo(platform, CL_PLATFORM_EXTENSIONS, 0, NULL, &size));
    CL(clGetPlatformInfo(platform, CL_PLATFORM_EXTENSIONS, size, text, &again));
    IS(again, size), IS(strlen(text) + 1, size);
    IS(has_word(text, "cl_khr_external_memory"), 1), IS(has_word(text, "cl_khr_external_memory_dma_buf"), 1);
    IS(has_word(text, "cl_khr_icd"), 1);
    IS(clGetPlatformInfo(platform, CL_PLATFORM_EXTENSIONS, size - 1, text, NULL), CL_INVALID_VALUE);
    CL(clGetDeviceInfo(device, CL_DEVICE_EXTENSIONS, 0, NULL, &size));
    CL(clGetDeviceInfo(device, CL_DEVICE_EXTENSIONS, size, text, &again));
    IS(again, size), IS(strlen(text) + 1, size);
    IS(has_word(text, "cl_khr_external_memory"), 1), IS(has_word(text, "cl_khr_external_memory_dma_buf"), 1);
    IS(has_word(text, "cl_khr_fp64"), 1);
    IS(clGetDeviceInfo(device, CL_DEVICE_EXTENSIONS, size - 1, text, NULL), CL_INVALID_VALUE);
    cl_external_memory_handle_type_khr types[4] = {1, 1, 1, 1};
    CL(clGetPlatformInfo(platform, CL_PLATFORM_EXTERNAL_MEMORY_IMPORT_HANDLE_TYPES_KHR, sizeof types, types, &size));
    IS(size, sizeof *types), IS(types[0], CL_EXTERNAL_MEMORY_HANDLE_DMA_BUF_KHR), IS(types[1], 1);
    cl_device_info of_device[] = {CL_DEVICE_EXTERNAL_MEMORY_IMPORT_HANDLE_TYPES_KHR, CL_DEVICE_EXTERNAL_MEMORY_IMPORT_ASSUME_LINEAR_IMAGES_HANDLE_TYPES_KHR};
    for (int i = 0; i < 2; i++) {
        types[0] = 1, size = 0;
        CL(clGetDeviceInfo(device, of_device[i], sizeof *types, types, &size));
        IS(size, sizeof *types), IS(types[0], CL_EXTERNAL_MEMORY_HANDLE_DMA_BUF_KHR);
        IS(clGetDeviceInfo(device, of_device[i], 3, types, NULL), CL_INVALID_VALUE);
        IS(clGetDeviceInfo(device, of_device[i], 0, types, NULL), CL_INVALID_VALUE);
    }
    /* AMD's OpenCL is one of 2.1, which may have lists with versions or not; if so, the extensions are in them. */
    cl_name_version listed[200];
    if (clGetDeviceInfo(device, CL_DEVICE_EXTENSIONS_WITH_VERSION, sizeof listed, listed, &size) == CL_SUCCESS) {
        size_t n = size / sizeof *listed;
        IS(strcmp(listed[n - 2].name, "cl_khr_external_memory"), 0), IS(listed[n - 2].version, CL_MAKE_VERSION(1, 0, 1));
        IS(strcmp(listed[n - 1].name, "cl_khr_external_memory_dma_buf"), 0), IS(listed[n - 1].version, CL_MAKE_VERSION(1, 0, 0));
    }
    IS(acquire != NULL, 1), IS(release != NULL, 1), IS((void *)acquire != (void *)release, 1);
#pragma clang diagnostic ignored "-Wdeprecated-declarations"
    IS(clGetExtensionFunctionAddress("clEnqueueAcquireExternalMemObjectsKHR") == (void *)acquire, 1);
    IS(clGetExtensionFunctionAddressForPlatform(platform, "clEnqueueAcquireNothingKHR") == NULL, 1);
    /* Other queries are as they were. */
    cl_uint units = 0;
    CL(clGetDeviceInfo(device, CL_DEVICE_MAX_COMPUTE_UNITS, sizeof units, &units, NULL));
    IS(units > 0, 1);
    /* A program that loads the loader finds the extension too. */
    void *loader = dlopen("libOpenCL.so.1", RTLD_NOW | RTLD_LOCAL);
    if (!loader) FAIL("%s", dlerror());
    cl_int (*info)(cl_device_id, cl_device_info, size_t, void *, size_t *) = (void *)dlsym(loader, "clGetDeviceInfo");
    CL(info(device, CL_DEVICE_EXTENSIONS, sizeof text, text, NULL));
    IS(has_word(text, "cl_khr_external_memory_dma_buf"), 1);
    IS(dlsym(loader, "clGetNothing") == NULL, 1), IS(dlerror() != NULL, 1);
}

/* Nothing of it is there. */
static void without(void) {
    char text[10000] = "";
    CL(clGetDeviceInfo(device, CL_DEVICE_EXTENSIONS, sizeof text, text, NULL));
    IS(has_word(text, "cl_khr_external_memory_dma_buf"), 0);
    IS(acquire == NULL, 1);
}

static void computes(void) {
    int fd;
    uint32_t *memory = exported(BYTES, 0, &fd);
    cl_mem shared = import(fd, BYTES);
    /* The descriptor stays the program's, and is not needed any more. */
    IS(fcntl(fd, F_GETFD), FD_CLOEXEC);
    close(fd);
    cl_kernel k = kernel("add");
    CL(acquire(queue, 1, &shared, 0, NULL, NULL));
    add(queue, k, shared, N, 5);
    CL(release(queue, 1, &shared, 0, NULL, NULL));
    CL(clFinish(queue));
    check(memory, 0, 5);
    /* The other way: HIP writes, each of OpenCL's commands reads. */
    uint32_t *values = malloc(BYTES), *got = malloc(BYTES);
    for (size_t i = 0; i < N; i++) values[i] = hash(i + 77);
    HIP(hipMemcpy(memory, values, BYTES, hipMemcpyHostToDevice));
    CL(acquire(queue, 1, &shared, 0, NULL, NULL));
    CL(clEnqueueReadBuffer(queue, shared, CL_TRUE, 0, BYTES, got, 0, NULL, NULL));
    for (size_t i = 0; i < N; i++) IS(got[i], values[i]);
    cl_int status;
    uint32_t *mapped = clEnqueueMapBuffer(queue, shared, CL_TRUE, CL_MAP_READ | CL_MAP_WRITE, 4096, BYTES - 4096, 0, NULL, NULL, &status);
    CL(status);
    for (size_t i = 1024; i < N; i++) {
        IS(mapped[i - 1024], values[i]);
        mapped[i - 1024] += 3;
    }
    CL(clEnqueueUnmapMemObject(queue, shared, mapped, 0, NULL, NULL));
    CL(clEnqueueWriteBuffer(queue, shared, CL_FALSE, 0, 4096, memset(got, 0, 4096), 0, NULL, NULL));
    for (size_t i = 0; i < 1024; i++) got[i] = values[i] + 3;
    CL(clEnqueueWriteBuffer(queue, shared, CL_TRUE, 0, 4096, got, 0, NULL, NULL));
    cl_buffer_region half = {BYTES / 2, BYTES / 2};
    cl_mem sub = clCreateSubBuffer(shared, CL_MEM_READ_WRITE, CL_BUFFER_CREATE_TYPE_REGION, &half, &status);
    CL(status);
    add(queue, k, sub, N / 2, 2);
    cl_mem own = clCreateBuffer(context, CL_MEM_READ_WRITE, BYTES / 2, NULL, &status);
    CL(status);
    CL(clEnqueueCopyBuffer(queue, shared, own, 0, 0, BYTES / 2, 0, NULL, NULL));
    add(queue, k, own, N / 2, 2);
    CL(clEnqueueCopyBuffer(queue, own, shared, 0, 0, BYTES / 2, 0, NULL, NULL));
    CL(release(queue, 1, &shared, 0, NULL, NULL));
    CL(clFinish(queue));
    check(memory, 77, 5);
    CL(clReleaseMemObject(sub));
    uint32_t pattern = 0xabcd1234;
    CL(acquire(queue, 1, &shared, 0, NULL, NULL));
    CL(clEnqueueFillBuffer(queue, shared, &pattern, 4, 0, BYTES, 0, NULL, NULL));
    CL(release(queue, 1, &shared, 0, NULL, NULL));
    CL(clFinish(queue));
    HIP(hipMemcpy(got, memory, BYTES, hipMemcpyDeviceToHost));
    for (size_t i = 0; i < N; i++) IS(got[i], pattern);
    /* What is asked of the object. */
    cl_mem_properties properties[10];
    size_t size;
    CL(clGetMemObjectInfo(shared, CL_MEM_PROPERTIES, sizeof properties, properties, &size));
    IS(size, 6 * sizeof *properties), IS(properties[0], CL_EXTERNAL_MEMORY_HANDLE_DMA_BUF_KHR), IS(properties[1], fd);
    IS(properties[2], CL_MEM_DEVICE_HANDLE_LIST_KHR), IS(properties[3], (uintptr_t)device), IS(properties[4], 0), IS(properties[5], 0);
    IS(clGetMemObjectInfo(shared, CL_MEM_PROPERTIES, 5 * sizeof *properties, properties, NULL), CL_INVALID_VALUE);
    CL(clGetMemObjectInfo(shared, CL_MEM_SIZE, sizeof size, &size, NULL));
    IS(size, BYTES);
    cl_uint references = 0;
    CL(clGetMemObjectInfo(shared, CL_MEM_REFERENCE_COUNT, sizeof references, &references, NULL));
    IS(references, 1);
    /* The bytes stay while anybody has them. */
    HIP(hipFree(memory));
    CL(clEnqueueReadBuffer(queue, shared, CL_TRUE, 0, BYTES, got, 0, NULL, NULL));
    for (size_t i = 0; i < N; i++) IS(got[i], pattern);
    CL(clReleaseMemObject(own));
    CL(clReleaseMemObject(shared));
    CL(clReleaseKernel(k));
    free(values), free(got);
}

static void expect(cl_int expected, const cl_mem_properties *properties, cl_mem_flags flags, size_t bytes, void *host, const char *what) {
    cl_int status = 1;
    cl_mem memory = clCreateBufferWithProperties(context, properties, flags, bytes, host, &status);
    if (status != expected || (memory != NULL) != (expected == CL_SUCCESS)) FAIL("%s: error %d, expected %d", what, status, expected);
    /* Without a place for the code. */
    cl_mem again = clCreateBufferWithProperties(context, properties, flags, bytes, host, NULL);
    if ((again != NULL) != (expected == CL_SUCCESS)) FAIL("%s", what);
    if (memory) CL(clReleaseMemObject(memory)), CL(clReleaseMemObject(again));
    checked += 2;
}

static void errors(void) {
    int fd, pipes[2];
    uint32_t *memory = exported(BYTES, 0, &fd);
    size_t size;
    enum { BUF = CL_EXTERNAL_MEMORY_HANDLE_DMA_BUF_KHR, DEVICES = CL_MEM_DEVICE_HANDLE_LIST_KHR };
    cl_mem_properties of = fd, this = (uintptr_t)device;

    expect(CL_SUCCESS, LIST(BUF, of, 0), CL_MEM_READ_WRITE, BYTES, NULL, "no devices named");
    expect(CL_SUCCESS, LIST(DEVICES, this, 0, BUF, of, 0), 0, 1, NULL, "one byte, the other order");
    expect(CL_SUCCESS, LIST(BUF, of, DEVICES, this, this, 0, 0), CL_MEM_READ_ONLY, BYTES, NULL, "the device twice");
    expect(CL_SUCCESS, NULL, CL_MEM_READ_WRITE, 4096, NULL, "no properties");
    expect(CL_SUCCESS, LIST(0), CL_MEM_READ_WRITE, 4096, NULL, "none of the properties");
    expect(CL_INVALID_PROPERTY, LIST(BUF, of, BUF, of, 0), 0, BYTES, NULL, "two handles");
    expect(CL_INVALID_PROPERTY, LIST(CL_EXTERNAL_MEMORY_HANDLE_OPAQUE_FD_KHR, of, 0), 0, BYTES, NULL, "another kind of handle");
    expect(CL_INVALID_PROPERTY, LIST(1234, 1, 0), 0, BYTES, NULL, "an unknown property");
    expect(CL_INVALID_PROPERTY, LIST(DEVICES, this, 0, 0), 0, BYTES, NULL, "devices without a handle");
    expect(CL_INVALID_PROPERTY, LIST(BUF, of, DEVICES, 0, 0), 0, BYTES, NULL, "no device in the list");
    expect(CL_INVALID_PROPERTY, LIST(BUF, (cl_mem_properties)-1, 0), 0, BYTES, NULL, "descriptor -1");
    expect(CL_INVALID_PROPERTY, LIST(BUF, 1u << 31, 0), 0, BYTES, NULL, "a descriptor of 32 bits");
    expect(CL_INVALID_PROPERTY, LIST(BUF, 12345, 0), 0, BYTES, NULL, "a closed descriptor");
    expect(CL_INVALID_DEVICE, LIST(BUF, of, DEVICES, (uintptr_t)&size, 0, 0), 0, BYTES, NULL, "no device of the context");
    expect(CL_INVALID_VALUE, LIST(BUF, of, 0), CL_MEM_ALLOC_HOST_PTR, BYTES, NULL, "the host's memory");
    expect(CL_INVALID_VALUE, LIST(BUF, of, 0), CL_MEM_USE_HOST_PTR, BYTES, &size, "the program's memory");
    expect(CL_INVALID_VALUE, LIST(BUF, of, 0), CL_MEM_COPY_HOST_PTR, BYTES, &size, "a copy of the program's memory");
    expect(CL_INVALID_VALUE, LIST(BUF, of, 0), CL_MEM_READ_ONLY | CL_MEM_WRITE_ONLY, BYTES, NULL, "flags that exclude each other");
    expect(CL_INVALID_HOST_PTR, LIST(BUF, of, 0), 0, BYTES, &size, "a host pointer");
    expect(CL_INVALID_BUFFER_SIZE, LIST(BUF, of, 0), 0, 0, NULL, "no bytes");
    expect(CL_INVALID_BUFFER_SIZE, LIST(BUF, of, 0), 0, (size_t)16 << 20, NULL, "more bytes than there are");
    expect(CL_INVALID_BUFFER_SIZE, LIST(BUF, of, 0), 0, (size_t)1 << 60, NULL, "more bytes than a GPU has");
    IS(clCreateBufferWithProperties(NULL, LIST(BUF, of, 0), 0, BYTES, NULL, NULL) == NULL, 1);
    if (pipe(pipes)) FAIL("pipe: %s", strerror(errno));
    int file = memfd_create("file", MFD_CLOEXEC);
    if (file < 0 || ftruncate(file, BYTES)) FAIL("memfd: %s", strerror(errno));
    expect(CL_INVALID_PROPERTY, LIST(BUF, (cl_mem_properties)pipes[0], 0), 0, BYTES, NULL, "a pipe");
    expect(CL_INVALID_PROPERTY, LIST(BUF, (cl_mem_properties)file, 0), 0, BYTES, NULL, "a file");
    close(pipes[0]), close(pipes[1]), close(file);
    /* Acquire and release. */
    cl_mem shared = import(fd, BYTES), plain = clCreateBuffer(context, 0, 4096, NULL, NULL), both[] = {shared, plain};
    clEnqueueAcquireExternalMemObjectsKHR_fn functions[] = {acquire, release};
    cl_event user = clCreateUserEvent(context, NULL), none = NULL;
    cl_context other = clCreateContext(NULL, 1, &device, NULL, NULL, NULL);
    cl_command_queue others = clCreateCommandQueueWithProperties(other, device, NULL, NULL);
    CL(clSetUserEventStatus(user, -5));
    for (int i = 0; i < 2; i++) {
        clEnqueueAcquireExternalMemObjectsKHR_fn f = functions[i];
        IS(f(NULL, 1, &shared, 0, NULL, NULL), CL_INVALID_COMMAND_QUEUE);
        IS(f(queue, 0, &shared, 0, NULL, NULL), CL_INVALID_VALUE);
        IS(f(queue, 1, NULL, 0, NULL, NULL), CL_INVALID_VALUE);
        IS(f(queue, 0, NULL, 0, NULL, NULL), CL_SUCCESS);
        IS(f(queue, 2, both, 0, NULL, NULL), CL_INVALID_MEM_OBJECT);
        IS(f(queue, 1, (cl_mem[]){NULL}, 0, NULL, NULL), CL_INVALID_MEM_OBJECT);
        IS(f(others, 1, &shared, 0, NULL, NULL), CL_INVALID_COMMAND_QUEUE);
        IS(f(queue, 1, &shared, 1, NULL, NULL), CL_INVALID_EVENT_WAIT_LIST);
        IS(f(queue, 1, &shared, 0, &user, NULL), CL_INVALID_EVENT_WAIT_LIST);
        IS(f(queue, 1, &shared, 1, &none, NULL), CL_INVALID_EVENT_WAIT_LIST);
        IS(f(queue, 1, &shared, 1, &user, NULL), CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST);
    }
    CL(clReleaseEvent(user)), CL(clReleaseCommandQueue(others)), CL(clReleaseContext(other));
    CL(clFinish(queue));
    /* None of this has done anything to the bytes, and all of it is still usable. */
    check(memory, 0, 0);
    cl_kernel k = kernel("add");
    add(queue, k, shared, N, 9);
    CL(clFinish(queue));
    check(memory, 0, 9);
    CL(clReleaseKernel(k)), CL(clReleaseMemObject(shared)), CL(clReleaseMemObject(plain));
    close(fd);
    HIP(hipFree(memory));
}

static cl_command_type type(cl_event event) {
    cl_command_type type = 0;
    CL(clGetEventInfo(event, CL_EVENT_COMMAND_TYPE, sizeof type, &type, NULL));
    return type;
}

static cl_int state(cl_event event) {
    cl_int status = 99;
    CL(clGetEventInfo(event, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof status, &status, NULL));
    return status;
}

static void events(void) {
    int fd;
    uint32_t *memory = exported(BYTES, 3, &fd);
    cl_mem shared = import(fd, BYTES);
    cl_kernel k = kernel("add");
    cl_int status;
    for (int round = 0; round < 20; round++) {
        cl_event user = clCreateUserEvent(context, &status), got, done, marker;
        CL(status);
        CL(acquire(queue, 1, &shared, 1, &user, &got));
        add(queue, k, shared, N, 1);
        CL(release(queue, 1, &shared, 0, NULL, &done));
        CL(clEnqueueMarkerWithWaitList(queue, 0, NULL, &marker));
        CL(clFlush(queue));
        IS(type(got), CL_COMMAND_ACQUIRE_EXTERNAL_MEM_OBJECTS_KHR), IS(type(done), CL_COMMAND_RELEASE_EXTERNAL_MEM_OBJECTS_KHR);
        IS(type(marker), CL_COMMAND_MARKER), IS(type(user), CL_COMMAND_USER);
        /* Nothing runs before what it waits for. */
        IS(state(got) > CL_COMPLETE, 1), IS(state(done) > CL_COMPLETE, 1);
        check(memory, 3, round);
        CL(clSetUserEventStatus(user, CL_COMPLETE));
        CL(clWaitForEvents(1, &done));
        IS(state(got), CL_COMPLETE), IS(state(done), CL_COMPLETE);
        check(memory, 3, round + 1);
        CL(clRetainEvent(got)), CL(clReleaseEvent(got));
        IS(type(got), CL_COMMAND_ACQUIRE_EXTERNAL_MEM_OBJECTS_KHR);
        IS(clGetEventInfo(got, CL_EVENT_COMMAND_TYPE, 1, &status, NULL), CL_INVALID_VALUE);
        CL(clReleaseEvent(got)), CL(clReleaseEvent(done)), CL(clReleaseEvent(marker)), CL(clReleaseEvent(user));
    }
    CL(clReleaseKernel(k)), CL(clReleaseMemObject(shared));
    close(fd);
    HIP(hipFree(memory));
}

static void images(void) {
    enum { WIDTH = 300, HEIGHT = 200, PITCH = 1280 };
    int fd;
    uint32_t *memory = exported(BYTES, 0, &fd);
    cl_mem_properties properties[] = {CL_EXTERNAL_MEMORY_HANDLE_DMA_BUF_KHR, (cl_mem_properties)fd, 0};
    cl_image_format format = {CL_RGBA, CL_UNSIGNED_INT8};
    cl_image_desc description = {.image_type = CL_MEM_OBJECT_IMAGE2D, .image_width = WIDTH, .image_height = HEIGHT, .image_row_pitch = PITCH};
    cl_int status = 1;
    cl_mem image = clCreateImageWithProperties(context, properties, CL_MEM_READ_WRITE, &format, &description, NULL, &status);
    CL(status);
    cl_mem out = clCreateBuffer(context, 0, WIDTH * HEIGHT * 16, NULL, NULL), below = out;
    size_t pitch = 0, size[2] = {WIDTH, HEIGHT};
    CL(clGetImageInfo(image, CL_IMAGE_ROW_PITCH, sizeof pitch, &pitch, NULL));
    IS(pitch, PITCH);
    CL(clGetImageInfo(image, CL_IMAGE_BUFFER, sizeof below, &below, NULL));
    IS((uintptr_t)below, 0);
    below = out;
    CL(clGetMemObjectInfo(image, CL_MEM_ASSOCIATED_MEMOBJECT, sizeof below, &below, NULL));
    IS((uintptr_t)below, 0);
    cl_kernel brighten = kernel("brighten"), paint = kernel("paint");
    CL(acquire(queue, 1, &image, 0, NULL, NULL));
    CL(clSetKernelArg(brighten, 0, sizeof image, &image)), CL(clSetKernelArg(brighten, 1, sizeof out, &out));
    CL(clEnqueueNDRangeKernel(queue, brighten, 2, NULL, size, NULL, 0, NULL, NULL));
    cl_uint *texels = malloc(WIDTH * HEIGHT * 16);
    CL(clEnqueueReadBuffer(queue, out, CL_TRUE, 0, WIDTH * HEIGHT * 16, texels, 0, NULL, NULL));
    for (size_t y = 0; y < HEIGHT; y++)
        for (size_t x = 0; x < WIDTH; x++)
            for (int c = 0; c < 4; c++) IS(texels[(y * WIDTH + x) * 4 + c], (hash(y * PITCH / 4 + x) >> 8 * c & 255) + 1);
    CL(clSetKernelArg(paint, 0, sizeof image, &image));
    CL(clEnqueueNDRangeKernel(queue, paint, 2, NULL, size, NULL, 0, NULL, NULL));
    CL(release(queue, 1, &image, 0, NULL, NULL));
    CL(clFinish(queue));
    uint32_t *values = malloc(BYTES);
    HIP(hipMemcpy(values, memory, BYTES, hipMemcpyDeviceToHost));
    for (size_t y = 0; y < HEIGHT; y++)
        for (size_t x = 0; x < PITCH / 4; x++) {
            uint32_t painted = (x & 255) | (y & 255) << 8 | ((x ^ y) & 255) << 16 | 7u << 24;
            if (x >= 255) painted = x < WIDTH ? values[y * PITCH / 4 + x] : hash(y * PITCH / 4 + x);
            IS(values[y * PITCH / 4 + x], painted);
        }
    for (size_t i = HEIGHT * PITCH / 4; i < N; i++) IS(values[i], hash(i));
    CL(clReleaseMemObject(image));
    /* Rows where the device wants them. */
    description.image_row_pitch = 0;
    image = clCreateImageWithProperties(context, properties, CL_MEM_READ_WRITE, &format, &description, NULL, &status);
    CL(status);
    CL(clGetImageInfo(image, CL_IMAGE_ROW_PITCH, sizeof pitch, &pitch, NULL));
    IS(pitch, PITCH);
    CL(clReleaseMemObject(image));
    /* What is refused. */
    description.image_row_pitch = WIDTH * 4 - 4;
    IS(clCreateImageWithProperties(context, properties, 0, &format, &description, NULL, &status) == NULL, 1);
    IS(status, CL_INVALID_IMAGE_DESCRIPTOR);
    description.image_row_pitch = 0, description.image_type = CL_MEM_OBJECT_IMAGE3D, description.image_depth = 2;
    IS(clCreateImageWithProperties(context, properties, 0, &format, &description, NULL, &status) == NULL, 1);
    IS(status, CL_INVALID_IMAGE_DESCRIPTOR);
    description.image_type = CL_MEM_OBJECT_IMAGE2D, description.image_height = 4096;
    IS(clCreateImageWithProperties(context, properties, 0, &format, &description, NULL, &status) == NULL, 1);
    IS(status, CL_INVALID_BUFFER_SIZE);
    IS(clCreateImageWithProperties(context, properties, 0, NULL, &description, NULL, &status) == NULL, 1);
    IS(status, CL_INVALID_IMAGE_FORMAT_DESCRIPTOR);
    IS(clCreateImageWithProperties(context, properties, 0, &format, NULL, NULL, &status) == NULL, 1);
    IS(status, CL_INVALID_IMAGE_DESCRIPTOR);
    /* An image of OpenCL's own. */
    description.image_height = HEIGHT;
    image = clCreateImageWithProperties(context, NULL, CL_MEM_READ_WRITE, &format, &description, NULL, &status);
    CL(status);
    IS(acquire(queue, 1, &image, 0, NULL, NULL), CL_INVALID_MEM_OBJECT);
    CL(clReleaseMemObject(image)), CL(clReleaseMemObject(out)), CL(clReleaseKernel(brighten)), CL(clReleaseKernel(paint));
    free(texels), free(values), close(fd);
    HIP(hipFree(memory));
}

/* MiB of this process's address space that are taken: also memory of the GPU has addresses. */
static long long taken(void) {
    unsigned long long pages = 0;
    FILE *file = fopen("/proc/self/statm", "r");
    if (!file || fscanf(file, "%llu", &pages) != 1) FAIL("statm: %s", strerror(errno));
    fclose(file);
    return (long long)(pages >> 8);
}

/* Objects are released in every order, also with commands under way; addresses and descriptors come back. */
static void lifetimes(void) {
    cl_kernel k = kernel("add");
    long long before = 0;
    size_t open = descriptors();
    for (int round = 0; round < 30; round++) {
        if (round == 2) before = taken();
        int fd;
        uint32_t *memory = exported(BYTES, round, &fd);
        cl_mem views[5];
        for (int i = 0; i < 5; i++) views[i] = import(fd, i == 4 ? 4096 : BYTES);
        for (int i = 0; i < 4; i++) {
            CL(acquire(queue, 1, &views[i], 0, NULL, NULL));
            add(queue, k, views[i], N, 1 << i);
            CL(release(queue, 1, &views[i], 0, NULL, NULL));
            CL(clRetainMemObject(views[i]));
            /* The kernel may still run. */
            CL(clReleaseMemObject(views[i]));
        }
        close(fd);
        if (round % 3 == 0) CL(clFinish(queue)), check(memory, round, 15);
        if (round % 3 == 1) CL(clFinish(queue)), check(memory, round, 15), HIP(hipFree(memory));
        for (int i = 0; i < 5; i++) CL(clReleaseMemObject(views[(i * (round + 1)) % 5 == 0 && i ? i : (i * (round % 4 + 1)) % 5]));
        CL(clFinish(queue));
        if (round % 3 != 1) check(memory, round, 15), HIP(hipFree(memory));
    }
    /* 140 imports of 4 MiB each; what the runtimes keep for themselves is less. */
    IS(taken() - before < 280, 1), IS(descriptors(), open);
    CL(clReleaseKernel(k));
}

/* Several objects of one dma-buf, one after the other in one queue. */
static void aliases(void) {
    int fd;
    uint32_t *memory = exported(BYTES, 0, &fd);
    cl_mem views[4];
    cl_kernel k = kernel("add");
    for (int i = 0; i < 4; i++) views[i] = import(fd, BYTES);
    for (uint32_t round = 0; round < 4; round++) {
        for (int i = 0; i < 4; i++) {
            CL(acquire(queue, 1, &views[i], 0, NULL, NULL));
            add(queue, k, views[i], N, 1 << 4 * i);
            CL(release(queue, 1, &views[i], 0, NULL, NULL));
        }
        CL(clFinish(queue));
        check(memory, 0, 0x1111 * (round + 1));
    }
    for (int i = 0; i < 4; i++) CL(clReleaseMemObject(views[i]));
    CL(clReleaseKernel(k));
    close(fd);
    HIP(hipFree(memory));
}

static void *thread(void *number) {
    uint32_t seed = (uint32_t)(uintptr_t)number;
    cl_int status;
    cl_command_queue own = clCreateCommandQueueWithProperties(context, device, NULL, &status);
    CL(status);
    cl_kernel k = kernel("add");
    for (int round = 0; round < 8; round++) {
        int fd;
        uint32_t *memory = exported(BYTES, seed + round, &fd);
        /* A closed one between, which must not be another thread's. */
        cl_mem none = try_import(30000, 0, BYTES, &status), shared = import(fd, BYTES), plain = clCreateBuffer(context, 0, BYTES, NULL, NULL);
        IS(none == NULL, 1), IS(status, CL_INVALID_PROPERTY);
        cl_event done;
        CL(acquire(own, 1, &shared, 0, NULL, NULL));
        add(own, k, shared, N, seed);
        add(own, k, plain, N, 1);
        CL(release(own, 1, &shared, 0, NULL, &done));
        CL(clWaitForEvents(1, &done));
        IS(type(done), CL_COMMAND_RELEASE_EXTERNAL_MEM_OBJECTS_KHR);
        CL(clReleaseEvent(done));
        check(memory, seed + round, seed);
        CL(clReleaseMemObject(shared)), CL(clReleaseMemObject(plain));
        close(fd);
        HIP(hipFree(memory));
    }
    CL(clReleaseKernel(k)), CL(clReleaseCommandQueue(own));
    return NULL;
}

static void threads(void) {
    pthread_t all[6];
    for (uintptr_t i = 0; i < 6; i++)
        if (pthread_create(&all[i], NULL, thread, (void *)(i * 1000 + 1))) FAIL("no thread");
    for (int i = 0; i < 6; i++) pthread_join(all[i], NULL);
}

/* A context of two devices is refused, one of each is not. */
static void devices(void) {
    cl_device_id all[2];
    cl_uint count = 0;
    CL(clGetDeviceIDs(platform, CL_DEVICE_TYPE_GPU, 2, all, &count));
    IS(count, 2);
    int fd;
    uint32_t *memory = exported(BYTES, 0, &fd);
    cl_context own = context;
    context = clCreateContext(NULL, 2, all, NULL, NULL, NULL);
    expect(CL_INVALID_DEVICE, LIST(CL_EXTERNAL_MEMORY_HANDLE_DMA_BUF_KHR, (cl_mem_properties)fd, 0), 0, BYTES, NULL, "two devices");
    CL(clReleaseContext(context));
    context = own;
    cl_mem shared = import(fd, BYTES);
    expect(CL_INVALID_DEVICE, LIST(CL_EXTERNAL_MEMORY_HANDLE_DMA_BUF_KHR, (cl_mem_properties)fd, CL_MEM_DEVICE_HANDLE_LIST_KHR, (uintptr_t)all[1], 0, 0), 0, BYTES, NULL,
           "a device of another context");
    cl_kernel k = kernel("add");
    CL(acquire(queue, 1, &shared, 0, NULL, NULL));
    add(queue, k, shared, N, 5);
    CL(release(queue, 1, &shared, 0, NULL, NULL));
    CL(clFinish(queue));
    check(memory, 0, 5);
    CL(clReleaseKernel(k)), CL(clReleaseMemObject(shared));
    close(fd);
    HIP(hipFree(memory));
}

/* Turns between OpenCL and a mapping of the dma-buf into the host, which sees only what is in memory. */
static void turns(void) {
    int fd;
    uint32_t *memory = exported(BYTES, 0, &fd);
    volatile uint32_t *host = mmap(NULL, BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    if (host == MAP_FAILED) FAIL("mmap: %s", strerror(errno));
    cl_mem shared = import(fd, BYTES);
    cl_kernel k = kernel("add");
    for (uint32_t round = 0; round < 4; round++) {
        cl_event done;
        CL(acquire(queue, 1, &shared, 0, NULL, NULL));
        add(queue, k, shared, N, 1);
        CL(release(queue, 1, &shared, 0, NULL, &done));
        CL(clWaitForEvents(1, &done));
        CL(clReleaseEvent(done));
        for (size_t i = 0; i < N; i++) {
            IS(host[i], hash(i) + 3 * round + 1);
            host[i] += 2;
        }
    }
    CL(clReleaseKernel(k)), CL(clReleaseMemObject(shared));
    munmap((void *)host, BYTES), close(fd);
    HIP(hipFree(memory));
}

/* What calls cost: of functions that the layer does not see, then of some that it sees and passes on. */
static void cost(void) {
    cl_int status;
    cl_uint number = 1;
    size_t items = 64;
    cl_kernel k = kernel("add");
    cl_mem plain = clCreateBuffer(context, 0, 4096, NULL, &status);
    cl_event event;
    CL(status), CL(clSetKernelArg(k, 0, sizeof plain, &plain));
    INSTRUCTIONS("clSetKernelArg", status = clSetKernelArg(k, 1, sizeof number, &number), CL(status));
    /* Refused by AMD's OpenCL, as what it does with a kernel depends on how far the GPU is. */
    INSTRUCTIONS("clEnqueueNDRangeKernel", status = clEnqueueNDRangeKernel(queue, k, 0, NULL, &items, NULL, 0, NULL, NULL), IS(status, CL_INVALID_WORK_DIMENSION));
    INSTRUCTIONS("clEnqueueReadBuffer", status = clEnqueueReadBuffer(queue, plain, CL_FALSE, 0, 4, NULL, 0, NULL, NULL), IS(status, CL_INVALID_VALUE));
    INSTRUCTIONS("clGetDeviceInfo", status = clGetDeviceInfo(device, CL_DEVICE_MAX_COMPUTE_UNITS, sizeof number, &number, NULL), CL(status));
    INSTRUCTIONS("clGetMemObjectInfo", status = clGetMemObjectInfo(plain, CL_MEM_SIZE, sizeof items, &items, NULL), CL(status));
    event = clCreateUserEvent(context, &status);
    CL(status);
    INSTRUCTIONS("clGetEventInfo", status = clGetEventInfo(event, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof number, &number, NULL), CL(status));
    INSTRUCTIONS("clRetainEvent", status = clRetainEvent(event), CL(status));
    INSTRUCTIONS("clReleaseEvent", status = clReleaseEvent(event), CL(status));
    CL(clReleaseKernel(k)), CL(clReleaseMemObject(plain));
}

int main(int argc, char **argv) {
    static const struct {
        const char *name;
        void (*run)(void);
    } cases[] = {{"queries", queries},     {"without", without}, {"computes", computes}, {"errors", errors}, {"events", events}, {"images", images},
                 {"lifetimes", lifetimes}, {"threads", threads}, {"devices", devices},   {"turns", turns},
                 {"aliases", aliases},     {"cost", cost}};
    if (argc < 2) FAIL("no case named");
    HIP(hipInit(0));
    open_device();
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        if (!strcmp(argv[1], cases[i].name)) cases[i].run(), printf("%s: %zu values checked\n", argv[1], (size_t)checked);
    if (!checked) FAIL("no case %s", argv[1]);
    return 0;
}
