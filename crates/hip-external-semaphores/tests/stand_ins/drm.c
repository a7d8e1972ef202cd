/* Stands in for the kernel's render node, in front of libc: sync objects, whose descriptors are files of memory with their number. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

/* From drm.h. */
enum { GET_CAP = 0x0c, CREATE = 0xbf, DESTROY = 0xc0, HANDLE_TO_FD = 0xc1, FD_TO_HANDLE = 0xc2, RESET = 0xc4, SIGNAL = 0xc5, TIMELINE_WAIT = 0xca, TIMELINE_SIGNAL = 0xcd };
struct handle_and_fd { uint32_t handle, flags; int32_t fd; };
struct array { uint64_t handles, points; uint32_t count, flags; };
struct wait { uint64_t handles, points; int64_t until; uint32_t count, flags, first, pad; };

enum { OBJECTS = 64, BINARY = 1 };
static struct { int references, signaled; uint64_t point; } objects[OBJECTS];
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
/* What the test asks for: the errno of waits, and of the creation of threads. */
int drm_wait_fails, drm_no_threads;
/* Handles of objects that are not destroyed. */
int drm_held;

int open64(const char *path, int flags, ...) {
    va_list more;
    va_start(more, flags);
    int mode = va_arg(more, int);
    va_end(more);
    if (!strcmp(path, "/dev/dri/renderD128")) return getenv("DRM_NONE") ? (errno = ENOENT, -1) : memfd_create("render-node", MFD_CLOEXEC);
    if (!strncmp(path, "/dev/dri/", 9)) return errno = ENOENT, -1;
    return syscall(SYS_openat, AT_FDCWD, path, flags, mode);
}

static int is_there(const struct wait *wait) {
    uint32_t object = *(uint32_t *)(uintptr_t)wait->handles;
    uint64_t point = *(uint64_t *)(uintptr_t)wait->points;
    return point ? objects[object].point >= point : objects[object].signaled;
}

static int perform(unsigned number, void *args) {
    struct handle_and_fd *one = args;
    struct array *array = args;
    struct { uint64_t handles; uint32_t count; } *binary = args;
    uint32_t object;
    char name[64] = {0}, path[64];
    switch (number) {
    case GET_CAP: return ((uint64_t *)args)[1] = 1, 0;
    case CREATE:
        for (object = 1; object < OBJECTS && objects[object].references; object++);
        if (object == OBJECTS) return ENOMEM;
        memset(&objects[object], 0, sizeof objects[object]);
        return objects[object].references = 1, drm_held++, one->handle = object, 0;
    case DESTROY: return objects[one->handle].references--, drm_held--, 0;
    case HANDLE_TO_FD:
        sprintf(name, "sync-%u", one->handle);
        return (one->fd = memfd_create(name, MFD_CLOEXEC)) < 0 ? errno : 0;
    case FD_TO_HANDLE:
        sprintf(path, "/proc/self/fd/%d", one->fd);
        if (readlink(path, name, sizeof name - 1) < 0 || sscanf(name, "/memfd:sync-%u", &object) != 1) return EINVAL;
        return objects[object].references++, drm_held++, one->handle = object, 0;
    case RESET: return objects[*(uint32_t *)(uintptr_t)binary->handles].signaled = 0, 0;
    case SIGNAL: return objects[*(uint32_t *)(uintptr_t)binary->handles].signaled = 1, 0;
    case TIMELINE_SIGNAL: return objects[*(uint32_t *)(uintptr_t)array->handles].point = *(uint64_t *)(uintptr_t)array->points, 0;
    case TIMELINE_WAIT: {
        struct wait *wait = args;
        if (drm_wait_fails == ENOMEM) return drm_wait_fails = 0, ENOMEM;
        while (!drm_wait_fails && !is_there(wait)) {
            struct timespec now, soon;
            clock_gettime(CLOCK_MONOTONIC, &now);
            if (now.tv_sec * 1000000000ll + now.tv_nsec >= wait->until) return ETIME;
            clock_gettime(CLOCK_REALTIME, &soon);
            soon.tv_nsec += 5000000;
            if (soon.tv_nsec >= 1000000000) soon.tv_sec++, soon.tv_nsec -= 1000000000;
            pthread_cond_timedwait(&changed, &lock, &soon);
        }
        return drm_wait_fails;
    }
    }
    return EINVAL;
}

int ioctl(int fd, unsigned long request, ...) {
    va_list more;
    va_start(more, request);
    void *args = va_arg(more, void *);
    va_end(more);
    if ((request >> 8 & 0xff) != 'd') return syscall(SYS_ioctl, fd, request, args);
    pthread_mutex_lock(&lock);
    int code = perform(request & 0xff, args);
    pthread_cond_broadcast(&changed);
    pthread_mutex_unlock(&lock);
    return code ? (errno = code, -1) : 0;
}

int pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*run)(void *), void *data) {
    static int (*next)(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *);
    if (!next) next = (int (*)(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *))dlsym(RTLD_NEXT, "pthread_create");
    return drm_no_threads ? EAGAIN : next(thread, attributes, run, data);
}
