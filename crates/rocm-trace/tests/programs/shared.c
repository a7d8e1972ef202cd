// Packets of a queue that threads share, in the order in which threads may come to it: here one thread does the work of all.
#include "queue.h"

static char arguments[24];
static uint64_t signal;

static void put(Queue *queue, uint64_t index) { write_packet(queue, index, 0x1000 + 64 * index, arguments, 0, signal); }

int main(void) {
    Queue *queue = make_queue();
    signal = make_signal();
    // A lap, so that each slot has a packet that is done.
    for (int packet = 0; packet < 16; ++packet) {
        uint64_t index = reserve(queue, 1);
        put(queue, index);
        ring(queue, index);
    }
    // B's doorbell rings before A has written the two packets that it has reserved, for which it rings once.
    uint64_t a = reserve(queue, 2), b = reserve(queue, 1);
    put(queue, b);
    ring(queue, b);
    put(queue, a);
    put(queue, a + 1);
    ring(queue, a + 1);
    // Again, and now the GPU has taken A's before A rings, because C has.
    a = reserve(queue, 2), b = reserve(queue, 1);
    put(queue, b);
    ring(queue, b);
    put(queue, a);
    put(queue, a + 1);
    uint64_t c = reserve(queue, 1);
    put(queue, c);
    ring(queue, c);
    ring(queue, a + 1);
    // B's doorbell says that A's packet, which is written, is complete, too.
    a = reserve(queue, 1), b = reserve(queue, 1);
    put(queue, a);
    put(queue, b);
    ring(queue, b);
    ring(queue, a);
    hsa_queue_destroy(queue);
    return 0;
}
