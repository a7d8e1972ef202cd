// Kernels that use memory which nobody told the GPU of: with XNACK on it is found by the GPU's own faults.
#include "common.h"
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

const size_t PAGE = 4096;

__global__ void add(uint32_t *values, size_t n, uint32_t by) {
    size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x;
    if (i < n) values[i] += by;
}

__global__ void sum(const uint32_t *values, size_t n, uint32_t *total) {
    size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x;
    if (i < n) atomicAdd(total, values[i]);
}

static void finish() {
    HIP(hipGetLastError());
    HIP(hipDeviceSynchronize());
}

static void add_all(uint32_t *values, size_t n, uint32_t by) {
    add<<<(n + 255) / 256, 256>>>(values, n, by);
    finish();
}

// The GPU adds, the host changes, the GPU adds again.
static void check(const char *what, uint32_t *values, size_t n) {
    for (size_t i = 0; i < n; i++) values[i] = hash(i);
    add_all(values, n, 1);
    for (size_t i = 0; i < n; i++) equal(what, i, values[i], hash(i) + 1);
    for (size_t i = 0; i < n; i += 2) values[i] = i;
    add_all(values, n, 2);
    for (size_t i = 0; i < n; i++) equal(what, i, values[i], i % 2 ? hash(i) + 3 : i + 2);
}

static char *map(size_t bytes, int access, void *at = nullptr, int file = -1) {
    int flags = (file < 0 ? MAP_PRIVATE | MAP_ANONYMOUS : MAP_SHARED) | (at ? MAP_FIXED : 0);
    char *mapped = (char *)mmap(at, bytes, access, flags, file, 0);
    if (mapped == MAP_FAILED) {
        perror("mmap");
        exit(3);
    }
    return mapped;
}

// Some MiB, which malloc maps.
static void large() {
    size_t n = 1250001;
    uint32_t *values = (uint32_t *)malloc(n * 4);
    check("large", values, n);
    free(values);
}

// Of the heap.
static void heap() {
    std::vector<uint32_t *> all;
    for (int i = 0; i < 40; i++) all.push_back((uint32_t *)malloc(601 * 4));
    for (uint32_t *values : all) check("heap", values, 601);
    for (uint32_t *values : all) free(values);
}

static uint32_t in_the_program[3001];

static void variables() {
    uint32_t on_the_stack[2001];
    check("stack", on_the_stack, 2001);
    check("static", in_the_program, 3001);
}

static void managed() {
    uint32_t *values;
    HIP(hipMallocManaged((void **)&values, 200001 * 4, hipMemAttachGlobal));
    check("managed", values, 200001);
    HIP(hipFree(values));
}

// Work-items of all work-groups and the host count in one word.
static void atomics() {
    size_t n = 20000;
    uint32_t *values = (uint32_t *)malloc(n * 4), *total = (uint32_t *)calloc(1, 4), expected = 0;
    for (size_t i = 0; i < n; i++) expected += values[i] = hash(i);
    sum<<<(n + 255) / 256, 256>>>(values, n, total);
    for (int i = 0; i < 1000; i++) __atomic_fetch_add(total, 3, __ATOMIC_SEQ_CST);
    finish();
    equal("total", 0, *total, expected + 3000);
    free(values);
    free(total);
}

// What is mapped at a place after something else is what the GPU sees, and may use as the host may.
static void remapped() {
    size_t bytes = 3 * PAGE, n = bytes / 4;
    char *place = map(bytes, PROT_READ | PROT_WRITE);
    check("first", (uint32_t *)place, n);
    if (munmap(place, bytes)) exit(3);
    map(bytes, PROT_READ | PROT_WRITE, place);
    add_all((uint32_t *)place, n, 7);
    for (size_t i = 0; i < n; i++) equal("second", i, ((uint32_t *)place)[i], 7);
    // A file in place of the middle page, which the GPU may only read.
    int file = memfd_create("numbers", 0);
    std::vector<uint32_t> numbers(PAGE / 4);
    uint32_t expected = 7 * 2 * (PAGE / 4);
    for (size_t i = 0; i < numbers.size(); i++) expected += numbers[i] = hash(i);
    if (write(file, numbers.data(), PAGE) != (ssize_t)PAGE) exit(3);
    map(PAGE, PROT_READ, place + PAGE, file);
    Buffer<uint32_t> total(std::vector<uint32_t>(1, 0));
    sum<<<(n + 255) / 256, 256>>>((uint32_t *)place, n, total.data);
    equal("sum", 0, total.host()[0], expected);
    // Nobody may use it, and then everybody.
    if (mprotect(place, PAGE, PROT_NONE) || mprotect(place, PAGE, PROT_READ | PROT_WRITE)) exit(3);
    add_all((uint32_t *)place, PAGE / 4, 1);
    for (size_t i = 0; i < PAGE / 4; i++) equal("opened", i, ((uint32_t *)place)[i], 8);
}

// The following end the program by a memory fault at the address that they print.
static void access_in_vain(char *at) {
    printf("%p\n", at);
    fflush(stdout);
    add<<<1, 1>>>((uint32_t *)at, 1, 1);
    finish();
}

static void unmapped() {
    char *place = map(2 * PAGE, PROT_READ | PROT_WRITE);
    add_all((uint32_t *)place, 2 * PAGE / 4, 1);
    if (munmap(place + PAGE, PAGE)) exit(3);
    add_all((uint32_t *)place, PAGE / 4, 1);
    for (size_t i = 0; i < PAGE / 4; i++) equal("kept", i, ((uint32_t *)place)[i], 2);
    access_in_vain(place + PAGE);
}

// Large blocks of malloc's are unmapped where nobody sees it.
static void freed() {
    uint32_t *values = (uint32_t *)malloc(64 << 20);
    size_t n = 1000000;
    memset(values, 0, n * 4);
    add_all(values, n, 1);
    equal("last", n - 1, values[n - 1], 1);
    char *at = (char *)(values + n / 2);
    free(values);
    access_in_vain(at);
}

static void read_only() {
    char *place = map(PAGE, PROT_READ);
    Buffer<uint32_t> total(std::vector<uint32_t>(1, 5));
    sum<<<4, 256>>>((uint32_t *)place, PAGE / 4, total.data);
    equal("sum", 0, total.host()[0], 5);
    access_in_vain(place);
}

// In vain with XNACK off.
static void untold() {
    uint32_t *values = (uint32_t *)map(PAGE, PROT_READ | PROT_WRITE);
    access_in_vain((char *)values);
    equal("untold", 0, values[0], 1);
}

int main(int argc, char **argv) {
    const Case cases[] = {{"large", large},       {"heap", heap},         {"variables", variables},
                          {"managed", managed},   {"atomics", atomics},   {"remapped", remapped},
                          {"unmapped", unmapped}, {"freed", freed},       {"read_only", read_only},
                          {"untold", untold}};
    return run_case(argc, argv, cases);
}
