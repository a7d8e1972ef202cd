// OpenCL images of AMD's OpenCL: transfers, formats, kernels that read and write them.
#include "images.h"
#include <string>

static const cl_image_format RGBA8 = {CL_RGBA, CL_UNORM_INT8};

// Sizes from one block to many: the runtime chooses the layout by them.
struct Shape {
    cl_mem_object_type type;
    std::array<size_t, 3> size;
    const char *name;
};
static const Shape shapes[] = {
    {CL_MEM_OBJECT_IMAGE1D, {700, 1, 1}, "1D"},
    {CL_MEM_OBJECT_IMAGE2D, {1, 1, 1}, "2D of one texel"},
    {CL_MEM_OBJECT_IMAGE2D, {65, 33, 1}, "2D"},
    {CL_MEM_OBJECT_IMAGE2D, {300, 200, 1}, "large 2D"},
    {CL_MEM_OBJECT_IMAGE3D, {9, 5, 3}, "3D"},
    {CL_MEM_OBJECT_IMAGE3D, {40, 33, 34}, "large 3D"},
    {CL_MEM_OBJECT_IMAGE1D_ARRAY, {100, 7, 1}, "1D array"},
    {CL_MEM_OBJECT_IMAGE2D_ARRAY, {33, 20, 5}, "2D array"},
    {CL_MEM_OBJECT_IMAGE2D_ARRAY, {130, 129, 6}, "large 2D array"},
};
static const cl_image_format sizes_of_texels[] = {{CL_R, CL_UNSIGNED_INT8}, {CL_RG, CL_UNSIGNED_INT8}, RGBA8, {CL_RGBA, CL_HALF_FLOAT}, {CL_RGBA, CL_FLOAT}};

template <class F> static void all_shapes(F f) {
    for (const Shape &s : shapes)
        for (cl_image_format format : sizes_of_texels) {
            Image image(s.type, format, s.size);
            f(image, s);
        }
}

// A part in the middle of the image; all of a dimension that has one or two.
static void middle(const Image &image, size_t (&origin)[3], size_t (&region)[3]) {
    for (int i = 0; i < 3; i++) {
        origin[i] = image.size[i] / 3;
        region[i] = image.size[i] - origin[i] - image.size[i] / 5;
    }
}

static void transfers() {
    all_shapes([](Image &image, const Shape &s) {
        image.fill_with_noise(1);
        image.check(s.name);
        // A part, to rows and slices of the host that are longer.
        size_t origin[3], region[3], b = image.bytes();
        middle(image, origin, region);
        size_t row = (region[0] + 3) * b, slice = row * (region[1] + (image.size[2] > 1 ? 2 : 0));
        bool slices = image.size[2] > 1 || s.type == CL_MEM_OBJECT_IMAGE1D_ARRAY;
        if (s.type == CL_MEM_OBJECT_IMAGE1D_ARRAY) slice = row;
        std::vector<uint8_t> host(row * (region[1] + 2) * region[2] + row, 0x55);
        CL(clEnqueueReadImage(queue, image.mem, CL_TRUE, origin, region, row, slices ? slice : 0, host.data(), 0, nullptr, nullptr));
        auto part = [&](size_t y, size_t z) { return s.type == CL_MEM_OBJECT_IMAGE1D_ARRAY ? y * slice : z * slice + y * row; };
        for (size_t z = 0; z < region[2]; z++)
            for (size_t y = 0; y < region[1]; y++) {
                uint8_t *expected = image.at(origin[0], origin[1] + y, origin[2] + z);
                for (size_t x = 0; x < (region[0] + 3) * b; x++)
                    equal(s.name, x, (int)host[part(y, z) + x], x < region[0] * b ? (int)expected[x] : 0x55);
            }
        for (size_t i = 0; i < host.size(); i++) host[i] = hash(i) & 0x3f;
        CL(clEnqueueWriteImage(queue, image.mem, CL_TRUE, origin, region, row, slices ? slice : 0, host.data(), 0, nullptr, nullptr));
        for (size_t z = 0; z < region[2]; z++)
            for (size_t y = 0; y < region[1]; y++) memcpy(image.at(origin[0], origin[1] + y, origin[2] + z), &host[part(y, z)], region[0] * b);
        image.check(s.name);
    });
}

static void copies() {
    all_shapes([](Image &from, const Shape &s) {
        Image to(s.type, from.format, s.size);
        from.fill_with_noise(2);
        to.fill_with_noise(3);
        size_t origin[3], region[3], zero[3] = {}, b = from.bytes();
        middle(from, origin, region);
        CL(clEnqueueCopyImage(queue, from.mem, to.mem, origin, zero, region, 0, nullptr, nullptr));
        for (size_t z = 0; z < region[2]; z++)
            for (size_t y = 0; y < region[1]; y++) memcpy(to.at(0, y, z), from.at(origin[0], origin[1] + y, origin[2] + z), region[0] * b);
        to.check(s.name);
        // To a buffer and back to another place.
        size_t bytes = region[0] * region[1] * region[2] * b;
        cl_mem linear = buffer(bytes + 64);
        CL(clEnqueueCopyImageToBuffer(queue, to.mem, linear, origin, region, 16, 0, nullptr, nullptr));
        std::vector<uint8_t> got = read<uint8_t>(linear, bytes + 64);
        for (size_t i = 0; i < bytes; i++) {
            size_t row = i / (region[0] * b), x = i % (region[0] * b);
            equal(s.name, i, (int)got[16 + i], (int)to.at(origin[0], origin[1] + row % region[1], origin[2] + row / region[1])[x]);
        }
        CL(clEnqueueCopyBufferToImage(queue, linear, from.mem, 16, zero, region, 0, nullptr, nullptr));
        for (size_t i = 0; i < bytes; i++) {
            size_t row = i / (region[0] * b), x = i % (region[0] * b);
            from.at(0, row % region[1], row / region[1])[x] = got[16 + i];
        }
        from.check(s.name);
        CL(clReleaseMemObject(linear));
    });
}

static void fills() {
    all_shapes([](Image &image, const Shape &s) {
        image.fill_with_noise(4);
        size_t origin[3], region[3];
        middle(image, origin, region);
        const float floats[] = {1, 0, 0, 1};
        const uint32_t integers[] = {7, 200, 0, 0};
        CL(clEnqueueFillImage(queue, image.mem, numbers(image.format) == Floats ? (void *)floats : (void *)integers, origin, region, 0, nullptr, nullptr));
        uint8_t texel[16] = {};
        switch (image.format.image_channel_data_type) {
        case CL_UNSIGNED_INT8: texel[0] = 7, texel[1] = 200; break;
        case CL_UNORM_INT8: texel[0] = texel[3] = 255; break;
        case CL_HALF_FLOAT: texel[1] = texel[7] = 0x3c; break;
        case CL_FLOAT: memcpy(texel, floats, 16); break;
        }
        for (size_t z = 0; z < region[2]; z++)
            for (size_t y = 0; y < region[1]; y++)
                for (size_t x = 0; x < region[0]; x++) memcpy(image.at(origin[0] + x, origin[1] + y, origin[2] + z), texel, image.bytes());
        image.check(s.name);
    });
}

static void maps() {
    all_shapes([](Image &image, const Shape &s) {
        image.fill_with_noise(5);
        size_t origin[3], region[3], row = 0, slice = 0, b = image.bytes();
        middle(image, origin, region);
        cl_int status;
        uint8_t *mapped = (uint8_t *)clEnqueueMapImage(queue, image.mem, CL_TRUE, CL_MAP_READ | CL_MAP_WRITE, origin, region, &row, &slice, 0, nullptr, nullptr, &status);
        CL(status);
        for (size_t z = 0; z < region[2]; z++)
            for (size_t y = 0; y < region[1]; y++) {
                uint8_t *host = mapped + (s.type == CL_MEM_OBJECT_IMAGE1D_ARRAY ? y * slice : z * slice + y * row);
                uint8_t *expected = image.at(origin[0], origin[1] + y, origin[2] + z);
                for (size_t x = 0; x < region[0] * b; x++) equal(s.name, x, (int)host[x], (int)expected[x]), host[x] = expected[x] ^= 9;
            }
        CL(clEnqueueUnmapMemObject(queue, image.mem, mapped, 0, nullptr, nullptr));
        CL(clFinish(queue));
        image.check(s.name);
    });
}

// A kernel that moves every texel to the mirrored place, for one kind of image and numbers.
static std::string mirror_source(const Shape &s, Numbers n) {
    const char *suffix = n == Floats ? "f" : n == Signed ? "i" : "ui";
    std::string type, at, to;
    switch (s.type) {
    case CL_MEM_OBJECT_IMAGE1D: type = "image1d_t", at = "x", to = "w - 1 - x"; break;
    case CL_MEM_OBJECT_IMAGE2D: type = "image2d_t", at = "(int2)(x, y)", to = "(int2)(w - 1 - x, y)"; break;
    case CL_MEM_OBJECT_IMAGE3D: type = "image3d_t", at = "(int4)(x, y, z, 0)", to = "(int4)(w - 1 - x, y, z, 0)"; break;
    case CL_MEM_OBJECT_IMAGE1D_ARRAY: type = "image1d_array_t", at = "(int2)(x, y)", to = "(int2)(w - 1 - x, y)"; break;
    default: type = "image2d_array_t", at = "(int4)(x, y, z, 0)", to = "(int4)(w - 1 - x, y, z, 0)"; break;
    }
    std::string values = n == Floats ? "float4" : n == Signed ? "int4" : "uint4";
    return "#pragma OPENCL EXTENSION cl_khr_3d_image_writes : enable\n"
           "kernel void mirror(read_only " + type + " from, write_only " + type + " to, global " + values + " *seen) {"
           "  int x = get_global_id(0), y = get_global_id(1), z = get_global_id(2), w = get_image_width(from);"
           "  " + values + " v = read_image" + suffix + "(from, " + at + ");"
           "  seen[(z * get_global_size(1) + y) * get_global_size(0) + x] = v;"
           "  write_image" + suffix + "(to, " + to + ", v); }";
}

static void mirror(const Shape &s, cl_image_format f, cl_kernel k, bool writable) {
    Image from(s.type, f, s.size), to(s.type, writable ? f : RGBA8, s.size);
    from.fill_with_noise(6);
    cl_mem seen = buffer(from.count() * 16);
    argument(k, 0, from.mem), argument(k, 1, to.mem), argument(k, 2, seen);
    run3(k, from.size);
    char what[100];
    snprintf(what, sizeof what, "%s of order %#x and type %#x", s.name, f.image_channel_order, f.image_channel_data_type);
    std::vector<uint32_t> got = read<uint32_t>(seen, from.count() * 4);
    for (size_t i = 0; i < from.count(); i++) {
        std::array<double, 4> expected = decode(f, &from.content[i * from.bytes()]);
        for (int c = 0; c < 4; c++) {
            float single;
            memcpy(&single, &got[i * 4 + c], 4);
            double value = numbers(f) == Floats ? single : numbers(f) == Signed ? (double)(int32_t)got[i * 4 + c] : got[i * 4 + c];
            close_to(what, i * 4 + c, value, expected[c], numbers(f) == Floats ? 1e-6 : 0);
        }
    }
    if (writable) {
        for (size_t z = 0; z < to.size[2]; z++)
            for (size_t y = 0; y < to.size[1]; y++)
                for (size_t x = 0; x < to.size[0]; x++) memcpy(to.at(to.size[0] - 1 - x, y, z), from.at(x, y, z), to.bytes());
        to.check(what);
    }
    CL(clReleaseMemObject(seen));
}

// Every shape, texels of every size.
static void kernels() {
    for (const Shape &s : shapes) {
        cl_kernel floats = kernel(mirror_source(s, Floats).c_str(), "mirror"), unsigneds = kernel(mirror_source(s, Unsigned).c_str(), "mirror");
        for (cl_image_format f : sizes_of_texels) mirror(s, f, numbers(f) == Floats ? floats : unsigneds, true);
        CL(clReleaseKernel(floats));
        CL(clReleaseKernel(unsigneds));
    }
}

static std::vector<cl_image_format> supported(cl_mem_flags flags, cl_mem_object_type type) {
    cl_uint count;
    CL(clGetSupportedImageFormats(context, flags, type, 0, nullptr, &count));
    std::vector<cl_image_format> formats(count);
    CL(clGetSupportedImageFormats(context, flags, type, count, formats.data(), nullptr));
    return formats;
}

static bool contains(const std::vector<cl_image_format> &formats, cl_image_format f) {
    for (cl_image_format g : formats)
        if (g.image_channel_order == f.image_channel_order && g.image_channel_data_type == f.image_channel_data_type) return true;
    return false;
}

// Every format that the runtime has.
static void formats() {
    const Shape s = {CL_MEM_OBJECT_IMAGE2D, {37, 21, 1}, "2D"};
    cl_kernel k[3];
    for (Numbers n : {Floats, Signed, Unsigned}) k[n] = kernel(mirror_source(s, n).c_str(), "mirror");
    std::vector<cl_image_format> writable = supported(CL_MEM_WRITE_ONLY, s.type);
    size_t count = 0;
    for (cl_image_format f : supported(CL_MEM_READ_ONLY, s.type)) {
        // Depth images are another type in kernels.
        if (f.image_channel_order == CL_DEPTH) continue;
        equal("the format is known", f.image_channel_order, texel_bytes(f) > 0, true);
        mirror(s, f, k[numbers(f)], contains(writable, f));
        count++;
    }
    printf("%zu formats, %zu of them writable\n", count, writable.size());
    equal("formats", 0, count >= 40, true);
}

static void depth() {
    const cl_image_format f = {CL_DEPTH, CL_FLOAT};
    Image image(CL_MEM_OBJECT_IMAGE2D, f, {20, 10, 1});
    image.fill_with_noise(7);
    cl_kernel k = kernel("#pragma OPENCL EXTENSION cl_khr_depth_images : enable\n"
                         "kernel void depths(read_only image2d_depth_t in, sampler_t s, global float *o) { int x = get_global_id(0), y = get_global_id(1);"
                         "  o[y * 20 + x] = read_imagef(in, s, (int2)(x, y)); }", "depths");
    cl_int status;
    cl_sampler s = clCreateSampler(context, CL_FALSE, CL_ADDRESS_CLAMP, CL_FILTER_NEAREST, &status);
    CL(status);
    cl_mem out = buffer(20 * 10 * 4);
    argument(k, 0, image.mem), argument(k, 1, s), argument(k, 2, out);
    run3(k, image.size);
    std::vector<float> got = read<float>(out, 200);
    for (size_t i = 0; i < 200; i++) equal("depth", i, got[i], decode(f, &image.content[i * 4])[0]);
}

// A buffer as an image of one dimension, and as rows of a two-dimensional one.
static void of_buffers() {
    const size_t n = 5000;
    for (cl_image_format f : {cl_image_format{CL_R, CL_FLOAT}, RGBA8, cl_image_format{CL_BGRA, CL_UNORM_INT8}, cl_image_format{CL_RG, CL_SIGNED_INT16}}) {
        std::vector<uint8_t> data = texels(f, n, 8);
        cl_mem from = buffer(data.size(), data.data()), to = buffer(data.size());
        Image in(CL_MEM_OBJECT_IMAGE1D_BUFFER, f, {n, 1, 1}, from), out(CL_MEM_OBJECT_IMAGE1D_BUFFER, f, {n, 1, 1}, to);
        std::string suffix = numbers(f) == Floats ? "f" : "i", values = numbers(f) == Floats ? "float4" : "int4";
        std::string source = "kernel void turn(read_only image1d_buffer_t in, write_only image1d_buffer_t out) { int i = get_global_id(0);"
                             "  " + values + " v = read_image" + suffix + "(in, i); write_image" + suffix + "(out, " + std::to_string(n) + " - 1 - i, v.xyzw); }";
        cl_kernel k = kernel(source.c_str(), "turn");
        argument(k, 0, in.mem), argument(k, 1, out.mem);
        launch(k, n, 100);
        std::vector<uint8_t> got = read<uint8_t>(to, data.size());
        size_t b = texel_bytes(f);
        for (size_t i = 0; i < data.size(); i++) equal("turned", i, (int)got[i], (int)data[(n - 1 - i / b) * b + i % b]);
    }
    size_t w = 100, h = 30, pitch = 256 * 4;
    std::vector<uint8_t> data(pitch * h);
    for (size_t i = 0; i < data.size(); i++) data[i] = hash(i);
    cl_mem rows = buffer(data.size(), data.data());
    Image from(CL_MEM_OBJECT_IMAGE2D, RGBA8, {w, h, 1}, rows, pitch), to(CL_MEM_OBJECT_IMAGE2D, RGBA8, {w, h, 1});
    const Shape s = {CL_MEM_OBJECT_IMAGE2D, {w, h, 1}, "2D"};
    cl_kernel k = kernel(mirror_source(s, Floats).c_str(), "mirror");
    cl_mem seen = buffer(w * h * 16);
    argument(k, 0, from.mem), argument(k, 1, to.mem), argument(k, 2, seen);
    run3(k, from.size);
    for (size_t y = 0; y < h; y++)
        for (size_t x = 0; x < w; x++) memcpy(to.at(w - 1 - x, y, 0), &data[y * pitch + x * 4], 4);
    to.check("rows of a buffer");
    // And the other way.
    argument(k, 0, to.mem), argument(k, 1, from.mem);
    run3(k, from.size);
    std::vector<uint8_t> got = read<uint8_t>(rows, data.size());
    for (size_t i = 0; i < data.size(); i++) equal("a buffer's rows", i, (int)got[i], (int)data[i]);
}

// What kernels can ask about images.
static void queries() {
    cl_kernel k = kernel("kernel void ask(read_only image1d_t a, read_only image2d_t b, read_only image3d_t c, read_only image1d_array_t d, read_only image2d_array_t e, global int *o) {"
                         "  o[0] = get_image_width(a); o[1] = get_image_width(b); o[2] = get_image_height(b); o[3] = get_image_width(c); o[4] = get_image_height(c);"
                         "  o[5] = get_image_depth(c); o[6] = get_image_width(d); o[7] = get_image_array_size(d); o[8] = get_image_width(e); o[9] = get_image_height(e);"
                         "  o[10] = get_image_array_size(e); o[11] = get_image_channel_data_type(b); o[12] = get_image_channel_order(c); }", "ask");
    cl_image_format f = {CL_RG, CL_SIGNED_INT16};
    Image a(CL_MEM_OBJECT_IMAGE1D, RGBA8, {71, 1, 1}), b(CL_MEM_OBJECT_IMAGE2D, f, {72, 73, 1}), c(CL_MEM_OBJECT_IMAGE3D, f, {74, 75, 76}),
        d(CL_MEM_OBJECT_IMAGE1D_ARRAY, RGBA8, {77, 78, 1}), e(CL_MEM_OBJECT_IMAGE2D_ARRAY, RGBA8, {79, 80, 81});
    cl_mem out = buffer(13 * 4);
    argument(k, 0, a.mem), argument(k, 1, b.mem), argument(k, 2, c.mem), argument(k, 3, d.mem), argument(k, 4, e.mem), argument(k, 5, out);
    launch(k, 1, 1);
    std::vector<int> got = read<int>(out, 13);
    const int expected[] = {71, 72, 73, 74, 75, 76, 77, 78, 79, 80, 81, CL_SIGNED_INT16, CL_RG};
    for (int i = 0; i < 13; i++) equal("answer", i, got[i], expected[i]);
}

// One image that a kernel reads and writes, with halves in registers.
static void read_write() {
    cl_kernel k = kernel("kernel void twice(read_write image2d_t i) { int2 at = (int2)(get_global_id(0), get_global_id(1));"
                         "  write_imagei(i, at, read_imagei(i, at) * 2 + 1); }", "twice");
    cl_image_format f = {CL_R, CL_SIGNED_INT32};
    Image image(CL_MEM_OBJECT_IMAGE2D, f, {90, 50, 1});
    image.fill_with_noise(9);
    argument(k, 0, image.mem);
    run3(k, image.size);
    for (size_t i = 0; i < image.count(); i++) {
        uint32_t v;
        memcpy(&v, &image.content[i * 4], 4);
        v = v * 2 + 1;
        memcpy(&image.content[i * 4], &v, 4);
    }
    image.check("in place");
    cl_kernel h = kernel("#pragma OPENCL EXTENSION cl_khr_fp16 : enable\n"
                         "kernel void halves(read_only image2d_t in, write_only image2d_t out) { int2 at = (int2)(get_global_id(0), get_global_id(1));"
                         "  half4 v = read_imageh(in, at); write_imageh(out, at, v.yxwz); }", "halves");
    cl_image_format halves = {CL_RGBA, CL_HALF_FLOAT};
    Image in(CL_MEM_OBJECT_IMAGE2D, halves, {40, 30, 1}), out(CL_MEM_OBJECT_IMAGE2D, halves, {40, 30, 1});
    in.fill_with_noise(10);
    argument(h, 0, in.mem), argument(h, 1, out.mem);
    run3(h, in.size);
    for (size_t i = 0; i < in.content.size(); i++) out.content[i] = in.content[i ^ 2];
    out.check("halves");
}

int main(int argc, char **argv) {
    const Case cases[] = {{"transfers", transfers}, {"copies", copies},         {"fills", fills},     {"maps", maps},
                          {"kernels", kernels},     {"formats", formats},       {"depth", depth},     {"of_buffers", of_buffers},
                          {"queries", queries},     {"read_write", read_write}};
    open_device();
    return run_case(argc, argv, cases);
}
