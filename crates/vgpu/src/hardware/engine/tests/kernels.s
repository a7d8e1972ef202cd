// Kernels of the engine's tests. Kernel arguments in s[0:1], work-group id x in s2, work-item id x in v0.
// kernels.bin is made by:
//   llvm-mc-19 -triple=amdgcn-amd-amdhsa -mcpu=gfx908 -filetype=obj kernels.s -o kernels.o
//   llvm-objcopy-19 -O binary -j .text kernels.o kernels.bin

// 0x000 store: out[64 * group + item] = value. Arguments: out, value.
  s_load_dwordx4 s[4:7], s[0:1], 0x0
  v_lshlrev_b32_e32 v1, 2, v0
  s_lshl_b32 s3, s2, 8
  v_add_u32_e32 v1, s3, v1
  s_waitcnt lgkmcnt(0)
  v_mov_b32_e32 v2, s6
  global_store_dword v1, v2, s[4:5]
  s_endpgm

// 0x100 append: out[counter++] = value, one work-item a work-group. Arguments: counter, out, value.
.p2align 8
  s_load_dwordx4 s[4:7], s[0:1], 0x0
  s_load_dword s8, s[0:1], 0x10
  s_mov_b64 exec, 1
  v_mov_b32_e32 v1, 0
  v_mov_b32_e32 v2, 1
  s_waitcnt lgkmcnt(0)
  global_atomic_add v3, v1, v2, s[4:5] glc
  s_waitcnt vmcnt(0)
  v_lshlrev_b32_e32 v3, 2, v3
  v_mov_b32_e32 v2, s8
  global_store_dword v3, v2, s[6:7]
  s_endpgm

// 0x200 meet: counter++, then wait until counter is at least value. Arguments: counter, value.
.p2align 8
  s_load_dwordx4 s[4:7], s[0:1], 0x0
  s_mov_b64 exec, 1
  v_mov_b32_e32 v1, 0
  v_mov_b32_e32 v2, 1
  s_waitcnt lgkmcnt(0)
  global_atomic_add v1, v2, s[4:5]
wait:
  s_sleep 1
  global_load_dword v3, v1, s[4:5] glc
  s_waitcnt vmcnt(0)
  v_readfirstlane_b32 s8, v3
  s_cmp_lt_u32 s8, s6
  s_cbranch_scc1 wait
  s_endpgm

// 0x300 scratch: a private word of each item, through the private segment buffer in s[0:3]. Arguments in s[4:5] (out); group id in s6,
// wave offset in s7.
.p2align 8
  s_load_dwordx2 s[8:9], s[4:5], 0x0
  v_lshlrev_b32_e32 v1, 2, v0
  v_add_u32_e32 v2, 7, v0
  buffer_store_dword v2, off, s[0:3], s7
  s_waitcnt vmcnt(0)
  buffer_load_dword v3, off, s[0:3], s7
  s_lshl_b32 s6, s6, 8
  v_add_u32_e32 v1, s6, v1
  s_waitcnt vmcnt(0) lgkmcnt(0)
  global_store_dword v1, v3, s[8:9]
  s_endpgm

// 0x400 an instruction that does not exist.
.p2align 8
  .long 0xbfff0000
  s_endpgm

// 0x500 trap.
.p2align 8
  s_trap 2
  s_endpgm

// 0x600 hand_over: of two parties, waves of one work-group or work-groups of one wave, the producer stores 7 at data and the other copies
// data to out. Arguments, 64 bits each: data, out, producer, mode (0: no synchronisation, 1: s_barrier between, 2: the other waits).
.p2align 8
  s_load_dwordx8 s[4:11], s[0:1], 0x0
  v_lshrrev_b32_e32 v1, 6, v0
  v_readfirstlane_b32 s3, v1
  s_add_u32 s3, s3, s2
  s_mov_b64 exec, 1
  v_mov_b32_e32 v1, 0
  s_waitcnt lgkmcnt(0)
  s_cmp_eq_u32 s3, s8
  s_cbranch_scc0 consumer
  v_mov_b32_e32 v2, 7
  global_store_dword v1, v2, s[4:5]
  s_waitcnt vmcnt(0)
  s_cmp_eq_u32 s10, 1
  s_cbranch_scc0 produced
  s_barrier
produced:
  s_endpgm
consumer:
  s_cmp_eq_u32 s10, 1
  s_cbranch_scc0 look
  s_barrier
look:
  global_load_dword v3, v1, s[4:5] glc
  s_waitcnt vmcnt(0)
  s_cmp_eq_u32 s10, 2
  s_cbranch_scc0 found
  v_readfirstlane_b32 s11, v3
  s_cmp_eq_u32 s11, 0
  s_cbranch_scc0 found
  s_sleep 1
  s_branch look
found:
  global_store_dword v1, v3, s[6:7]
  s_endpgm

// 0x700 count: each wave adds 1 to a word. Arguments, 64 bits each: word, mode (0: load, add and store; 1: atomically).
.p2align 8
  s_load_dwordx4 s[4:7], s[0:1], 0x0
  s_mov_b64 exec, 1
  v_mov_b32_e32 v1, 0
  v_mov_b32_e32 v2, 1
  s_waitcnt lgkmcnt(0)
  s_cmp_eq_u32 s6, 1
  s_cbranch_scc1 atomic
  global_load_dword v3, v1, s[4:5] glc
  s_waitcnt vmcnt(0)
  v_add_u32_e32 v3, v2, v3
  global_store_dword v1, v3, s[4:5]
  s_endpgm
atomic:
  global_atomic_add v1, v2, s[4:5]
  s_endpgm

// 0x800 a trap handler. Its memory (TMA): the address of the error signal, M0 of the interrupt. It goes on behind s_trap 3; of anything else it
// stores the bit that ROCr knows to the signal, interrupts, and halts the wave.
.p2align 8
  s_bfe_u32 ttmp2, ttmp1, 0x80010
  s_cmp_eq_u32 ttmp2, 3
  s_cbranch_scc1 skip
  s_mov_b32 ttmp4, 0x80000000
  s_cmp_eq_u32 ttmp2, 0
  s_cbranch_scc0 report
  s_getreg_b32 ttmp2, hwreg(HW_REG_TRAPSTS)
  s_mov_b32 ttmp4, 0x40000000
  s_bitcmp1_b32 ttmp2, 11
  s_cbranch_scc1 report
  s_mov_b32 ttmp4, 0x20000000
report:
  s_load_dwordx4 ttmp[8:11], ttmp[14:15], 0x0 glc
  s_mov_b32 ttmp5, 0
  s_waitcnt lgkmcnt(0)
  s_store_dwordx2 ttmp[4:5], ttmp[8:9], 0x8 glc
  s_dcache_wb
  s_waitcnt lgkmcnt(0)
  s_mov_b32 m0, ttmp10
  s_nop 0
  s_sendmsg sendmsg(MSG_INTERRUPT)
  s_bitset1_b32 ttmp12, 13
  s_branch leave
skip:
  s_add_u32 ttmp0, ttmp0, 4
  s_addc_u32 ttmp1, ttmp1, 0
leave:
  s_setreg_b32 hwreg(HW_REG_STATUS), ttmp12
  s_rfe_b64 ttmp[0:1]

// 0x900 look_twice: work-group 1 loads data, lets work-group 0 store 7 there, and copies what it then loads from data to out. Arguments, 64 bits
// each: data, out, two flags 256 bytes apart, invalidate (the L1s between the loads).
.p2align 8
  s_load_dwordx8 s[4:11], s[0:1], 0x0
  s_mov_b64 exec, 1
  v_mov_b32_e32 v1, 0
  v_mov_b32_e32 v2, 1
  s_waitcnt lgkmcnt(0)
  s_cmp_eq_u32 s2, 0
  s_cbranch_scc1 writer
  global_load_dword v3, v1, s[4:5]
  s_load_dword s12, s[4:5], 0x0
  s_waitcnt vmcnt(0) lgkmcnt(0)
  global_store_dword v1, v2, s[8:9]
stored:
  s_sleep 1
  global_load_dword v3, v1, s[8:9] offset:256 glc
  s_waitcnt vmcnt(0)
  v_readfirstlane_b32 s11, v3
  s_cmp_eq_u32 s11, 0
  s_cbranch_scc1 stored
  s_cmp_eq_u32 s10, 0
  s_cbranch_scc1 second
  buffer_wbinvl1_vol
  s_dcache_inv
second:
  global_load_dword v3, v1, s[4:5]
  s_load_dword s12, s[4:5], 0x0
  s_waitcnt vmcnt(0) lgkmcnt(0)
  v_mov_b32_e32 v4, s12
  global_store_dwordx2 v1, v[3:4], s[6:7]
  s_endpgm
writer:
  s_sleep 1
  global_load_dword v3, v1, s[8:9] glc
  s_waitcnt vmcnt(0)
  v_readfirstlane_b32 s11, v3
  s_cmp_eq_u32 s11, 0
  s_cbranch_scc1 writer
  v_mov_b32_e32 v3, 7
  global_store_dword v1, v3, s[4:5]
  s_waitcnt vmcnt(0)
  global_store_dword v1, v2, s[8:9] offset:256
  s_endpgm

// 0xa00 spin: word++ until the word behind it is not 0. Argument: word.
.p2align 8
  s_load_dwordx2 s[4:5], s[0:1], 0x0
  s_mov_b64 exec, 1
  v_mov_b32_e32 v1, 0
  v_mov_b32_e32 v2, 1
  s_waitcnt lgkmcnt(0)
again:
  global_atomic_add v1, v2, s[4:5]
  global_load_dword v3, v1, s[4:5] offset:4 glc
  s_waitcnt vmcnt(0)
  v_readfirstlane_b32 s6, v3
  s_cmp_eq_u32 s6, 0
  s_cbranch_scc1 again
  s_endpgm

// 0xb00 place: out[group * waves + wave] = HW_ID, once counter is at least all, to which each wave adds 1: so all are there at a time.
// Arguments: out (64 bits), counter (64), waves (32), all (32).
.p2align 8
  s_load_dwordx4 s[4:7], s[0:1], 0x0
  s_load_dwordx2 s[8:9], s[0:1], 0x10
  v_lshrrev_b32_e32 v1, 6, v0
  v_readfirstlane_b32 s10, v1
  s_mov_b64 exec, 1
  v_mov_b32_e32 v1, 0
  v_mov_b32_e32 v2, 1
  s_waitcnt lgkmcnt(0)
  global_atomic_add v1, v2, s[6:7]
gather:
  s_sleep 1
  global_load_dword v3, v1, s[6:7] glc
  s_waitcnt vmcnt(0)
  v_readfirstlane_b32 s11, v3
  s_cmp_lt_u32 s11, s9
  s_cbranch_scc1 gather
  s_mul_i32 s8, s8, s2
  s_add_u32 s8, s8, s10
  s_lshl_b32 s8, s8, 2
  v_mov_b32_e32 v1, s8
  s_getreg_b32 s11, hwreg(HW_REG_HW_ID)
  v_mov_b32_e32 v2, s11
  global_store_dword v1, v2, s[4:5]
  s_endpgm
