// Filters and edges of images as section 8.2 of the OpenCL C specification defines them; HIP's textures are the same.
#pragma once
#include <cmath>
#include <vector>

enum class Edge { None, Clamp, Border, Repeat, Mirror };

struct Tap {
    long index; // outside of the image: the border
    double weight;
};

// The texels of one axis around a coordinate.
inline std::vector<Tap> taps(Edge edge, bool linear, bool normalized, double at, long size) {
    double u = at;
    if (edge == Edge::Repeat) u = (at - std::floor(at)) * size;
    else if (edge == Edge::Mirror) u = std::fabs(at - 2 * std::rint(at / 2)) * size;
    else if (normalized) u = at * size;
    auto texel = [&](long i) {
        if (edge == Edge::Repeat) return i < 0 ? i + size : i >= size ? i - size : i;
        if (edge == Edge::Mirror || edge == Edge::Clamp) return i < 0 ? 0 : i >= size ? size - 1 : i;
        return i;
    };
    if (!linear) return {{texel((long)std::floor(u)), 1}};
    long i = (long)std::floor(u - 0.5);
    double a = u - 0.5 - i;
    return {{texel(i), 1 - a}, {texel(i + 1), a}};
}
