// The process's trap handler for gfx9. handler.bin is made of it, and handler_gfx94.bin for gfx94x and gfx950, by
//   for of in gfx908:handler.bin gfx942:handler_gfx94.bin; do
//     llvm-mc-19 -triple=amdgcn-amd-amdhsa -mcpu=${of%:*} -filetype=obj handler.s -o handler.o
//     llvm-objcopy-19 -O binary -j .text handler.o ${of#*:}
//   done
//
// The driver's own handler jumps here (`cwsr_trap_handler_gfx9.asm` of Linux) with
//   ttmp[0:1]    program counter in 47:0, the immediate of s_trap in 55:48
//   ttmp11       31:26: IB_STS[20:15], to be put back; from gfx94x on in ttmp13 instead (`trap_handler.s` of ROCr)
//   ttmp12       STATUS, to be put back
//   ttmp[14:15]  our table: for each doorbell of the process the address of its queue's error signal (`amd_signal_t`), or 0
// ttmp[2:5] are free. What is told here has the bits that ROCr knows (`queue_inactive_signal`).
//
// A wave with an exception never goes on, so that its EXEC, M0 and program counter need not be kept.

  s_bfe_u32 ttmp2, ttmp1, 8 << 16 | 16
  s_cbranch_scc0 exception
  // llvm.debugtrap does nothing without a debugger.
  s_cmp_eq_u32 ttmp2, 3
  s_cbranch_scc1 behind
  s_brev_b32 ttmp4, 1
  s_branch report

exception:
  s_getreg_b32 ttmp2, hwreg(HW_REG_TRAPSTS)
  s_brev_b32 ttmp4, 2
  s_bitcmp1_b32 ttmp2, 11             // ILLEGAL_INST
  s_cbranch_scc1 report
  s_brev_b32 ttmp4, 4
  s_and_b32 ttmp3, ttmp2, 0x10000100  // XNACK_ERROR, MEM_VIOL
  s_cmp_eq_u32 ttmp3, 0x100
  s_cbranch_scc1 report
  // A page fault, which the driver tells, with the address.
  s_bitcmp1_b32 ttmp2, 8
  s_cbranch_scc1 halt
  // Floating point and watched addresses; nothing of it is on unless a kernel asks for it.
  s_brev_b32 ttmp4, 1
  s_and_b32 ttmp2, ttmp2, 0x70ff
  s_cbranch_scc0 leave

report:
  // EXEC_LO becomes the doorbell. Above its lowest ten bits is where the process's page is in the BAR.
  s_brev_b32 exec_lo, 1
  s_sendmsg sendmsg(MSG_GET_DOORBELL)
asked:
  s_nop 7
  s_bitcmp1_b32 exec_lo, 31
  s_cbranch_scc1 asked
  s_and_b32 ttmp2, exec_lo, 0x3ff
  s_lshl_b32 ttmp2, ttmp2, 3
  s_load_dwordx2 ttmp[2:3], ttmp[14:15], ttmp2 glc
  s_waitcnt lgkmcnt(0)
  s_cmp_eq_u64 ttmp[2:3], 0
  s_cbranch_scc1 halt

  // A swap, as PCIe has no atomic OR. Who finds another value is not the first to tell.
  s_mov_b32 ttmp5, 0
  s_atomic_swap_x2 ttmp[4:5], ttmp[2:3], 0x8 glc
  s_waitcnt lgkmcnt(0)
  s_cmp_lg_u64 ttmp[4:5], 0
  s_cbranch_scc1 halt

  // event_mailbox_ptr and event_id.
  s_load_dwordx2 ttmp[4:5], ttmp[2:3], 0x10 glc
  s_load_dword ttmp14, ttmp[2:3], 0x18 glc
  s_waitcnt lgkmcnt(0)
  s_cmp_eq_u64 ttmp[4:5], 0
  s_cbranch_scc1 halt
  s_store_dword ttmp14, ttmp[4:5], 0x0 glc
  s_dcache_wb
  s_waitcnt lgkmcnt(0)
  s_mov_b32 m0, ttmp14
  s_nop 0
  s_sendmsg sendmsg(MSG_INTERRUPT)

halt:
  // The driver cannot save a halted wave that stands at s_endpgm. This one stands here.
  s_getpc_b64 ttmp[0:1]
here:
  s_add_u32 ttmp0, ttmp0, parked - here
  s_addc_u32 ttmp1, ttmp1, 0
  s_bitset1_b32 ttmp12, 13
  s_branch leave

behind:
  s_add_u32 ttmp0, ttmp0, 4
  s_addc_u32 ttmp1, ttmp1, 0

leave:
.if .amdgcn.gfx_generation_minor < 4
  s_lshr_b32 ttmp2, ttmp11, 26 - 15
.else
  s_lshr_b32 ttmp2, ttmp13, 26 - 15
.endif
  s_and_b32 ttmp2, ttmp2, 0x1f8000
  s_setreg_b32 hwreg(HW_REG_IB_STS), ttmp2
  // EXECZ and VCCZ of STATUS follow these only.
  s_and_b64 exec, exec, exec
  s_and_b64 vcc, vcc, vcc
  s_setreg_b32 hwreg(HW_REG_STATUS), ttmp12
  s_rfe_b64 ttmp[0:1]

parked:
  s_sleep 127
  s_branch parked
