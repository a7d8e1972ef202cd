//! The cache that each instruction goes through, as llvm-mc assembles it. (The results of memory instructions are the
//! same with caches: `support/machine.rs` runs all of its tests both ways.)

mod support;

#[path = "support/machine.rs"]
mod machine;

use gcn::bus::{Access, Path};
use gcn::target::Target;
use machine::memory::Asked;
use machine::{HEAP, Machine};

#[test]
fn instructions_name_their_cache() {
    let Some(mut machine) = Machine::new() else {
        test_skip::skip!("llvm-mc (Debian package llvm-19) is not installed")
    };
    let setup = [
        format!("s_add_u32 s8, s0, {HEAP}"),
        "s_addc_u32 s9, s1, 0".into(),
        "s_mov_b32 s10, 2048".into(),
        "s_mov_b32 s11, 0x20000".into(),
        "v_mov_b32 v2, s8".into(),
        "v_mov_b32 v3, s9".into(),
        "s_mov_b32 m0, 0".into(),
    ];
    machine.run(&setup, [[0; 64]; 4]);
    // What registers are loaded from and stored to.
    let around = machine.asked.clone();
    let (read, write, atomic) = (Access::Read, Access::Write, Access::Atomic);
    for (line, expected) in [
        ("global_load_dword v4, v[2:3], off", Asked::Reach(read, Path::Vector)),
        ("global_load_dword v4, v[2:3], off glc", Asked::Reach(read, Path::Coherent)),
        ("global_load_short_d16_hi v4, v[2:3], off glc", Asked::Reach(read, Path::Coherent)),
        ("flat_load_dwordx4 v[4:7], v[2:3]", Asked::Reach(read, Path::Vector)),
        ("flat_load_ubyte v4, v[2:3] glc", Asked::Reach(read, Path::Coherent)),
        ("buffer_load_dword v4, off, s[8:11], 0", Asked::Reach(read, Path::Vector)),
        ("buffer_load_dword v4, off, s[8:11], 0 glc", Asked::Reach(read, Path::Coherent)),
        ("buffer_load_dword off, s[8:11], 0 glc lds", Asked::Reach(read, Path::Coherent)),
        (
            "tbuffer_load_format_x v4, off, s[8:11], 0 format:[BUF_DATA_FORMAT_32] glc",
            Asked::Reach(read, Path::Coherent),
        ),
        ("global_store_dword v[2:3], v0, off", Asked::Reach(write, Path::Vector)),
        ("global_atomic_add v[2:3], v0, off", Asked::Reach(atomic, Path::Vector)),
        ("s_load_dwordx2 s[12:13], s[8:9], 0x0", Asked::Reach(read, Path::Scalar)),
        ("s_buffer_load_dword s12, s[8:11], 0x0", Asked::Reach(read, Path::Scalar)),
        ("s_store_dword s8, s[8:9], 0x0", Asked::Reach(write, Path::Scalar)),
        ("s_atomic_add s12, s[8:9], 0x0", Asked::Reach(atomic, Path::Scalar)),
        ("buffer_wbinvl1", Asked::Invalidate(Path::Vector)),
        ("buffer_wbinvl1_vol", Asked::Invalidate(Path::Vector)),
        ("s_dcache_inv", Asked::Invalidate(Path::Scalar)),
        ("s_dcache_inv_vol", Asked::Invalidate(Path::Scalar)),
    ] {
        // What comes next goes through the vector cache again.
        for behind in [None, Some("global_load_dword v4, v[2:3], off")] {
            let lines: Vec<String> =
                setup.iter().cloned().chain([line.to_owned()]).chain(behind.map(str::to_owned)).collect();
            machine.run(&lines, [[0; 64]; 4]);
            let loads = around.len() / 2;
            let mut asked = machine.asked[loads..machine.asked.len() - loads].to_vec();
            asked.dedup();
            let mut all = vec![expected];
            all.extend(behind.map(|_| Asked::Reach(read, Path::Vector)));
            all.dedup();
            assert_eq!(asked, all, "{line}, {behind:?}");
        }
    }
}

/// Between the L2 and memory, that is for fences of system scope. A gfx908 leaves it to the packets around a kernel.
#[test]
fn gfx90a_writes_the_l2_back_and_empties_it() {
    let Some(mut machine) = Machine::of(Target::Gfx90a) else {
        test_skip::skip!("llvm-mc (Debian package llvm-19) is not installed")
    };
    machine.run(&["buffer_wbl2".to_owned(), "buffer_invl2".to_owned()], [[0; 64]; 4]);
    let of_l2 = |asked: &&Asked| matches!(asked, Asked::WriteBackL2 | Asked::InvalidateL2);
    let asked: Vec<Asked> = machine.asked.iter().filter(of_l2).copied().collect();
    assert_eq!(asked, [Asked::WriteBackL2, Asked::InvalidateL2]);
}
