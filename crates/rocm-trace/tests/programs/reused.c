// A signal that is used by a packet, a copy by an engine, a packet that leaves no times, and one that does.
#include "queue.h"

static char arguments[24];

static void launch(Queue *queue, uint64_t kernel, uint64_t how, uint64_t signal) {
    uint64_t index = reserve(queue, 1);
    write_packet(queue, index, kernel, arguments, how, signal);
    ring(queue, index);
}

int main(void) {
    char to, from = 1;
    Queue *queue = make_queue();
    uint64_t signal = make_signal();
    launch(queue, 0xa00, 0, signal);
    hsa_signal_load_relaxed(signal);
    hsa_amd_memory_async_copy(&to, 0, &from, 0, 1, 0, NULL, signal);
    hsa_signal_wait_scacquire(signal, 2, 1, -1, 0);
    launch(queue, 0xb00, 1, signal);
    hsa_signal_wait_scacquire(signal, 2, 1, -1, 0);
    launch(queue, 0xc00, 0, signal);
    hsa_signal_wait_scacquire(signal, 2, 1, -1, 0);
    hsa_queue_destroy(queue);
    return 0;
}
