// HIP's textures and surfaces: arrays, texture objects of every kind, filters, and what kernels write.
#include "common.h"
#include "filters.h"
#include <array>

template <class T> static T noise(size_t i);
template <> float noise<float>(size_t i) { return (int)(hash(i) % 2001) - 1000; }
template <> float4 noise<float4>(size_t i) { return {noise<float>(4 * i), noise<float>(4 * i + 1), noise<float>(4 * i + 2), noise<float>(4 * i + 3)}; }
template <> uchar4 noise<uchar4>(size_t i) { return {(unsigned char)hash(i), (unsigned char)hash(i + 7), (unsigned char)hash(i + 9), (unsigned char)hash(i + 11)}; }
template <> char4 noise<char4>(size_t i) { return {(signed char)hash(i), (signed char)hash(i + 7), (signed char)hash(i + 9), (signed char)hash(i + 11)}; }
template <> int2 noise<int2>(size_t i) { return {(int)hash(i), (int)hash(i + 5)}; }
template <> short noise<short>(size_t i) { return hash(i); }

// HIP 5.2 takes the channels of uchar4 for signed ones if it is asked.
template <class T> static hipChannelFormatDesc format() { return hipCreateChannelDesc<T>(); }
template <> hipChannelFormatDesc format<uchar4>() { return hipCreateChannelDesc(8, 8, 8, 8, hipChannelFormatKindUnsigned); }

static std::array<double, 4> channels(float v) { return {v, 0, 0, 0}; }
static std::array<double, 4> channels(short v) { return {(double)v, 0, 0, 0}; }
static std::array<double, 4> channels(int2 v) { return {(double)v.x, (double)v.y, 0, 0}; }
static std::array<double, 4> channels(float4 v) { return {v.x, v.y, v.z, v.w}; }
static std::array<double, 4> channels(char4 v) { return {(double)v.x, (double)v.y, (double)v.z, (double)v.w}; }
static std::array<double, 4> channels(uchar4 v) { return {(double)v.x, (double)v.y, (double)v.z, (double)v.w}; }

// An array of HIP and what it holds.
template <class T> struct Array {
    hipArray_t array;
    size_t size[3];
    std::vector<T> content;

    Array(size_t w, size_t h, size_t d, unsigned flags = hipArrayDefault) : size{w, h, d}, content(w * (h ? h : 1) * (d ? d : 1)) {
        hipChannelFormatDesc desc = format<T>();
        if (d) HIP(hipMalloc3DArray(&array, &desc, make_hipExtent(w, h, d), flags));
        else HIP(hipMallocArray(&array, &desc, w, h, flags));
        for (size_t i = 0; i < content.size(); i++) content[i] = noise<T>(i);
        copy(hipMemcpyHostToDevice);
    }
    Array(const Array &) = delete;
    ~Array() { HIP(hipFreeArray(array)); }

    // Between `content` and the array.
    void copy(hipMemcpyKind kind) {
        size_t w = size[0], h = size[1] ? size[1] : 1, row = w * sizeof(T);
        if (!size[2]) {
            if (kind == hipMemcpyHostToDevice) HIP(hipMemcpy2DToArray(array, 0, 0, content.data(), row, row, h, kind));
            else HIP(hipMemcpy2DFromArray(content.data(), row, array, 0, 0, row, h, kind));
            return;
        }
        hipMemcpy3DParms p = {};
        hipPitchedPtr host = make_hipPitchedPtr(content.data(), row, w, h);
        if (kind == hipMemcpyHostToDevice) p.srcPtr = host, p.dstArray = array;
        else p.dstPtr = host, p.srcArray = array;
        p.extent = make_hipExtent(w, h, size[2]);
        p.kind = kind;
        HIP(hipMemcpy3D(&p));
    }

    // What the array holds now.
    std::vector<T> read() {
        std::vector<T> mine = content;
        std::fill(content.begin(), content.end(), T{});
        copy(hipMemcpyDeviceToHost);
        std::swap(mine, content);
        return mine;
    }

    hipResourceDesc resource() const {
        hipResourceDesc r = {};
        r.resType = hipResourceTypeArray;
        r.res.array.array = array;
        return r;
    }
};

static hipTextureDesc description(Edge edge, bool linear, bool normalized, bool numbers = false) {
    hipTextureDesc d = {};
    for (auto &mode : d.addressMode)
        mode = edge == Edge::Repeat ? hipAddressModeWrap : edge == Edge::Mirror ? hipAddressModeMirror : edge == Edge::Border ? hipAddressModeBorder : hipAddressModeClamp;
    d.filterMode = linear ? hipFilterModeLinear : hipFilterModePoint;
    d.readMode = numbers ? hipReadModeNormalizedFloat : hipReadModeElementType;
    d.normalizedCoords = normalized;
    return d;
}

struct Texture {
    hipTextureObject_t object;
    Texture(const hipResourceDesc &r, const hipTextureDesc &d) { HIP(hipCreateTextureObject(&object, &r, &d, nullptr)); }
    Texture(const Texture &) = delete;
    ~Texture() { HIP(hipDestroyTextureObject(object)); }
};

enum Kind { Line, Plane, Volume, Lines, Planes };

template <class T, int KIND> __global__ void look(hipTextureObject_t t, const float4 *at, T *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float4 a = at[i];
    if (KIND == Line) out[i] = tex1D<T>(t, a.x);
    if (KIND == Plane) out[i] = tex2D<T>(t, a.x, a.y);
    if (KIND == Volume) out[i] = tex3D<T>(t, a.x, a.y, a.z);
    if (KIND == Lines) out[i] = tex1DLayered<T>(t, a.x, (int)a.y);
    if (KIND == Planes) out[i] = tex2DLayered<T>(t, a.x, a.y, (int)a.z);
}

// Looks at many places inside and around an array; the places are on a 128th of a texel, so that weights are exact.
template <class T, int KIND> static void check(Array<T> &a, Edge edge, bool linear, bool normalized) {
    const int n = 2000, dimensions = KIND == Volume ? 3 : KIND == Plane || KIND == Planes ? 2 : 1;
    std::vector<float4> at(n);
    for (int i = 0; i < n; i++)
        for (int d = 0; d < 3; d++) {
            double w = a.size[d] ? a.size[d] : 1, place = hash(i * 4 + d) / 4294967296. * 3 * w - w;
            place = (std::floor(place * 64) + 0.5) / 64;
            (&at[i].x)[d] = normalized ? place / w : place;
            if (d == dimensions && KIND > Volume) (&at[i].x)[d] = hash(i) % 5;
        }
    Texture texture(a.resource(), description(edge, linear, normalized));
    Buffer<float4> places(at);
    Buffer<T> out(n);
    look<T, KIND><<<(n + 63) / 64, 64>>>(texture.object, places.data, out.data, n);
    std::vector<T> got = out.host();
    for (int i = 0; i < n; i++) {
        std::vector<Tap> axes[3] = {{{0, 1}}, {{0, 1}}, {{0, 1}}};
        for (int d = 0; d < dimensions; d++) axes[d] = taps(edge, linear, normalized, (&at[i].x)[d], a.size[d]);
        std::array<double, 4> expected = {};
        for (Tap x : axes[0])
            for (Tap y : axes[1])
                for (Tap z : axes[2]) {
                    long k[3] = {x.index, y.index, z.index};
                    bool inside = true;
                    for (int d = 0; d < dimensions; d++) inside &= k[d] >= 0 && k[d] < (long)a.size[d];
                    if (!inside) continue;
                    if (KIND > Volume) k[dimensions] = (&at[i].x)[dimensions];
                    size_t h = KIND == Lines ? 5 : a.size[1] ? a.size[1] : 1;
                    std::array<double, 4> v = channels(a.content[(k[2] * h + k[1]) * a.size[0] + k[0]]);
                    for (int c = 0; c < 4; c++) expected[c] += v[c] * x.weight * y.weight * z.weight;
                }
        std::array<double, 4> value = channels(got[i]);
        char what[100];
        snprintf(what, sizeof what, "kind %d, edge %d, linear %d, at %g %g %g", KIND, (int)edge, linear, at[i].x, at[i].y, at[i].z);
        for (int c = 0; c < 4; c++) close_to(what, i, value[c], expected[c], 2e-3 * linear);
    }
}

template <class T, int KIND> static void all_edges(size_t w, size_t h, size_t d, unsigned flags, bool filters) {
    Array<T> a(w, h, d, flags);
    std::vector<T> same = a.read();
    for (size_t i = 0; i < same.size(); i++) equal("the array", i, channels(same[i]) == channels(a.content[i]), true);
    for (bool linear : {false, true}) {
        if (linear && !filters) break;
        for (Edge edge : {Edge::Clamp, Edge::Border}) check<T, KIND>(a, edge, linear, false);
        for (Edge edge : {Edge::Clamp, Edge::Border, Edge::Repeat, Edge::Mirror}) check<T, KIND>(a, edge, linear, true);
    }
}

static void lines() {
    all_edges<float, Line>(64, 0, 0, hipArrayDefault, true);
    all_edges<int2, Line>(128, 0, 0, hipArrayDefault, false);
}

static void planes() {
    all_edges<float4, Plane>(64, 32, 0, hipArrayDefault, true);
    all_edges<float, Plane>(256, 128, 0, hipArrayDefault, true);
    // Not uchar4: HIP 5.2 crashes in itself when a second texture of such an array is made.
    all_edges<char4, Plane>(64, 64, 0, hipArrayDefault, false);
    all_edges<short, Plane>(32, 16, 0, hipArrayDefault, false);
}

static void volumes() {
    all_edges<float, Volume>(32, 16, 8, hipArrayDefault, true);
    all_edges<float4, Volume>(64, 32, 32, hipArrayDefault, true);
}

static void layers() {
    all_edges<float4, Planes>(64, 32, 5, hipArrayLayered, true);
}

// Texels that are integers, read as numbers from 0 to 1.
static void normalized_reads() {
    const size_t w = 40, h = 30;
    Array<uchar4> a(w, h, 0);
    Texture texture(a.resource(), description(Edge::Clamp, false, false, true));
    std::vector<float4> at(w * h);
    for (size_t i = 0; i < w * h; i++) at[i] = {i % w + 0.5f, i / w + 0.5f, 0, 0};
    Buffer<float4> places(at), out(w * h);
    look<float4, Plane><<<w * h / 60, 60>>>(texture.object, places.data, out.data, w * h);
    std::vector<float4> got = out.host();
    for (size_t i = 0; i < w * h; i++) {
        std::array<double, 4> expected = channels(a.content[i]), value = channels(got[i]);
        for (int c = 0; c < 4; c++) close_to("channel", i * 4 + c, value[c], expected[c] / 255, 1e-6);
    }
}

template <class T> __global__ void fetch(hipTextureObject_t t, T *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = tex1Dfetch<T>(t, n - 1 - i);
}

// Textures of memory that is not an array.
static void linear_memory() {
    const int n = 3000;
    std::vector<float4> in(n);
    for (int i = 0; i < n; i++) in[i] = noise<float4>(i);
    Buffer<float4> memory(in), out(n);
    hipResourceDesc r = {};
    r.resType = hipResourceTypeLinear;
    r.res.linear.devPtr = memory.data;
    r.res.linear.desc = hipCreateChannelDesc<float4>();
    r.res.linear.sizeInBytes = n * sizeof(float4);
    {
        Texture texture(r, description(Edge::Clamp, false, false));
        fetch<float4><<<(n + 255) / 256, 256>>>(texture.object, out.data, n);
        std::vector<float4> got = out.host();
        for (int i = 0; i < n; i++) equal("fetched", i, channels(got[i]) == channels(in[n - 1 - i]), true);
    }
    const size_t w = 70, h = 20;
    size_t pitch;
    float *rows;
    HIP(hipMallocPitch((void **)&rows, &pitch, w * 4, h));
    std::vector<float> host(w * h);
    for (size_t i = 0; i < w * h; i++) host[i] = noise<float>(i);
    HIP(hipMemcpy2D(rows, pitch, host.data(), w * 4, w * 4, h, hipMemcpyHostToDevice));
    hipResourceDesc p = {};
    p.resType = hipResourceTypePitch2D;
    p.res.pitch2D.devPtr = rows;
    p.res.pitch2D.desc = hipCreateChannelDesc<float>();
    p.res.pitch2D.width = w;
    p.res.pitch2D.height = h;
    p.res.pitch2D.pitchInBytes = pitch;
    std::vector<float4> at(w * h);
    for (size_t i = 0; i < w * h; i++) at[i] = {i % w + 0.75f, i / w + 0.5f, 0, 0};
    {
        Texture texture(p, description(Edge::Clamp, true, false));
        Buffer<float4> places(at);
        Buffer<float> values(w * h);
        look<float, Plane><<<(w * h + 63) / 64, 64>>>(texture.object, places.data, values.data, w * h);
        std::vector<float> got = values.host();
        for (size_t i = 0; i < w * h; i++) equal("row", i, got[i], host[i] * 0.75f + host[i % w + 1 < w ? i + 1 : i] * 0.25f);
    }
    HIP(hipFree(rows));
}

__global__ void variants(hipTextureObject_t t, float *out) {
    float x = threadIdx.x + 0.75f, y = blockIdx.x + 0.5f;
    float *o = out + (blockIdx.x * blockDim.x + threadIdx.x) * 6;
    o[0] = tex2DLod<float4>(t, x, y, 0).x;
    o[1] = tex2DGrad<float4>(t, x, y, float2(1, 0), float2(0, 1)).y;
    // Some versions of HIP count the channels from another one than 0; these are all alike.
    float4 g = tex2Dgather<float4>(t, x, y + 0.25f, 0);
    o[2] = g.x, o[3] = g.y, o[4] = g.z, o[5] = g.w;
}

// A level of detail, derivatives, and the four texels of a filter.
static void variants() {
    const int w = 30, h = 20;
    Array<float4> a(w, h, 0);
    for (float4 &v : a.content) v = {v.x, v.x, v.x, v.x};
    a.copy(hipMemcpyHostToDevice);
    Texture texture(a.resource(), description(Edge::Clamp, true, false));
    Buffer<float> out(w * h * 6);
    variants<<<h, w>>>(texture.object, out.data);
    std::vector<float> got = out.host();
    auto texel = [&](int x, int y) { return a.content[(y < h ? y : h - 1) * w + (x < w ? x : w - 1)].x; };
    for (int y = 0; y < h; y++)
        for (int x = 0; x < w; x++) {
            float *o = &got[(y * w + x) * 6], mixed = texel(x, y) * 0.75f + texel(x + 1, y) * 0.25f;
            equal("level of detail", y * w + x, o[0], mixed);
            equal("derivatives", y * w + x, o[1], mixed);
            const float four[] = {texel(x, y + 1), texel(x + 1, y + 1), texel(x + 1, y), texel(x, y)};
            for (int i = 0; i < 4; i++) equal("gathered", i, o[2 + i], four[i]);
        }
}

template <class T> __global__ void turn(hipSurfaceObject_t from, hipSurfaceObject_t to, int w, int h) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y;
    if (x >= w) return;
    T v;
    surf2Dread(&v, from, x * (int)sizeof(T), y);
    surf2Dwrite(v, to, (w - 1 - x) * (int)sizeof(T), h - 1 - y);
}

template <class T> static void surface(int w, int h) {
    // HIP 5.2 refuses the flag, and takes any array.
    const unsigned flags = HIP_VERSION < 50300000 ? hipArrayDefault : hipArraySurfaceLoadStore;
    Array<T> from(w, h, 0, flags), to(w, h, 0, flags);
    hipSurfaceObject_t objects[2];
    hipResourceDesc resources[] = {from.resource(), to.resource()};
    for (int i : {0, 1}) HIP(hipCreateSurfaceObject(&objects[i], &resources[i]));
    turn<T><<<dim3((w + 63) / 64, h), 64>>>(objects[0], objects[1], w, h);
    HIP(hipDeviceSynchronize());
    std::vector<T> got = to.read();
    for (int i = 0; i < w * h; i++) equal("turned", i, channels(got[i]) == channels(from.content[w * h - 1 - i]), true);
    for (int i : {0, 1}) HIP(hipDestroySurfaceObject(objects[i]));
}

static void surfaces() {
    surface<float>(100, 60);
    surface<float4>(33, 17);
    // The headers of HIP 5.2 take what is read for floating-point numbers.
    if (HIP_VERSION < 50300000) return;
    surface<uchar4>(300, 200);
    surface<int2>(50, 40);
}

// Images that the virtual GPU does not have are those that HIP does not make.
static void refusals() {
    hipChannelFormatDesc f = format<float>();
    hipMipmappedArray_t levels;
    hipArray_t array;
    equal("mipmaps", 0, hipMallocMipmappedArray(&levels, &f, make_hipExtent(64, 64, 0), 4, 0), hipErrorNotSupported);
    equal("cube map", 0, hipMalloc3DArray(&array, &f, make_hipExtent(64, 64, 6), hipArrayCubemap) != hipSuccess, true);
    equal("cube maps", 0, hipMalloc3DArray(&array, &f, make_hipExtent(64, 64, 12), hipArrayCubemap | hipArrayLayered) != hipSuccess, true);
}

int main(int argc, char **argv) {
    const Case cases[] = {{"lines", lines},   {"planes", planes},     {"volumes", volumes},
                          {"layers", layers}, {"normalized", normalized_reads}, {"linear_memory", linear_memory},
                          {"variants", variants}, {"surfaces", surfaces},
                          {"refusals", refusals}};
    return run_case(argc, argv, cases);
}
