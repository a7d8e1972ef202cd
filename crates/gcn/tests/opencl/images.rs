//! Kernels that read and write images, compared with PoCL. Device memory holds the images in rows; the tiled layouts
//! are compared where AMD's libraries make them.

use super::program::{Format, Kind, Picture};
use super::{Arg, Pocl, Random, Run, both, program};

fn picture(kind: Kind, format: Format, size: [u32; 3], seed: u64) -> Arg {
    let mut random = Random(seed);
    let count = size.iter().product::<u32>() as usize * format.bytes();
    let texels = (0..count).map(|i| match format {
        // Numbers between -2 and 2, no infinities.
        Format::RgbaHalf if i % 2 == 1 => random.next() as u8 & 0xbf,
        Format::RgbaFloat if i % 4 == 3 => random.next() as u8 & 0x80 | 0x3f,
        _ => random.next() as u8,
    });
    Arg::Image(Picture { kind, format, size, texels: texels.collect() })
}

fn blank(kind: Kind, format: Format, size: [u32; 3]) -> Arg {
    let count = size.iter().product::<u32>() as usize * format.bytes();
    Arg::Image(Picture { kind, format, size, texels: vec![0; count] })
}

/// Why nothing can be compared here, if so.
fn missing() -> Option<String> {
    let compiler = program::missing().map(|why| format!("no OpenCL compiler for gfx908: {why}"));
    compiler.or_else(|| Pocl::new().is_none().then(|| "PoCL is not installed".into()))
}

/// Runs `source` (kernel `k`) for each of `global` items; what it leaves in buffers and images, ours and PoCL's.
#[track_caller]
fn run(source: &str, global: [u32; 3], args: Vec<Arg>) -> (Vec<Vec<u8>>, Vec<Vec<u8>>) {
    let pocl = Pocl::new().expect("it was there before");
    both(super::Target::Gfx908, &pocl, &Run { source: source.into(), kernel: "k", global, local: [8, 1, 1], args })
}

/// `ulps`: how far floating-point numbers in buffers may be apart. Images and integers are equal.
#[track_caller]
fn same(source: &str, global: [u32; 3], args: Vec<Arg>, ulps: u32) {
    let is_buffer: Vec<bool> = args.iter().map(|arg| matches!(arg, Arg::Buffer(_))).collect();
    let (ours, theirs) = run(source, global, args);
    for (i, (ours, theirs)) in ours.iter().zip(&theirs).enumerate() {
        let allowed = if is_buffer[i] { ulps } else { 0 };
        for (at, (a, b)) in ours.chunks(4).zip(theirs.chunks(4)).enumerate() {
            let [a, b] = [a, b].map(|x| u32::from_le_bytes(x.try_into().expect("4 bytes")));
            assert!(a.abs_diff(b) <= allowed, "argument {i}, dword {at}: ours {a:#x}, PoCL's {b:#x}\n{source}");
        }
    }
}

const WHOLE: [u32; 3] = [40, 9, 1];

#[test]
fn texels_are_read_and_written() {
    if let Some(why) = missing() {
        test_skip::skip!("{why}");
    }
    for (format, values, suffix) in [
        (Format::RgbaUnorm8, "float4", "f"),
        (Format::BgraUnorm8, "float4", "f"),
        (Format::RgbaHalf, "float4", "f"),
        (Format::RgbaFloat, "float4", "f"),
        (Format::RgbaUint8, "uint4", "ui"),
        (Format::RUint32, "uint4", "ui"),
        (Format::RgbaSint16, "int4", "i"),
    ] {
        // The channel that is not there is 1 by the specification; PoCL 3.1 makes it 0.
        let alpha = if format == Format::RUint32 { "v.w = 1;" } else { "" };
        let source = format!(
            "constant sampler_t s = CLK_NORMALIZED_COORDS_FALSE | CLK_ADDRESS_NONE | CLK_FILTER_NEAREST;
            kernel void k(read_only image2d_t in, write_only image2d_t out, global {values} *seen) {{
                int x = get_global_id(0), y = get_global_id(1), w = get_image_width(in), h = get_image_height(in);
                {values} v = read_image{suffix}(in, s, (int2)(x, y)); {alpha} seen[y * w + x] = v;
                write_image{suffix}(out, (int2)(w - 1 - x, h - 1 - y), v); }}"
        );
        let args = vec![
            picture(Kind::Plane, format, WHOLE, 1),
            blank(Kind::Plane, format, WHOLE),
            Arg::Buffer(vec![0; (WHOLE[0] * WHOLE[1]) as usize * 16]),
        ];
        // The specification allows 1.5 units for texels that become numbers between -1 and 1.
        same(&source, WHOLE, args, if suffix == "f" { 2 } else { 0 });
    }
}

/// Whole coordinates inside and outside.
#[test]
fn edges_of_integer_coordinates() {
    if let Some(why) = missing() {
        test_skip::skip!("{why}");
    }
    for edges in ["CLAMP_TO_EDGE", "CLAMP"] {
        for (format, suffix, values) in [(Format::RgbaFloat, "f", "float4"), (Format::RgbaSint16, "i", "int4")] {
            let source = format!(
                "constant sampler_t s = CLK_NORMALIZED_COORDS_FALSE | CLK_ADDRESS_{edges} | CLK_FILTER_NEAREST;
                kernel void k(read_only image2d_t in, global {values} *seen) {{
                    int x = get_global_id(0), y = get_global_id(1);
                    seen[y * get_global_size(0) + x] = read_image{suffix}(in, s, (int2)(x - 8, y - 8)); }}"
            );
            let args = vec![picture(Kind::Plane, format, [24, 9, 1], 2), Arg::Buffer(vec![0; 40 * 25 * 16])];
            same(&source, [40, 25, 1], args, 0);
        }
    }
}

/// Volumes, and slices of arrays.
#[test]
fn three_coordinates() {
    if let Some(why) = missing() {
        test_skip::skip!("{why}");
    }
    for (kind, name) in [(Kind::Volume, "image3d_t"), (Kind::Planes, "image2d_array_t")] {
        let source = format!(
            "constant sampler_t s = CLK_NORMALIZED_COORDS_FALSE | CLK_ADDRESS_CLAMP_TO_EDGE | CLK_FILTER_NEAREST;
            kernel void k(read_only {name} in, global uint4 *seen) {{
                int x = get_global_id(0), y = get_global_id(1), z = get_global_id(2);
                seen[(z * get_global_size(1) + y) * get_global_size(0) + x] = read_imageui(in, s, (int4)(x - 2, y - 1, z - 1, 0)); }}"
        );
        let args = vec![picture(kind, Format::RgbaUint8, [12, 5, 4], 3), Arg::Buffer(vec![0; 16 * 7 * 6 * 16])];
        same(&source, [16, 7, 6], args, 0);
    }
}

/// Places on a 128th of a texel, where the weights of filters are exact.
fn places(normalized: bool) -> Arg {
    let mut random = Random(4);
    let values: Vec<f32> = (0..512)
        .map(|_| {
            let place = (random.next() % 4096) as f32 - 1024.0;
            (place + 0.5) / 64.0 / if normalized { 16.0 } else { 1.0 }
        })
        .collect();
    Arg::buffer(&values)
}

#[test]
fn filters() {
    if let Some(why) = missing() {
        test_skip::skip!("{why}");
    }
    for filter in ["NEAREST", "LINEAR"] {
        for (normalized, edges) in [
            ("FALSE", "CLAMP_TO_EDGE"),
            ("FALSE", "CLAMP"),
            ("TRUE", "CLAMP_TO_EDGE"),
            ("TRUE", "CLAMP"),
            ("TRUE", "REPEAT"),
            ("TRUE", "MIRRORED_REPEAT"),
        ] {
            let source = format!(
                "constant sampler_t s = CLK_NORMALIZED_COORDS_{normalized} | CLK_ADDRESS_{edges} | CLK_FILTER_{filter};
                kernel void k(read_only image2d_t in, global const float2 *at, global float4 *seen) {{
                    int i = get_global_id(0); seen[i] = read_imagef(in, s, at[i]); }}"
            );
            let args = vec![
                picture(Kind::Plane, Format::RgbaFloat, [16, 16, 1], 5),
                places(normalized == "TRUE"),
                Arg::Buffer(vec![0; 256 * 16]),
            ];
            let (ours, theirs) = run(&source, [256, 1, 1], args);
            for (i, (a, b)) in ours[2].chunks(4).zip(theirs[2].chunks(4)).enumerate() {
                let [a, b] = [a, b].map(|x| f32::from_le_bytes(x.try_into().expect("4 bytes")));
                assert!((a - b).abs() < 1e-5, "{edges} {filter} normalized {normalized}, item {i}: {a} {b}");
            }
        }
    }
}
