/* Stands in for HSA's runtime: agent 1 is a CPU, agents 2 and 3 are GPUs; agent N has the pools 10 N and 10 N + 1. A dma-buf is a file of memory. */
#define _GNU_SOURCE
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

typedef struct { uint64_t handle; } object;
typedef int status;
enum { SUCCESS = 0, ERROR_INVALID_ARGUMENT = 0x1001, INFO_DEVICE = 17 };

/* What was called, for the test. */
struct calls { uint64_t allocated, freed, mapped, unmapped, agent, misplaced; } hsa_calls;
/* Pipes. If they are set, looking up a function that allocates or frees sends a byte by the second, and ends when one comes by the first. */
int hsa_bind[2];

static void look_up(void) {
    char byte = 0;
    if (hsa_bind[1]) (void)!write(hsa_bind[1], &byte, 1), (void)!read(hsa_bind[0], &byte, 1);
}

status hsa_iterate_agents(status (*tell)(object, void *), void *data) {
    for (uint64_t agent = 1; agent <= 3; agent++) {
        status code = tell((object){agent}, data);
        if (code) return code;
    }
    return SUCCESS;
}

status hsa_agent_get_info(object agent, int what, void *value) {
    if (what != INFO_DEVICE) return ERROR_INVALID_ARGUMENT;
    *(int *)value = agent.handle != 1;
    return SUCCESS;
}

status hsa_amd_agent_iterate_memory_pools(object agent, status (*tell)(object, void *), void *data) {
    for (int pool = 0; pool < 2; pool++) {
        status code = tell((object){10 * agent.handle + pool}, data);
        if (code) return code;
    }
    return SUCCESS;
}

static status allocate(object pool, size_t bytes, uint32_t flags, void **address) {
    (void)pool, (void)flags;
    hsa_calls.allocated++;
    *address = malloc(bytes);
    return SUCCESS;
}

static status (*look_up_allocate(void))(object, size_t, uint32_t, void **) { return look_up(), allocate; }
status hsa_amd_memory_pool_allocate(object pool, size_t bytes, uint32_t flags, void **address) __attribute__((ifunc("look_up_allocate")));

static struct mapping { void *at; size_t bytes; } mappings[64];

static struct mapping *mapping(void *at) {
    for (int i = 0; i < 64; i++)
        if (mappings[i].at == at) return &mappings[i];
    return NULL;
}

static status release(void *address) {
    if (address && mapping(address)) return hsa_calls.misplaced++, ERROR_INVALID_ARGUMENT;
    hsa_calls.freed++;
    free(address);
    return SUCCESS;
}

static status (*look_up_release(void))(void *) { return look_up(), release; }
status hsa_amd_memory_pool_free(void *address) __attribute__((ifunc("look_up_release")));

status hsa_amd_interop_map_buffer(uint32_t agents, object *agent, int fd, uint32_t flags, size_t *bytes, void **address, size_t *metadata_bytes,
                                  const void **metadata) {
    struct stat about;
    if (agents != 1 || flags || metadata_bytes || metadata || fstat(fd, &about) || !S_ISREG(about.st_mode)) return ERROR_INVALID_ARGUMENT;
    hsa_calls.mapped++;
    hsa_calls.agent = agent->handle;
    *bytes = about.st_size;
    *address = mmap(NULL, *bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    *mapping(NULL) = (struct mapping){*address, *bytes};
    return SUCCESS;
}

status hsa_amd_interop_unmap_buffer(void *address) {
    struct mapping *known = mapping(address);
    if (!known) return ERROR_INVALID_ARGUMENT;
    hsa_calls.unmapped++;
    munmap(known->at, known->bytes);
    *known = (struct mapping){0};
    return SUCCESS;
}
