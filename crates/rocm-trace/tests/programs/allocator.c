// A program's own malloc, which must not be called while it asks the system for memory, as most must not.
#define _GNU_SOURCE
#include <pthread.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static char *memory;
static size_t left;
static _Thread_local int busy;

void *malloc(size_t bytes) {
    static const char MESSAGE[] = "malloc was called by what it calls\n";
    if (busy) _exit(write(2, MESSAGE, sizeof MESSAGE - 1) < 0 ? 98 : 99);
    busy = 1;
    pthread_mutex_lock(&lock);
    bytes = (bytes + 31) / 16 * 16;
    if (left < bytes) {
        left = bytes + (1 << 20);
        memory = mmap(NULL, left, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    }
    size_t *block = (size_t *)memory;
    memory += bytes;
    left -= bytes;
    block[0] = bytes - 16;
    pthread_mutex_unlock(&lock);
    busy = 0;
    return block + 2;
}

void free(void *block) { (void)block; }

void *calloc(size_t count, size_t bytes) { return malloc(count * bytes); }

void *realloc(void *old, size_t bytes) {
    size_t had = old ? ((size_t *)old)[-2] : 0;
    return old ? memcpy(malloc(bytes), old, had < bytes ? had : bytes) : malloc(bytes);
}
