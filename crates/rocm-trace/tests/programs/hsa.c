// Stands for libhsa-runtime64: what a program needs to submit packets, with a GPU that is done with each as soon as a doorbell rings behind it and that
// finds out itself which kernel arguments it can read. A packet's reserved word may say that it leaves no times (its lower half), and how often its signal is
// looked at before it has changed (the upper half).
#define _GNU_SOURCE
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
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
    uint64_t reserved3[8];
    volatile uint64_t read_index;
} Queue;

typedef struct {
    int64_t kind;
    volatile int64_t value;
    uint64_t mailbox;
    uint32_t event, reserved;
    uint64_t start, end;
    Queue *queue;
    int64_t looks;
} Signal;

static Signal *signal_at_its_alignment(void) { return memset(aligned_alloc(64, sizeof(Signal)), 0, sizeof(Signal)); }

int hsa_queue_create(uint64_t agent, uint32_t size, uint32_t type, void *callback, void *data, uint32_t private, uint32_t group, Queue **queue) {
    (void)agent, (void)type, (void)callback, (void)data, (void)private, (void)group;
    Signal *doorbell = signal_at_its_alignment();
    *queue = calloc(1, sizeof **queue);
    (*queue)->base = aligned_alloc(64, 64 * size);
    // Packets of the type INVALID.
    for (uint32_t packet = 0; packet < size; ++packet) ((uint64_t *)(*queue)->base)[8 * packet] = 1;
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
    (void)value;
    for (Queue *queue = signal->queue; queue->read_index < queue->write_index; ++queue->read_index) {
        uint64_t *packet = (uint64_t *)queue->base + 8 * (queue->read_index % queue->size);
        if ((packet[0] & 0xff) == 1) break;
        char arguments[24];
        struct iovec here = {arguments, sizeof arguments}, there = {(void *)packet[5], sizeof arguments};
        Signal *completion = (Signal *)packet[7];
        if (!(uint32_t)packet[6]) {
            completion->start = 1000 + 10 * queue->read_index;
            completion->end = completion->start + 5;
        }
        // -1: a memory fault.
        completion->value = process_vm_readv(getpid(), &here, 1, &there, 1, 0) == sizeof arguments ? 0 : -1;
        completion->looks = packet[6] >> 32;
        packet[0] = (packet[0] & ~0xffull) | 1;
    }
}

int64_t hsa_signal_wait_scacquire(Signal *signal, uint32_t condition, int64_t value, uint64_t timeout, uint32_t state) {
    (void)condition, (void)value, (void)timeout, (void)state;
    return signal->value;
}

int64_t hsa_signal_load_relaxed(Signal *signal) { return signal->looks && signal->looks-- ? 1 : signal->value; }

int hsa_amd_memory_async_copy(void *to, uint64_t to_agent, const void *from, uint64_t from_agent, size_t bytes, uint32_t count, const void *before, Signal *signal) {
    (void)to_agent, (void)from_agent, (void)count, (void)before;
    memcpy(to, from, bytes);
    signal->start = 5000;
    signal->end = 6000;
    signal->value = 0;
    return 0;
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
    // Asks the system for memory, which a recorder shows inside of a call that it records.
    if (symbol == 0x700) munmap(mmap(NULL, 4096, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0), 4096), *(char *)value = attribute == 22;
    return 0;
}
