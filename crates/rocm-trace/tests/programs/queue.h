// The functions of hsa.c, and packets for them.
#include <stddef.h>
#include <stdint.h>
#include <string.h>

typedef struct {
    uint32_t type, features;
    uint64_t (*base)[8];
    uint64_t doorbell;
    uint32_t size, reserved;
    uint64_t id;
} Queue;

int hsa_queue_create(uint64_t, uint32_t, uint32_t, void *, void *, uint32_t, uint32_t, Queue **);
int hsa_queue_destroy(Queue *);
uint64_t hsa_queue_add_write_index_screlease(Queue *, uint64_t);
int hsa_signal_create(int64_t, uint32_t, void *, uint64_t *);
void hsa_signal_store_screlease(uint64_t, int64_t);
int64_t hsa_signal_wait_scacquire(uint64_t, uint32_t, int64_t, uint64_t, uint32_t);
int64_t hsa_signal_load_relaxed(uint64_t);
int hsa_amd_memory_async_copy(void *, uint64_t, const void *, uint64_t, size_t, uint32_t, const void *, uint64_t);

static Queue *make_queue(void) {
    Queue *queue;
    hsa_queue_create(1, 16, 0, NULL, NULL, 0, 0, &queue);
    return queue;
}

static uint64_t make_signal(void) {
    uint64_t signal;
    hsa_signal_create(1, 0, NULL, &signal);
    return signal;
}

// A dispatch of 64 work-items in one work-group, without the barrier bit. `how` is its reserved word.
static inline void write_packet(Queue *queue, uint64_t index, uint64_t kernel, const void *arguments, uint64_t how, uint64_t signal) {
    const uint64_t packet[8] = {0x0001004000011402, 0x0000004000000001, 0x0000000100000001, 0, kernel, (uintptr_t)arguments, how, signal};
    memcpy(queue->base[index % queue->size], packet, sizeof packet);
}

static inline uint64_t reserve(Queue *queue, uint64_t count) { return hsa_queue_add_write_index_screlease(queue, count); }

static inline void ring(Queue *queue, uint64_t index) { hsa_signal_store_screlease(queue->doorbell, index); }
