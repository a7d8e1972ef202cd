// Stands for libamdhip64 above hsa.c, and waits as AMD's does: before it uses a signal again, it looks whether that is free.
#include "queue.h"

typedef struct {
    unsigned x, y, z;
} dim3;

static Queue *queue;
static uint64_t signals[2];
static int launches;
static char arguments[24];

static uint64_t submit(uint64_t how) {
    if (!queue) queue = make_queue();
    uint64_t *signal = &signals[launches++ % 2];
    // Whatever it says: this one is made anew.
    if (*signal) hsa_signal_load_relaxed(*signal);
    *signal = make_signal();
    uint64_t index = reserve(queue, 1);
    write_packet(queue, index, 0x1000 + 64 * index, arguments, how, *signal);
    ring(queue, index);
    return *signal;
}

int hipLaunchKernel(const void *function, dim3 grid, dim3 block, void **args, size_t shared, void *stream) {
    (void)function, (void)grid, (void)block, (void)args, (void)shared, (void)stream;
    return !submit(0);
}

// Waits for a packet of its own, whose signal has changed after so many looks as there are bytes.
int hipMemcpy(void *to, const void *from, size_t bytes, int kind) {
    (void)to, (void)from, (void)kind;
    for (uint64_t signal = submit(bytes << 32); hsa_signal_load_relaxed(signal) > 0;) {
    }
    return 0;
}

int hipDeviceSynchronize(void) {
    for (int signal = 0; signal < 2; ++signal)
        while (hsa_signal_load_relaxed(signals[signal]) > 0) {
        }
    return 0;
}
