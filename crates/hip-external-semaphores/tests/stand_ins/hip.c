/* Stands in for AMD's HIP 6 on Linux: streams of host functions and waits, each with a thread, and no external semaphores of its own but where HIP_HAS_SEMAPHORES is set. */
#define _GNU_SOURCE
#include "hip.h"
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct entry { void (*function)(void *); void *data; _Atomic uint64_t *word; uint64_t value; struct entry *next; };
struct stream { pthread_mutex_t lock; pthread_cond_t changed; struct entry *first, **last; unsigned long put, done; int captured; };

static _Thread_local hipError_t last_error;
/* What the test sets: the call of this name that fails next, and how often HIP's own semaphores were used. */
static const char *fails;
static unsigned long uses;
void hip_fails(const char *name) { fails = name; }
unsigned long hip_uses(void) { return uses; }

static hipError_t result(hipError_t code) {
    if (code) last_error = code;
    return code;
}

static int is_to_fail(const char *name) { return fails && !strcmp(fails, name) && (fails = NULL, 1); }

static void *run(void *of) {
    struct stream *stream = of;
    for (;;) {
        pthread_mutex_lock(&stream->lock);
        while (!stream->first) pthread_cond_wait(&stream->changed, &stream->lock);
        struct entry *entry = stream->first;
        pthread_mutex_unlock(&stream->lock);
        if (entry->word)
            while (atomic_load(entry->word) < entry->value) usleep(200);
        if (entry->function) entry->function(entry->data);
        pthread_mutex_lock(&stream->lock);
        stream->first = entry->next;
        if (!stream->first) stream->last = &stream->first;
        stream->done++;
        pthread_cond_broadcast(&stream->changed);
        pthread_mutex_unlock(&stream->lock);
        free(entry);
    }
}

hipStream_t make_stream(void) {
    struct stream *stream = calloc(1, sizeof *stream);
    pthread_mutex_init(&stream->lock, NULL), pthread_cond_init(&stream->changed, NULL);
    stream->last = &stream->first;
    pthread_t thread;
    pthread_create(&thread, NULL, run, stream);
    return stream;
}

void capture(hipStream_t stream, int whether) { stream->captured = whether; }

static void put(struct stream *stream, struct entry entry) {
    struct entry *kept = malloc(sizeof entry);
    *kept = entry;
    pthread_mutex_lock(&stream->lock);
    *stream->last = kept, stream->last = &kept->next, stream->put++;
    pthread_cond_broadcast(&stream->changed);
    pthread_mutex_unlock(&stream->lock);
}

hipError_t hipLaunchHostFunc(hipStream_t stream, void (*function)(void *), void *data) {
    if (is_to_fail("hipLaunchHostFunc")) return result(hipErrorOutOfMemory);
    return put(stream, (struct entry){.function = function, .data = data}), hipSuccess;
}

hipError_t hipStreamWaitValue64(hipStream_t stream, void *word, uint64_t value, unsigned flags, uint64_t mask) {
    if (is_to_fail("hipStreamWaitValue64")) return result(hipErrorOutOfMemory);
    if (flags || ~mask) return result(hipErrorInvalidValue);
    return put(stream, (struct entry){.word = word, .value = value}), hipSuccess;
}

hipError_t hipStreamSynchronize(hipStream_t stream) {
    pthread_mutex_lock(&stream->lock);
    unsigned long put = stream->put;
    while (stream->done < put) pthread_cond_wait(&stream->changed, &stream->lock);
    pthread_mutex_unlock(&stream->lock);
    return hipSuccess;
}

hipError_t hipStreamIsCapturing(hipStream_t stream, int *status) { return stream ? (*status = stream->captured, hipSuccess) : hipErrorContextIsDestroyed; }
hipError_t hipRuntimeGetVersion(int *version) { return *version = 60400000, hipSuccess; }
hipError_t hipExtMallocWithFlags(void **memory, size_t bytes, unsigned flags) { return (void)flags, *memory = calloc(1, bytes), hipSuccess; }

hipError_t hipGetLastError(void) {
    hipError_t code = last_error;
    return last_error = hipSuccess, code;
}

static int has(void) { return getenv("HIP_HAS_SEMAPHORES") != NULL; }
static hipError_t use(void) { return uses++, hipSuccess; }

hipError_t hipImportExternalSemaphore(hipExternalSemaphore_t *semaphore, const description *of) {
    if (is_to_fail("hipImportExternalSemaphore")) return result(hipErrorNoDevice);
    if (!semaphore || !of) return result(hipErrorInvalidValue);
    /* A HIP that has them may say the same of a descriptor that is none. */
    if (!has() || of->handle.fd < 0) return result(hipErrorNotSupported);
    return *semaphore = (void *)0x5e5e, use();
}

hipError_t hipDestroyExternalSemaphore(hipExternalSemaphore_t semaphore) { return result(has() && semaphore ? use() : hipErrorInvalidValue); }
hipError_t hipSignalExternalSemaphoresAsync(const hipExternalSemaphore_t *s, const params *p, unsigned n, hipStream_t to) { return (void)s, (void)p, (void)n, (void)to, result(has() ? use() : hipErrorNotSupported); }
hipError_t hipWaitExternalSemaphoresAsync(const hipExternalSemaphore_t *s, const params *p, unsigned n, hipStream_t to) { return (void)s, (void)p, (void)n, (void)to, result(has() ? use() : hipErrorNotSupported); }

/* HIP makes such nodes, though on Linux they do nothing. */
static hipError_t node(void **made) { return *made = (void *)0x77, uses++, hipSuccess; }
hipError_t hipGraphAddExternalSemaphoresSignalNode(void **made, void *g, void *const *a, size_t n, const void *p) { return (void)g, (void)a, (void)n, (void)p, node(made); }
hipError_t hipGraphAddExternalSemaphoresWaitNode(void **made, void *g, void *const *a, size_t n, const void *p) { return (void)g, (void)a, (void)n, (void)p, node(made); }
hipError_t hipGraphAddNode(void **made, void *g, void *const *a, size_t n, void *p) { return (void)g, (void)a, (void)n, p ? node(made) : result(hipErrorInvalidValue); }

hipError_t hipGetProcAddress(const char *name, void **found, int version, uint64_t flags, void *status) {
    (void)version, (void)flags, (void)status;
#define OWN(name) {#name, (void *)name}
    static const struct { const char *name; void *function; } own[] = {
        OWN(hipImportExternalSemaphore), OWN(hipDestroyExternalSemaphore), OWN(hipSignalExternalSemaphoresAsync), OWN(hipWaitExternalSemaphoresAsync),
        OWN(hipGraphAddExternalSemaphoresSignalNode), OWN(hipGraphAddExternalSemaphoresWaitNode), OWN(hipGraphAddNode), OWN(hipGetProcAddress), OWN(hipStreamSynchronize)};
    if (!name || !found) return result(hipErrorInvalidValue);
    for (size_t i = 0; i < sizeof own / sizeof *own; i++)
        if (!strcmp(name, own[i].name)) return *found = own[i].function, hipSuccess;
    return *found = NULL, result(hipErrorInvalidValue);
}
