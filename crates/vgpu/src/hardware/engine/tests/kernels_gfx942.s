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
