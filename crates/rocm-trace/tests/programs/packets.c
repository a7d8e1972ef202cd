// Submits packets by the functions of hsa.c, some of them with addresses of arguments that lead nowhere. Its argument is the file of a code object.
#include "queue.h"
#include <stdio.h>
#include <sys/mman.h>

int hsa_code_object_reader_create_from_memory(const void *, size_t, uint64_t *);
int hsa_executable_get_symbol_by_name(uint64_t, const char *, const void *, uint64_t *);
int hsa_executable_symbol_get_info(uint64_t, uint32_t, void *);
int hsa_system_get_major_extension_table(uint16_t, uint16_t, size_t, void *);

int main(int count, char **words) {
    static char code[1 << 16];
    FILE *file = count > 1 ? fopen(words[1], "r") : NULL;
    if (!file) return puts("no code object"), 1;
    size_t bytes = fread(code, 1, sizeof code, file);
    uint64_t reader, symbol, kernel;
    hsa_code_object_reader_create_from_memory(code, bytes, &reader);
    hsa_executable_get_symbol_by_name(1, "saxpy.kd", NULL, &symbol);
    hsa_executable_symbol_get_info(symbol, 22, &kernel);
    char *pages = mmap(NULL, 8192, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    char *gone = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    mprotect(pages + 4096, 4096, PROT_NONE);
    memcpy(pages, "the arguments of saxpy..", 24);
    Queue *queue = make_queue();
    uint64_t signal = make_signal();
    // The fifth was readable, until the sixth.
    const void *arguments[] = {pages, (void *)16, (void *)0xdeadbeefdeadbee0, pages + 4096 - 16, gone, gone, pages};
    for (int launch = 0; launch < 7; ++launch) {
        if (launch == 5) munmap(gone, 4096);
        uint64_t index = reserve(queue, 1);
        // A dispatch with the barrier bit and the system's fences, of 64 work-items in one work-group.
        const uint64_t packet[8] = {0x0001004000011502, 0x0000004000000001, 0x0000000100000001, 0, kernel, (uintptr_t)arguments[launch], 0, signal};
        memcpy(queue->base[index % queue->size], packet, sizeof packet);
        ring(queue, index);
        printf("%d: %lld\n", launch, (long long)hsa_signal_wait_scacquire(signal, 2, 1, -1, 0));
    }
    hsa_queue_destroy(queue);
    // A table for the first function only: what is behind it stays the program's.
    int (*loader[2])(const void *, const void **) = {NULL, (void *)pages};
    const void *host = NULL;
    hsa_system_get_major_extension_table(0x201, 1, sizeof loader[0], loader);
    int result = loader[0](pages, &host);
    printf("loader: %d %d %d\n", result, host == pages, loader[1] == (void *)pages);
    return 0;
}
