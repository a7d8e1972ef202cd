// What the programs share. Each is called with the name of a case, calls one function of a library on numbers that are the same in every run, and
// prints a digest of the bytes that came out: whoever runs it compares that with what the unchanged library gives.
#pragma once
#include "../../tests/stack/programs/common.h"

static uint64_t digest = 0xcbf29ce484222325;

template <class T> void result(const Buffer<T> &buffer) {
    HIP(hipDeviceSynchronize());
    std::vector<T> values = buffer.host();
    const unsigned char *bytes = (const unsigned char *)values.data();
    for (size_t i = 0; i < values.size() * sizeof(T); i++) digest = (digest ^ bytes[i]) * 0x100000001b3;
}

// Between -1 and 1.
inline std::vector<float> numbers(size_t count, uint32_t seed = 1) {
    std::vector<float> values(count);
    for (size_t i = 0; i < count; i++) values[i] = (int)(hash(i + 100000 * seed) % 2001 - 1000) / 1000.0f;
    return values;
}

// A symmetric matrix of which the diagonal is so large that it is positive definite.
inline std::vector<float> definite(int n) {
    std::vector<float> values = numbers(n * n, 2);
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < i; j++) values[i * n + j] = values[j * n + i];
        values[i * n + i] = n + i % 3;
    }
    return values;
}

template <size_t N> int main_of(int argc, char **argv, const Case (&cases)[N]) {
    const char *name = argc == 2 ? argv[1] : "";
    for (const Case &c : cases)
        if (!strcmp(name, "--list")) {
            printf("%s\n", c.name);
        } else if (!strcmp(name, c.name)) {
            c.run();
            printf("digest %016llx\n", (unsigned long long)digest);
        }
    return 0;
}
