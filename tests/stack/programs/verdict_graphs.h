// What the patterns of verdict_graphs.hip work on, and the two who run them: a GPU, and a model that knows which accesses nothing orders.
#pragma once
#include "verdicts.h"
#include <algorithm>
#include <map>

const int LANES = 64;
const int ITEMS = 128; // of a work-group: two waves

template <class T> struct Array {
    T *data;
    int count;
};

// Of vertex v the neighbours are edges[begin[v]] to edges[begin[v + 1] - 1].
struct Graph {
    Array<int> begin, edges;
    int vertices;
};

// What the patterns load and store.
template <class T> struct Data {
    Array<T> values, result, carry;
    Array<int> count, worklist, parents;
};

// Numbers are combined to their maximum, and those of floating point to their sum: what is computed does not depend on the order.
template <class T> __host__ __device__ T combine(T a, T b) { return std::is_integral<T>::value ? (a < b ? b : a) : a + b; }

// A work-item of a GPU.
struct Gpu {
    int group, item;
    static __device__ int lds() { return 0; }
    template <class T> __device__ T load(Array<T> a, int i) { return a.data[i]; }
    template <class T> __device__ void store(Array<T> a, int i, T value) { a.data[i] = value; }
    __device__ int atomic_load(Array<int> a, int i) {
        return __hip_atomic_load(a.data + i, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT);
    }
    __device__ int add(Array<int> a, int i, int value) { return atomicAdd(a.data + i, value); }
    __device__ void lower(Array<int> a, int i, int value) { atomicMin(a.data + i, value); }
    template <class T> __device__ void update(Array<T> a, int i, T value) {
        if constexpr (std::is_integral<T>::value)
            atomicMax(a.data + i, value);
        else
            atomicAdd(a.data + i, value);
    }
};

// The work-items, one after the other, on the host.
struct Model {
    int group = 0, item = 0;
    int epoch = 0; // barriers until now

    int lds() const { return group; }
    template <class T> T load(Array<T> a, int i) { return *at(a, i, LOAD); }
    template <class T> void store(Array<T> a, int i, T value) { *at(a, i, STORE) = value; }
    int atomic_load(Array<int> a, int i) { return *at(a, i, ATOMIC_LOAD); }
    int add(Array<int> a, int i, int value) { return (*at(a, i, ATOMIC) += value) - value; }
    void lower(Array<int> a, int i, int value) { *at(a, i, ATOMIC) = std::min(*at(a, i, ATOMIC), value); }
    template <class T> void update(Array<T> a, int i, T value) { *at(a, i, ATOMIC) = combine(*at(a, i, ATOMIC), value); }

    // What is to be told of this fault.
    Truth truth(const std::string &bug) const {
        if (strays) return {bug, STRAY};
        int worst = 0;
        for (const auto &[address, accesses] : all) worst = std::max(worst, race(accesses));
        const char *const how[] = {"", ", within a wave", ", beside atomics", ""};
        return {bug + how[worst], worst ? RACE : ""};
    }

  private:
    enum Kind { LOAD, STORE, ATOMIC_LOAD, ATOMIC };
    // Of a wave to an address; of one work-item, or of several (-1).
    using Accesses = std::map<std::tuple<int, int, int, Kind>, int>;
    std::map<const void *, Accesses> all;
    bool strays = false;
    double nowhere = 0;

    template <class T> T *at(Array<T> a, int i, Kind kind) {
        if (i < 0 || i >= a.count) {
            strays = true;
            nowhere = 0;
            return (T *)&nowhere;
        }
        auto [entry, is_new] = all[a.data + i].insert({{group, item / LANES, epoch, kind}, item});
        if (!is_new && entry->second != item) entry->second = -1;
        return a.data + i;
    }

    // C++'s data race: two work-items, one of which writes, not both atomic, and no barrier between. 3 if it is by plain accesses of two waves, which `vgpu check` promises to tell.
    static int race(const Accesses &accesses) {
        const auto is_plain = [](const auto &access) { return std::get<3>(access.first) < ATOMIC_LOAD; };
        int worst = 0;
        for (const auto &a : accesses) {
            if (!is_plain(a)) continue;
            for (const auto &b : accesses) {
                const auto [group, wave, epoch, kind] = a.first;
                const auto [other_group, other_wave, other_epoch, other] = b.first;
                if (group == other_group && epoch != other_epoch) continue;
                if (kind != STORE && other != STORE && other != ATOMIC) continue;
                if (group != other_group || wave != other_wave)
                    worst = std::max(worst, is_plain(b) ? 3 : 2);
                else if (a.second == -1 || b.second == -1 || a.second != b.second)
                    worst = std::max(worst, 1);
                if (worst == 3) return worst;
            }
        }
        return worst;
    }
};

// Each vertex with its neighbours.
struct Shape {
    std::string name;
    std::vector<std::vector<int>> neighbours;
    int vertices() const { return neighbours.size(); }
};

inline Shape shape(const char *name, int vertices, const std::vector<std::pair<int, int>> &edges) {
    Shape s = {name, std::vector<std::vector<int>>(vertices)};
    for (auto [from, to] : edges) {
        s.neighbours[from].push_back(to);
        s.neighbours[to].push_back(from);
    }
    return s;
}

// All know the first.
inline Shape star(int vertices) {
    std::vector<std::pair<int, int>> edges;
    for (int v = 1; v < vertices; v++) edges.push_back({0, v});
    return shape("star", vertices, edges);
}

inline Shape ring(int vertices) {
    std::vector<std::pair<int, int>> edges;
    for (int v = 0; v < vertices; v++) edges.push_back({v, (v + 1) % vertices});
    return shape("ring", vertices, edges);
}

inline Shape grid(int width, int height) {
    std::vector<std::pair<int, int>> edges;
    for (int v = 0; v < width * height; v++) {
        if (v % width) edges.push_back({v - 1, v});
        if (v >= width) edges.push_back({v - width, v});
    }
    return shape("grid", width * height, edges);
}

inline Shape random_graph(int vertices, int count) {
    std::vector<std::pair<int, int>> edges;
    for (int i = 0; i < count; i++) edges.push_back({hash(2 * i) % vertices, hash(2 * i + 1) % vertices});
    return shape("random", vertices, edges);
}

// Two and two, whose work-items are neighbours too: what happens there happens within a wave.
inline Shape pairs(int vertices) {
    std::vector<std::pair<int, int>> edges;
    for (int v = 0; v < vertices; v += 2) edges.push_back({v, v + 1});
    return shape("pairs", vertices, edges);
}

inline Shape without_edges(int vertices) { return shape("without-edges", vertices, {}); }

// A graph and the numbers of its vertices, on the host.
template <class T> struct Inputs {
    std::vector<int> begin, edges, count, worklist, parents;
    std::vector<T> values, result, carry;

    explicit Inputs(const Shape &shape) : begin(1, 0), count(1, 0) {
        for (int v = 0; v < shape.vertices(); v++) {
            int parent = v;
            for (int n : shape.neighbours[v]) {
                edges.push_back(n);
                parent = std::min(parent, n);
            }
            begin.push_back(edges.size());
            parents.push_back(parent);
            values.push_back(T(hash(v) % 1000 + 10));
            result.push_back(T(v % 7 + 1));
        }
        worklist.resize(edges.size() + 1);
        carry.resize(shape.vertices());
    }

    Graph graph() { return {array(begin), array(edges), int(values.size())}; }
    Data<T> data() { return {array(values), array(result), array(carry), array(count), array(worklist), array(parents)}; }

  private:
    template <class U> static Array<U> array(std::vector<U> &values) { return {values.data(), int(values.size())}; }
};

// A copy in the memory of a GPU.
template <class T> struct OnGpu {
    Buffer<int> begin, edges, count, worklist, parents;
    Buffer<T> values, result;

    explicit OnGpu(const Inputs<T> &in)
        : begin(in.begin), edges(in.edges), count(in.count), worklist(in.worklist), parents(in.parents), values(in.values), result(in.result) {}

    Graph graph() { return {array(begin), array(edges), int(values.count)}; }
    Data<T> data() { return {array(values), array(result), {}, array(count), array(worklist), array(parents)}; }

    void take(Inputs<T> &in) {
        in.result = result.host();
        in.count = count.host();
        in.worklist = worklist.host();
    }

  private:
    template <class U> static Array<U> array(const Buffer<U> &buffer) { return {buffer.data, int(buffer.count)}; }
};
