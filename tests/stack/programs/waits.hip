// Programs for `vgpu check` whose waits (`s_waitcnt`) are written by hand: ones that are right, and the same with a wait less. Each says what it computed, all the same: the virtual GPU
// loads at once.
#include "common.h"

const int GROUP = 128; // two waves

// Compilers do not wait for loads that they do not know.
template <bool RIGHT> __global__ void next(const int *in, int *out) {
    int i = threadIdx.x, value;
    if (RIGHT)
        asm volatile("global_load_dword %0, %1, off\n s_waitcnt vmcnt(0)" : "=&v"(value) : "v"(in + i));
    else
        asm volatile("global_load_dword %0, %1, off" : "=&v"(value) : "v"(in + i)); // load of next
    asm volatile("v_add_u32 %0, 1, %0" : "+v"(value));                              // use of next
    out[i] = value;
}

// The store may come behind what the other wave loads behind the barrier.
template <bool RIGHT> __global__ void reverse(const int *in, int *out) {
    __shared__ int tile[GROUP];
    int i = threadIdx.x, value = in[i];
    unsigned at = (unsigned)(size_t)&tile[i];
    if (RIGHT)
        asm volatile("ds_write_b32 %0, %1\n s_waitcnt lgkmcnt(0)\n s_barrier" ::"v"(at), "v"(value) : "memory");
    else
        asm volatile("ds_write_b32 %0, %1\n s_barrier" ::"v"(at), "v"(value) : "memory"); // store of reverse
    out[i] = tile[GROUP - 1 - i];                                                          // load of reverse
}

template <void (*KERNEL)(const int *, int *)> static std::vector<int> computed(const std::vector<int> &in) {
    Buffer<int> data(in), out(GROUP);
    KERNEL<<<1, GROUP>>>(data.data, out.data);
    return out.host();
}

static std::vector<int> numbers() {
    std::vector<int> in(GROUP);
    for (int i = 0; i < GROUP; i++) in[i] = hash(i);
    return in;
}

template <bool RIGHT> static void added() {
    std::vector<int> in = numbers(), got = computed<next<RIGHT>>(in);
    for (int i = 0; i < GROUP; i++) equal("next", i, got[i], in[i] + 1);
}

template <bool RIGHT> static void reversed() {
    std::vector<int> in = numbers(), got = computed<reverse<RIGHT>>(in);
    for (int i = 0; i < GROUP; i++) equal("reversed", i, got[i], in[GROUP - 1 - i]);
}

int main(int argc, char **argv) {
    const Case cases[] = {{"next", added<true>},
                          {"next_without", added<false>},
                          {"reverse", reversed<true>},
                          {"reverse_without", reversed<false>}};
    return run_case(argc, argv, cases);
}
