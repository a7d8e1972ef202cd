/* What a program can tell `vgpu check` of itself: of memory that its own allocator gives out, and of flags that are plain accesses.
 *
 * The functions do nothing in a program that does not run under `vgpu check`: the first call of each looks it up, the others look at a pointer. There is nothing to link with
 * (but libdl, before glibc 2.34). All of them may be called by several threads at a time. They return nothing: what makes no sense is said on standard error, and has no effect.
 * They do not wait for a GPU, and hold from the moment of the call on, for work that runs then too.
 */
#ifndef VGPU_CHECK_H
#define VGPU_CHECK_H

#include <dlfcn.h>
#include <stddef.h>

/* The address of a function of the device, or null, kept in `known`. */
static inline void *vgpu_check_find(void **known, const char *name) {
    void *found = __atomic_load_n(known, __ATOMIC_RELAXED);
    if (found == known) {
        found = dlsym(NULL, name); /* RTLD_DEFAULT */
        __atomic_store_n(known, found, __ATOMIC_RELAXED);
    }
    return found;
}

/* An allocator gives out `bytes` bytes of device memory at `start`, a piece of an allocation. From the first piece on, an access to the allocation outside of all pieces is
 * `out-of-bounds`, so what kernels use of it has to be given out. What lands in another piece is not found: leave some bytes between them, 16 or more. Under `--only init` the piece
 * is taken as not written, and overwritten: nobody may use it while this is called. A piece at the same place is gone, and all go with the allocation. */
static inline void vgpu_check_allocated(const void *start, size_t bytes) {
    static void *known = &known;
    void *found = vgpu_check_find(&known, "vgpu_check_allocated");
    if (found) ((void (*)(const void *, size_t))found)(start, bytes);
}

/* The allocator takes back the piece at `start`. An access to it is `use-after-free` from now on, until the place is given out again: call it when the last work that uses the piece
 * is done, and not when that is only submitted. */
static inline void vgpu_check_freed(const void *start) {
    static void *known = &known;
    void *found = vgpu_check_find(&known, "vgpu_check_freed");
    if (found) ((void (*)(const void *))found)(start);
}

/* Waves synchronise by loads and stores of the `bytes` bytes of device memory at `start`, in whole dwords, though these are plain in the code (atomics of a work-group are). They are no races,
 * and order what is around them as atomics do. It ends with the piece or the allocation. Kernels that run already may not know it. */
static inline void vgpu_check_flag(const void *start, size_t bytes) {
    static void *known = &known;
    void *found = vgpu_check_find(&known, "vgpu_check_flag");
    if (found) ((void (*)(const void *, size_t))found)(start, bytes);
}

#endif
