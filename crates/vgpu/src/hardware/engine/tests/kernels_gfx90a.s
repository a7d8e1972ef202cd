// Kernels of the engine's tests for gfx90a. Kernel arguments in s[0:1].
// kernels_gfx90a.bin is made by:
//   llvm-mc-19 -triple=amdgcn-amd-amdhsa -mcpu=gfx90a -filetype=obj kernels_gfx90a.s -o kernels.o
//   llvm-objcopy-19 -O binary -j .text kernels.o kernels_gfx90a.bin

// 0x000 write back: data = 7, and the L2 is written back if `how` is 1. Arguments: data, how.
  s_load_dwordx4 s[4:7], s[0:1], 0x0
  s_mov_b64 exec, 1
  v_mov_b32_e32 v1, 0
  v_mov_b32_e32 v2, 7
  s_waitcnt lgkmcnt(0)
  global_store_dword v1, v2, s[4:5]
  s_cmp_eq_u32 s6, 1
  s_cbranch_scc0 0f
  buffer_wbl2
0:
  s_waitcnt vmcnt(0)
  s_endpgm

// 0x100 invalidate: out = data, and the L2 is emptied before if `how` is 1. No L1 has a line of a dispatch before. Arguments: data, how, out.
.p2align 8
  s_load_dwordx4 s[4:7], s[0:1], 0x0
  s_load_dwordx2 s[8:9], s[0:1], 0x10
  s_mov_b64 exec, 1
  v_mov_b32_e32 v1, 0
  s_waitcnt lgkmcnt(0)
  s_cmp_eq_u32 s6, 1
  s_cbranch_scc0 1f
  buffer_invl2
  s_waitcnt vmcnt(0)
1:
  global_load_dword v2, v1, s[4:5]
  s_waitcnt vmcnt(0)
  global_store_dword v1, v2, s[8:9]
  s_endpgm
