/* A program in C that uses HIP's external semaphores, as its headers declare them. The other side are sync objects of the render node, which Vulkan's semaphores are on Linux.
 * It is called with the name of a case, prints `CASE: N values checked`, or says what is wrong and fails. */
#define _GNU_SOURCE
#ifndef __HIP_PLATFORM_AMD__
#define __HIP_PLATFORM_AMD__ 1
#endif
#include <dlfcn.h>
#include <drm/drm.h>
#include <errno.h>
#include <fcntl.h>
#include <hip/hip_runtime_api.h>
#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>

static size_t checked;

#define FAIL(...) (fprintf(stderr, "%s:%d: ", __FILE__, __LINE__), fprintf(stderr, __VA_ARGS__), fputc('\n', stderr), exit(2))
#define HIP(call) is(__LINE__, #call, call, hipSuccess)
#define IS(got, expected) (is(__LINE__, #got, (long long)(got), (long long)(expected)), checked++)

static void is(int line, const char *what, long long got, long long expected) {
    if (got != expected) fprintf(stderr, "%s:%d: %s is %lld, expected %lld\n", __FILE__, line, what, got, expected), exit(2);
}

enum { N = 1 << 16, BYTES = 4 * N };
/* hipExternalSemaphoreHandleTypeTimelineSemaphoreFd, a name that HIP 5 lacks. */
#define TIMELINE ((hipExternalSemaphoreHandleType)9)
static int node;
static hipStream_t stream, other;
/* Pinned, as copies to other memory hold up the caller. */
static uint32_t *device, *host;

static int64_t soon(int milliseconds) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec * 1000000000ll + now.tv_nsec + milliseconds * 1000000ll;
}

static uint32_t create(void) {
    struct drm_syncobj_create args = {0};
    if (ioctl(node, DRM_IOCTL_SYNCOBJ_CREATE, &args)) FAIL("no sync object: %s", strerror(errno));
    return args.handle;
}

static int export(uint32_t object) {
    struct drm_syncobj_handle args = {.handle = object};
    if (ioctl(node, DRM_IOCTL_SYNCOBJ_HANDLE_TO_FD, &args)) FAIL("no descriptor: %s", strerror(errno));
    return args.fd;
}

static void signal_point(uint32_t object, uint64_t point) {
    struct drm_syncobj_timeline_array args = {.handles = (uintptr_t)&object, .points = (uintptr_t)&point, .count_handles = 1};
    if (ioctl(node, DRM_IOCTL_SYNCOBJ_TIMELINE_SIGNAL, &args)) FAIL("no signal: %s", strerror(errno));
}

static void signal_binary(uint32_t object) {
    struct drm_syncobj_array args = {.handles = (uintptr_t)&object, .count_handles = 1};
    if (ioctl(node, DRM_IOCTL_SYNCOBJ_SIGNAL, &args)) FAIL("no signal: %s", strerror(errno));
}

/* Whether the point comes in time. */
static int comes(uint32_t object, uint64_t point, int milliseconds) {
    struct drm_syncobj_timeline_wait args = {.handles = (uintptr_t)&object, .points = (uintptr_t)&point, .count_handles = 1,
                                             .timeout_nsec = soon(milliseconds), .flags = DRM_SYNCOBJ_WAIT_FLAGS_WAIT_FOR_SUBMIT};
    while (ioctl(node, DRM_IOCTL_SYNCOBJ_TIMELINE_WAIT, &args))
        if (errno == ETIME) return 0;
        else if (errno != EINTR) FAIL("no wait: %s", strerror(errno));
    return 1;
}

/* Takes a binary signal, as whoever waits for one does. */
static void take(uint32_t object) {
    struct drm_syncobj_array args = {.handles = (uintptr_t)&object, .count_handles = 1};
    IS(comes(object, 0, 60000), 1);
    if (ioctl(node, DRM_IOCTL_SYNCOBJ_RESET, &args)) FAIL("no reset: %s", strerror(errno));
}

static hipExternalSemaphore_t import(uint32_t object, hipExternalSemaphoreHandleType type) {
    hipExternalSemaphoreHandleDesc description = {.type = type, .handle.fd = export(object)};
    hipExternalSemaphore_t semaphore = NULL;
    HIP(hipImportExternalSemaphore(&semaphore, &description));
    close(description.handle.fd);
    return semaphore;
}

static void hip_waits(hipExternalSemaphore_t semaphore, uint64_t value, hipStream_t in) {
    hipExternalSemaphoreWaitParams params = {.params.fence.value = value};
    HIP(hipWaitExternalSemaphoresAsync(&semaphore, &params, 1, in));
}

static void hip_signals(hipExternalSemaphore_t semaphore, uint64_t value, hipStream_t in) {
    hipExternalSemaphoreSignalParams params = {.params.fence.value = value};
    HIP(hipSignalExternalSemaphoresAsync(&semaphore, &params, 1, in));
}

static void has(uint32_t value) {
    for (int i = 0; i < N; i++)
        if (host[i] != value) FAIL("number %d is %u, expected %u", i, host[i], value);
    checked += N;
}

/* Work behind a value, and a value behind the work; nobody waits for the enqueuing. */
static void timeline(void) {
    uint32_t object = create();
    hipExternalSemaphore_t semaphore = import(object, TIMELINE);
    for (uint64_t turn = 0; turn < 10; turn++) {
        hip_waits(semaphore, 2 * turn + 1, stream);
        HIP(hipMemsetD32Async(device, 100 + turn, N, stream));
        HIP(hipMemcpyAsync(host, device, BYTES, hipMemcpyDeviceToHost, stream));
        hip_signals(semaphore, 2 * turn + 2, stream);
        IS(comes(object, 2 * turn + 2, 20), 0);
        IS(hipStreamQuery(stream), hipErrorNotReady);
        /* Another stream is not held up. */
        HIP(hipMemsetD32Async(device + N, turn, N, other));
        HIP(hipStreamSynchronize(other));
        signal_point(object, 2 * turn + 1);
        IS(comes(object, 2 * turn + 2, 60000), 1);
        has(100 + turn);
    }
    HIP(hipDestroyExternalSemaphore(semaphore));
    IS(hipDestroyExternalSemaphore(semaphore), hipErrorInvalidValue);
}

/* Each signal of a binary semaphore is taken once, in the order of the stream, though all is enqueued at once. */
static void binary(void) {
    uint32_t to_hip = create(), from_hip = create();
    hipExternalSemaphore_t in = import(to_hip, hipExternalSemaphoreHandleTypeOpaqueFd);
    hipExternalSemaphore_t out = import(from_hip, hipExternalSemaphoreHandleTypeOpaqueFd);
    for (int turn = 0; turn < 10; turn++) {
        hip_waits(in, 0, stream);
        HIP(hipMemsetD32Async(device, 7 + turn, N, stream));
        HIP(hipMemcpyAsync(host, device, BYTES, hipMemcpyDeviceToHost, stream));
        hip_signals(out, 0, stream);
    }
    for (int turn = 0; turn < 10; turn++) {
        IS(comes(from_hip, 0, 20), 0);
        signal_binary(to_hip);
        take(from_hip);
        has(7 + turn);
    }
    HIP(hipStreamSynchronize(stream));
    IS(comes(to_hip, 0, 0), 0);
    HIP(hipDestroyExternalSemaphore(in));
    HIP(hipDestroyExternalSemaphore(out));
}

/* What HIP refuses, by its codes; and a wait that can only end because its semaphore is destroyed. */
static void errors(void) {
    uint32_t object = create();
    hipExternalSemaphore_t semaphore = NULL;
    hipExternalSemaphoreHandleDesc description = {.type = TIMELINE, .handle.fd = -1};
    IS(hipImportExternalSemaphore(NULL, &description), hipErrorInvalidValue);
    IS(hipImportExternalSemaphore(&semaphore, NULL), hipErrorInvalidValue);
    IS(hipImportExternalSemaphore(&semaphore, &description), hipErrorInvalidValue);
    description.handle.fd = node;
    IS(hipImportExternalSemaphore(&semaphore, &description), hipErrorInvalidValue);
    description.type = hipExternalSemaphoreHandleTypeOpaqueWin32;
    IS(hipImportExternalSemaphore(&semaphore, &description), hipErrorNotSupported);
    description.type = (hipExternalSemaphoreHandleType)77;
    IS(hipImportExternalSemaphore(&semaphore, &description), hipErrorInvalidValue);
    semaphore = import(object, TIMELINE);
    hipExternalSemaphore_t two[2] = {semaphore, (hipExternalSemaphore_t)&object};
    hipExternalSemaphoreSignalParams signal[2] = {{.params.fence.value = 3}, {.params.fence.value = 3}};
    hipExternalSemaphoreWaitParams wait[2] = {{.params.fence.value = 3}, {.params.fence.value = 3}};
    IS(hipSignalExternalSemaphoresAsync(NULL, signal, 1, stream), hipErrorInvalidValue);
    IS(hipSignalExternalSemaphoresAsync(two, NULL, 1, stream), hipErrorInvalidValue);
    IS(hipSignalExternalSemaphoresAsync(two, signal, 2, stream), hipErrorInvalidValue);
    IS(hipWaitExternalSemaphoresAsync(two, wait, 2, stream), hipErrorInvalidValue);
    IS(hipDestroyExternalSemaphore(NULL), hipErrorInvalidValue);
    HIP(hipStreamSynchronize(stream));
    IS(comes(object, 3, 0), 0);
    /* Both of an array. */
    uint32_t beside = create();
    two[1] = import(beside, TIMELINE);
    signal[1].params.fence.value = 5;
    HIP(hipSignalExternalSemaphoresAsync(two, signal, 2, stream));
    IS(comes(object, 3, 60000) + comes(beside, 5, 60000), 2);
    IS(comes(beside, 6, 0), 0);
    hip_waits(semaphore, 1000, stream);
    IS(hipStreamQuery(stream), hipErrorNotReady);
    HIP(hipDestroyExternalSemaphore(semaphore));
    HIP(hipStreamSynchronize(stream));
    hipError_t (*found)(hipExternalSemaphore_t) = (hipError_t(*)(hipExternalSemaphore_t))dlsym(RTLD_DEFAULT, "hipDestroyExternalSemaphore");
    IS(found(two[1]), hipSuccess);
}

/* Without the library: what AMD's HIP says. */
static void without(void) {
    hipExternalSemaphore_t semaphore = NULL;
    hipExternalSemaphoreHandleDesc description = {.type = hipExternalSemaphoreHandleTypeOpaqueFd, .handle.fd = export(create())};
    IS(hipImportExternalSemaphore(&semaphore, &description), hipErrorNotSupported);
}

int main(int count, char **arguments) {
    static const struct { const char *name; void (*run)(void); } CASES[] = {
        {"timeline", timeline}, {"binary", binary}, {"errors", errors}, {"without", without}};
    node = open("/dev/dri/renderD128", O_RDWR | O_CLOEXEC);
    if (node < 0) FAIL("no render node: %s", strerror(errno));
    HIP(hipStreamCreate(&stream));
    HIP(hipStreamCreate(&other));
    HIP(hipMalloc((void **)&device, 2 * BYTES));
    HIP(hipHostMalloc((void **)&host, BYTES, hipHostMallocDefault));
    for (size_t i = 0; count > 1 && i < sizeof CASES / sizeof *CASES; i++)
        if (!strcmp(arguments[1], CASES[i].name)) {
            CASES[i].run();
            printf("%s: %zu values checked\n", arguments[1], checked);
            return 0;
        }
    FAIL("no such case");
}
