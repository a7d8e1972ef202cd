// Algorithms of rocPRIM, rocThrust and hipCUB, which are compiled into the program.
#include "results.h"
#include <hipcub/hipcub.hpp>
#include <rocprim/rocprim.hpp>
#include <thrust/adjacent_difference.h>
#include <thrust/device_ptr.h>
#include <thrust/inner_product.h>
#include <thrust/partition.h>
#include <thrust/scan.h>
#include <thrust/set_operations.h>
#include <thrust/sort.h>
#include <thrust/unique.h>

// Several work-groups of all kernels, so that one of them waits for what another one gives in the middle.
static const int N = 20000;

static std::vector<int> integers(uint32_t seed, int below) {
    std::vector<int> values(N);
    for (int i = 0; i < N; i++) values[i] = hash(i + 100000 * seed) % below;
    return values;
}

struct Data {
    Buffer<int> in{integers(1, 1000)}, other{integers(2, 1000)}, out{std::vector<int>(2 * N)}, more{std::vector<int>(2 * N)}, few{std::vector<int>(64)};
    thrust::device_ptr<int> begin{in.data}, second{other.data}, to{out.data}, to_more{more.data};
};

// Calls a function of rocPRIM or hipCUB, which says at a first call how much memory it needs.
template <class F> static void with_memory(F call) {
    size_t bytes = 0;
    HIP(call(nullptr, bytes));
    Buffer<char> memory(bytes ? bytes : 1);
    HIP(call(memory.data, bytes));
}

#define WITH_MEMORY(name, call, out)                                                                         \
    static void name() {                                                                                     \
        Data d;                                                                                              \
        with_memory([&](void *memory, size_t &bytes) { return call; });                                      \
        result(d.out);                                                                                       \
    }
#define THRUST(name, call)                                                                                   \
    static void name() {                                                                                     \
        Data d;                                                                                              \
        call;                                                                                                \
        result(d.out);                                                                                       \
    }

WITH_MEMORY(reduce, rocprim::reduce(memory, bytes, d.in.data, d.few.data, N), few)
WITH_MEMORY(scan, rocprim::inclusive_scan(memory, bytes, d.in.data, d.out.data, N, rocprim::plus<int>()), out)
WITH_MEMORY(radix_sort, rocprim::radix_sort_keys(memory, bytes, d.in.data, d.out.data, N), out)
WITH_MEMORY(merge_sort, rocprim::merge_sort(memory, bytes, d.in.data, d.out.data, N), out)
WITH_MEMORY(run_lengths, rocprim::run_length_encode(memory, bytes, d.in.data, N, d.out.data, d.more.data, d.few.data), out)
WITH_MEMORY(merge, rocprim::merge(memory, bytes, d.in.data, d.other.data, d.out.data, N, N), out)
WITH_MEMORY(histogram, hipcub::DeviceHistogram::HistogramEven(memory, bytes, d.in.data, d.few.data, 33, 0, 1000, N), few)
WITH_MEMORY(sort_pairs, hipcub::DeviceRadixSort::SortPairs(memory, bytes, d.in.data, d.out.data, d.other.data, d.more.data, N), more)
WITH_MEMORY(arg_min, hipcub::DeviceReduce::ArgMin(memory, bytes, d.in.data, (hipcub::KeyValuePair<int, int> *)d.few.data, N), few)
THRUST(sort, thrust::sort(d.begin, d.begin + N); thrust::copy(d.begin, d.begin + N, d.to))
THRUST(partition, thrust::stable_partition_copy(d.begin, d.begin + N, d.to, d.to_more, [] __device__(int x) { return x % 3 == 0; }))
THRUST(unique, thrust::unique_copy(d.begin, d.begin + N, d.to))
THRUST(scan_by_key, thrust::inclusive_scan_by_key(d.begin, d.begin + N, d.second, d.to))
THRUST(reduce_by_key, thrust::reduce_by_key(d.begin, d.begin + N, d.second, d.to, d.to_more))
THRUST(adjacent, thrust::adjacent_difference(d.begin, d.begin + N, d.to))

int main(int argc, char **argv) {
    const Case cases[] = {
        {"reduce", reduce},         {"scan", scan},           {"radix_sort", radix_sort},   {"merge_sort", merge_sort},       {"run_lengths", run_lengths},
        {"merge", merge},           {"histogram", histogram}, {"sort_pairs", sort_pairs},   {"arg_min", arg_min},             {"sort", sort},
        {"partition", partition},   {"unique", unique},       {"scan_by_key", scan_by_key}, {"reduce_by_key", reduce_by_key}, {"adjacent", adjacent},
    };
    return main_of(argc, argv, cases);
}
