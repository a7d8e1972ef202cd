// What the HIP programs share. A program is called with the name of a case; it prints one line, `CASE: N values checked`,
// or says which value is wrong and fails.
#pragma once
#include <hip/hip_runtime.h>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

#define HIP(call)                                                                                            \
    do {                                                                                                     \
        hipError_t error_ = (call);                                                                          \
        if (error_ != hipSuccess) {                                                                          \
            fprintf(stderr, "%s:%d: %s: %s\n", __FILE__, __LINE__, #call, hipGetErrorName(error_));          \
            exit(2);                                                                                         \
        }                                                                                                    \
    } while (0)

static size_t checked = 0;

template <class T, class U> void equal(const char *what, size_t index, T got, U expected) {
    if (!(got == (T)expected)) {
        fprintf(stderr, "%s[%zu] is %.9g, expected %.9g\n", what, index, (double)got, (double)(T)expected);
        exit(1);
    }
    checked++;
}

inline void close_to(const char *what, size_t index, double got, double expected, double tolerance) {
    if (!(std::fabs(got - expected) <= tolerance)) {
        fprintf(stderr, "%s[%zu] is %.9g, expected %.9g within %.3g\n", what, index, got, expected, tolerance);
        exit(1);
    }
    checked++;
}

// Device memory that is freed at the end of its scope.
template <class T> struct Buffer {
    T *data = nullptr;
    size_t count;
    explicit Buffer(size_t n) : count(n) { HIP(hipMalloc((void **)&data, n * sizeof(T))); }
    explicit Buffer(const std::vector<T> &host) : Buffer(host.size()) {
        HIP(hipMemcpy(data, host.data(), count * sizeof(T), hipMemcpyHostToDevice));
    }
    Buffer(const Buffer &) = delete;
    ~Buffer() { HIP(hipFree(data)); }
    std::vector<T> host() const {
        std::vector<T> values(count);
        HIP(hipMemcpy(values.data(), data, count * sizeof(T), hipMemcpyDeviceToHost));
        return values;
    }
};

// Numbers that differ from each other, the same in every run.
inline uint32_t hash(uint32_t x) {
    x ^= x >> 16;
    x *= 0x7feb352du;
    x ^= x >> 15;
    x *= 0x846ca68bu;
    return x ^ x >> 16;
}

struct Case {
    const char *name;
    void (*run)();
};

template <size_t N> int run_case(int argc, char **argv, const Case (&cases)[N]) {
    for (const Case &c : cases)
        if (argc == 2 && !strcmp(argv[1], c.name)) {
            c.run();
            printf("%s: %zu values checked\n", c.name, checked);
            return 0;
        }
    fprintf(stderr, "usage: %s CASE, one of:", argv[0]);
    for (const Case &c : cases) fprintf(stderr, " %s", c.name);
    fprintf(stderr, "\n");
    return 64;
}
