// A code object as a runtime's author writes it by hand: metadata out of order, a weak symbol that nobody defines, zeroes behind the file's
// contents.
    .amdgcn_target "amdgcn-amd-amdhsa--gfx908:sramecc+:xnack-"

    .text
    .globl spin
    .p2align 8
    .type spin,@function
spin:
    s_load_dwordx2 s[0:1], s[4:5], 0x8
    s_waitcnt lgkmcnt(0)
    s_endpgm
.Lspin_end:
    .size spin, .Lspin_end-spin

    .data
    .globl addresses
    .p2align 3
    .type addresses,@object
    .size addresses, 24
    .weak nobody
addresses:
    .quad addresses+16
    .quad nobody
    .quad -1

    .bss
    .globl zeroes
    .p2align 4
    .type zeroes,@object
    .size zeroes, 0x2345
zeroes:
    .zero 0x2345

    .rodata
    .p2align 6
    .amdhsa_kernel spin
        .amdhsa_group_segment_fixed_size 1024
        .amdhsa_private_segment_fixed_size 48
        .amdhsa_next_free_vgpr 33
        .amdhsa_next_free_sgpr 30
        .amdhsa_user_sgpr_private_segment_buffer 1
        .amdhsa_user_sgpr_kernarg_segment_ptr 1
        .amdhsa_system_sgpr_workgroup_id_z 1
        .amdhsa_system_vgpr_workitem_id 2
        .amdhsa_float_round_mode_32 1
        .amdhsa_float_denorm_mode_32 2
        .amdhsa_ieee_mode 0
        .amdhsa_dx10_clamp 0
        .amdhsa_fp16_overflow 1
        .amdhsa_exception_int_div_zero 1
        .amdhsa_exception_fp_ieee_invalid_op 1
    .end_amdhsa_kernel

    .amdgpu_metadata
---
amdhsa.version: [ 1, 2 ]
amdhsa.target: "amdgcn-amd-amdhsa--gfx908:sramecc+:xnack-"
amdhsa.kernels:
  - .name: spin
    .symbol: spin.kd
    .kind: init
    .kernarg_segment_size: 32
    .kernarg_segment_align: 32
    .group_segment_fixed_size: 1024
    .private_segment_fixed_size: 48
    .wavefront_size: 64
    .sgpr_count: 36
    .vgpr_count: 33
    .max_flat_workgroup_size: 128
    .uniform_work_group_size: 1
    .max_num_work_groups_x: 4
    .uses_dynamic_stack: true
    .args:
      - .offset: 16
        .size: 4
        .value_kind: by_value
        .name: second
      - .offset: 8
        .size: 8
        .value_kind: global_buffer
        .address_space: generic
        .actual_access: write_only
        .is_volatile: true
        .name: first
      - .offset: 24
        .size: 8
        .value_kind: hidden_none
    .vendor.unknown: { a: [ 1, [ 2, 3 ] ], b: x }
...
    .end_amdgpu_metadata
