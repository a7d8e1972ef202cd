// A library for HSA_TOOLS_LIB: says what HIP asks of ROCr, by entries that it puts into ROCr's table of functions. With TOOL_INTERCEPT it makes
// queues whose packets ROCr shows it before the GPU gets them.
// The header finds the others beside itself.
#define AMD_INTERNAL_BUILD
#include <hsa/hsa_api_trace.h>

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <set>
#include <mutex>

static CoreApiTable real;
static AmdExtTable extensions;
static std::mutex mutex;
static std::set<uint64_t> doorbells;
static std::atomic<int> stores, others, kernels;

static void packets(const void *packets, uint64_t count, uint64_t, void *, hsa_amd_queue_intercept_packet_writer write) {
    const hsa_kernel_dispatch_packet_t *packet = (const hsa_kernel_dispatch_packet_t *)packets;
    for (uint64_t i = 0; i < count; ++i) kernels += (packet[i].header & 0xff) == HSA_PACKET_TYPE_KERNEL_DISPATCH;
    write(packets, count);
}

static hsa_status_t queue_create(hsa_agent_t agent, uint32_t size, hsa_queue_type32_t type, void (*callback)(hsa_status_t, hsa_queue_t *, void *),
                                 void *data, uint32_t private_bytes, uint32_t group_bytes, hsa_queue_t **queue) {
    bool intercept = getenv("TOOL_INTERCEPT");
    auto create = intercept ? extensions.hsa_amd_queue_intercept_create_fn : real.hsa_queue_create_fn;
    hsa_status_t status = create(agent, size, type, callback, data, private_bytes, group_bytes, queue);
    if (status == HSA_STATUS_SUCCESS && intercept) status = extensions.hsa_amd_queue_intercept_register_fn(*queue, packets, nullptr);
    std::lock_guard<std::mutex> lock(mutex);
    if (status == HSA_STATUS_SUCCESS) doorbells.insert((*queue)->doorbell_signal.handle);
    return status;
}

static void count(hsa_signal_t signal) {
    std::lock_guard<std::mutex> lock(mutex);
    ++(doorbells.count(signal.handle) ? stores : others);
}

static void store_screlease(hsa_signal_t signal, hsa_signal_value_t value) {
    count(signal);
    real.hsa_signal_store_screlease_fn(signal, value);
}

static void store_relaxed(hsa_signal_t signal, hsa_signal_value_t value) {
    count(signal);
    real.hsa_signal_store_relaxed_fn(signal, value);
}

extern "C" bool OnLoad(HsaApiTable *table, uint64_t, uint64_t, const char *const *) {
    real = *table->core_;
    extensions = *table->amd_ext_;
    table->core_->hsa_queue_create_fn = queue_create;
    table->core_->hsa_signal_store_screlease_fn = store_screlease;
    table->core_->hsa_signal_store_relaxed_fn = store_relaxed;
    return true;
}

extern "C" void OnUnload() {}

__attribute__((destructor)) static void say() {
    fprintf(stderr, "tool: %zu queues, %d doorbells, %d other stores, %d kernels\n", doorbells.size(), stores.load(), others.load(),
            kernels.load());
}
