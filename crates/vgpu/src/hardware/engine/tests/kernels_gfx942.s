// Kernels of the engine's tests for gfx942. Kernel arguments in s[0:1].
// kernels_gfx942.bin is made by:
//   llvm-mc-19 -triple=amdgcn-amd-amdhsa -mcpu=gfx942 -filetype=obj kernels_gfx942.s -o kernels.o
//   llvm-objcopy-19 -O binary -j .text kernels.o kernels_gfx942.bin

// 0x000 which: out[group] = XCC_ID. Work-group id x in s2. Argument: out.
  s_load_dwordx2 s[4:5], s[0:1], 0x0
  s_getreg_b32 s3, hwreg(HW_REG_XCC_ID)
  s_lshl_b32 s6, s2, 2
  s_mov_b64 exec, 1
  v_mov_b32_e32 v1, s6
  v_mov_b32_e32 v2, s3
  s_waitcnt lgkmcnt(0)
  global_store_dword v1, v2, s[4:5] sc0 sc1
  s_endpgm

// 0x100 late: out = 99. What a device begins with that has loaded no arguments. Argument: out.
.p2align 8
  s_load_dwordx2 s[2:3], s[0:1], 0x0
  s_mov_b64 exec, 1
  v_mov_b32_e32 v1, 0
  v_mov_b32_e32 v2, 0x63
  s_waitcnt lgkmcnt(0)
  global_store_dword v1, v2, s[2:3] sc0 sc1
  s_endpgm

// 0x200 early: out = value. Arguments in s[2:3], s4, where a device has put them.
.p2align 8
  s_mov_b64 exec, 1
  v_mov_b32_e32 v1, 0
  v_mov_b32_e32 v2, s4
  global_store_dword v1, v2, s[2:3] sc0 sc1
  s_endpgm

// 0x300 hand_over: work-group 0 stores 7 at data and says so, 1 looks before and after it, and tells what it sees at last. Work-group id x in s2.
// Arguments: data, flag, out, how. Bits of how: work-group 0 writes the L2 of its XCC back, 1 empties its L1, the store is for the whole device.
.p2align 8
  s_load_dwordx8 s[8:15], s[0:1], 0x0
  s_mov_b64 exec, 1
  v_mov_b32_e32 v1, 0
  s_waitcnt lgkmcnt(0)
  s_cmp_eq_u32 s2, 0
  s_cbranch_scc0 look
0:
  global_load_dword v2, v1, s[10:11] sc1
  s_waitcnt vmcnt(0)
  v_readfirstlane_b32 s3, v2
  s_cmp_eq_u32 s3, 1
  s_cbranch_scc0 0b
  v_mov_b32_e32 v2, 7
  s_bitcmp1_b32 s14, 2
  s_cbranch_scc1 1f
  global_store_dword v1, v2, s[8:9]
  s_branch 2f
1:
  global_store_dword v1, v2, s[8:9] sc1
2:
  s_bitcmp1_b32 s14, 0
  s_cbranch_scc0 3f
  buffer_wbl2 sc1
3:
  s_waitcnt vmcnt(0)
  v_mov_b32_e32 v2, 2
  global_store_dword v1, v2, s[10:11] sc1
  s_endpgm
look:
  global_load_dword v3, v1, s[8:9]
  s_waitcnt vmcnt(0)
  v_mov_b32_e32 v2, 1
  global_store_dword v1, v2, s[10:11] sc1
4:
  global_load_dword v2, v1, s[10:11] sc1
  s_waitcnt vmcnt(0)
  v_readfirstlane_b32 s3, v2
  s_cmp_eq_u32 s3, 2
  s_cbranch_scc0 4b
  s_bitcmp1_b32 s14, 1
  s_cbranch_scc0 5f
  buffer_inv sc1
5:
  global_load_dword v3, v1, s[8:9]
  s_waitcnt vmcnt(0)
  global_store_dword v1, v3, s[12:13] sc0 sc1
  s_endpgm

// 0x400 count: every work-item adds 1. Argument: counter.
.p2align 8
  s_load_dwordx2 s[4:5], s[0:1], 0x0
  v_mov_b32_e32 v1, 0
  v_mov_b32_e32 v2, 1
  s_waitcnt lgkmcnt(0)
  global_atomic_add v1, v2, s[4:5]
  s_endpgm

// 0x500 by: the work-group of this number copies a word. Work-group id x in s2. Arguments: from, to, work-group.
.p2align 8
  s_load_dwordx4 s[4:7], s[0:1], 0x0
  s_load_dword s3, s[0:1], 0x10
  s_mov_b64 exec, 1
  v_mov_b32_e32 v1, 0
  s_waitcnt lgkmcnt(0)
  s_cmp_eq_u32 s2, s3
  s_cbranch_scc0 6f
  global_load_dword v2, v1, s[4:5]
  s_waitcnt vmcnt(0)
  global_store_dword v1, v2, s[6:7]
6:
  s_endpgm
