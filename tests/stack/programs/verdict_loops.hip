// Parallel loops whose iterations depend on each other, and the same made right, after the kinds of data race that DataRaceBench (Liao, Lin, Asplund, Schordan, Karlin, SC 2017) has for OpenMP.
#include "verdict_loops.h"
#include <algorithm>
#include <numeric>

template <class Kernel> static auto launch(Kernel kernel) {
    return [kernel](Arrays x) { kernel<<<GROUPS, ITEMS>>>(x); };
}

static auto cooperative(void (*kernel)(Arrays)) {
    return [kernel](Arrays x) {
        void *arguments[] = {&x};
        HIP(hipLaunchCooperativeKernel((const void *)kernel, dim3(GROUPS), dim3(ITEMS), arguments, 0, nullptr));
    };
}

// The loops in a stream each, with an event between or without.
template <bool right> static void two_streams(Arrays x) {
    hipStream_t first, second;
    hipEvent_t event;
    HIP(hipStreamCreateWithFlags(&first, hipStreamNonBlocking));
    HIP(hipStreamCreateWithFlags(&second, hipStreamNonBlocking));
    HIP(hipEventCreate(&event));
    first_loop<<<GROUPS, ITEMS, 0, first>>>(x);
    HIP(hipEventRecord(event, first));
    if (right) HIP(hipStreamWaitEvent(second, event, 0));
    second_loop<<<GROUPS, ITEMS, 0, second>>>(x);
    HIP(hipDeviceSynchronize());
    HIP(hipEventDestroy(event));
    HIP(hipStreamDestroy(first));
    HIP(hipStreamDestroy(second));
}

static std::vector<int> numbers() {
    std::vector<int> values(N);
    for (int i = 0; i < N; i++) values[i] = hash(i) % 10000;
    return values;
}

static const std::vector<int> in = numbers();

// What element i is of what is computed.
using Expected = std::function<int(int i)>;
enum Where { OUT, A, B };

static void check(const std::function<void(Arrays)> &run, bool is_right, Where where, const Expected &expected) {
    const std::vector<int> zeros(N, 0);
    Buffer<int> given(in), a(in), b(zeros), out(zeros);
    run({given.data, a.data, b.data, out.data});
    const std::vector<int> got = (where == A ? a : where == B ? b : out).host();
    for (int i = 0; is_right && i < N; i++) equal("element", i, got[i], expected(i));
}

int main(int argc, char **argv) {
    std::vector<Verdict> all;
    const auto add = [&](std::string name, const char *fault, auto right, auto faulty, Expected expected, Where where = OUT) {
        all.push_back({name, [] { return Truth{"nothing", ""}; }, [=](bool is_right) { check(right, is_right, where, expected); }});
        all.push_back({name + "-faulty", [=] { return Truth{fault, RACE}; }, [=](bool is_right) { check(faulty, is_right, where, expected); }});
    };
#define LOOP(name, fault, ...) add(#name, fault, launch(name<true>), launch(name<false>), __VA_ARGS__)
    const auto only = [](int place, int value) { return [=](int i) { return i == place ? value : 0; }; };
    const auto first_of = [](int i) { return i / ITEMS * ITEMS; };
    const auto running = [=](int i) { return std::accumulate(in.begin() + first_of(i), in.begin() + i + 1, 0); };
    const int total = std::accumulate(in.begin(), in.end(), 0), odd = std::count_if(in.begin(), in.end(), [](int n) { return n & 1; });
    int firsts = 0;
    for (int i = 0; i < N; i += ITEMS) firsts += in[i];
    const auto reversed = [=](int i) { return in[first_of(i) + ITEMS - 1 - i % ITEMS]; };

    const char *const iterations = "dependence of iterations";
    LOOP(anti_dependence, iterations, [](int i) { return i + 1 < N ? in[i + 1] + 1 : 0; });
    LOOP(true_dependence, iterations, [](int i) { return in[0] + i; });
    LOOP(last_value, iterations, only(0, in[N - 1]));
    LOOP(indirect, iterations, [](int i) { return in[i * 1229 % N]; }); // 5 * 1229 = 1 modulo N
    LOOP(stencil, iterations, [](int i) { return i / 64 && i % 64 ? in[i - 1] + in[i - 64] : 0; });
    LOOP(rows, iterations, [](int i) { return in[i / ITEMS * ITEMS] + i % ITEMS; }, A);
    LOOP(chunks, iterations, [](int i) { return in[i] + i / ITEMS; });
    LOOP(reverse_in_place, iterations, [](int i) { return in[N - 1 - i]; }, A);
    LOOP(sections, iterations, [](int i) { return i < 2 ? 7 + i : 0; });
    LOOP(wide_store, iterations, [](int i) { return i < 5 ? i + 1 : 0; });

    const char *const variable = "variable that is not private";
    LOOP(temporary, variable, [](int i) { return in[i] * 3 + 1; });

    const char *const atomic = "no atomic";
    LOOP(sum, atomic, only(0, total));
    LOOP(sum_of_sums, atomic, only(0, total));
    LOOP(count_down, atomic, only(0, -odd));
    LOOP(matrix_vector, atomic, [](int i) {
        int all = 0;
        for (int k = 0; i < GROUPS && k < ITEMS; k++) all += in[i * ITEMS + k] * in[k];
        return all;
    });
    LOOP(parts_of_a_dword, atomic, [](int i) { return i < 128 ? i % 2 ? 0x08070605 : 0x04030201 : 0; });
    LOOP(bitmap, atomic, [](int i) {
        int bits = 0;
        for (int k = 0; i < 2 && k < 1024; k++) bits |= (in[i * 1024 + k] & 1) << k % 32;
        return bits;
    });
    LOOP(tickets, atomic, [](int i) { return in[i]; });
    LOOP(atomic_for_some, "no atomic, beside atomics", only(0, total));

    const char *const lock = "no lock, or another";
    LOOP(locked, lock, only(0, firsts));
    LOOP(lock_for_some, lock, only(0, firsts));

    const char *const barrier = "no barrier";
    LOOP(two_loops, barrier, reversed);
    LOOP(fence_for_barrier, barrier, reversed);
    LOOP(running_sums, barrier, running);
    LOOP(by_turns, barrier, running);
    LOOP(one_for_all, barrier, [=](int i) { return in[first_of(i)]; });
    LOOP(histogram, barrier, [](int i) { return i < 64 ? std::count_if(in.begin(), in.end(), [=](int n) { return (n & 63) == i; }) : 0; });
    LOOP(transposed, barrier, [=](int i) { return in[first_of(i) + i % 16 * 16 + i % ITEMS / 16]; });
    LOOP(uneven, barrier, [=](int i) { return std::accumulate(in.begin() + first_of(i), in.begin() + first_of(i) + i / ITEMS + 1, 0); });
    const auto backwards = [](int i) { return in[N - 1 - i]; };
    const auto one_after_the_other = [](Arrays x) {
        first_loop<<<GROUPS, ITEMS>>>(x);
        second_loop<<<GROUPS, ITEMS>>>(x);
    };
    add("loops_of_all_groups", barrier, one_after_the_other, launch(both_loops), backwards);
    add("rounds", barrier, cooperative(rounds<true>), cooperative(rounds<false>), [](int i) { return in[(i + N - 2 * ITEMS) % N] + 2; }, A);
    add("two_streams", "two dispatches without order", two_streams<true>, two_streams<false>, backwards);

    LOOP(lanes, "within a wave", [](int i) { return i % 64 ? in[i - 1] + 1 : 0; });
    LOOP(same_value, "the same value", only(0, odd > 0));
    return verdicts(argc, argv, all);
}
