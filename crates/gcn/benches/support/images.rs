//! Kernels with a single image instruction, or a plain load for comparison.

use super::device::Loaded;
use super::program::{self, Arg, Format, Kind, Picture};

/// The image: 256 x 256 texels.
const SIDE: u32 = 256;

const LINEAR: u32 = 1 << 20 | 1 << 22;
const CLAMP: u32 = 2 | 2 << 3;
const UNNORMALIZED: u32 = 1 << 15;

/// What is measured: a name, the instruction, whether its coordinates are floats, the image's format and swizzle mode,
/// and words 0 and 2 of the sampler. The address is in v10 and v11, the image in s[20:27], the sampler in s[28:31]; v12
/// is for plain loads from s[16:17].
type Row = (&'static str, &'static str, bool, Format, u32, [u32; 2]);

const ROWS: [Row; 12] = [
    ("plain load of a dword", "global_load_dword v20, v12, s[16:17]", false, Format::RUint32, 0, [0; 2]),
    ("plain load of four dwords", "global_load_dwordx4 v[20:23], v13, s[16:17]", false, Format::RgbaFloat, 0, [0; 2]),
    ("load R32", "image_load v20, v[10:11], s[20:27] dmask:0x1 unorm", false, Format::RUint32, 0, [0; 2]),
    (
        "load RGBA8, 64KB_D_X",
        "image_load v[20:23], v[10:11], s[20:27] dmask:0xf unorm",
        false,
        Format::RgbaUint8,
        26,
        [0; 2],
    ),
    (
        "load RGBA32F, 64KB_D_X",
        "image_load v[20:23], v[10:11], s[20:27] dmask:0xf unorm",
        false,
        Format::RgbaFloat,
        26,
        [0; 2],
    ),
    (
        "store RGBA8, 64KB_D_X",
        "image_store v[20:23], v[10:11], s[20:27] dmask:0xf unorm",
        false,
        Format::RgbaUnorm8,
        26,
        [0; 2],
    ),
    ("store RGBA32F", "image_store v[20:23], v[10:11], s[20:27] dmask:0xf unorm", false, Format::RgbaFloat, 0, [0; 2]),
    (
        "nearest RGBA8, 64KB_D_X",
        "image_sample_lz v[20:23], v[10:11], s[20:27], s[28:31] dmask:0xf",
        true,
        Format::RgbaUnorm8,
        26,
        [CLAMP | UNNORMALIZED, 0],
    ),
    (
        "linear R of RGBA8",
        "image_sample_lz v20, v[10:11], s[20:27], s[28:31] dmask:0x1",
        true,
        Format::RgbaUnorm8,
        0,
        [CLAMP | UNNORMALIZED, LINEAR],
    ),
    (
        "linear RGBA8, 64KB_D_X",
        "image_sample_lz v[20:23], v[10:11], s[20:27], s[28:31] dmask:0xf",
        true,
        Format::RgbaUnorm8,
        26,
        [CLAMP | UNNORMALIZED, LINEAR],
    ),
    (
        "linear RGBA32F, repeated",
        "image_sample_lz v[20:23], v[10:11], s[20:27], s[28:31] dmask:0xf",
        true,
        Format::RgbaFloat,
        0,
        [0, LINEAR],
    ),
    (
        "gather RGBA8, 64KB_D_X",
        "image_gather4_lz v[20:23], v[10:11], s[20:27], s[28:31] dmask:0x1",
        true,
        Format::RgbaUnorm8,
        26,
        [CLAMP | UNNORMALIZED, 0],
    ),
];

/// A wave of 10,000 times each instruction, by name.
pub fn loaded() -> Vec<(&'static str, Loaded)> {
    ROWS.map(|(name, instruction, floats, format, mode, [edges, filter])| {
        let clobbers: String = (10..24).map(|v| format!(", \"v{v}\"")).chain((16..32).map(|s| format!(", \"s{s}\""))).collect();
        // Blocks of 8 x 8 work-items; floats are between texels.
        let coordinate = if floats { "as_uint((float)(i % 8) * 1.7f + 30.3f), as_uint((float)(i / 8) * 1.3f + 40.2f)" } else { "i % 8 + 30, i / 8 + 40" };
        let source = format!(
            "kernel void k(constant uint *image, global uint *o) {{
                uint i = get_local_id(0); uint2 at = (uint2)({coordinate});
                __asm__ volatile(\"s_load_dwordx8 s[20:27], %0, 0x0\\ns_mov_b64 s[16:17], %1\\nv_mov_b32 v10, %2\\nv_mov_b32 v11, %3\\n\"
                    \"v_lshlrev_b32 v12, 2, %4\\nv_lshlrev_b32 v13, 4, %4\\nv_mov_b32 v20, 0\\nv_mov_b32 v21, 0\\nv_mov_b32 v22, 0\\nv_mov_b32 v23, 0\\n\"
                    \"s_waitcnt lgkmcnt(0)\\ns_or_b32 s23, s23, {mode} << 20\\n\"
                    \"s_mov_b32 s28, {edges}\\ns_mov_b32 s29, 0xfff000\\ns_mov_b32 s30, {filter}\\ns_mov_b32 s31, 0\"
                    :: \"s\"(image), \"s\"(o), \"v\"(at.x), \"v\"(at.y), \"v\"(i) : \"scc\", \"memory\"{clobbers});
                for (uint n = 0; n < 50; n++)
                    __asm__ volatile(\".rept 200\\n{instruction}\\n.endr\" ::: \"scc\", \"memory\"{clobbers}); }}"
        );
        let object = program::compile(&source, &[]).unwrap_or_else(|e| panic!("{e}"));
        let picture = Picture {
            kind: Kind::Plane,
            format,
            size: [SIDE, SIDE, 1],
            texels: (0..SIDE * SIDE * format.bytes() as u32).map(|i| (i % 61) as u8).collect(),
        };
        let args = [Arg::Image(picture), Arg::buffer(&[0u32; 1024])];
        (name, Loaded::new(&object, "k", [64, 1, 1], [64, 1, 1], &args))
    })
    .into()
}
