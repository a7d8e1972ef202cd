// As streams.hip, by HSA alone: a copy takes from the GPU what another one brings there, by two copy engines. How it waits differs.
#include "common.h"
#include <dlfcn.h>
#include <hsa/hsa.h>
#include <hsa/hsa_ext_amd.h>

#define HSA(call)                                                                                            \
    do {                                                                                                     \
        hsa_status_t status_ = (call);                                                                       \
        if (status_ != HSA_STATUS_SUCCESS) {                                                                 \
            fprintf(stderr, "%s:%d: %s: %#x\n", __FILE__, __LINE__, #call, status_);                         \
            exit(2);                                                                                         \
        }                                                                                                    \
    } while (0)

const size_t N = 1 << 16;
const size_t BYTES = N * sizeof(uint32_t);

static hsa_agent_t cpu, gpu;
static hsa_amd_memory_pool_t host_pool, device_pool;

static hsa_status_t find_agent(hsa_agent_t agent, void *) {
    hsa_device_type_t type;
    HSA(hsa_agent_get_info(agent, HSA_AGENT_INFO_DEVICE, &type));
    hsa_agent_t &found = type == HSA_DEVICE_TYPE_GPU ? gpu : cpu;
    if (!found.handle) found = agent;
    return HSA_STATUS_SUCCESS;
}

// The first one from which programs may allocate.
static hsa_status_t find_pool(hsa_amd_memory_pool_t pool, void *found) {
    bool may;
    HSA(hsa_amd_memory_pool_get_info(pool, HSA_AMD_MEMORY_POOL_INFO_RUNTIME_ALLOC_ALLOWED, &may));
    if (!may) return HSA_STATUS_SUCCESS;
    *(hsa_amd_memory_pool_t *)found = pool;
    return HSA_STATUS_INFO_BREAK;
}

static uint32_t *allocate(hsa_amd_memory_pool_t pool) {
    void *memory;
    HSA(hsa_amd_memory_pool_allocate(pool, BYTES, 0, &memory));
    HSA(hsa_amd_agents_allow_access(1, &gpu, nullptr, memory));
    return (uint32_t *)memory;
}

static hsa_signal_t signal_at(int value) {
    hsa_signal_t signal;
    HSA(hsa_signal_create(value, 0, nullptr, &signal));
    return signal;
}

static void wait_for(hsa_signal_t signal) {
    hsa_signal_wait_scacquire(signal, HSA_SIGNAL_CONDITION_LT, 1, UINT64_MAX, HSA_WAIT_STATE_BLOCKED);
}

// Waits for both by a function that older versions do not have. Blocked, ROCr 7.2 waits for an interrupt of each, also of what is over already.
static void wait_for_all(hsa_signal_t first, hsa_signal_t second, hsa_signal_value_t *seen) {
    typedef uint32_t Wait(uint32_t, hsa_signal_t *, hsa_signal_condition_t *, hsa_signal_value_t *, uint64_t,
                          hsa_wait_state_t, hsa_signal_value_t *);
    Wait *wait = (Wait *)dlsym(RTLD_DEFAULT, "hsa_amd_signal_wait_all");
    if (!wait) exit(3);
    hsa_signal_t both[] = {first, second};
    hsa_signal_condition_t conditions[] = {HSA_SIGNAL_CONDITION_LT, HSA_SIGNAL_CONDITION_LT};
    hsa_signal_value_t values[] = {1, 1};
    equal("wait_all", 0, wait(2, both, conditions, values, UINT64_MAX, HSA_WAIT_STATE_ACTIVE, seen), 0u);
}

// Waits for one of a group, of which the other one is never there.
static void wait_for_group(hsa_signal_t signal, bool relaxed) {
    hsa_signal_t never = signal_at(1), both[] = {never, signal}, seen;
    hsa_signal_group_t group;
    HSA(hsa_signal_group_create(2, both, 0, nullptr, &group));
    hsa_signal_condition_t conditions[] = {HSA_SIGNAL_CONDITION_LT, HSA_SIGNAL_CONDITION_LT};
    hsa_signal_value_t values[] = {1, 1}, value;
    auto wait = relaxed ? hsa_signal_group_wait_any_relaxed : hsa_signal_group_wait_any_scacquire;
    HSA(wait(group, conditions, values, HSA_WAIT_STATE_BLOCKED, &seen, &value));
    equal("group", 0, seen.handle, signal.handle);
    HSA(hsa_signal_group_destroy(group));
    HSA(hsa_signal_destroy(never));
}

// How the second copy waits for the first: the host waits, the engine is to, or it is to and the first is over by then.
enum How { NOT, WAIT, GROUP, GROUP_RELAXED, ALL, ALL_UNSEEN, DEPENDENCY, OVER };

template <How HOW> static void copies() {
    HSA(hsa_init());
    HSA(hsa_iterate_agents(find_agent, nullptr));
    hsa_amd_agent_iterate_memory_pools(cpu, find_pool, &host_pool);
    hsa_amd_agent_iterate_memory_pools(gpu, find_pool, &device_pool);
    uint32_t *from = allocate(host_pool), *to = allocate(host_pool), *device = allocate(device_pool);
    for (size_t i = 0; i < N; i++) from[i] = hash(i), to[i] = 0;
    hsa_signal_t up = signal_at(1), down = signal_at(1), over = signal_at(0);
    HSA(hsa_amd_memory_async_copy(device, gpu, from, cpu, BYTES, 0, nullptr, up));
    hsa_signal_value_t seen[2];
    switch (HOW) {
    case WAIT: wait_for(up); break;
    case GROUP: wait_for_group(up, false); break;
    case GROUP_RELAXED: wait_for_group(up, true); break;
    case ALL: wait_for_all(over, up, seen); break;
    case ALL_UNSEEN: wait_for_all(over, up, nullptr); break;
    case OVER: // by what `vgpu check` does not see
        while (*(volatile int64_t *)(up.handle + 8) > 0) {}
        break;
    default: break;
    }
    bool depends = HOW == DEPENDENCY || HOW == OVER;
    HSA(hsa_amd_memory_async_copy(to, cpu, device, gpu, BYTES, depends, depends ? &up : nullptr, down));
    wait_for(down);
    wait_for(up);
    for (size_t i = 0; i < (HOW == NOT ? 0 : N); i++) equal("copied", i, to[i], from[i]);
    for (hsa_signal_t signal : {up, down, over}) HSA(hsa_signal_destroy(signal));
    for (uint32_t *memory : {from, to, device}) HSA(hsa_amd_memory_pool_free(memory));
    HSA(hsa_shut_down());
}

int main(int argc, char **argv) {
    const Case cases[] = {{"wait", copies<WAIT>},
                          {"group", copies<GROUP>},
                          {"group_relaxed", copies<GROUP_RELAXED>},
                          {"all", copies<ALL>},
                          {"all_unseen", copies<ALL_UNSEEN>},
                          {"dependency", copies<DEPENDENCY>},
                          {"over", copies<OVER>},
                          {"without", copies<NOT>}};
    return run_case(argc, argv, cases);
}
