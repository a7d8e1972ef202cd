/* Makes a render node of amdgpu a heap of dma-bufs (linux/dma-heap.h), for programs that take theirs from one: the driver of the GPU imports only its own.
 * Preloaded, it answers DMA_HEAP_IOCTL_ALLOC by a buffer object in the memory of the host that the GPU uses. All other requests go on. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <linux/dma-heap.h>
#include <stdarg.h>
#include <stdint.h>
#include <sys/ioctl.h>

/* As in Linux' drm.h and amdgpu_drm.h, which not every machine has. */
union create {
    struct { uint64_t bytes, alignment, domains, flags; } in;
    struct { uint32_t handle, pad; } out;
};
struct export { uint32_t handle, flags; int32_t fd; };
struct close { uint32_t handle, pad; };
#define GEM_CREATE _IOWR('d', 0x40, union create)
#define PRIME_HANDLE_TO_FD _IOWR('d', 0x2d, struct export)
#define GEM_CLOSE _IOW('d', 0x09, struct close)
enum { GTT = 2 };

typedef int (*ioctl_fn)(int, unsigned long, ...);

int ioctl(int fd, unsigned long request, ...) {
    va_list arguments;
    va_start(arguments, request);
    void *argument = va_arg(arguments, void *);
    va_end(arguments);
    ioctl_fn next = (ioctl_fn)dlsym(RTLD_NEXT, "ioctl");
    if (request != DMA_HEAP_IOCTL_ALLOC) return next(fd, request, argument);
    struct dma_heap_allocation_data *heap = argument;
    union create object = {.in = {.bytes = (heap->len + 4095) & ~4095ull, .alignment = 4096, .domains = GTT}};
    if (next(fd, GEM_CREATE, &object)) return -1;
    struct export export = {.handle = object.out.handle, .flags = heap->fd_flags};
    struct close done = {.handle = object.out.handle};
    int failed = next(fd, PRIME_HANDLE_TO_FD, &export), error = errno;
    next(fd, GEM_CLOSE, &done);
    if (failed) return errno = error, -1;
    heap->fd = export.fd;
    return 0;
}
