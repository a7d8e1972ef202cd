// Two processes share memory of the GPU by a dma-buf, whose descriptor goes over a socket.
#include "common.h"
#include <hsa/hsa.h>
#include <hsa/hsa_ext_amd.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#define HSA(call)                                                                                            \
    do {                                                                                                     \
        hsa_status_t status_ = (call);                                                                       \
        if (status_ != HSA_STATUS_SUCCESS) {                                                                 \
            const char *text_ = "unknown";                                                                   \
            hsa_status_string(status_, &text_);                                                              \
            fprintf(stderr, "%s:%d: %s: %s\n", __FILE__, __LINE__, #call, text_);                            \
            exit(2);                                                                                         \
        }                                                                                                    \
    } while (0)

static const size_t N = 200003;

__global__ void increment(uint32_t *values, size_t n) {
    size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x;
    if (i < n) values[i]++;
}

// What the importing process reads on its GPU, and then writes.
__global__ void take(const uint32_t *shared, uint32_t *own, size_t n) {
    size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x;
    if (i < n) own[i] = shared[i];
}

static void send_descriptor(int socket, int descriptor, uint64_t offset) {
    char space[CMSG_SPACE(sizeof descriptor)] = {};
    iovec data = {&offset, sizeof offset};
    msghdr message = {};
    message.msg_iov = &data, message.msg_iovlen = 1;
    message.msg_control = space, message.msg_controllen = sizeof space;
    cmsghdr *control = CMSG_FIRSTHDR(&message);
    control->cmsg_level = SOL_SOCKET, control->cmsg_type = SCM_RIGHTS, control->cmsg_len = CMSG_LEN(sizeof descriptor);
    memcpy(CMSG_DATA(control), &descriptor, sizeof descriptor);
    if (sendmsg(socket, &message, 0) != sizeof offset) perror("sendmsg"), exit(2);
}

static int receive_descriptor(int socket, uint64_t *offset) {
    int descriptor = -1;
    char space[CMSG_SPACE(sizeof descriptor)] = {};
    iovec data = {offset, sizeof *offset};
    msghdr message = {};
    message.msg_iov = &data, message.msg_iovlen = 1;
    message.msg_control = space, message.msg_controllen = sizeof space;
    if (recvmsg(socket, &message, 0) != sizeof *offset || !CMSG_FIRSTHDR(&message)) perror("recvmsg"), exit(3);
    memcpy(&descriptor, CMSG_DATA(CMSG_FIRSTHDR(&message)), sizeof descriptor);
    return descriptor;
}

// Reads the shared memory by a kernel, checks it, and adds 1 to each number by another.
static void use(uint32_t *shared) {
    Buffer<uint32_t> own(N);
    take<<<(N + 255) / 256, 256>>>(shared, own.data, N);
    std::vector<uint32_t> got = own.host();
    for (size_t i = 0; i < N; i++) equal("value in the importing process", i, got[i], hash(i) + 1);
    increment<<<(N + 255) / 256, 256>>>(shared, N);
    HIP(hipDeviceSynchronize());
}

static hsa_status_t first_gpu(hsa_agent_t agent, void *found) {
    hsa_device_type_t type;
    HSA(hsa_agent_get_info(agent, HSA_AGENT_INFO_DEVICE, &type));
    if (type != HSA_DEVICE_TYPE_GPU) return HSA_STATUS_SUCCESS;
    *(hsa_agent_t *)found = agent;
    return HSA_STATUS_INFO_BREAK;
}

static void import_by_hsa(int descriptor, uint64_t offset) {
    HIP(hipFree(0));
    hsa_agent_t gpu = {};
    hsa_iterate_agents(first_gpu, &gpu);
    size_t size = 0;
    void *shared = nullptr;
    HSA(hsa_amd_interop_map_buffer(1, &gpu, descriptor, 0, &size, &shared, nullptr, nullptr));
    // The memory behind the mapping stays when the descriptor is closed.
    close(descriptor);
    equal("the import holds all of it", 0, size >= offset + N * 4, true);
    use((uint32_t *)((char *)shared + offset));
    HSA(hsa_amd_interop_unmap_buffer(shared));
}

static void import_by_hip(int descriptor, uint64_t offset) {
    hipExternalMemoryHandleDesc about = {};
    about.type = hipExternalMemoryHandleTypeOpaqueFd;
    about.handle.fd = descriptor;
    about.size = offset + N * 4;
    hipExternalMemory_t memory;
    HIP(hipImportExternalMemory(&memory, &about));
    hipExternalMemoryBufferDesc part = {};
    part.offset = offset, part.size = N * 4;
    void *shared = nullptr;
    HIP(hipExternalMemoryGetMappedBuffer(&shared, memory, &part));
    use((uint32_t *)shared);
    HIP(hipDestroyExternalMemory(memory));
}

static void share(void (*import)(int, uint64_t)) {
    int pair[2];
    if (socketpair(AF_UNIX, SOCK_SEQPACKET, 0, pair)) exit(2);
    // Both processes initialise HIP after the fork: a HIP context does not survive one.
    pid_t child = fork();
    if (child == 0) {
        close(pair[0]);
        uint64_t offset;
        int descriptor = receive_descriptor(pair[1], &offset);
        import(descriptor, offset);
        _exit(0);
    }
    close(pair[1]);
    std::vector<uint32_t> numbers(N);
    for (size_t i = 0; i < N; i++) numbers[i] = hash(i);
    Buffer<uint32_t> values(numbers);
    increment<<<(N + 255) / 256, 256>>>(values.data, N);
    HIP(hipDeviceSynchronize());
    int descriptor = -1;
    uint64_t offset = 0;
    HSA(hsa_amd_portable_export_dmabuf(values.data, N * 4, &descriptor, &offset));
    send_descriptor(pair[0], descriptor, offset);
    HSA(hsa_amd_portable_close_dmabuf(descriptor));
    int status = -1;
    waitpid(child, &status, 0);
    equal("the child's status", 0, status, 0);
    std::vector<uint32_t> got = values.host();
    for (size_t i = 0; i < N; i++) equal("value", i, got[i], hash(i) + 2);
}

static void hsa() { share(import_by_hsa); }
static void hip() { share(import_by_hip); }

int main(int argc, char **argv) {
    const Case cases[] = {{"hsa", hsa}, {"hip", hip}};
    return run_case(argc, argv, cases);
}
