// Patterns of irregular programs on graphs, right and with faults, after the description of Indigo (Liu, Azami, Walters, Burtscher, ISPASS 2022). The code of a pattern is there once: a GPU
// runs it, and so does a model on the host, work-item by work-item, which notes all accesses. So it is known whether a fault matters on a graph.
#include "verdict_graphs.h"

// What is done with the vertices.
enum Pattern { CONDITIONAL_VERTEX, CONDITIONAL_EDGE, PULL, PUSH, WORKLIST, COMPRESSION };
static const char *const PATTERNS[] = {"conditional-vertex", "conditional-edge", "pull", "push", "worklist", "compression"};

// Who has a vertex: a work-item, a wave, or a work-group, whose work-items share its edges.
enum Unit { ITEM, WAVE, GROUP };
static const char *const UNITS[] = {"item", "wave", "group"};

enum Bug {
    NONE,
    ATOMIC, // an update is a load and a store
    GUARD,  // what is updated is looked at before, by a plain load
    BOUNDS, // one vertex or one edge too many
    ORDER,  // what others are about to change is used
    SYNC    // a barrier is missing
};
static const char *const BUGS[] = {"nothing", "atomicBug", "guardBug", "boundsBug", "raceBug", "syncBug"};

// Whether the work-items of a work-group first combine in LDS what they have of a vertex.
constexpr bool has_carry(Pattern pattern, Unit unit) { return unit == GROUP && (pattern == CONDITIONAL_VERTEX || pattern == PULL); }

// Whether there is a barrier behind a phase.
constexpr bool has_barrier(Pattern pattern, Bug bug, int phase) { return bug != SYNC || phase != (pattern == PULL ? 0 : 1); }

template <Bug bug, class T, class Memory> __host__ __device__ void update(Memory &m, Array<T> array, int i, T value) {
    if (bug != ATOMIC && bug != GUARD) return m.update(array, i, value);
    const T old = m.load(array, i), now = combine(old, value);
    if (old == now) return;
    if (bug == ATOMIC)
        m.store(array, i, now);
    else
        m.update(array, i, value);
}

// The work of a work-item between two barriers. `Memory` makes the accesses, or notes them.
template <Pattern pattern, Unit unit, Bug bug, class T, class Memory>
__host__ __device__ void work(Memory &m, const Graph &g, const Data<T> &d, int phase) {
    const int id = m.group * ITEMS + m.item;
    const int v = unit == ITEM ? id : unit == WAVE ? id / LANES : m.group;
    const int first = unit == ITEM ? 0 : unit == WAVE ? id % LANES : m.item;
    const int step = unit == ITEM ? 1 : unit == WAVE ? LANES : ITEMS;
    constexpr bool carries = has_carry(pattern, unit);
    if (v >= g.vertices + (bug == BOUNDS && unit != GROUP)) return;

    if (carries && phase == 0 && m.item == 0) m.store(d.carry, m.lds(), T(0));
    if (carries && phase == 2 && m.item == 0) {
        const T sum = m.load(d.carry, m.lds());
        if (pattern == PULL)
            m.store(d.result, v, sum);
        else if (sum > m.load(d.values, v))
            m.update(d.result, 0, sum);
    }
    if (phase != (carries ? 1 : 0)) return;

    if (pattern == COMPRESSION) {
        // Each vertex knows one on the way to its root. The way is halved.
        const bool is_plain = bug == ORDER || bug == GUARD;
        const auto parent = [&](int of) { return is_plain ? m.load(d.parents, of) : m.atomic_load(d.parents, of); };
        int before = v, at = parent(v);
        for (int next = parent(at); next < at; next = parent(at)) {
            if (bug == ORDER)
                m.store(d.parents, before, next);
            else
                m.lower(d.parents, before, next);
            before = at;
            at = next;
        }
        return;
    }

    T sum = 0;
    const int end = m.load(g.begin, v + 1) + (bug == BOUNDS && unit == GROUP);
    for (int e = m.load(g.begin, v) + first; e < end; e += step) {
        const int n = m.load(g.edges, e);
        const T value = m.load(bug == ORDER && pattern == PULL ? d.result : d.values, n);
        if (pattern == CONDITIONAL_EDGE && v < n) update<bug>(m, d.result, 0, value);
        if (pattern == PUSH) update<bug>(m, d.result, n, m.load(d.values, v));
        if (pattern == WORKLIST && v < n) {
            int place = bug == ATOMIC ? m.load(d.count, 0) : m.add(d.count, 0, 1);
            if (bug == ATOMIC) m.store(d.count, 0, place + 1);
            if (bug == ORDER) place = m.load(d.count, 0) - 1;
            m.store(d.worklist, place, n);
        }
        sum = combine(sum, value);
    }
    if (pattern == CONDITIONAL_VERTEX && !carries && sum > m.load(d.values, v)) update<bug>(m, d.result, 0, sum);
    if (pattern == PULL && unit == ITEM) m.store(d.result, v, sum);
    if (pattern == PULL && unit == WAVE && sum > T(0)) update<bug>(m, d.result, v, sum);
    if (carries && sum > T(0)) update<bug>(m, d.carry, m.lds(), sum);
}

template <Pattern pattern, Unit unit, Bug bug, class T> __global__ void run(Graph g, Data<T> d) {
    __shared__ T carry;
    Gpu m = {int(blockIdx.x), int(threadIdx.x)};
    d.carry = {&carry, 1};
    for (int phase = 0; phase < (has_carry(pattern, unit) ? 3 : 1); phase++) {
        work<pattern, unit, bug>(m, g, d, phase);
        if (has_carry(pattern, unit) && phase < 2 && has_barrier(pattern, bug, phase)) __syncthreads();
    }
}

static int groups(Unit unit, int vertices) {
    const int items = unit == ITEM ? vertices : unit == WAVE ? vertices * LANES : vertices * ITEMS;
    return (items + ITEMS - 1) / ITEMS;
}

// Runs the same on the host.
template <Pattern pattern, Unit unit, Bug bug, class T> static Model model(Inputs<T> &inputs) {
    Model m;
    const int count = groups(unit, inputs.values.size());
    for (m.group = 0; m.group < count; m.group++)
        for (int phase = 0; phase < 3; phase++) {
            for (m.item = 0; m.item < ITEMS; m.item++) work<pattern, unit, bug>(m, inputs.graph(), inputs.data(), phase);
            m.epoch += has_barrier(pattern, bug, phase);
        }
    return m;
}

template <Pattern pattern, Unit unit, Bug bug, class T> static void check(const Shape &shape, bool is_right) {
    Inputs<T> got(shape), expected(shape);
    OnGpu<T> gpu(got);
    run<pattern, unit, bug, T><<<groups(unit, shape.vertices()), ITEMS>>>(gpu.graph(), gpu.data());
    gpu.take(got);
    if (!is_right) return;
    model<pattern, unit, bug>(expected);
    for (size_t i = 0; i < got.result.size(); i++) equal("result", i, got.result[i], expected.result[i]);
    equal("count", 0, got.count[0], expected.count[0]);
    for (std::vector<int> *list : {&got.worklist, &expected.worklist}) std::sort(list->begin(), list->end());
    for (size_t i = 0; i < got.worklist.size(); i++) equal("worklist", i, got.worklist[i], expected.worklist[i]);
}

constexpr bool can_have(Pattern pattern, Unit unit, Bug bug) {
    if (pattern == COMPRESSION) return unit == ITEM && bug != ATOMIC && bug != SYNC;
    switch (bug) {
    case ATOMIC: return pattern != PULL || unit != ITEM;
    case GUARD: return pattern != WORKLIST && (pattern != PULL || unit == GROUP);
    case ORDER: return pattern == PULL || pattern == WORKLIST;
    case SYNC: return has_carry(pattern, unit);
    default: return true;
    }
}

static const Shape SHAPES[] = {star(301), grid(17, 18), ring(256), random_graph(301, 900), pairs(256), without_edges(64)};

template <class T> const char *const TYPE = "";
template <> const char *const TYPE<int> = "int";
template <> const char *const TYPE<unsigned long long> = "long";
template <> const char *const TYPE<float> = "float";
template <> const char *const TYPE<double> = "double";

template <Pattern pattern, Unit unit, Bug bug, class T> static void add(std::vector<Verdict> &all) {
    if constexpr (can_have(pattern, unit, bug)) {
        // Types other than int on one graph only.
        for (const Shape *shape = SHAPES; shape < (std::is_same<T, int>::value ? std::end(SHAPES) : SHAPES + 1); shape++) {
            const std::string code = std::string(PATTERNS[pattern]) + "-" + UNITS[unit] + "-" + BUGS[bug];
            const auto truth = [=] {
                Inputs<T> inputs(*shape);
                return model<pattern, unit, bug>(inputs).truth(BUGS[bug]);
            };
            all.push_back({code + "-" + TYPE<T> + "-" + shape->name, truth, [=](bool is_right) { check<pattern, unit, bug, T>(*shape, is_right); }});
        }
    }
}

template <Pattern pattern, Unit unit, class T> static void add_bugs(std::vector<Verdict> &all) {
    add<pattern, unit, NONE, T>(all);
    add<pattern, unit, ATOMIC, T>(all);
    add<pattern, unit, GUARD, T>(all);
    add<pattern, unit, BOUNDS, T>(all);
    add<pattern, unit, ORDER, T>(all);
    add<pattern, unit, SYNC, T>(all);
}

template <Pattern pattern, class T> static void add_units(std::vector<Verdict> &all) {
    add_bugs<pattern, ITEM, T>(all);
    add_bugs<pattern, WAVE, T>(all);
    add_bugs<pattern, GROUP, T>(all);
}

template <class T> static void add_patterns(std::vector<Verdict> &all) {
    add_units<CONDITIONAL_VERTEX, T>(all);
    add_units<CONDITIONAL_EDGE, T>(all);
    add_units<PULL, T>(all);
    add_units<PUSH, T>(all);
}

int main(int argc, char **argv) {
    std::vector<Verdict> all;
    add_patterns<int>(all);
    add_patterns<unsigned long long>(all);
    add_patterns<float>(all);
    add_patterns<double>(all);
    add_units<WORKLIST, int>(all);
    add_units<COMPRESSION, int>(all);
    return verdicts(argc, argv, all);
}
