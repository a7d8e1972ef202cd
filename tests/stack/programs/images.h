// OpenCL images: formats as the specification defines them, and images that are compared with memory of the host.
#pragma once
#include "opencl.h"
#include <array>

// The bits of a texel's components from the lowest on, and which of red, green, blue, alpha each one is.
struct Layout {
    std::vector<int> bits;
    std::vector<int> channels;
};

static Layout layout(cl_image_format f) {
    switch (f.image_channel_data_type) {
    case CL_UNORM_SHORT_565: return {{5, 6, 5}, {2, 1, 0}};
    case CL_UNORM_SHORT_555: return {{5, 5, 5}, {2, 1, 0}};
    case CL_UNORM_INT_101010: return {{10, 10, 10}, {2, 1, 0}};
    }
    int bits = 0;
    switch (f.image_channel_data_type) {
    case CL_SNORM_INT8: case CL_UNORM_INT8: case CL_SIGNED_INT8: case CL_UNSIGNED_INT8: bits = 8; break;
    case CL_SNORM_INT16: case CL_UNORM_INT16: case CL_SIGNED_INT16: case CL_UNSIGNED_INT16: case CL_HALF_FLOAT: bits = 16; break;
    case CL_SIGNED_INT32: case CL_UNSIGNED_INT32: case CL_FLOAT: bits = 32; break;
    }
    std::vector<int> channels;
    switch (f.image_channel_order) {
    case CL_R: case CL_Rx: case CL_DEPTH: case CL_INTENSITY: case CL_LUMINANCE: channels = {0}; break;
    case CL_A: channels = {3}; break;
    case CL_RG: channels = {0, 1}; break;
    case CL_RA: channels = {0, 3}; break;
    case CL_RGBA: case CL_sRGBA: channels = {0, 1, 2, 3}; break;
    case CL_BGRA: channels = {2, 1, 0, 3}; break;
    case CL_ARGB: channels = {3, 0, 1, 2}; break;
    case CL_ABGR: channels = {3, 2, 1, 0}; break;
    }
    return {std::vector<int>(channels.size(), bits), channels};
}

static size_t texel_bytes(cl_image_format f) {
    int bits = 0;
    for (int b : layout(f).bits) bits += b;
    return (bits + 7) / 8;
}

enum Numbers { Floats, Signed, Unsigned };

static Numbers numbers(cl_image_format f) {
    switch (f.image_channel_data_type) {
    case CL_SIGNED_INT8: case CL_SIGNED_INT16: case CL_SIGNED_INT32: return Signed;
    case CL_UNSIGNED_INT8: case CL_UNSIGNED_INT16: case CL_UNSIGNED_INT32: return Unsigned;
    }
    return Floats;
}

inline double half_value(uint32_t h) {
    double m = h & 1023;
    int e = h >> 10 & 31;
    return (h >> 15 ? -1 : 1) * (e ? std::ldexp(1024 + m, e - 25) : std::ldexp(m, -24));
}

// The four channels of a texel as a kernel reads them.
static std::array<double, 4> decode(cl_image_format f, const uint8_t *texel) {
    Layout l = layout(f);
    std::array<double, 4> c = {0, 0, 0, f.image_channel_order == CL_A ? 0. : 1.};
    int at = 0;
    for (size_t i = 0; i < l.bits.size(); i++) {
        int n = l.bits[i];
        uint64_t raw = 0;
        for (int b = 0; b < n; b++) raw |= (uint64_t)(texel[(at + b) / 8] >> (at + b) % 8 & 1) << b;
        at += n;
        double most = std::ldexp(1, n) - 1, value = raw, sign = value - (raw >> (n - 1) ? most + 1 : 0);
        switch (f.image_channel_data_type) {
        case CL_SIGNED_INT8: case CL_SIGNED_INT16: case CL_SIGNED_INT32: value = sign; break;
        case CL_UNSIGNED_INT8: case CL_UNSIGNED_INT16: case CL_UNSIGNED_INT32: break;
        case CL_SNORM_INT8: case CL_SNORM_INT16: value = std::fmax(sign / (std::ldexp(1, n - 1) - 1), -1); break;
        case CL_HALF_FLOAT: value = half_value(raw); break;
        case CL_FLOAT: {
            uint32_t word = raw;
            float single;
            memcpy(&single, &word, 4);
            value = single;
            break;
        }
        default:
            value /= most;
            if (f.image_channel_order == CL_sRGBA && l.channels[i] < 3)
                value = value <= 0.04045 ? value / 12.92 : std::pow((value + 0.055) / 1.055, 2.4);
        }
        c[l.channels[i]] = value;
    }
    if (f.image_channel_order == CL_INTENSITY) c = {c[0], c[0], c[0], c[0]};
    if (f.image_channel_order == CL_LUMINANCE) c = {c[0], c[0], c[0], 1};
    return c;
}

// Texels of any content that survives being read and written: no infinities, nothing below -1, undefined bits clear.
static std::vector<uint8_t> texels(cl_image_format f, size_t count, uint32_t seed) {
    std::vector<uint8_t> v(count * texel_bytes(f));
    for (size_t i = 0; i < v.size(); i++) v[i] = hash(i * 31 + seed);
    for (size_t i = 0; i < v.size(); i++)
        switch (f.image_channel_data_type) {
        case CL_SNORM_INT8: v[i] = v[i] == 0x80 ? 0x81 : v[i]; break;
        case CL_SNORM_INT16: v[i] = i % 2 == 0 ? v[i] | 1 : v[i]; break;
        case CL_HALF_FLOAT: v[i] = i % 2 ? v[i] & 0xbf : v[i]; break;
        case CL_FLOAT: v[i] = i % 4 == 3 ? 0x3f | (v[i] & 0x80) : v[i]; break;
        case CL_UNORM_SHORT_555: v[i] = i % 2 ? v[i] & 0x7f : v[i]; break;
        case CL_UNORM_INT_101010: v[i] = i % 4 == 3 ? v[i] & 0x3f : v[i]; break;
        }
    return v;
}

// An image and what it holds.
struct Image {
    cl_mem mem = nullptr;
    cl_image_format format;
    cl_mem_object_type type;
    // Width, then height or slices, then depth or slices, as regions count them.
    size_t size[3];
    std::vector<uint8_t> content;

    size_t bytes() const { return texel_bytes(format); }
    size_t count() const { return size[0] * size[1] * size[2]; }
    uint8_t *at(size_t x, size_t y, size_t z) { return &content[((z * size[1] + y) * size[0] + x) * bytes()]; }

    Image(cl_mem_object_type type, cl_image_format format, std::array<size_t, 3> s, cl_mem buffer = nullptr, size_t pitch = 0)
        : format(format), type(type), size{s[0], s[1], s[2]}, content(count() * bytes()) {
        cl_image_desc d = {};
        d.image_type = type;
        d.image_width = s[0];
        if (type == CL_MEM_OBJECT_IMAGE2D || type == CL_MEM_OBJECT_IMAGE3D || type == CL_MEM_OBJECT_IMAGE2D_ARRAY) d.image_height = s[1];
        if (type == CL_MEM_OBJECT_IMAGE3D) d.image_depth = s[2];
        if (type == CL_MEM_OBJECT_IMAGE1D_ARRAY) d.image_array_size = s[1];
        if (type == CL_MEM_OBJECT_IMAGE2D_ARRAY) d.image_array_size = s[2];
        d.mem_object = buffer;
        d.image_row_pitch = pitch;
        cl_int status;
        // No flags of access: the image has those of the buffer, or may be read and written.
        mem = clCreateImage(context, 0, &format, &d, nullptr, &status);
        CL(status);
    }
    Image(const Image &) = delete;
    ~Image() { CL(clReleaseMemObject(mem)); }

    void write(const std::vector<uint8_t> &data) {
        size_t origin[3] = {};
        content = data;
        CL(clEnqueueWriteImage(queue, mem, CL_TRUE, origin, size, 0, 0, data.data(), 0, nullptr, nullptr));
    }

    void fill_with_noise(uint32_t seed) { write(texels(format, count(), seed)); }

    std::vector<uint8_t> read() {
        size_t origin[3] = {};
        std::vector<uint8_t> data(content.size(), 0xcc);
        CL(clEnqueueReadImage(queue, mem, CL_TRUE, origin, size, 0, 0, data.data(), 0, nullptr, nullptr));
        return data;
    }

    // The image holds what `content` says.
    void check(const char *what) {
        std::vector<uint8_t> data = read();
        for (size_t i = 0; i < data.size(); i++) equal(what, i, (int)data[i], (int)content[i]);
    }
};

static void run3(cl_kernel k, const size_t (&size)[3]) {
    CL(clEnqueueNDRangeKernel(queue, k, 3, nullptr, size, nullptr, 0, nullptr, nullptr));
}
