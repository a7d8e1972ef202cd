/* A program that uses HIP's external semaphores. It is called with the name of a case, prints `CASE: N values checked`, or says what is wrong and fails. */
#define _GNU_SOURCE
#include "hip.h"
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

static size_t checked;
#define FAIL(...) (fprintf(stderr, "%s:%d: ", __FILE__, __LINE__), fprintf(stderr, __VA_ARGS__), fputc('\n', stderr), exit(2))
#define IS(got, expected) (is(__LINE__, #got, (long long)(got), (long long)(expected)), checked++)

static void is(int line, const char *what, long long got, long long expected) {
    if (got != expected) fprintf(stderr, "%s:%d: %s is %lld, expected %lld\n", __FILE__, line, what, got, expected), exit(2);
}

hipStream_t make_stream(void);
void capture(hipStream_t, int);
void hip_fails(const char *);
unsigned long hip_uses(void);
static hipStream_t stream;
static int node, created;

/* A variable of the stand-in that is preloaded. */
static int *drm(const char *name) {
    int *found = dlsym(RTLD_DEFAULT, name);
    return found ? found : (FAIL("no %s", name), NULL);
}

/* Handles that the library has. */
static int held(void) { return *drm("drm_held") - created; }

/* Sync objects, as the other side of a semaphore has them. */
static void drm_ioctl(unsigned number, void *args) {
    if (ioctl(node, 0xc0006400ul | number, args)) FAIL("ioctl %#x: %s", number, strerror(errno));
}

static uint32_t create(void) {
    struct { uint32_t handle, flags; } args = {0};
    return drm_ioctl(0xbf, &args), created++, args.handle;
}

static void signal_point(uint32_t object, uint64_t point) {
    struct { uint64_t handles, points; uint32_t count, flags; } args = {(uintptr_t)&object, (uintptr_t)&point, 1, 0};
    drm_ioctl(0xcd, &args);
}

static void signal_binary(uint32_t object) {
    struct { uint64_t handles; uint32_t count, pad; } args = {(uintptr_t)&object, 1, 0};
    drm_ioctl(0xc5, &args);
}

/* Whether it is signaled by now. */
static int is_signaled(uint32_t object, uint64_t point) {
    struct { uint64_t handles, points; int64_t until; uint32_t count, flags, first, pad; } args = {(uintptr_t)&object, (uintptr_t)&point, 0, 1, 0, 0, 0};
    return !ioctl(node, 0xc00064ca, &args);
}

static hipExternalSemaphore_t import(uint32_t object, int type) {
    struct { uint32_t handle, flags; int32_t fd; uint32_t pad; uint64_t point; } args = {.handle = object};
    drm_ioctl(0xc1, &args);
    description of = {.type = type, .handle.fd = args.fd};
    hipExternalSemaphore_t semaphore = NULL;
    IS(hipImportExternalSemaphore(&semaphore, &of), hipSuccess);
    if (!getenv("HIP_HAS_SEMAPHORES")) IS(close(args.fd), 0);
    return semaphore;
}

static hipError_t waits(hipExternalSemaphore_t semaphore, uint64_t value) { return hipWaitExternalSemaphoresAsync(&semaphore, &(params){.value = value}, 1, stream); }
static hipError_t signals(hipExternalSemaphore_t semaphore, uint64_t value) { return hipSignalExternalSemaphoresAsync(&semaphore, &(params){.value = value}, 1, stream); }

/* What stands for kernels. */
static atomic_int ran;
static void work_runs(void *data) { (void)data, write(1, "work ran\n", 9), ran++; }
static void work(void) { IS(hipLaunchHostFunc(stream, work_runs, NULL), hipSuccess); }

/* Time for what must not happen. */
static void pause_for(int milliseconds) { usleep(1000 * milliseconds); }

static void timeline(void) {
    uint32_t object = create();
    hipExternalSemaphore_t semaphore = import(object, TIMELINE);
    for (uint64_t turn = 0; turn < 3; turn++) {
        IS(waits(semaphore, 2 * turn + 1), hipSuccess);
        work();
        IS(signals(semaphore, 2 * turn + 2), hipSuccess);
        pause_for(30);
        IS(ran, turn);
        signal_point(object, 2 * turn + 1);
        IS(hipStreamSynchronize(stream), hipSuccess);
        IS(ran, turn + 1), IS(is_signaled(object, 2 * turn + 2), 1), IS(is_signaled(object, 2 * turn + 3), 0);
    }
    /* A kernel that lacks memory for a moment. */
    *drm("drm_wait_fails") = ENOMEM;
    IS(waits(semaphore, 50), hipSuccess), work();
    pause_for(250);
    IS(ran, 3);
    signal_point(object, 50);
    IS(hipStreamSynchronize(stream), hipSuccess), IS(ran, 4);
    IS(hipDestroyExternalSemaphore(semaphore), hipSuccess);
    IS(hipDestroyExternalSemaphore(semaphore), hipErrorInvalidValue);
    IS(signals(semaphore, 60), hipErrorInvalidValue);
    pause_for(30);
    IS(held(), 0);
}

static void binary(void) {
    uint32_t in = create(), out = create();
    hipExternalSemaphore_t from = import(in, OPAQUE_FD), to = import(out, OPAQUE_FD);
    /* Both are enqueued at once, and each takes a signal of its own. */
    for (int turn = 0; turn < 2; turn++) IS(waits(from, 0), hipSuccess), work();
    IS(signals(to, 0), hipSuccess);
    signal_binary(in);
    while (!ran) pause_for(1);
    pause_for(150);
    IS(ran, 1), IS(is_signaled(in, 0), 0), IS(is_signaled(out, 0), 0);
    signal_binary(in);
    IS(hipStreamSynchronize(stream), hipSuccess);
    IS(ran, 2), IS(is_signaled(in, 0), 0), IS(is_signaled(out, 0), 1);
    /* A signal is there for others until the stream has come to the wait. */
    uint32_t before = create();
    IS(waits(import(before, TIMELINE), 1), hipSuccess), IS(waits(from, 0), hipSuccess);
    signal_binary(in);
    pause_for(150);
    IS(is_signaled(in, 0), 1);
    signal_point(before, 1);
    IS(hipStreamSynchronize(stream), hipSuccess), IS(is_signaled(in, 0), 0);
    /* A wait that is refused takes none, though HIP calls back. */
    hip_fails("hipStreamWaitValue64");
    IS(waits(from, 0), hipErrorOutOfMemory);
    signal_binary(in);
    IS(hipStreamSynchronize(stream), hipSuccess);
    pause_for(150);
    IS(is_signaled(in, 0), 1);
}

static void several(void) {
    uint32_t objects[2] = {create(), create()};
    hipExternalSemaphore_t both[2] = {import(objects[0], OPAQUE_FD), import(objects[1], TIMELINE)};
    /* A binary one heeds no value. */
    params values[2] = {{.value = 5}, {.value = 7}};
    IS(hipWaitExternalSemaphoresAsync(both, values, 2, stream), hipSuccess);
    work();
    values[1].value = 9;
    IS(hipSignalExternalSemaphoresAsync(both, values, 2, stream), hipSuccess);
    signal_binary(objects[0]);
    pause_for(30);
    IS(ran, 0);
    signal_point(objects[1], 7);
    IS(hipStreamSynchronize(stream), hipSuccess);
    IS(ran, 1), IS(is_signaled(objects[0], 0), 1), IS(is_signaled(objects[1], 9), 1), IS(is_signaled(objects[1], 10), 0);
}

/* A semaphore that is destroyed while a stream waits for it: the stream waits on. */
static void destroyed(void) {
    uint32_t object = create();
    hipExternalSemaphore_t semaphore = import(object, TIMELINE);
    IS(waits(semaphore, 1), hipSuccess);
    work();
    pause_for(30);
    IS(hipDestroyExternalSemaphore(semaphore), hipSuccess);
    pause_for(300);
    IS(ran, 0), IS(held(), 1);
    signal_point(object, 1);
    IS(hipStreamSynchronize(stream), hipSuccess);
    IS(ran, 1);
    pause_for(30);
    IS(held(), 0);
}

/* The kernel refuses a wait that was enqueued. Does not return. */
static void fails(void) {
    hipExternalSemaphore_t semaphore = import(create(), TIMELINE);
    IS(waits(semaphore, 1), hipSuccess);
    work();
    pause_for(30);
    IS(ran, 0);
    *drm("drm_wait_fails") = ENODEV;
    hipStreamSynchronize(stream);
}

/* A wait for which there is no thread is refused, and nothing of it is enqueued. */
static void no_thread(void) {
    uint32_t object = create();
    hipExternalSemaphore_t semaphore = import(object, TIMELINE);
    *drm("drm_no_threads") = 1;
    IS(waits(semaphore, 1), hipErrorOutOfMemory);
    *drm("drm_no_threads") = 0;
    /* So are those that HIP refuses in part. */
    hip_fails("hipLaunchHostFunc");
    IS(waits(semaphore, 1), hipErrorOutOfMemory);
    hip_fails("hipStreamWaitValue64");
    IS(waits(semaphore, 1), hipErrorOutOfMemory);
    hip_fails("hipLaunchHostFunc");
    IS(signals(semaphore, 1), hipErrorOutOfMemory);
    work();
    IS(hipStreamSynchronize(stream), hipSuccess);
    IS(ran, 1), IS(is_signaled(object, 1), 0);
    /* And the semaphore is as before. */
    IS(waits(semaphore, 1), hipSuccess), work();
    pause_for(30);
    IS(ran, 1);
    signal_point(object, 1);
    IS(hipStreamSynchronize(stream), hipSuccess), IS(ran, 2);
}

static void errors(void) {
    uint32_t object = create();
    hipExternalSemaphore_t semaphore = import(object, TIMELINE), none = NULL, two[2] = {semaphore, (hipExternalSemaphore_t)&object};
    IS(hipGetLastError(), hipSuccess);
    params values[2] = {{.value = 3}, {.value = 3}};
    description of = {.type = TIMELINE, .handle.fd = node};
    IS(hipImportExternalSemaphore(NULL, &of), hipErrorInvalidValue), IS(hipImportExternalSemaphore(&none, NULL), hipErrorInvalidValue);
    IS(hipImportExternalSemaphore(&none, &of), hipErrorInvalidValue), IS(hipGetLastError(), hipErrorInvalidValue), IS(hipGetLastError(), hipSuccess);
    of.handle.fd = -1;
    IS(hipImportExternalSemaphore(&none, &of), hipErrorInvalidValue), hipGetLastError();
    of.type = WIN32;
    IS(hipImportExternalSemaphore(&none, &of), hipErrorNotSupported), IS(hipGetLastError(), hipErrorNotSupported);
    of.type = 0;
    IS(hipImportExternalSemaphore(&none, &of), hipErrorInvalidValue);
    of.type = 11;
    IS(hipImportExternalSemaphore(&none, &of), hipErrorInvalidValue), IS(none == NULL, 1);
    IS(hipSignalExternalSemaphoresAsync(NULL, values, 1, stream), hipErrorInvalidValue), IS(hipSignalExternalSemaphoresAsync(two, NULL, 1, stream), hipErrorInvalidValue);
    /* None of a call is done if one is wrong. */
    IS(hipSignalExternalSemaphoresAsync(two, values, 2, stream), hipErrorInvalidValue), IS(hipWaitExternalSemaphoresAsync(two, values, 2, stream), hipErrorInvalidValue);
    values[0].flags = 1;
    IS(hipSignalExternalSemaphoresAsync(two, values, 1, stream), hipErrorInvalidValue), IS(hipWaitExternalSemaphoresAsync(two, values, 1, stream), hipErrorInvalidValue);
    values[0].flags = 0;
    IS(hipSignalExternalSemaphoresAsync(two, values, 1, NULL), hipErrorInvalidValue);
    capture(stream, 1);
    IS(signals(semaphore, 3), hipErrorStreamCaptureUnsupported), IS(waits(semaphore, 3), hipErrorStreamCaptureUnsupported);
    capture(stream, 0);
    IS(hipDestroyExternalSemaphore(NULL), hipErrorInvalidValue);
    work();
    IS(hipStreamSynchronize(stream), hipSuccess);
    IS(ran, 1), IS(is_signaled(object, 3), 0);
}

static void graphs(void) {
    struct { int type; char of[256]; } node = {.type = 8};
    void *made = NULL;
    IS(hipGraphAddExternalSemaphoresSignalNode(&made, NULL, NULL, 0, &node), hipErrorNotSupported);
    IS(hipGraphAddExternalSemaphoresWaitNode(&made, NULL, NULL, 0, &node), hipErrorNotSupported);
    for (; node.type <= 9; node.type++) IS(hipGraphAddNode(&made, NULL, NULL, 0, &node), hipErrorNotSupported), IS(hipGetLastError(), hipErrorNotSupported);
    IS(made == NULL, 1), IS(hip_uses(), 0);
    for (node.type = 7; node.type <= 10; node.type += 3) made = NULL, IS(hipGraphAddNode(&made, NULL, NULL, 0, &node), hipSuccess), IS(made == NULL, 0);
    IS(hipGraphAddNode(&made, NULL, NULL, 0, NULL), hipErrorInvalidValue);
}

/* Whether a function is the one of this name in this file. */
static int is_of(void *function, const char *name, const char *file) {
    Dl_info info;
    const char *slash = function && dladdr(function, &info) ? strrchr(info.dli_fname, '/') : NULL;
    return slash && info.dli_sname && !strcmp(slash + 1, file) && !strcmp(info.dli_sname, name);
}

/* Programs that look the functions up find the library's, of all that it stands in front of, and HIP's else. */
static void looked_up(void) {
    static const char *names[] = {"hipImportExternalSemaphore", "hipDestroyExternalSemaphore", "hipSignalExternalSemaphoresAsync", "hipWaitExternalSemaphoresAsync",
                                  "hipGraphAddExternalSemaphoresSignalNode", "hipGraphAddExternalSemaphoresWaitNode", "hipGraphAddNode", "hipGetProcAddress", "hipStreamSynchronize"};
    void *hip = dlopen("libamdhip64.so.6", RTLD_LAZY | RTLD_NOLOAD), *libc = dlopen("libc.so.6", RTLD_LAZY | RTLD_NOLOAD);
    hipError_t (*get)(const char *, void **, int, uint64_t, void *) = (hipError_t(*)(const char *, void **, int, uint64_t, void *))dlsym(hip, "hipGetProcAddress");
    for (int i = 0; i < 9; i++) {
        void *found[3] = {dlsym(hip, names[i]), dlsym(RTLD_DEFAULT, names[i])};
        IS(get(names[i], &found[2], 600, 0, NULL), hipSuccess);
        for (int way = 0; way < 3; way++) {
            const char *expected = i < 8 ? "libhip_external_semaphores.so" : "libamdhip64.so.6";
            if (!is_of(found[way], names[i], expected)) FAIL("%s, way %d, is not that of %s", names[i], way, expected);
            checked++;
        }
        /* Another library has none of them. */
        IS(dlsym(libc, names[i]) == NULL, 1), IS(dlerror() != NULL, 1);
    }
    void *found = &found;
    IS(get("hipNoSuchFunction", &found, 600, 0, NULL), hipErrorInvalidValue), IS(found == NULL, 1);
    IS(get(NULL, NULL, 600, 0, NULL) != hipSuccess, 1);
}

/* A HIP that has external semaphores is asked, for all of them. */
static void has_own(void) {
    uint32_t object = create();
    hipExternalSemaphore_t semaphore = import(object, TIMELINE);
    IS((uintptr_t)semaphore, 0x5e5e), IS(held(), 0);
    unsigned long before = hip_uses();
    IS(waits(semaphore, 1), hipSuccess), IS(signals(semaphore, 2), hipSuccess), IS(hipDestroyExternalSemaphore(semaphore), hipSuccess);
    struct { int type; char of[256]; } node = {.type = 9};
    void *made = NULL;
    IS(hipGraphAddNode(&made, NULL, NULL, 0, &node), hipSuccess);
    IS(hipGraphAddExternalSemaphoresWaitNode(&made, NULL, NULL, 0, &node), hipSuccess);
    IS(hipGraphAddExternalSemaphoresSignalNode(&made, NULL, NULL, 0, &node), hipSuccess);
    IS(hip_uses() - before, 6), IS(hipGetLastError(), hipSuccess);
    work();
    IS(hipStreamSynchronize(stream), hipSuccess), IS(ran, 1);
}

/* A HIP that cannot say so the first time, as it has no GPU by then, is asked again. */
static void asked_again(void) {
    hipExternalSemaphore_t semaphore = NULL;
    description of = {.type = TIMELINE, .handle.fd = -1};
    hip_fails("hipImportExternalSemaphore");
    IS(hipImportExternalSemaphore(&semaphore, &of), hipErrorNotSupported);
    semaphore = import(create(), TIMELINE);
    IS(held(), 1), IS(hipDestroyExternalSemaphore(semaphore), hipSuccess);
}

/* Without a render node. */
static void no_node(void) {
    description of = {.type = OPAQUE_FD, .handle.fd = 0};
    hipExternalSemaphore_t semaphore = NULL;
    IS(hipImportExternalSemaphore(&semaphore, &of), hipErrorNotSupported), IS(semaphore == NULL, 1);
}

int main(int count, char **arguments) {
    static const struct { const char *name; void (*run)(void); } CASES[] = {
        {"timeline", timeline}, {"binary", binary}, {"several", several},     {"destroyed", destroyed}, {"fails", fails},             {"no_thread", no_thread},
        {"errors", errors},     {"graphs", graphs}, {"looked_up", looked_up}, {"has_own", has_own},     {"asked_again", asked_again}, {"no_node", no_node}};
    node = open64("/dev/dri/renderD128", O_RDWR);
    stream = make_stream();
    for (size_t i = 0; count > 1 && i < sizeof CASES / sizeof *CASES; i++)
        if (!strcmp(arguments[1], CASES[i].name)) {
            CASES[i].run();
            printf("%s: %zu values checked\n", arguments[1], checked);
            return 0;
        }
    FAIL("no such case");
}
