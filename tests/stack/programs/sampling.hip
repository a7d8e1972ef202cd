// OpenCL samplers: what a kernel reads between the texels of an image and past its edges, as the specification defines it.
#include "filters.h"
#include "images.h"
#include <string>

struct Sampler {
    bool normalized;
    cl_addressing_mode edges;
    cl_filter_mode filter;
    Edge edge() const {
        switch (edges) {
        case CL_ADDRESS_CLAMP_TO_EDGE: return Edge::Clamp;
        case CL_ADDRESS_CLAMP: return Edge::Border;
        case CL_ADDRESS_REPEAT: return Edge::Repeat;
        case CL_ADDRESS_MIRRORED_REPEAT: return Edge::Mirror;
        }
        return Edge::None;
    }
    cl_sampler handle() const {
        cl_int status;
        cl_sampler s = clCreateSampler(context, normalized, edges, filter, &status);
        CL(status);
        return s;
    }
};

static std::array<double, 4> expected(Image &image, const Sampler &s, const float *at, int dimensions, long slice) {
    std::array<double, 4> sum = {};
    std::vector<Tap> axes[3] = {{{0, 1}}, {{0, 1}}, {{0, 1}}};
    for (int i = 0; i < dimensions; i++) axes[i] = taps(s.edge(), s.filter == CL_FILTER_LINEAR, s.normalized, at[i], image.size[i]);
    for (Tap x : axes[0])
        for (Tap y : axes[1])
            for (Tap z : axes[2]) {
                long i[3] = {x.index, y.index, z.index};
                bool inside = true;
                for (int d = 0; d < dimensions; d++) inside &= i[d] >= 0 && i[d] < (long)image.size[d];
                if (slice >= 0) i[dimensions] = slice;
                // The border is transparent black, or black if the format has no alpha.
                cl_channel_order order = image.format.image_channel_order;
                std::array<double, 4> v = {0, 0, 0, order == CL_RGBA || order == CL_BGRA ? 0. : 1.};
                if (inside) v = decode(image.format, image.at(i[0], i[1], i[2]));
                for (int c = 0; c < 4; c++) sum[c] += v[c] * (x.weight * y.weight * z.weight);
            }
    return sum;
}

// Looks at many places in an image, inside and around it. `grid`: places are on a 128th of a texel, so that weights are exact.
static void look(cl_mem_object_type type, cl_image_format f, std::array<size_t, 3> size, const Sampler &s, bool grid, double tolerance) {
    const size_t n = 2048;
    Image image(type, f, size);
    image.fill_with_noise(11);
    bool array = type == CL_MEM_OBJECT_IMAGE1D_ARRAY || type == CL_MEM_OBJECT_IMAGE2D_ARRAY;
    int dimensions = type == CL_MEM_OBJECT_IMAGE3D ? 3 : type == CL_MEM_OBJECT_IMAGE2D || type == CL_MEM_OBJECT_IMAGE2D_ARRAY ? 2 : 1;
    std::vector<float> at(n * 4);
    for (size_t i = 0; i < n; i++)
        for (int d = 0; d < 4; d++) {
            double w = d < 3 ? size[d] : 1, place = (double)hash(i * 4 + d) / 4294967296. * 3 * w - w;
            if (s.edges == CL_ADDRESS_NONE) place = 1 + (place + w) / 3 * (w - 2) / w;
            if (grid) place = (std::floor(place * 64) + 0.5) / 64;
            at[i * 4 + d] = s.normalized ? place / w : place;
            // The slice is not normalized.
            if (array && d == dimensions) at[i * 4 + d] = (int)(hash(i) % 90) / 10.f - 2;
        }
    const char *types[] = {"image1d_t", "image1d_array_t", "image2d_t", "image2d_array_t", "image3d_t"};
    const char *places[] = {"a.x", "a.xy", "a.xy", "a", "a"};
    int which = type == CL_MEM_OBJECT_IMAGE1D ? 0 : type == CL_MEM_OBJECT_IMAGE1D_ARRAY ? 1 : type == CL_MEM_OBJECT_IMAGE2D ? 2 : type == CL_MEM_OBJECT_IMAGE2D_ARRAY ? 3 : 4;
    std::string source = std::string("kernel void look(read_only ") + types[which] + " in, sampler_t s, global const float4 *at, global float4 *out) {"
                         " int i = get_global_id(0); float4 a = at[i]; out[i] = read_imagef(in, s, " + places[which] + "); }";
    // Compiling takes most of the time.
    static cl_kernel kernels[5];
    if (!kernels[which]) kernels[which] = kernel(source.c_str(), "look");
    cl_kernel k = kernels[which];
    cl_mem in = buffer(n * 16, at.data()), out = buffer(n * 16);
    cl_sampler sampler = s.handle();
    argument(k, 0, image.mem), argument(k, 1, sampler), argument(k, 2, in), argument(k, 3, out);
    launch(k, n, 64);
    std::vector<float> got = read<float>(out, n * 4);
    char what[200];
    for (size_t i = 0; i < n; i++) {
        long slice = -1;
        if (array) slice = std::fmin(std::fmax(std::rint(at[i * 4 + dimensions]), 0), size[dimensions] - 1);
        std::array<double, 4> e = expected(image, s, &at[i * 4], dimensions, slice);
        snprintf(what, sizeof what, "%s, edges %#x, filter %#x, %snormalized, at %g %g %g", types[which], s.edges, s.filter, s.normalized ? "" : "not ", at[i * 4], at[i * 4 + 1], at[i * 4 + 2]);
        for (int c = 0; c < 4; c++) close_to(what, i * 4 + c, got[i * 4 + c], e[c], tolerance);
    }
    CL(clReleaseMemObject(in));
    CL(clReleaseMemObject(out));
    CL(clReleaseSampler(sampler));
}

static const cl_image_format RGBA = {CL_RGBA, CL_FLOAT}, R = {CL_R, CL_FLOAT}, RGBA8 = {CL_RGBA, CL_UNORM_INT8};
static const cl_mem_object_type types[] = {CL_MEM_OBJECT_IMAGE1D, CL_MEM_OBJECT_IMAGE2D, CL_MEM_OBJECT_IMAGE3D, CL_MEM_OBJECT_IMAGE1D_ARRAY, CL_MEM_OBJECT_IMAGE2D_ARRAY};

// The size of an image of that kind.
static std::array<size_t, 3> part(cl_mem_object_type type, size_t w, size_t h, size_t d) {
    switch (type) {
    case CL_MEM_OBJECT_IMAGE1D: return {w, 1, 1};
    case CL_MEM_OBJECT_IMAGE2D: return {w, h, 1};
    case CL_MEM_OBJECT_IMAGE1D_ARRAY: return {w, 5, 1};
    case CL_MEM_OBJECT_IMAGE2D_ARRAY: return {w, h, 5};
    }
    return {w, h, d};
}

static void filter(cl_filter_mode filter) {
    for (cl_mem_object_type type : types)
        for (cl_image_format f : {RGBA, R, RGBA8}) {
            for (cl_addressing_mode edges : {CL_ADDRESS_NONE, CL_ADDRESS_CLAMP_TO_EDGE, CL_ADDRESS_CLAMP})
                look(type, f, part(type, 37, 19, 11), {false, edges, filter}, true, 1e-6);
            for (cl_addressing_mode edges : {CL_ADDRESS_CLAMP_TO_EDGE, CL_ADDRESS_CLAMP, CL_ADDRESS_REPEAT, CL_ADDRESS_MIRRORED_REPEAT})
                look(type, f, part(type, 32, 16, 8), {true, edges, filter}, true, 1e-6);
        }
}

static void nearest() { filter(CL_FILTER_NEAREST); }
static void linear() { filter(CL_FILTER_LINEAR); }

// Places that are on no grid: filters know them to a 256th of a texel, and each axis adds a half of that.
static void precision() {
    for (cl_mem_object_type type : types)
        for (cl_addressing_mode edges : {CL_ADDRESS_CLAMP_TO_EDGE, CL_ADDRESS_CLAMP, CL_ADDRESS_REPEAT, CL_ADDRESS_MIRRORED_REPEAT})
            look(type, RGBA8, part(type, 101, 77, 9), {true, edges, CL_FILTER_LINEAR}, false, 3 * 0.5 / 256 + 1e-4);
}

// Samplers with whole coordinates, and integers.
static void integers() {
    const cl_image_format f = {CL_RGBA, CL_SIGNED_INT16};
    const long w = 30, h = 20;
    Image image(CL_MEM_OBJECT_IMAGE2D, f, {(size_t)w, (size_t)h, 1});
    image.fill_with_noise(12);
    cl_kernel k = kernel("kernel void look(read_only image2d_t in, sampler_t s, global int4 *out) { int x = get_global_id(0), y = get_global_id(1);"
                         "  out[y * get_global_size(0) + x] = read_imagei(in, s, (int2)(x - 10, y - 10)); }", "look");
    size_t size[] = {(size_t)w + 20, (size_t)h + 20, 1};
    cl_mem out = buffer(size[0] * size[1] * 16);
    for (cl_addressing_mode edges : {CL_ADDRESS_CLAMP_TO_EDGE, CL_ADDRESS_CLAMP}) {
        cl_sampler s = Sampler{false, edges, CL_FILTER_NEAREST}.handle();
        argument(k, 0, image.mem), argument(k, 1, s), argument(k, 2, out);
        run3(k, size);
        std::vector<int> got = read<int>(out, size[0] * size[1] * 4);
        for (long i = 0; i < (long)(size[0] * size[1]); i++) {
            long x = i % size[0] - 10, y = i / size[0] - 10;
            bool inside = x >= 0 && y >= 0 && x < w && y < h;
            x = x < 0 ? 0 : x >= w ? w - 1 : x, y = y < 0 ? 0 : y >= h ? h - 1 : y;
            std::array<double, 4> e = {};
            if (inside || edges == CL_ADDRESS_CLAMP_TO_EDGE) e = decode(f, image.at(x, y, 0));
            for (int c = 0; c < 4; c++) equal("integer", i * 4 + c, got[i * 4 + c], e[c]);
        }
    }
}

int main(int argc, char **argv) {
    const Case cases[] = {{"nearest", nearest}, {"linear", linear}, {"precision", precision}, {"integers", integers}};
    open_device();
    return run_case(argc, argv, cases);
}
