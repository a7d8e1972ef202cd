// Stands for libhsa-runtime64: what a program needs to submit packets, with a GPU that is done with each as soon as its doorbell rings and that
// finds out itself which kernel arguments it can read.
#define _GNU_SOURCE
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/uio.h>
#include <unistd.h>

typedef struct {
    uint32_t type, features;
    void *base;
    uint64_t doorbell;
    uint32_t size, reserved;
    uint64_t id;
    uint32_t reserved2[4];
    volatile uint64_t write_index;
} Queue;

typedef struct {
    int64_t kind;
    volatile int64_t value;
    uint64_t mailbox;
    uint32_t event, reserved;
    uint64_t start, end;
    Queue *queue;
    uint64_t done;
} Signal;

static Signal *signal_at_its_alignment(void) { return memset(aligned_alloc(64, sizeof(Signal)), 0, sizeof(Signal)); }

int hsa_queue_create(uint64_t agent, uint32_t size, uint32_t type, void *callback, void *data, uint32_t private, uint32_t group, Queue **queue) {
    (void)agent, (void)type, (void)callback, (void)data, (void)private, (void)group;
    Signal *doorbell = signal_at_its_alignment();
    *queue = calloc(1, sizeof **queue);
    (*queue)->base = aligned_alloc(64, 64 * size);
    memset((*queue)->base, 0, 64 * size);
    (*queue)->size = size;
    (*queue)->doorbell = (uintptr_t)doorbell;
    doorbell->queue = *queue;
    return 0;
}

int hsa_queue_destroy(Queue *queue) {
    free((void *)queue->doorbell);
    free(queue->base);
    free(queue);
    return 0;
}

uint64_t hsa_queue_add_write_index_screlease(Queue *queue, uint64_t count) { return __atomic_fetch_add(&queue->write_index, count, __ATOMIC_SEQ_CST); }

int hsa_signal_create(int64_t value, uint32_t consumers, void *list, Signal **signal) {
    (void)consumers, (void)list;
    *signal = signal_at_its_alignment();
    (*signal)->value = value;
    return 0;
}

void hsa_signal_store_screlease(Signal *signal, int64_t value) {
    if (!signal->queue) {
        signal->value = value;
        return;
    }
    for (; signal->done <= (uint64_t)value; ++signal->done) {
        uint64_t *packet = (uint64_t *)signal->queue->base + 8 * (signal->done % signal->queue->size);
        char arguments[24];
        struct iovec here = {arguments, sizeof arguments}, there = {(void *)packet[5], sizeof arguments};
        Signal *completion = (Signal *)packet[7];
        completion->start = 1000 + 10 * signal->done;
        completion->end = completion->start + 5;
        // -1: a memory fault.
        completion->value = process_vm_readv(getpid(), &here, 1, &there, 1, 0) == sizeof arguments ? 0 : -1;
    }
}

int64_t hsa_signal_wait_scacquire(Signal *signal, uint32_t condition, int64_t value, uint64_t timeout, uint32_t state) {
    (void)condition, (void)value, (void)timeout, (void)state;
    return signal->value;
}

int hsa_code_object_reader_create_from_memory(const void *code, size_t bytes, uint64_t *reader) {
    (void)code, (void)bytes;
    *reader = 1;
    return 0;
}

// As ROCr's, not exported.
static int query_host_address(const void *device, const void **host) {
    *host = device;
    return 0;
}

int hsa_system_get_major_extension_table(uint16_t extension, uint16_t version, size_t bytes, void *table) {
    int (*functions[])(const void *, const void **) = {query_host_address};
    // HSA_EXTENSION_AMD_LOADER
    if (extension != 0x201 || version != 1) return 1;
    memcpy(table, functions, bytes < sizeof functions ? bytes : sizeof functions);
    return 0;
}

int hsa_executable_get_symbol_by_name(uint64_t executable, const char *name, const void *agent, uint64_t *symbol) {
    (void)executable, (void)agent;
    *symbol = 0x100;
    return name[0] == 's' ? 0 : 1;
}

int hsa_executable_symbol_get_info(uint64_t symbol, uint32_t attribute, void *value) {
    // HSA_EXECUTABLE_SYMBOL_INFO_KERNEL_OBJECT
    if (symbol == 0x100 && attribute == 22) *(uint64_t *)value = 0x200;
    return 0;
}
