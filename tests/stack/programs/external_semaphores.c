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

#include "instructions.h"

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
    /* The descriptor is still the program's. */
    if (close(description.handle.fd)) FAIL("the descriptor is gone: %s", strerror(errno));
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

static void all_are(const uint32_t *numbers, uint32_t value) {
    for (int i = 0; i < N; i++)
        if (numbers[i] != value) FAIL("number %d is %u, expected %u", i, numbers[i], value);
    checked += N;
}

static void has(uint32_t value) { all_are(host, value); }

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

/* A binary semaphore and a timeline in one call, in the null stream. */
static void several(void) {
    uint32_t objects[2] = {create(), create()};
    hipExternalSemaphore_t both[2] = {import(objects[0], hipExternalSemaphoreHandleTypeOpaqueFd), import(objects[1], TIMELINE)};
    hipExternalSemaphoreWaitParams waits[2] = {{.params.fence.value = 0}, {.params.fence.value = 2}};
    hipExternalSemaphoreSignalParams signals[2] = {{.params.fence.value = 0}, {.params.fence.value = 4}};
    HIP(hipWaitExternalSemaphoresAsync(both, waits, 2, NULL));
    HIP(hipMemsetD32Async(device, 31, N, NULL));
    HIP(hipMemcpyAsync(host, device, BYTES, hipMemcpyDeviceToHost, NULL));
    HIP(hipSignalExternalSemaphoresAsync(both, signals, 2, NULL));
    signal_binary(objects[0]);
    signal_point(objects[1], 1);
    IS(comes(objects[1], 4, 20), 0);
    IS(hipStreamQuery(NULL), hipErrorNotReady);
    signal_point(objects[1], 2);
    IS(comes(objects[1], 4, 60000), 1);
    has(31);
    take(objects[0]);
    HIP(hipDeviceSynchronize());
    for (int i = 0; i < 2; i++) HIP(hipDestroyExternalSemaphore(both[i]));
}

/* What HIP refuses, by its codes; and a wait whose semaphore is destroyed. */
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
    /* Flags are for semaphores of others. `hipGetLastError` knows. */
    signal[0].flags = wait[0].flags = 1;
    IS(hipSignalExternalSemaphoresAsync(two, signal, 1, stream), hipErrorInvalidValue);
    IS(hipGetLastError(), hipErrorInvalidValue);
    IS(hipWaitExternalSemaphoresAsync(two, wait, 1, stream), hipErrorInvalidValue);
    IS(hipGetLastError(), hipErrorInvalidValue);
    signal[0].flags = wait[0].flags = 0;
    /* A stream that is gone. HIP 7 does not know streams that are, and uses them (hipStreamQuery crashes). */
    int version;
    HIP(hipRuntimeGetVersion(&version));
    if (version < 70000000) {
        hipStream_t gone;
        HIP(hipStreamCreate(&gone)), HIP(hipStreamDestroy(gone));
        IS(hipSignalExternalSemaphoresAsync(two, signal, 1, gone), hipErrorInvalidValue);
        IS(hipWaitExternalSemaphoresAsync(two, wait, 1, gone), hipErrorInvalidValue);
        IS(hipGetLastError(), hipErrorInvalidValue), IS(hipGetLastError(), hipSuccess);
    }
    IS(hipWaitExternalSemaphoresAsync(NULL, wait, 1, stream), hipErrorInvalidValue);
    IS(hipWaitExternalSemaphoresAsync(two, NULL, 1, stream), hipErrorInvalidValue);
    description.type = hipExternalSemaphoreHandleTypeD3D12Fence;
    hipExternalSemaphore_t none = NULL;
    IS(hipImportExternalSemaphore(&none, &description), hipErrorNotSupported), IS(hipGetLastError(), hipErrorNotSupported);
    IS(none == NULL, 1);
    /* A node of a graph would do nothing. HIP 5 has declared its functions only. */
    hipError_t (*node_)(hipGraphNode_t *, hipGraph_t, const hipGraphNode_t *, size_t, const void *) = dlsym(RTLD_DEFAULT, "hipGraphAddExternalSemaphoresWaitNode");
    hipGraph_t graph;
    HIP(hipGraphCreate(&graph, 0));
    if (node_) {
        hipGraphNode_t made = NULL;
        struct { void *semaphores, *params; unsigned count; } of = {two, wait, 1};
        if (node_(&made, graph, NULL, 0, &of) != hipErrorNotSupported || made) FAIL("a node that waits was made");
    }
    HIP(hipGraphDestroy(graph));
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
    /* The wait outlives the name. */
    HIP(hipDestroyExternalSemaphore(semaphore));
    usleep(300000);
    IS(hipStreamQuery(stream), hipErrorNotReady);
    signal_point(object, 1000);
    HIP(hipStreamSynchronize(stream));
    hipError_t (*found)(hipExternalSemaphore_t) = (hipError_t(*)(hipExternalSemaphore_t))dlsym(RTLD_DEFAULT, "hipDestroyExternalSemaphore");
    IS(found(two[1]), hipSuccess);
}

/* Turns in which each side writes what the other reads, with no call of HIP's between that would wait for the stream and write caches back. */
static void turns(void) {
    uint32_t object = create();
    hipExternalSemaphore_t semaphore = import(object, TIMELINE);
    for (uint64_t turn = 0; turn < 4; turn++) {
        hip_waits(semaphore, 2 * turn + 1, stream);
        HIP(hipMemcpyAsync(device, host, BYTES, hipMemcpyHostToDevice, stream));
        HIP(hipMemcpyAsync(device + N, device, BYTES, hipMemcpyDeviceToDevice, stream));
        HIP(hipMemsetD32Async(device + N, 500 + turn, N / 2, stream));
        HIP(hipMemcpyAsync(host, device + N, BYTES, hipMemcpyDeviceToHost, stream));
        hip_signals(semaphore, 2 * turn + 2, stream);
        for (int i = 0; i < N; i++) host[i] = 1000 * turn + i;
        signal_point(object, 2 * turn + 1);
        IS(comes(object, 2 * turn + 2, 60000), 1);
        for (uint32_t i = 0; i < N; i++) {
            uint32_t expected = i < N / 2 ? 500 + turn : 1000 * turn + i;
            if (host[i] != expected) FAIL("turn %d: number %u is %u, expected %u", (int)turn, i, host[i], expected);
        }
        checked += N;
    }
    HIP(hipDestroyExternalSemaphore(semaphore));
}

enum { STREAMS = 5 };

/* More streams than HIP has queues, each of which waits; the host signals the last one first. */
static void streams(void) {
    hipStream_t each[STREAMS];
    uint32_t objects[STREAMS], done = create(), *numbers, *filled;
    hipExternalSemaphore_t waits[STREAMS], signals = import(done, TIMELINE);
    HIP(hipHostMalloc((void **)&numbers, STREAMS * BYTES, hipHostMallocDefault));
    HIP(hipMalloc((void **)&filled, STREAMS * BYTES));
    memset(numbers, 0, STREAMS * BYTES);
    for (int i = 0; i < STREAMS; i++) {
        HIP(hipStreamCreate(&each[i]));
        objects[i] = create(), waits[i] = import(objects[i], i % 2 ? TIMELINE : hipExternalSemaphoreHandleTypeOpaqueFd);
        hip_waits(waits[i], i % 2 ? 7 : 0, each[i]);
        HIP(hipMemsetD32Async(filled + i * N, 40 + i, N, each[i]));
        HIP(hipMemcpyAsync(numbers + i * N, filled + i * N, BYTES, hipMemcpyDeviceToHost, each[i]));
    }
    IS(comes(done, 1, 50), 0);
    for (int i = STREAMS; i-- > 0;) {
        all_are(numbers + i * N, 0);
        if (i % 2) signal_point(objects[i], 7);
        else signal_binary(objects[i]);
    }
    for (int i = 0; i < STREAMS; i++) {
        hip_signals(signals, i + 1, each[i]);
        IS(comes(done, i + 1, 60000), 1);
        all_are(numbers + i * N, 40 + i);
        HIP(hipDestroyExternalSemaphore(waits[i])), HIP(hipStreamDestroy(each[i]));
    }
    HIP(hipDestroyExternalSemaphore(signals)), HIP(hipHostFree(numbers)), HIP(hipFree(filled));
}

/* Each stream waits for the next one, and the last for the host: streams on one queue would wait for each other for ever, so HIP is to have a queue for each (GPU_MAX_HW_QUEUES). */
static void chain(void) {
    hipStream_t each[STREAMS];
    uint32_t objects[STREAMS + 1];
    hipExternalSemaphore_t semaphores[STREAMS + 1];
    for (int i = 0; i <= STREAMS; i++) objects[i] = create(), semaphores[i] = import(objects[i], TIMELINE);
    HIP(hipMemset(device, 0, BYTES));
    for (int i = 0; i < STREAMS; i++) {
        HIP(hipStreamCreate(&each[i]));
        hip_waits(semaphores[i + 1], 1, each[i]);
        /* From right to left, so that each needs what the next one wrote. */
        uint32_t *part = device + i * (N / STREAMS);
        if (i + 1 < STREAMS) HIP(hipMemcpyAsync(part, part + N / STREAMS, N / STREAMS * 4, hipMemcpyDeviceToDevice, each[i]));
        else HIP(hipMemsetD32Async(part, 99, N / STREAMS, each[i]));
        hip_signals(semaphores[i], 1, each[i]);
    }
    IS(comes(objects[0], 1, 50), 0);
    signal_point(objects[STREAMS], 1);
    IS(comes(objects[0], 1, 60000), 1);
    HIP(hipMemcpy(host, device, BYTES, hipMemcpyDeviceToHost));
    for (int i = 0; i < N / STREAMS * STREAMS; i++)
        if (host[i] != 99) FAIL("number %d is %u", i, host[i]);
    checked += N / STREAMS * STREAMS;
    for (int i = 0; i <= STREAMS; i++) HIP(hipDestroyExternalSemaphore(semaphores[i]));
    for (int i = 0; i < STREAMS; i++) HIP(hipStreamDestroy(each[i]));
}

/* A HIP library that the program opens itself, by its handle. */
static void looked_up(void) {
    Dl_info info;
    if (!dladdr(dlsym(RTLD_DEFAULT, "hipMalloc"), &info)) FAIL("hipMalloc is nowhere");
    void *library = dlopen(info.dli_fname, RTLD_NOW | RTLD_LOCAL);
    if (!library) FAIL("%s", dlerror());
    hipError_t (*import_)(hipExternalSemaphore_t *, const hipExternalSemaphoreHandleDesc *);
    hipError_t (*signal_)(const hipExternalSemaphore_t *, const hipExternalSemaphoreSignalParams *, unsigned, hipStream_t);
    hipError_t (*destroy_)(hipExternalSemaphore_t);
    hipError_t (*get)(const char *, void **, int, uint64_t, void *) = dlsym(library, "hipGetProcAddress");
    /* HIP 5 has no hipGetProcAddress. */
    for (int way = 0; way < (get ? 2 : 1); way++) {
        void *found[3];
        const char *names[] = {"hipImportExternalSemaphore", "hipSignalExternalSemaphoresAsync", "hipDestroyExternalSemaphore"};
        for (int i = 0; i < 3; i++) {
            found[i] = way ? NULL : dlsym(library, names[i]);
            int queried = 0;
            if (way) HIP(get(names[i], &found[i], HIP_VERSION_MAJOR * 100 + HIP_VERSION_MINOR, 0, &queried));
            Dl_info of;
            if (!found[i] || !dladdr(found[i], &of)) FAIL("no %s", names[i]);
            IS(strstr(of.dli_fname, "libhip_external_semaphores.so") != NULL, 1);
        }
        import_ = found[0], signal_ = found[1], destroy_ = found[2];
        uint32_t object = create();
        hipExternalSemaphoreHandleDesc description = {.type = TIMELINE, .handle.fd = export(object)};
        hipExternalSemaphore_t semaphore;
        HIP(import_(&semaphore, &description));
        hipExternalSemaphoreSignalParams params = {.params.fence.value = 11};
        HIP(signal_(&semaphore, &params, 1, stream));
        IS(comes(object, 11, 60000), 1);
        HIP(destroy_(semaphore));
        close(description.handle.fd);
    }
    /* What the library does not stand in front of is HIP's. */
    IS(dlsym(library, "hipMalloc") == dlsym(RTLD_DEFAULT, "hipMalloc"), 1);
    IS(dlsym(library, "hipNoSuchFunction") == NULL, 1);
    IS(dlerror() != NULL, 1);
}

/* What calls of other functions cost. */
static void cost(void) {
    hipError_t code;
    INSTRUCTIONS("hipMemsetAsync", code = hipMemsetAsync(device, 1, 4096, stream), (HIP(code), HIP(hipStreamSynchronize(stream))));
    /* The runtime's own thread may still have to note that the work is done. */
    INSTRUCTIONS("hipStreamQuery", code = hipStreamQuery(stream), (HIP(code), usleep(10000)));
    IS(code, hipSuccess);
}

/* Without the library: what AMD's HIP says. */
static void without(void) {
    hipExternalSemaphore_t semaphore = NULL;
    hipExternalSemaphoreHandleDesc description = {.type = hipExternalSemaphoreHandleTypeOpaqueFd, .handle.fd = export(create())};
    IS(hipImportExternalSemaphore(&semaphore, &description), hipErrorNotSupported);
}

int main(int count, char **arguments) {
    static const struct { const char *name; void (*run)(void); } CASES[] = {
        {"timeline", timeline}, {"binary", binary}, {"several", several}, {"turns", turns},         {"streams", streams},
        {"chain", chain},       {"errors", errors}, {"looked_up", looked_up}, {"without", without}, {"cost", cost}};
    node = open("/dev/dri/renderD128", O_RDWR | O_CLOEXEC);
    if (node < 0) FAIL("no render node: %s", strerror(errno));
    HIP(hipStreamCreate(&stream));
    HIP(hipStreamCreate(&other));
    HIP(hipMalloc((void **)&device, 2 * BYTES));
    HIP(hipHostMalloc((void **)&host, BYTES, hipHostMallocNonCoherent));
    for (size_t i = 0; count > 1 && i < sizeof CASES / sizeof *CASES; i++)
        if (!strcmp(arguments[1], CASES[i].name)) {
            CASES[i].run();
            printf("%s: %zu values checked\n", arguments[1], checked);
            return 0;
        }
    FAIL("no such case");
}
