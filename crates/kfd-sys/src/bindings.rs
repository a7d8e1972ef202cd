// Written by `cargo xtask bindgen` from the headers that bindings.txt names; do not edit.
#![allow(missing_docs, nonstandard_style, clippy::all)]
use core::ffi::*;
pub const AMDGPU_BO_LIST_OP_CREATE: u32 = 0;
pub const AMDGPU_BO_LIST_OP_DESTROY: u32 = 1;
pub const AMDGPU_BO_LIST_OP_UPDATE: u32 = 2;
pub const AMDGPU_CHUNK_ID_BO_HANDLES: u32 = 6;
pub const AMDGPU_CHUNK_ID_CP_GFX_SHADOW: u32 = 10;
pub const AMDGPU_CHUNK_ID_DEPENDENCIES: u32 = 3;
pub const AMDGPU_CHUNK_ID_FENCE: u32 = 2;
pub const AMDGPU_CHUNK_ID_IB: u32 = 1;
pub const AMDGPU_CHUNK_ID_SCHEDULED_DEPENDENCIES: u32 = 7;
pub const AMDGPU_CHUNK_ID_SYNCOBJ_IN: u32 = 4;
pub const AMDGPU_CHUNK_ID_SYNCOBJ_OUT: u32 = 5;
pub const AMDGPU_CHUNK_ID_SYNCOBJ_TIMELINE_SIGNAL: u32 = 9;
pub const AMDGPU_CHUNK_ID_SYNCOBJ_TIMELINE_WAIT: u32 = 8;
pub const AMDGPU_CS_CHUNK_CP_GFX_SHADOW_FLAGS_INIT_SHADOW: u32 = 1;
pub const AMDGPU_CTX_GUILTY_RESET: u32 = 1;
pub const AMDGPU_CTX_INNOCENT_RESET: u32 = 2;
pub const AMDGPU_CTX_NO_RESET: u32 = 0;
pub const AMDGPU_CTX_OP_ALLOC_CTX: u32 = 1;
pub const AMDGPU_CTX_OP_FREE_CTX: u32 = 2;
pub const AMDGPU_CTX_OP_GET_STABLE_PSTATE: u32 = 5;
pub const AMDGPU_CTX_OP_QUERY_STATE: u32 = 3;
pub const AMDGPU_CTX_OP_QUERY_STATE2: u32 = 4;
pub const AMDGPU_CTX_OP_SET_STABLE_PSTATE: u32 = 6;
pub const AMDGPU_CTX_PRIORITY_HIGH: u32 = 512;
pub const AMDGPU_CTX_PRIORITY_LOW: i32 = -512;
pub const AMDGPU_CTX_PRIORITY_NORMAL: u32 = 0;
pub const AMDGPU_CTX_PRIORITY_UNSET: i32 = -2048;
pub const AMDGPU_CTX_PRIORITY_VERY_HIGH: u32 = 1023;
pub const AMDGPU_CTX_PRIORITY_VERY_LOW: i32 = -1023;
pub const AMDGPU_CTX_QUERY2_FLAGS_GUILTY: u32 = 4;
pub const AMDGPU_CTX_QUERY2_FLAGS_RAS_CE: u32 = 8;
pub const AMDGPU_CTX_QUERY2_FLAGS_RAS_UE: u32 = 16;
pub const AMDGPU_CTX_QUERY2_FLAGS_RESET: u32 = 1;
pub const AMDGPU_CTX_QUERY2_FLAGS_RESET_IN_PROGRESS: u32 = 32;
pub const AMDGPU_CTX_QUERY2_FLAGS_VRAMLOST: u32 = 2;
pub const AMDGPU_CTX_STABLE_PSTATE_FLAGS_MASK: u32 = 15;
pub const AMDGPU_CTX_STABLE_PSTATE_MIN_MCLK: u32 = 3;
pub const AMDGPU_CTX_STABLE_PSTATE_MIN_SCLK: u32 = 2;
pub const AMDGPU_CTX_STABLE_PSTATE_NONE: u32 = 0;
pub const AMDGPU_CTX_STABLE_PSTATE_PEAK: u32 = 4;
pub const AMDGPU_CTX_STABLE_PSTATE_STANDARD: u32 = 1;
pub const AMDGPU_CTX_UNKNOWN_RESET: u32 = 3;
pub const AMDGPU_FAMILY_AI: u32 = 141;
pub const AMDGPU_FAMILY_CI: u32 = 120;
pub const AMDGPU_FAMILY_CZ: u32 = 135;
pub const AMDGPU_FAMILY_GC_10_3_6: u32 = 149;
pub const AMDGPU_FAMILY_GC_10_3_7: u32 = 151;
pub const AMDGPU_FAMILY_GC_11_0_0: u32 = 145;
pub const AMDGPU_FAMILY_GC_11_0_1: u32 = 148;
pub const AMDGPU_FAMILY_GC_11_5_0: u32 = 150;
pub const AMDGPU_FAMILY_GC_11_5_4: u32 = 154;
pub const AMDGPU_FAMILY_GC_12_0_0: u32 = 152;
pub const AMDGPU_FAMILY_KV: u32 = 125;
pub const AMDGPU_FAMILY_NV: u32 = 143;
pub const AMDGPU_FAMILY_RV: u32 = 142;
pub const AMDGPU_FAMILY_SI: u32 = 110;
pub const AMDGPU_FAMILY_UNKNOWN: u32 = 0;
pub const AMDGPU_FAMILY_VGH: u32 = 144;
pub const AMDGPU_FAMILY_VI: u32 = 130;
pub const AMDGPU_FAMILY_YC: u32 = 146;
pub const AMDGPU_FENCE_TO_HANDLE_GET_SYNCOBJ: u32 = 0;
pub const AMDGPU_FENCE_TO_HANDLE_GET_SYNCOBJ_FD: u32 = 1;
pub const AMDGPU_FENCE_TO_HANDLE_GET_SYNC_FILE_FD: u32 = 2;
pub const AMDGPU_GEM_CREATE_COHERENT: u32 = 8192;
pub const AMDGPU_GEM_CREATE_CPU_ACCESS_REQUIRED: u32 = 1;
pub const AMDGPU_GEM_CREATE_CPU_GTT_USWC: u32 = 4;
pub const AMDGPU_GEM_CREATE_CP_MQD_GFX9: u32 = 256;
pub const AMDGPU_GEM_CREATE_DISCARDABLE: u32 = 4096;
pub const AMDGPU_GEM_CREATE_ENCRYPTED: u32 = 1024;
pub const AMDGPU_GEM_CREATE_EXPLICIT_SYNC: u32 = 128;
pub const AMDGPU_GEM_CREATE_EXT_COHERENT: u32 = 32768;
pub const AMDGPU_GEM_CREATE_GFX12_DCC: u32 = 65536;
pub const AMDGPU_GEM_CREATE_NO_CPU_ACCESS: u32 = 2;
pub const AMDGPU_GEM_CREATE_PREEMPTIBLE: u32 = 2048;
pub const AMDGPU_GEM_CREATE_UNCACHED: u32 = 16384;
pub const AMDGPU_GEM_CREATE_VM_ALWAYS_VALID: u32 = 64;
pub const AMDGPU_GEM_CREATE_VRAM_CLEARED: u32 = 8;
pub const AMDGPU_GEM_CREATE_VRAM_CONTIGUOUS: u32 = 32;
pub const AMDGPU_GEM_CREATE_VRAM_WIPE_ON_RELEASE: u32 = 512;
pub const AMDGPU_GEM_DOMAIN_CPU: u32 = 1;
pub const AMDGPU_GEM_DOMAIN_DOORBELL: u32 = 64;
pub const AMDGPU_GEM_DOMAIN_GDS: u32 = 8;
pub const AMDGPU_GEM_DOMAIN_GTT: u32 = 2;
pub const AMDGPU_GEM_DOMAIN_GWS: u32 = 16;
pub const AMDGPU_GEM_DOMAIN_MASK: u32 = 127;
pub const AMDGPU_GEM_DOMAIN_OA: u32 = 32;
pub const AMDGPU_GEM_DOMAIN_VRAM: u32 = 4;
pub const AMDGPU_GEM_LIST_HANDLES_FLAG_IS_IMPORT: u32 = 1;
pub const AMDGPU_GEM_METADATA_OP_GET_METADATA: u32 = 2;
pub const AMDGPU_GEM_METADATA_OP_SET_METADATA: u32 = 1;
pub const AMDGPU_GEM_OP_GET_GEM_CREATE_INFO: u32 = 0;
pub const AMDGPU_GEM_OP_GET_MAPPING_INFO: u32 = 2;
pub const AMDGPU_GEM_OP_SET_PLACEMENT: u32 = 1;
pub const AMDGPU_GEM_USERPTR_ANONONLY: u32 = 2;
pub const AMDGPU_GEM_USERPTR_READONLY: u32 = 1;
pub const AMDGPU_GEM_USERPTR_REGISTER: u32 = 8;
pub const AMDGPU_GEM_USERPTR_VALIDATE: u32 = 4;
pub const AMDGPU_HW_IP_COMPUTE: u32 = 1;
pub const AMDGPU_HW_IP_DMA: u32 = 2;
pub const AMDGPU_HW_IP_GFX: u32 = 0;
pub const AMDGPU_HW_IP_INSTANCE_MAX_COUNT: u32 = 1;
pub const AMDGPU_HW_IP_NUM: u32 = 10;
pub const AMDGPU_HW_IP_UVD: u32 = 3;
pub const AMDGPU_HW_IP_UVD_ENC: u32 = 5;
pub const AMDGPU_HW_IP_VCE: u32 = 4;
pub const AMDGPU_HW_IP_VCN_DEC: u32 = 6;
pub const AMDGPU_HW_IP_VCN_ENC: u32 = 7;
pub const AMDGPU_HW_IP_VCN_JPEG: u32 = 8;
pub const AMDGPU_HW_IP_VPE: u32 = 9;
pub const AMDGPU_IB_FLAGS_SECURE: u32 = 32;
pub const AMDGPU_IB_FLAG_CE: u32 = 1;
pub const AMDGPU_IB_FLAG_EMIT_MEM_SYNC: u32 = 64;
pub const AMDGPU_IB_FLAG_PREAMBLE: u32 = 2;
pub const AMDGPU_IB_FLAG_PREEMPT: u32 = 4;
pub const AMDGPU_IB_FLAG_RESET_GDS_MAX_WAVE_ID: u32 = 16;
pub const AMDGPU_IB_FLAG_TC_WB_NOT_INVALIDATE: u32 = 8;
pub const AMDGPU_IDS_FLAGS_CONFORMANT_TRUNC_COORD: u32 = 8;
pub const AMDGPU_IDS_FLAGS_FUSION: u32 = 1;
pub const AMDGPU_IDS_FLAGS_GANG_SUBMIT: u32 = 16;
pub const AMDGPU_IDS_FLAGS_MODE_MASK: u32 = 768;
pub const AMDGPU_IDS_FLAGS_MODE_PF: u32 = 0;
pub const AMDGPU_IDS_FLAGS_MODE_PT: u32 = 2;
pub const AMDGPU_IDS_FLAGS_MODE_SHIFT: u32 = 8;
pub const AMDGPU_IDS_FLAGS_MODE_VF: u32 = 1;
pub const AMDGPU_IDS_FLAGS_PREEMPTION: u32 = 2;
pub const AMDGPU_IDS_FLAGS_TMZ: u32 = 4;
pub const AMDGPU_INFO_ACCEL_WORKING: u32 = 0;
pub const AMDGPU_INFO_CRTC_FROM_ID: u32 = 1;
pub const AMDGPU_INFO_DEV_INFO: u32 = 22;
pub const AMDGPU_INFO_FW_ASD: u32 = 13;
pub const AMDGPU_INFO_FW_CAP: u32 = 22;
pub const AMDGPU_INFO_FW_DMCU: u32 = 18;
pub const AMDGPU_INFO_FW_DMCUB: u32 = 20;
pub const AMDGPU_INFO_FW_GFX_CE: u32 = 6;
pub const AMDGPU_INFO_FW_GFX_ME: u32 = 4;
pub const AMDGPU_INFO_FW_GFX_MEC: u32 = 8;
pub const AMDGPU_INFO_FW_GFX_PFP: u32 = 5;
pub const AMDGPU_INFO_FW_GFX_RLC: u32 = 7;
pub const AMDGPU_INFO_FW_GFX_RLCP: u32 = 23;
pub const AMDGPU_INFO_FW_GFX_RLCV: u32 = 24;
pub const AMDGPU_INFO_FW_GFX_RLC_RESTORE_LIST_CNTL: u32 = 15;
pub const AMDGPU_INFO_FW_GFX_RLC_RESTORE_LIST_GPM_MEM: u32 = 16;
pub const AMDGPU_INFO_FW_GFX_RLC_RESTORE_LIST_SRM_MEM: u32 = 17;
pub const AMDGPU_INFO_FW_GMC: u32 = 3;
pub const AMDGPU_INFO_FW_IMU: u32 = 27;
pub const AMDGPU_INFO_FW_MES: u32 = 26;
pub const AMDGPU_INFO_FW_MES_KIQ: u32 = 25;
pub const AMDGPU_INFO_FW_SDMA: u32 = 11;
pub const AMDGPU_INFO_FW_SMC: u32 = 10;
pub const AMDGPU_INFO_FW_SOS: u32 = 12;
pub const AMDGPU_INFO_FW_TA: u32 = 19;
pub const AMDGPU_INFO_FW_TOC: u32 = 21;
pub const AMDGPU_INFO_FW_UVD: u32 = 2;
pub const AMDGPU_INFO_FW_VCE: u32 = 1;
pub const AMDGPU_INFO_FW_VCN: u32 = 14;
pub const AMDGPU_INFO_FW_VERSION: u32 = 14;
pub const AMDGPU_INFO_FW_VPE: u32 = 28;
pub const AMDGPU_INFO_GDS_CONFIG: u32 = 19;
pub const AMDGPU_INFO_GPUVM_FAULT: u32 = 35;
pub const AMDGPU_INFO_GTT_USAGE: u32 = 17;
pub const AMDGPU_INFO_HW_IP_COUNT: u32 = 3;
pub const AMDGPU_INFO_HW_IP_INFO: u32 = 2;
pub const AMDGPU_INFO_MAX_IBS: u32 = 34;
pub const AMDGPU_INFO_MEMORY: u32 = 25;
pub const AMDGPU_INFO_MMR_SE_INDEX_MASK: u32 = 255;
pub const AMDGPU_INFO_MMR_SE_INDEX_SHIFT: u32 = 0;
pub const AMDGPU_INFO_MMR_SH_INDEX_MASK: u32 = 255;
pub const AMDGPU_INFO_MMR_SH_INDEX_SHIFT: u32 = 8;
pub const AMDGPU_INFO_NUM_BYTES_MOVED: u32 = 15;
pub const AMDGPU_INFO_NUM_EVICTIONS: u32 = 24;
pub const AMDGPU_INFO_NUM_HANDLES: u32 = 28;
pub const AMDGPU_INFO_NUM_VRAM_CPU_PAGE_FAULTS: u32 = 30;
pub const AMDGPU_INFO_RAS_ENABLED_ATHUB: u32 = 16;
pub const AMDGPU_INFO_RAS_ENABLED_DF: u32 = 256;
pub const AMDGPU_INFO_RAS_ENABLED_FEATURES: u32 = 32;
pub const AMDGPU_INFO_RAS_ENABLED_FUSE: u32 = 8192;
pub const AMDGPU_INFO_RAS_ENABLED_GFX: u32 = 4;
pub const AMDGPU_INFO_RAS_ENABLED_HDP: u32 = 64;
pub const AMDGPU_INFO_RAS_ENABLED_MMHUB: u32 = 8;
pub const AMDGPU_INFO_RAS_ENABLED_MP0: u32 = 2048;
pub const AMDGPU_INFO_RAS_ENABLED_MP1: u32 = 4096;
pub const AMDGPU_INFO_RAS_ENABLED_PCIE: u32 = 32;
pub const AMDGPU_INFO_RAS_ENABLED_SDMA: u32 = 2;
pub const AMDGPU_INFO_RAS_ENABLED_SEM: u32 = 1024;
pub const AMDGPU_INFO_RAS_ENABLED_SMN: u32 = 512;
pub const AMDGPU_INFO_RAS_ENABLED_UMC: u32 = 1;
pub const AMDGPU_INFO_RAS_ENABLED_XGMI: u32 = 128;
pub const AMDGPU_INFO_READ_MMR_REG: u32 = 21;
pub const AMDGPU_INFO_SENSOR: u32 = 29;
pub const AMDGPU_INFO_SENSOR_GFX_MCLK: u32 = 2;
pub const AMDGPU_INFO_SENSOR_GFX_SCLK: u32 = 1;
pub const AMDGPU_INFO_SENSOR_GPU_AVG_POWER: u32 = 5;
pub const AMDGPU_INFO_SENSOR_GPU_INPUT_POWER: u32 = 12;
pub const AMDGPU_INFO_SENSOR_GPU_LOAD: u32 = 4;
pub const AMDGPU_INFO_SENSOR_GPU_TEMP: u32 = 3;
pub const AMDGPU_INFO_SENSOR_PEAK_PSTATE_GFX_MCLK: u32 = 11;
pub const AMDGPU_INFO_SENSOR_PEAK_PSTATE_GFX_SCLK: u32 = 10;
pub const AMDGPU_INFO_SENSOR_STABLE_PSTATE_GFX_MCLK: u32 = 9;
pub const AMDGPU_INFO_SENSOR_STABLE_PSTATE_GFX_SCLK: u32 = 8;
pub const AMDGPU_INFO_SENSOR_VDDGFX: u32 = 7;
pub const AMDGPU_INFO_SENSOR_VDDNB: u32 = 6;
pub const AMDGPU_INFO_TIMESTAMP: u32 = 5;
pub const AMDGPU_INFO_UQ_FW_AREAS: u32 = 36;
pub const AMDGPU_INFO_VBIOS: u32 = 27;
pub const AMDGPU_INFO_VBIOS_IMAGE: u32 = 2;
pub const AMDGPU_INFO_VBIOS_INFO: u32 = 3;
pub const AMDGPU_INFO_VBIOS_SIZE: u32 = 1;
pub const AMDGPU_INFO_VCE_CLOCK_TABLE: u32 = 26;
pub const AMDGPU_INFO_VIDEO_CAPS: u32 = 33;
pub const AMDGPU_INFO_VIDEO_CAPS_CODEC_IDX_AV1: u32 = 7;
pub const AMDGPU_INFO_VIDEO_CAPS_CODEC_IDX_COUNT: u32 = 8;
pub const AMDGPU_INFO_VIDEO_CAPS_CODEC_IDX_HEVC: u32 = 4;
pub const AMDGPU_INFO_VIDEO_CAPS_CODEC_IDX_JPEG: u32 = 5;
pub const AMDGPU_INFO_VIDEO_CAPS_CODEC_IDX_MPEG2: u32 = 0;
pub const AMDGPU_INFO_VIDEO_CAPS_CODEC_IDX_MPEG4: u32 = 1;
pub const AMDGPU_INFO_VIDEO_CAPS_CODEC_IDX_MPEG4_AVC: u32 = 3;
pub const AMDGPU_INFO_VIDEO_CAPS_CODEC_IDX_VC1: u32 = 2;
pub const AMDGPU_INFO_VIDEO_CAPS_CODEC_IDX_VP9: u32 = 6;
pub const AMDGPU_INFO_VIDEO_CAPS_DECODE: u32 = 0;
pub const AMDGPU_INFO_VIDEO_CAPS_ENCODE: u32 = 1;
pub const AMDGPU_INFO_VIS_VRAM_USAGE: u32 = 23;
pub const AMDGPU_INFO_VRAM_GTT: u32 = 20;
pub const AMDGPU_INFO_VRAM_LOST_COUNTER: u32 = 31;
pub const AMDGPU_INFO_VRAM_USAGE: u32 = 16;
pub const AMDGPU_SCHED_OP_CONTEXT_PRIORITY_OVERRIDE: u32 = 2;
pub const AMDGPU_SCHED_OP_PROCESS_PRIORITY_OVERRIDE: u32 = 1;
pub const AMDGPU_TILING_ARRAY_MODE_MASK: u32 = 15;
pub const AMDGPU_TILING_ARRAY_MODE_SHIFT: u32 = 0;
pub const AMDGPU_TILING_BANK_HEIGHT_MASK: u32 = 3;
pub const AMDGPU_TILING_BANK_HEIGHT_SHIFT: u32 = 17;
pub const AMDGPU_TILING_BANK_WIDTH_MASK: u32 = 3;
pub const AMDGPU_TILING_BANK_WIDTH_SHIFT: u32 = 15;
pub const AMDGPU_TILING_DCC_INDEPENDENT_128B_MASK: u32 = 1;
pub const AMDGPU_TILING_DCC_INDEPENDENT_128B_SHIFT: u32 = 44;
pub const AMDGPU_TILING_DCC_INDEPENDENT_64B_MASK: u32 = 1;
pub const AMDGPU_TILING_DCC_INDEPENDENT_64B_SHIFT: u32 = 43;
pub const AMDGPU_TILING_DCC_OFFSET_256B_MASK: u32 = 16777215;
pub const AMDGPU_TILING_DCC_OFFSET_256B_SHIFT: u32 = 5;
pub const AMDGPU_TILING_DCC_PITCH_MAX_MASK: u32 = 16383;
pub const AMDGPU_TILING_DCC_PITCH_MAX_SHIFT: u32 = 29;
pub const AMDGPU_TILING_GFX12_DCC_DATA_FORMAT_MASK: u32 = 63;
pub const AMDGPU_TILING_GFX12_DCC_DATA_FORMAT_SHIFT: u32 = 8;
pub const AMDGPU_TILING_GFX12_DCC_MAX_COMPRESSED_BLOCK_MASK: u32 = 3;
pub const AMDGPU_TILING_GFX12_DCC_MAX_COMPRESSED_BLOCK_SHIFT: u32 = 3;
pub const AMDGPU_TILING_GFX12_DCC_NUMBER_TYPE_MASK: u32 = 7;
pub const AMDGPU_TILING_GFX12_DCC_NUMBER_TYPE_SHIFT: u32 = 5;
pub const AMDGPU_TILING_GFX12_DCC_WRITE_COMPRESS_DISABLE_MASK: u32 = 1;
pub const AMDGPU_TILING_GFX12_DCC_WRITE_COMPRESS_DISABLE_SHIFT: u32 = 14;
pub const AMDGPU_TILING_GFX12_SCANOUT_MASK: u32 = 1;
pub const AMDGPU_TILING_GFX12_SCANOUT_SHIFT: u32 = 63;
pub const AMDGPU_TILING_GFX12_SWIZZLE_MODE_MASK: u32 = 7;
pub const AMDGPU_TILING_GFX12_SWIZZLE_MODE_SHIFT: u32 = 0;
pub const AMDGPU_TILING_MACRO_TILE_ASPECT_MASK: u32 = 3;
pub const AMDGPU_TILING_MACRO_TILE_ASPECT_SHIFT: u32 = 19;
pub const AMDGPU_TILING_MICRO_TILE_MODE_MASK: u32 = 7;
pub const AMDGPU_TILING_MICRO_TILE_MODE_SHIFT: u32 = 12;
pub const AMDGPU_TILING_NUM_BANKS_MASK: u32 = 3;
pub const AMDGPU_TILING_NUM_BANKS_SHIFT: u32 = 21;
pub const AMDGPU_TILING_PIPE_CONFIG_MASK: u32 = 31;
pub const AMDGPU_TILING_PIPE_CONFIG_SHIFT: u32 = 4;
pub const AMDGPU_TILING_SCANOUT_MASK: u32 = 1;
pub const AMDGPU_TILING_SCANOUT_SHIFT: u32 = 63;
pub const AMDGPU_TILING_SWIZZLE_MODE_MASK: u32 = 31;
pub const AMDGPU_TILING_SWIZZLE_MODE_SHIFT: u32 = 0;
pub const AMDGPU_TILING_TILE_SPLIT_MASK: u32 = 7;
pub const AMDGPU_TILING_TILE_SPLIT_SHIFT: u32 = 9;
pub const AMDGPU_USERQ_CREATE_FLAGS_QUEUE_PRIORITY_HIGH: u32 = 3;
pub const AMDGPU_USERQ_CREATE_FLAGS_QUEUE_PRIORITY_LOW: u32 = 1;
pub const AMDGPU_USERQ_CREATE_FLAGS_QUEUE_PRIORITY_MASK: u32 = 3;
pub const AMDGPU_USERQ_CREATE_FLAGS_QUEUE_PRIORITY_NORMAL_HIGH: u32 = 2;
pub const AMDGPU_USERQ_CREATE_FLAGS_QUEUE_PRIORITY_NORMAL_LOW: u32 = 0;
pub const AMDGPU_USERQ_CREATE_FLAGS_QUEUE_PRIORITY_SHIFT: u32 = 0;
pub const AMDGPU_USERQ_CREATE_FLAGS_QUEUE_SECURE: u32 = 4;
pub const AMDGPU_USERQ_OP_CREATE: u32 = 1;
pub const AMDGPU_USERQ_OP_FREE: u32 = 2;
pub const AMDGPU_VA_OP_CLEAR: u32 = 3;
pub const AMDGPU_VA_OP_MAP: u32 = 1;
pub const AMDGPU_VA_OP_REPLACE: u32 = 4;
pub const AMDGPU_VA_OP_UNMAP: u32 = 2;
pub const AMDGPU_VCE_CLOCK_TABLE_ENTRIES: u32 = 6;
pub const AMDGPU_VMHUB_IDX_MASK: u32 = 65280;
pub const AMDGPU_VMHUB_IDX_SHIFT: u32 = 8;
pub const AMDGPU_VMHUB_TYPE_GFX: u32 = 0;
pub const AMDGPU_VMHUB_TYPE_MASK: u32 = 255;
pub const AMDGPU_VMHUB_TYPE_MM0: u32 = 1;
pub const AMDGPU_VMHUB_TYPE_MM1: u32 = 2;
pub const AMDGPU_VMHUB_TYPE_SHIFT: u32 = 0;
pub const AMDGPU_VM_DELAY_UPDATE: u32 = 1;
pub const AMDGPU_VM_MTYPE_CC: u32 = 96;
pub const AMDGPU_VM_MTYPE_DEFAULT: u32 = 0;
pub const AMDGPU_VM_MTYPE_MASK: u32 = 480;
pub const AMDGPU_VM_MTYPE_NC: u32 = 32;
pub const AMDGPU_VM_MTYPE_RW: u32 = 160;
pub const AMDGPU_VM_MTYPE_UC: u32 = 128;
pub const AMDGPU_VM_MTYPE_WC: u32 = 64;
pub const AMDGPU_VM_OP_RESERVE_VMID: u32 = 1;
pub const AMDGPU_VM_OP_UNRESERVE_VMID: u32 = 2;
pub const AMDGPU_VM_PAGE_EXECUTABLE: u32 = 8;
pub const AMDGPU_VM_PAGE_NOALLOC: u32 = 512;
pub const AMDGPU_VM_PAGE_PRT: u32 = 16;
pub const AMDGPU_VM_PAGE_READABLE: u32 = 2;
pub const AMDGPU_VM_PAGE_WRITEABLE: u32 = 4;
pub const AMDGPU_VRAM_TYPE_DDR2: u32 = 2;
pub const AMDGPU_VRAM_TYPE_DDR3: u32 = 7;
pub const AMDGPU_VRAM_TYPE_DDR4: u32 = 8;
pub const AMDGPU_VRAM_TYPE_DDR5: u32 = 10;
pub const AMDGPU_VRAM_TYPE_GDDR1: u32 = 1;
pub const AMDGPU_VRAM_TYPE_GDDR3: u32 = 3;
pub const AMDGPU_VRAM_TYPE_GDDR4: u32 = 4;
pub const AMDGPU_VRAM_TYPE_GDDR5: u32 = 5;
pub const AMDGPU_VRAM_TYPE_GDDR6: u32 = 9;
pub const AMDGPU_VRAM_TYPE_HBM: u32 = 6;
pub const AMDGPU_VRAM_TYPE_HBM3E: u32 = 13;
pub const AMDGPU_VRAM_TYPE_HBM4: u32 = 14;
pub const AMDGPU_VRAM_TYPE_LPDDR4: u32 = 11;
pub const AMDGPU_VRAM_TYPE_LPDDR5: u32 = 12;
pub const AMDGPU_VRAM_TYPE_UNKNOWN: u32 = 0;
pub const AMDKFD_COMMAND_END: u32 = 41;
pub const AMDKFD_COMMAND_START: u32 = 1;
pub const AMDKFD_IOCTL_BASE: u8 = 75u8;
pub const DMA_BUF_BASE: u8 = 98u8;
pub const DMA_BUF_NAME_LEN: u32 = 32;
pub const DMA_BUF_SYNC_END: u32 = 4;
pub const DMA_BUF_SYNC_READ: u32 = 1;
pub const DMA_BUF_SYNC_RW: u32 = 3;
pub const DMA_BUF_SYNC_START: u32 = 0;
pub const DMA_BUF_SYNC_VALID_FLAGS_MASK: u32 = 7;
pub const DMA_BUF_SYNC_WRITE: u32 = 2;
pub const DRM_AMDGPU_BO_LIST: u32 = 3;
pub const DRM_AMDGPU_CS: u32 = 4;
pub const DRM_AMDGPU_CTX: u32 = 2;
pub const DRM_AMDGPU_FENCE_TO_HANDLE: u32 = 20;
pub const DRM_AMDGPU_GEM_CREATE: u32 = 0;
pub const DRM_AMDGPU_GEM_LIST_HANDLES: u32 = 25;
pub const DRM_AMDGPU_GEM_METADATA: u32 = 6;
pub const DRM_AMDGPU_GEM_MMAP: u32 = 1;
pub const DRM_AMDGPU_GEM_OP: u32 = 16;
pub const DRM_AMDGPU_GEM_USERPTR: u32 = 17;
pub const DRM_AMDGPU_GEM_VA: u32 = 8;
pub const DRM_AMDGPU_GEM_WAIT_IDLE: u32 = 7;
pub const DRM_AMDGPU_INFO: u32 = 5;
pub const DRM_AMDGPU_SCHED: u32 = 21;
pub const DRM_AMDGPU_USERQ: u32 = 22;
pub const DRM_AMDGPU_USERQ_SIGNAL: u32 = 23;
pub const DRM_AMDGPU_USERQ_WAIT: u32 = 24;
pub const DRM_AMDGPU_VM: u32 = 19;
pub const DRM_AMDGPU_WAIT_CS: u32 = 9;
pub const DRM_AMDGPU_WAIT_FENCES: u32 = 18;
pub const DRM_CAP_ADDFB2_MODIFIERS: u32 = 16;
pub const DRM_CAP_ASYNC_PAGE_FLIP: u32 = 7;
pub const DRM_CAP_ATOMIC_ASYNC_PAGE_FLIP: u32 = 21;
pub const DRM_CAP_CRTC_IN_VBLANK_EVENT: u32 = 18;
pub const DRM_CAP_CURSOR_HEIGHT: u32 = 9;
pub const DRM_CAP_CURSOR_WIDTH: u32 = 8;
pub const DRM_CAP_DUMB_BUFFER: u32 = 1;
pub const DRM_CAP_DUMB_PREFERRED_DEPTH: u32 = 3;
pub const DRM_CAP_DUMB_PREFER_SHADOW: u32 = 4;
pub const DRM_CAP_PAGE_FLIP_TARGET: u32 = 17;
pub const DRM_CAP_PRIME: u32 = 5;
pub const DRM_CAP_SYNCOBJ: u32 = 19;
pub const DRM_CAP_SYNCOBJ_TIMELINE: u32 = 20;
pub const DRM_CAP_TIMESTAMP_MONOTONIC: u32 = 6;
pub const DRM_CAP_VBLANK_HIGH_CRTC: u32 = 2;
pub const DRM_CLIENT_CAP_ASPECT_RATIO: u32 = 4;
pub const DRM_CLIENT_CAP_ATOMIC: u32 = 3;
pub const DRM_CLIENT_CAP_CURSOR_PLANE_HOTSPOT: u32 = 6;
pub const DRM_CLIENT_CAP_PLANE_COLOR_PIPELINE: u32 = 7;
pub const DRM_CLIENT_CAP_STEREO_3D: u32 = 1;
pub const DRM_CLIENT_CAP_UNIVERSAL_PLANES: u32 = 2;
pub const DRM_CLIENT_CAP_WRITEBACK_CONNECTORS: u32 = 5;
pub const DRM_COMMAND_BASE: u32 = 64;
pub const DRM_COMMAND_END: u32 = 160;
pub const DRM_IOCTL_BASE: u8 = 100u8;
pub const DRM_PRIME_CAP_EXPORT: u32 = 2;
pub const DRM_PRIME_CAP_IMPORT: u32 = 1;
pub const DRM_SYNCOBJ_CREATE_SIGNALED: u32 = 1;
pub const DRM_SYNCOBJ_FD_TO_HANDLE_FLAGS_IMPORT_SYNC_FILE: u32 = 1;
pub const DRM_SYNCOBJ_FD_TO_HANDLE_FLAGS_TIMELINE: u32 = 2;
pub const DRM_SYNCOBJ_HANDLE_TO_FD_FLAGS_EXPORT_SYNC_FILE: u32 = 1;
pub const DRM_SYNCOBJ_HANDLE_TO_FD_FLAGS_TIMELINE: u32 = 2;
pub const DRM_SYNCOBJ_QUERY_FLAGS_LAST_SUBMITTED: u32 = 1;
pub const DRM_SYNCOBJ_WAIT_FLAGS_WAIT_ALL: u32 = 1;
pub const DRM_SYNCOBJ_WAIT_FLAGS_WAIT_AVAILABLE: u32 = 4;
pub const DRM_SYNCOBJ_WAIT_FLAGS_WAIT_DEADLINE: u32 = 8;
pub const DRM_SYNCOBJ_WAIT_FLAGS_WAIT_FOR_SUBMIT: u32 = 2;
pub const HSA_CACHE_TYPE_CPU: u32 = 4;
pub const HSA_CACHE_TYPE_DATA: u32 = 1;
pub const HSA_CACHE_TYPE_HSACU: u32 = 8;
pub const HSA_CACHE_TYPE_INSTRUCTION: u32 = 2;
pub const HSA_CACHE_TYPE_RESERVED: u32 = 4294967280;
pub const HSA_CAP2_PER_SDMA_QUEUE_RESET_SUPPORTED: u32 = 1;
pub const HSA_CAP2_RESERVED: u32 = 4294967292;
pub const HSA_CAP2_TRAP_DEBUG_LDS_OUT_OF_ADDR_RANGE_SUPPORTED: u32 = 2;
pub const HSA_CAP_AQL_QUEUE_DOUBLE_MAP: u32 = 16384;
pub const HSA_CAP_ASIC_REVISION_MASK: u32 = 62914560;
pub const HSA_CAP_ASIC_REVISION_SHIFT: u32 = 22;
pub const HSA_CAP_ATS_PRESENT: u32 = 2;
pub const HSA_CAP_DOORBELL_TYPE_1_0: u32 = 1;
pub const HSA_CAP_DOORBELL_TYPE_2_0: u32 = 2;
pub const HSA_CAP_DOORBELL_TYPE_PRE_1_0: u32 = 0;
pub const HSA_CAP_DOORBELL_TYPE_TOTALBITS_MASK: u32 = 12288;
pub const HSA_CAP_DOORBELL_TYPE_TOTALBITS_SHIFT: u32 = 12;
pub const HSA_CAP_FLAGS_COHERENTHOSTACCESS: u32 = 268435456;
pub const HSA_CAP_HOT_PLUGGABLE: u32 = 1;
pub const HSA_CAP_MEM_EDCSUPPORTED: u32 = 1048576;
pub const HSA_CAP_PER_QUEUE_RESET_SUPPORTED: u32 = 2147483648;
pub const HSA_CAP_QUEUE_IDLE_EVENT: u32 = 32;
pub const HSA_CAP_QUEUE_SIZE_32BIT: u32 = 16;
pub const HSA_CAP_QUEUE_SIZE_POW2: u32 = 8;
pub const HSA_CAP_RASEVENTNOTIFY: u32 = 2097152;
pub const HSA_CAP_RESERVED: u32 = 1015808;
pub const HSA_CAP_RESERVED_WAS_SRAM_EDCSUPPORTED: u32 = 524288;
pub const HSA_CAP_SHARED_WITH_GRAPHICS: u32 = 4;
pub const HSA_CAP_SRAM_EDCSUPPORTED: u32 = 67108864;
pub const HSA_CAP_SVMAPI_SUPPORTED: u32 = 134217728;
pub const HSA_CAP_TRAP_DEBUG_FIRMWARE_SUPPORTED: u32 = 536870912;
pub const HSA_CAP_TRAP_DEBUG_PRECISE_ALU_OPERATIONS_SUPPORTED: u32 = 1073741824;
pub const HSA_CAP_TRAP_DEBUG_PRECISE_MEMORY_OPERATIONS_SUPPORTED: u32 = 262144;
pub const HSA_CAP_TRAP_DEBUG_SUPPORT: u32 = 32768;
pub const HSA_CAP_TRAP_DEBUG_WAVE_LAUNCH_MODE_SUPPORTED: u32 = 131072;
pub const HSA_CAP_TRAP_DEBUG_WAVE_LAUNCH_TRAP_OVERRIDE_SUPPORTED: u32 = 65536;
pub const HSA_CAP_VA_LIMIT: u32 = 64;
pub const HSA_CAP_WATCH_POINTS_SUPPORTED: u32 = 128;
pub const HSA_CAP_WATCH_POINTS_TOTALBITS_MASK: u32 = 3840;
pub const HSA_CAP_WATCH_POINTS_TOTALBITS_SHIFT: u32 = 8;
pub const HSA_DBG_DISPATCH_INFO_ALWAYS_VALID: u32 = 1024;
pub const HSA_DBG_RESERVED: i32 = -4096;
pub const HSA_DBG_WATCHPOINTS_EXCLUSIVE: u32 = 2048;
pub const HSA_DBG_WATCH_ADDR_MASK_HI_BIT_MASK: u32 = 1008;
pub const HSA_DBG_WATCH_ADDR_MASK_HI_BIT_SHIFT: u32 = 4;
pub const HSA_DBG_WATCH_ADDR_MASK_LO_BIT_MASK: u32 = 15;
pub const HSA_DBG_WATCH_ADDR_MASK_LO_BIT_SHIFT: u32 = 0;
pub const HSA_IOLINK_FLAGS_ENABLED: u32 = 1;
pub const HSA_IOLINK_FLAGS_NON_COHERENT: u32 = 2;
pub const HSA_IOLINK_FLAGS_NO_ATOMICS_32_BIT: u32 = 4;
pub const HSA_IOLINK_FLAGS_NO_ATOMICS_64_BIT: u32 = 8;
pub const HSA_IOLINK_FLAGS_NO_PEER_TO_PEER_DMA: u32 = 16;
pub const HSA_IOLINK_FLAGS_RESERVED: u32 = 4294967264;
pub const HSA_IOLINK_TYPE_AMBA: u32 = 3;
pub const HSA_IOLINK_TYPE_ETHERNET_RDMA: u32 = 14;
pub const HSA_IOLINK_TYPE_GZ: u32 = 13;
pub const HSA_IOLINK_TYPE_HYPERTRANSPORT: u32 = 1;
pub const HSA_IOLINK_TYPE_INFINIBAND: u32 = 9;
pub const HSA_IOLINK_TYPE_MIPI: u32 = 4;
pub const HSA_IOLINK_TYPE_OTHER: u32 = 16;
pub const HSA_IOLINK_TYPE_PCIEXPRESS: u32 = 2;
pub const HSA_IOLINK_TYPE_QPI_1_1: u32 = 5;
pub const HSA_IOLINK_TYPE_RAPID_IO: u32 = 8;
pub const HSA_IOLINK_TYPE_RDMA_OTHER: u32 = 15;
pub const HSA_IOLINK_TYPE_RESERVED1: u32 = 6;
pub const HSA_IOLINK_TYPE_RESERVED2: u32 = 7;
pub const HSA_IOLINK_TYPE_RESERVED3: u32 = 10;
pub const HSA_IOLINK_TYPE_UNDEFINED: u32 = 0;
pub const HSA_IOLINK_TYPE_XGMI: u32 = 11;
pub const HSA_IOLINK_TYPE_XGOP: u32 = 12;
pub const HSA_MEM_FLAGS_HOT_PLUGGABLE: u32 = 1;
pub const HSA_MEM_FLAGS_NON_VOLATILE: u32 = 2;
pub const HSA_MEM_FLAGS_RESERVED: u32 = 4294967292;
pub const HSA_MEM_HEAP_TYPE_FB_PRIVATE: u32 = 2;
pub const HSA_MEM_HEAP_TYPE_FB_PUBLIC: u32 = 1;
pub const HSA_MEM_HEAP_TYPE_GPU_GDS: u32 = 3;
pub const HSA_MEM_HEAP_TYPE_GPU_LDS: u32 = 4;
pub const HSA_MEM_HEAP_TYPE_GPU_SCRATCH: u32 = 5;
pub const HSA_MEM_HEAP_TYPE_SYSTEM: u32 = 0;
/// Since KFD 1.13.
pub const KFD_DBG_QUEUE_ERROR_BIT: u32 = 30;
/// Since KFD 1.13.
pub const KFD_DBG_QUEUE_ERROR_MASK: u32 = 1073741824;
/// Since KFD 1.13.
pub const KFD_DBG_QUEUE_INVALID_BIT: u32 = 31;
/// Since KFD 1.13.
pub const KFD_DBG_QUEUE_INVALID_MASK: u32 = 2147483648;
pub const KFD_HW_EXCEPTION_ECC: u32 = 1;
pub const KFD_HW_EXCEPTION_GPU_HANG: u32 = 0;
pub const KFD_HW_EXCEPTION_PER_ENGINE_RESET: u32 = 1;
pub const KFD_HW_EXCEPTION_WHOLE_GPU_RESET: u32 = 0;
pub const KFD_INVALID_FD: u32 = 4294967295;
pub const KFD_IOCTL_MAJOR_VERSION: u32 = 1;
pub const KFD_IOCTL_MINOR_VERSION: u32 = 23;
pub const KFD_IOCTL_SVM_FLAG_COHERENT: u32 = 2;
/// Since KFD 1.15.
pub const KFD_IOCTL_SVM_FLAG_EXT_COHERENT: u32 = 128;
pub const KFD_IOCTL_SVM_FLAG_GPU_ALWAYS_MAPPED: u32 = 64;
pub const KFD_IOCTL_SVM_FLAG_GPU_EXEC: u32 = 16;
pub const KFD_IOCTL_SVM_FLAG_GPU_READ_MOSTLY: u32 = 32;
pub const KFD_IOCTL_SVM_FLAG_GPU_RO: u32 = 8;
pub const KFD_IOCTL_SVM_FLAG_HIVE_LOCAL: u32 = 4;
pub const KFD_IOCTL_SVM_FLAG_HOST_ACCESS: u32 = 1;
pub const KFD_IOC_ALLOC_MEM_FLAGS_AQL_QUEUE_MEM: u32 = 134217728;
pub const KFD_IOC_ALLOC_MEM_FLAGS_COHERENT: u32 = 67108864;
/// Since KFD 1.16.
pub const KFD_IOC_ALLOC_MEM_FLAGS_CONTIGUOUS: u32 = 8388608;
pub const KFD_IOC_ALLOC_MEM_FLAGS_DOORBELL: u32 = 8;
pub const KFD_IOC_ALLOC_MEM_FLAGS_EXECUTABLE: u32 = 1073741824;
/// Since KFD 1.15.
pub const KFD_IOC_ALLOC_MEM_FLAGS_EXT_COHERENT: u32 = 16777216;
pub const KFD_IOC_ALLOC_MEM_FLAGS_GTT: u32 = 2;
pub const KFD_IOC_ALLOC_MEM_FLAGS_MMIO_REMAP: u32 = 16;
pub const KFD_IOC_ALLOC_MEM_FLAGS_NO_SUBSTITUTE: u32 = 268435456;
pub const KFD_IOC_ALLOC_MEM_FLAGS_PUBLIC: u32 = 536870912;
pub const KFD_IOC_ALLOC_MEM_FLAGS_UNCACHED: u32 = 33554432;
pub const KFD_IOC_ALLOC_MEM_FLAGS_USERPTR: u32 = 4;
pub const KFD_IOC_ALLOC_MEM_FLAGS_VRAM: u32 = 1;
pub const KFD_IOC_ALLOC_MEM_FLAGS_WRITABLE: u32 = 2147483648;
pub const KFD_IOC_CACHE_POLICY_COHERENT: u32 = 0;
pub const KFD_IOC_CACHE_POLICY_NONCOHERENT: u32 = 1;
pub const KFD_IOC_EVENT_DEBUG_EVENT: u32 = 5;
pub const KFD_IOC_EVENT_DEVICESTATECHANGE: u32 = 2;
pub const KFD_IOC_EVENT_HW_EXCEPTION: u32 = 3;
pub const KFD_IOC_EVENT_MEMORY: u32 = 8;
pub const KFD_IOC_EVENT_NODECHANGE: u32 = 1;
pub const KFD_IOC_EVENT_PROFILE_EVENT: u32 = 6;
pub const KFD_IOC_EVENT_QUEUE_EVENT: u32 = 7;
pub const KFD_IOC_EVENT_SIGNAL: u32 = 0;
pub const KFD_IOC_EVENT_SYSTEM_EVENT: u32 = 4;
/// Since KFD 1.23.
pub const KFD_IOC_PROFILER_VERSION_NUM: u32 = 1;
pub const KFD_IOC_QUEUE_TYPE_COMPUTE: u32 = 0;
pub const KFD_IOC_QUEUE_TYPE_COMPUTE_AQL: u32 = 2;
pub const KFD_IOC_QUEUE_TYPE_SDMA: u32 = 1;
/// Since KFD 1.17.
pub const KFD_IOC_QUEUE_TYPE_SDMA_BY_ENG_ID: u32 = 4;
pub const KFD_IOC_QUEUE_TYPE_SDMA_XGMI: u32 = 3;
pub const KFD_IOC_WAIT_RESULT_COMPLETE: u32 = 0;
pub const KFD_IOC_WAIT_RESULT_FAIL: u32 = 2;
pub const KFD_IOC_WAIT_RESULT_TIMEOUT: u32 = 1;
pub const KFD_MAX_QUEUE_PERCENTAGE: u32 = 100;
pub const KFD_MAX_QUEUE_PRIORITY: u32 = 15;
pub const KFD_MEM_ERR_GPU_HANG: u32 = 3;
pub const KFD_MEM_ERR_NO_RAS: u32 = 0;
pub const KFD_MEM_ERR_POISON_CONSUMED: u32 = 2;
pub const KFD_MEM_ERR_SRAM_ECC: u32 = 1;
pub const KFD_MIN_QUEUE_RING_SIZE: u32 = 1024;
/// Since KFD 1.18.
pub const KFD_PROC_FLAG_MFMA_HIGH_PRECISION: u32 = 1;
/// Since KFD 1.13.
pub const KFD_RUNTIME_ENABLE_MODE_ENABLE_MASK: u32 = 1;
/// Since KFD 1.13.
pub const KFD_RUNTIME_ENABLE_MODE_TTMP_SAVE_MASK: u32 = 2;
pub const KFD_SIGNAL_EVENT_LIMIT: u32 = 4096;
pub const KFD_SMI_EVENT_MSG_SIZE: u32 = 96;
pub const MAX_ALLOWED_AW_BUFF_SIZE: u32 = 4096;
pub const MAX_ALLOWED_NUM_POINTS: u32 = 100;
pub const MAX_ALLOWED_WAC_BUFF_SIZE: u32 = 128;
pub const NUM_OF_SUPPORTED_GPUS: u32 = 7;
pub type drm_magic_t = c_uint;
c_enums! {
    KFD_MIGRATE_TRIGGERS: c_uint {
        KFD_MIGRATE_TRIGGER_PREFETCH = 0,
        KFD_MIGRATE_TRIGGER_PAGEFAULT_GPU = 1,
        KFD_MIGRATE_TRIGGER_PAGEFAULT_CPU = 2,
        KFD_MIGRATE_TRIGGER_TTM_EVICTION = 3,
    }
    KFD_QUEUE_EVICTION_TRIGGERS: c_uint {
        KFD_QUEUE_EVICTION_TRIGGER_SVM = 0,
        KFD_QUEUE_EVICTION_TRIGGER_USERPTR = 1,
        KFD_QUEUE_EVICTION_TRIGGER_TTM = 2,
        KFD_QUEUE_EVICTION_TRIGGER_SUSPEND = 3,
        KFD_QUEUE_EVICTION_CRIU_CHECKPOINT = 4,
        KFD_QUEUE_EVICTION_CRIU_RESTORE = 5,
    }
    KFD_SVM_UNMAP_TRIGGERS: c_uint {
        KFD_SVM_UNMAP_TRIGGER_MMU_NOTIFY = 0,
        KFD_SVM_UNMAP_TRIGGER_MMU_NOTIFY_MIGRATE = 1,
        KFD_SVM_UNMAP_TRIGGER_UNMAP_FROM_CPU = 2,
    }
    kfd_criu_op: c_uint {
        KFD_CRIU_OP_PROCESS_INFO = 0,
        KFD_CRIU_OP_CHECKPOINT = 1,
        KFD_CRIU_OP_UNPAUSE = 2,
        KFD_CRIU_OP_RESTORE = 3,
        KFD_CRIU_OP_RESUME = 4,
    }
    /// Since KFD 1.13.
    kfd_dbg_runtime_state: c_uint {
        DEBUG_RUNTIME_STATE_DISABLED = 0,
        DEBUG_RUNTIME_STATE_ENABLED = 1,
        DEBUG_RUNTIME_STATE_ENABLED_BUSY = 2,
        DEBUG_RUNTIME_STATE_ENABLED_ERROR = 3,
    }
    /// Since KFD 1.13.
    kfd_dbg_trap_address_watch_mode: c_uint {
        KFD_DBG_TRAP_ADDRESS_WATCH_MODE_READ = 0,
        KFD_DBG_TRAP_ADDRESS_WATCH_MODE_NONREAD = 1,
        KFD_DBG_TRAP_ADDRESS_WATCH_MODE_ATOMIC = 2,
        KFD_DBG_TRAP_ADDRESS_WATCH_MODE_ALL = 3,
    }
    /// Since KFD 1.13.
    kfd_dbg_trap_exception_code: c_uint {
        EC_NONE = 0,
        EC_QUEUE_WAVE_ABORT = 1,
        EC_QUEUE_WAVE_TRAP = 2,
        EC_QUEUE_WAVE_MATH_ERROR = 3,
        EC_QUEUE_WAVE_ILLEGAL_INSTRUCTION = 4,
        EC_QUEUE_WAVE_MEMORY_VIOLATION = 5,
        EC_QUEUE_WAVE_APERTURE_VIOLATION = 6,
        EC_QUEUE_PACKET_DISPATCH_DIM_INVALID = 16,
        EC_QUEUE_PACKET_DISPATCH_GROUP_SEGMENT_SIZE_INVALID = 17,
        EC_QUEUE_PACKET_DISPATCH_CODE_INVALID = 18,
        EC_QUEUE_PACKET_RESERVED = 19,
        EC_QUEUE_PACKET_UNSUPPORTED = 20,
        EC_QUEUE_PACKET_DISPATCH_WORK_GROUP_SIZE_INVALID = 21,
        EC_QUEUE_PACKET_DISPATCH_REGISTER_INVALID = 22,
        EC_QUEUE_PACKET_VENDOR_UNSUPPORTED = 23,
        EC_QUEUE_PREEMPTION_ERROR = 30,
        EC_QUEUE_NEW = 31,
        EC_DEVICE_QUEUE_DELETE = 32,
        EC_DEVICE_MEMORY_VIOLATION = 33,
        EC_DEVICE_RAS_ERROR = 34,
        EC_DEVICE_FATAL_HALT = 35,
        EC_DEVICE_NEW = 36,
        EC_PROCESS_RUNTIME = 48,
        EC_PROCESS_DEVICE_REMOVE = 49,
        EC_MAX = 50,
    }
    /// Since KFD 1.13.
    kfd_dbg_trap_flags: c_uint {
        KFD_DBG_TRAP_FLAG_SINGLE_MEM_OP = 1,
        KFD_DBG_TRAP_FLAG_SINGLE_ALU_OP = 2,
        /// Since KFD 1.21.
        KFD_DBG_TRAP_FLAG_LDS_OUT_OF_ADDR_RANGE = 4,
    }
    /// Since KFD 1.13.
    kfd_dbg_trap_mask: c_int {
        KFD_DBG_TRAP_MASK_FP_INVALID = 1,
        KFD_DBG_TRAP_MASK_FP_INPUT_DENORMAL = 2,
        KFD_DBG_TRAP_MASK_FP_DIVIDE_BY_ZERO = 4,
        KFD_DBG_TRAP_MASK_FP_OVERFLOW = 8,
        KFD_DBG_TRAP_MASK_FP_UNDERFLOW = 16,
        KFD_DBG_TRAP_MASK_FP_INEXACT = 32,
        KFD_DBG_TRAP_MASK_INT_DIVIDE_BY_ZERO = 64,
        KFD_DBG_TRAP_MASK_DBG_ADDRESS_WATCH = 128,
        KFD_DBG_TRAP_MASK_DBG_MEMORY_VIOLATION = 256,
        KFD_DBG_TRAP_MASK_TRAP_ON_WAVE_START = 1073741824,
        KFD_DBG_TRAP_MASK_TRAP_ON_WAVE_END = -2147483648,
    }
    /// Since KFD 1.13.
    kfd_dbg_trap_operations: c_uint {
        KFD_IOC_DBG_TRAP_ENABLE = 0,
        KFD_IOC_DBG_TRAP_DISABLE = 1,
        KFD_IOC_DBG_TRAP_SEND_RUNTIME_EVENT = 2,
        KFD_IOC_DBG_TRAP_SET_EXCEPTIONS_ENABLED = 3,
        KFD_IOC_DBG_TRAP_SET_WAVE_LAUNCH_OVERRIDE = 4,
        KFD_IOC_DBG_TRAP_SET_WAVE_LAUNCH_MODE = 5,
        KFD_IOC_DBG_TRAP_SUSPEND_QUEUES = 6,
        KFD_IOC_DBG_TRAP_RESUME_QUEUES = 7,
        KFD_IOC_DBG_TRAP_SET_NODE_ADDRESS_WATCH = 8,
        KFD_IOC_DBG_TRAP_CLEAR_NODE_ADDRESS_WATCH = 9,
        KFD_IOC_DBG_TRAP_SET_FLAGS = 10,
        KFD_IOC_DBG_TRAP_QUERY_DEBUG_EVENT = 11,
        KFD_IOC_DBG_TRAP_QUERY_EXCEPTION_INFO = 12,
        KFD_IOC_DBG_TRAP_GET_QUEUE_SNAPSHOT = 13,
        KFD_IOC_DBG_TRAP_GET_DEVICE_SNAPSHOT = 14,
    }
    /// Since KFD 1.13.
    kfd_dbg_trap_override_mode: c_uint {
        KFD_DBG_TRAP_OVERRIDE_OR = 0,
        KFD_DBG_TRAP_OVERRIDE_REPLACE = 1,
    }
    /// Since KFD 1.13.
    kfd_dbg_trap_wave_launch_mode: c_uint {
        KFD_DBG_TRAP_WAVE_LAUNCH_MODE_NORMAL = 0,
        KFD_DBG_TRAP_WAVE_LAUNCH_MODE_HALT = 1,
        KFD_DBG_TRAP_WAVE_LAUNCH_MODE_DEBUG = 3,
    }
    kfd_ioctl_svm_attr_type: c_uint {
        KFD_IOCTL_SVM_ATTR_PREFERRED_LOC = 0,
        KFD_IOCTL_SVM_ATTR_PREFETCH_LOC = 1,
        KFD_IOCTL_SVM_ATTR_ACCESS = 2,
        KFD_IOCTL_SVM_ATTR_ACCESS_IN_PLACE = 3,
        KFD_IOCTL_SVM_ATTR_NO_ACCESS = 4,
        KFD_IOCTL_SVM_ATTR_SET_FLAGS = 5,
        KFD_IOCTL_SVM_ATTR_CLR_FLAGS = 6,
        KFD_IOCTL_SVM_ATTR_GRANULARITY = 7,
    }
    kfd_ioctl_svm_location: c_uint {
        KFD_IOCTL_SVM_LOCATION_SYSMEM = 0,
        KFD_IOCTL_SVM_LOCATION_UNDEFINED = 4294967295,
    }
    kfd_ioctl_svm_op: c_uint {
        KFD_IOCTL_SVM_OP_SET_ATTR = 0,
        KFD_IOCTL_SVM_OP_GET_ATTR = 1,
    }
    kfd_mmio_remap: c_uint {
        KFD_MMIO_REMAP_HDP_MEM_FLUSH_CNTL = 0,
        KFD_MMIO_REMAP_HDP_REG_FLUSH_CNTL = 4,
    }
    /// Since KFD 1.23.
    kfd_profiler_ops: c_uint {
        KFD_IOC_PROFILER_PMC = 0,
        KFD_IOC_PROFILER_VERSION = 2,
        KFD_IOC_PROFILER_PTL_CONTROL = 3,
    }
    kfd_smi_event: c_uint {
        KFD_SMI_EVENT_NONE = 0,
        KFD_SMI_EVENT_VMFAULT = 1,
        KFD_SMI_EVENT_THERMAL_THROTTLE = 2,
        KFD_SMI_EVENT_GPU_PRE_RESET = 3,
        KFD_SMI_EVENT_GPU_POST_RESET = 4,
        KFD_SMI_EVENT_MIGRATE_START = 5,
        KFD_SMI_EVENT_MIGRATE_END = 6,
        KFD_SMI_EVENT_PAGE_FAULT_START = 7,
        KFD_SMI_EVENT_PAGE_FAULT_END = 8,
        KFD_SMI_EVENT_QUEUE_EVICTION = 9,
        KFD_SMI_EVENT_QUEUE_RESTORE = 10,
        KFD_SMI_EVENT_UNMAP_FROM_GPU = 11,
        /// Since KFD 1.23.
        KFD_SMI_EVENT_PROCESS_START = 12,
        /// Since KFD 1.23.
        KFD_SMI_EVENT_PROCESS_END = 13,
        KFD_SMI_EVENT_ALL_PROCESS = 64,
    }
}
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct dma_buf_export_sync_file {
    pub flags: u32,
    pub fd: i32,
}
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct dma_buf_import_sync_file {
    pub flags: u32,
    pub fd: i32,
}
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct dma_buf_sync {
    pub flags: u64,
}
#[repr(C)]
#[derive(Clone, Copy)]
pub union drm_amdgpu_bo_list {
    pub in_: drm_amdgpu_bo_list_in,
    pub out: drm_amdgpu_bo_list_out,
}
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct drm_amdgpu_bo_list_entry {
    pub bo_handle: u32,
    pub bo_priority: u32,
}
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct drm_amdgpu_bo_list_in {
    pub operation: u32,
    pub list_handle: u32,
    pub bo_number: u32,
    pub bo_info_size: u32,
    pub bo_info_ptr: u64,
}
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct drm_amdgpu_bo_list_out {
    pub list_handle: u32,
    pub _pad: u32,
}
#[repr(C)]
#[derive(Clone, Copy)]
pub union drm_amdgpu_cs {
    pub in_: drm_amdgpu_cs_in,
    pub out: drm_amdgpu_cs_out,
}
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct drm_amdgpu_cs_chunk {
    pub chunk_id: u32,
    pub length_dw: u32,
    pub chunk_data: u64,
}
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct drm_amdgpu_cs_chunk_cp_gfx_shadow {
    pub shadow_va: u64,
    pub csa_va: u64,
    pub gds_va: u64,
    pub flags: u64,
}
#[repr(C)]
#[derive(Clone, Copy)]
pub struct drm_amdgpu_cs_chunk_data {
    pub __bindgen_anon_1: drm_amdgpu_cs_chunk_data__bindgen_ty_1,
}
#[repr(C)]
#[derive(Clone, Copy)]
pub union drm_amdgpu_cs_chunk_data__bindgen_ty_1 {
    pub ib_data: drm_amdgpu_cs_chunk_ib,
    pub fence_data: drm_amdgpu_cs_chunk_fence,
}
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct drm_amdgpu_cs_chunk_dep {
    pub ip_type: u32,
    pub ip_instance: u32,
    pub ring: u32,
    pub ctx_id: u32,
    pub handle: u64,
}
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct drm_amdgpu_cs_chunk_fence {
    pub handle: u32,
    pub offset: u32,
}
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct drm_amdgpu_cs_chunk_ib {
    pub _pad: u32,
    pub flags: u32,
    pub va_start: u64,
    pub ib_bytes: u32,
    pub ip_type: u32,
    pub ip_instance: u32,
    pub ring: u32,
}
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct drm_amdgpu_cs_chunk_sem {
    pub handle: u32,
}
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct drm_amdgpu_cs_chunk_syncobj {
    pub handle: u32,
    pub flags: u32,
    pub point: u64,
}
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct drm_amdgpu_cs_in {
    pub ctx_id: u32,
    pub bo_list_handle: u32,
    pub num_chunks: u32,
    pub flags: u32,
    pub chunks: u64,
}
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct drm_amdgpu_cs_out {
    pub handle: u64,
}
#[repr(C)]
#[derive(Clone, Copy)]
pub union drm_amdgpu_ctx {
    pub in_: drm_amdgpu_ctx_in,
    pub out: drm_amdgpu_ctx_out,
}
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct drm_amdgpu_ctx_in {
    pub op: u32,
    pub flags: u32,
    pub ctx_id: u32,
    pub priority: i32,
}
#[repr(C)]
#[derive(Clone, Copy)]
pub union drm_amdgpu_ctx_out {
    pub alloc: drm_amdgpu_ctx_out__bindgen_ty_1,
    pub state: drm_amdgpu_ctx_out__bindgen_ty_2,
    pub pstate: drm_amdgpu_ctx_out__bindgen_ty_3,
}
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct drm_amdgpu_ctx_out__bindgen_ty_1 {
    pub ctx_id: u32,
    pub _pad: u32,
}
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct drm_amdgpu_ctx_out__bindgen_ty_2 {
    pub flags: u64,
    pub hangs: u32,
    pub reset_status: u32,
}
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct drm_amdgpu_ctx_out__bindgen_ty_3 {
    pub flags: u32,
    pub _pad: u32,
}
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct drm_amdgpu_fence {
    pub ctx_id: u32,
    pub ip_type: u32,
    pub ip_instance: u32,
    pub ring: u32,
    pub seq_no: u64,
}
#[repr(C)]
#[derive(Clone, Copy)]
pub union drm_amdgpu_fence_to_handle {
    pub in_: drm_amdgpu_fence_to_handle__bindgen_ty_1,
    pub out: drm_amdgpu_fence_to_handle__bindgen_ty_2,
}
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct drm_amdgpu_fence_to_handle__bindgen_ty_1 {
    pub fence: drm_amdgpu_fence,
    pub what: u32,
    pub pad: u32,
}
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct drm_amdgpu_fence_to_handle__bindgen_ty_2 {
    pub handle: u32,
}
#[repr(C)]
#[derive(Clone, Copy)]
pub union drm_amdgpu_gem_create {
    pub in_: drm_amdgpu_gem_create_in,
    pub out: drm_amdgpu_gem_create_out,
}
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct drm_amdgpu_gem_create_in {
    pub bo_size: u64,
    pub alignment: u64,
    pub domains: u64,
    pub domain_flags: u64,
}
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct drm_amdgpu_gem_create_out {
    pub handle: u32,
    pub _pad: u32,
}
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct drm_amdgpu_gem_list_handles {
    pub entries: u64,
    pub num_entries: u32,
    pub padding: u32,
}
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct drm_amdgpu_gem_list_handles_entry {
    pub gem_handle: u32,
    pub flags: u32,
    pub size: u64,
    pub preferred_domains: u64,
    pub alloc_flags: u64,
    pub alignment: u64,
}
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct drm_amdgpu_gem_metadata {
    pub handle: u32,
    pub op: u32,
    pub data: drm_amdgpu_gem_metadata__bindgen_ty_1,
}
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct drm_amdgpu_gem_metadata__bindgen_ty_1 {
    pub flags: u64,
    pub tiling_info: u64,
    pub data_size_bytes: u32,
    pub data: [u32; 64],
}
#[repr(C)]
#[derive(Clone, Copy)]
pub union drm_amdgpu_gem_mmap {
    pub in_: drm_amdgpu_gem_mmap_in,
    pub out: drm_amdgpu_gem_mmap_out,
}
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct drm_amdgpu_gem_mmap_in {
    pub handle: u32,
    pub _pad: u32,
}
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct drm_amdgpu_gem_mmap_out {
    pub addr_ptr: u64,
}
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct drm_amdgpu_gem_op {
    pub handle: u32,
    pub op: u32,
    pub value: u64,
    pub num_entries: u32,
    pub padding: u32,
}
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct drm_amdgpu_gem_userptr {
    pub addr: u64,
    pub size: u64,
    pub flags: u32,
    pub handle: u32,
}
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct drm_amdgpu_gem_va {
    pub handle: u32,
    pub _pad: u32,
    pub operation: u32,
    pub flags: u32,
    pub va_address: u64,
    pub offset_in_bo: u64,
    pub map_size: u64,
    pub vm_timeline_point: u64,
    pub vm_timeline_syncobj_out: u32,
    pub num_syncobj_handles: u32,
    pub input_fence_syncobj_handles: u64,
}
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct drm_amdgpu_gem_vm_entry {
    pub addr: u64,
    pub size: u64,
    pub offset: u64,
    pub flags: u64,
}
#[repr(C)]
#[derive(Clone, Copy)]
pub union drm_amdgpu_gem_wait_idle {
    pub in_: drm_amdgpu_gem_wait_idle_in,
    pub out: drm_amdgpu_gem_wait_idle_out,
}
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct drm_amdgpu_gem_wait_idle_in {
    pub handle: u32,
    pub flags: u32,
    pub timeout: u64,
}
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct drm_amdgpu_gem_wait_idle_out {
    pub status: u32,
    pub domain: u32,
}
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct drm_amdgpu_heap_info {
    pub total_heap_size: u64,
    pub usable_heap_size: u64,
    pub heap_usage: u64,
    pub max_allocation: u64,
}
#[repr(C)]
#[derive(Clone, Copy)]
pub struct drm_amdgpu_info {
    pub return_pointer: u64,
    pub return_size: u32,
    pub query: u32,
    pub __bindgen_anon_1: drm_amdgpu_info__bindgen_ty_1,
}
#[repr(C)]
#[derive(Clone, Copy)]
pub union drm_amdgpu_info__bindgen_ty_1 {
    pub mode_crtc: drm_amdgpu_info__bindgen_ty_1__bindgen_ty_1,
    pub query_hw_ip: drm_amdgpu_info__bindgen_ty_1__bindgen_ty_2,
    pub read_mmr_reg: drm_amdgpu_info__bindgen_ty_1__bindgen_ty_3,
    pub query_fw: drm_amdgpu_query_fw,
    pub vbios_info: drm_amdgpu_info__bindgen_ty_1__bindgen_ty_4,
    pub sensor_info: drm_amdgpu_info__bindgen_ty_1__bindgen_ty_5,
    pub video_cap: drm_amdgpu_info__bindgen_ty_1__bindgen_ty_6,
}
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct drm_amdgpu_info__bindgen_ty_1__bindgen_ty_1 {
    pub id: u32,
    pub _pad: u32,
}
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct drm_amdgpu_info__bindgen_ty_1__bindgen_ty_2 {
    pub type_: u32,
    pub ip_instance: u32,
}
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct drm_amdgpu_info__bindgen_ty_1__bindgen_ty_3 {
    pub dword_offset: u32,
    pub count: u32,
    pub instance: u32,
    pub flags: u32,
}
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct drm_amdgpu_info__bindgen_ty_1__bindgen_ty_4 {
    pub type_: u32,
    pub offset: u32,
}
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct drm_amdgpu_info__bindgen_ty_1__bindgen_ty_5 {
    pub type_: u32,
}
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct drm_amdgpu_info__bindgen_ty_1__bindgen_ty_6 {
    pub type_: u32,
}
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct drm_amdgpu_info_device {
    pub device_id: u32,
    pub chip_rev: u32,
    pub external_rev: u32,
    pub pci_rev: u32,
    pub family: u32,
    pub num_shader_engines: u32,
    pub num_shader_arrays_per_engine: u32,
    pub gpu_counter_freq: u32,
    pub max_engine_clock: u64,
    pub max_memory_clock: u64,
    pub cu_active_number: u32,
    pub cu_ao_mask: u32,
    pub cu_bitmap: [[u32; 4]; 4],
    pub enabled_rb_pipes_mask: u32,
    pub num_rb_pipes: u32,
    pub num_hw_gfx_contexts: u32,
    pub pcie_gen: u32,
    pub ids_flags: u64,
    pub virtual_address_offset: u64,
    pub virtual_address_max: u64,
    pub virtual_address_alignment: u32,
    pub pte_fragment_size: u32,
    pub gart_page_size: u32,
    pub ce_ram_size: u32,
    pub vram_type: u32,
    pub vram_bit_width: u32,
    pub vce_harvest_config: u32,
    pub gc_double_offchip_lds_buf: u32,
    pub prim_buf_gpu_addr: u64,
    pub pos_buf_gpu_addr: u64,
    pub cntl_sb_buf_gpu_addr: u64,
    pub param_buf_gpu_addr: u64,
    pub prim_buf_size: u32,
    pub pos_buf_size: u32,
    pub cntl_sb_buf_size: u32,
    pub param_buf_size: u32,
    pub wave_front_size: u32,
    pub num_shader_visible_vgprs: u32,
    pub num_cu_per_sh: u32,
    pub num_tcc_blocks: u32,
    pub gs_vgt_table_depth: u32,
    pub gs_prim_buffer_depth: u32,
    pub max_gs_waves_per_vgt: u32,
    pub pcie_num_lanes: u32,
    pub cu_ao_bitmap: [[u32; 4]; 4],
    pub high_va_offset: u64,
    pub high_va_max: u64,
    pub pa_sc_tile_steering_override: u32,
    pub pad: u32,
    pub tcc_disabled_mask: u64,
    pub min_engine_clock: u64,
    pub min_memory_clock: u64,
    pub tcp_cache_size: u32,
    pub num_sqc_per_wgp: u32,
    pub sqc_data_cache_size: u32,
    pub sqc_inst_cache_size: u32,
    pub gl1c_cache_size: u32,
    pub gl2c_cache_size: u32,
    pub mall_size: u64,
    pub enabled_rb_pipes_mask_hi: u32,
    pub shadow_size: u32,
    pub shadow_alignment: u32,
    pub csa_size: u32,
    pub csa_alignment: u32,
    pub userq_ip_mask: u32,
}
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct drm_amdgpu_info_firmware {
    pub ver: u32,
    pub feature: u32,
}
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct drm_amdgpu_info_gds {
    pub gds_gfx_partition_size: u32,
    pub compute_partition_size: u32,
    pub gds_total_size: u32,
    pub gws_per_gfx_partition: u32,
    pub gws_per_compute_partition: u32,
    pub oa_per_gfx_partition: u32,
    pub oa_per_compute_partition: u32,
    pub _pad: u32,
}
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct drm_amdgpu_info_gpuvm_fault {
    pub addr: u64,
    pub status: u32,
    pub vmhub: u32,
}
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct drm_amdgpu_info_hw_ip {
    pub hw_ip_version_major: u32,
    pub hw_ip_version_minor: u32,
    pub capabilities_flags: u64,
    pub ib_start_alignment: u32,
    pub ib_size_alignment: u32,
    pub available_rings: u32,
    pub ip_discovery_version: u32,
    pub userq_num_slots: u32,
}
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct drm_amdgpu_info_num_handles {
    pub uvd_max_handles: u32,
    pub uvd_used_handles: u32,
}
#[repr(C)]
#[derive(Clone, Copy)]
pub struct drm_amdgpu_info_uq_metadata {
    pub __bindgen_anon_1: drm_amdgpu_info_uq_metadata__bindgen_ty_1,
}
#[repr(C)]
#[derive(Clone, Copy)]
pub union drm_amdgpu_info_uq_metadata__bindgen_ty_1 {
    pub gfx: drm_amdgpu_info_uq_metadata_gfx,
    pub compute: drm_amdgpu_info_uq_metadata_compute,
    pub sdma: drm_amdgpu_info_uq_metadata_sdma,
}
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct drm_amdgpu_info_uq_metadata_compute {
    pub eop_size: u32,
    pub eop_alignment: u32,
}
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct drm_amdgpu_info_uq_metadata_gfx {
    pub shadow_size: u32,
    pub shadow_alignment: u32,
    pub csa_size: u32,
    pub csa_alignment: u32,
}
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct drm_amdgpu_info_uq_metadata_sdma {
    pub csa_size: u32,
    pub csa_alignment: u32,
}
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct drm_amdgpu_info_vbios {
    pub name: [u8; 64],
    pub vbios_pn: [u8; 64],
    pub version: u32,
    pub pad: u32,
    pub vbios_ver_str: [u8; 32],
    pub date: [u8; 32],
}
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct drm_amdgpu_info_vce_clock_table {
    pub entries: [drm_amdgpu_info_vce_clock_table_entry; 6],
    pub num_valid_entries: u32,
    pub pad: u32,
}
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct drm_amdgpu_info_vce_clock_table_entry {
    pub sclk: u32,
    pub mclk: u32,
    pub eclk: u32,
    pub pad: u32,
}
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct drm_amdgpu_info_video_caps {
    pub codec_info: [drm_amdgpu_info_video_codec_info; 8],
}
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct drm_amdgpu_info_video_codec_info {
    pub valid: u32,
    pub max_width: u32,
    pub max_height: u32,
    pub max_pixels_per_frame: u32,
    pub max_level: u32,
    pub pad: u32,
}
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct drm_amdgpu_info_vram_gtt {
    pub vram_size: u64,
    pub vram_cpu_accessible_size: u64,
    pub gtt_size: u64,
}
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct drm_amdgpu_memory_info {
    pub vram: drm_amdgpu_heap_info,
    pub cpu_accessible_vram: drm_amdgpu_heap_info,
    pub gtt: drm_amdgpu_heap_info,
}
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct drm_amdgpu_query_fw {
    pub fw_type: u32,
    pub ip_instance: u32,
    pub index: u32,
    pub _pad: u32,
}
#[repr(C)]
#[derive(Clone, Copy)]
pub union drm_amdgpu_sched {
    pub in_: drm_amdgpu_sched_in,
}
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct drm_amdgpu_sched_in {
    pub op: u32,
    pub fd: u32,
    pub priority: i32,
    pub ctx_id: u32,
}
#[repr(C)]
#[derive(Clone, Copy)]
pub union drm_amdgpu_userq {
    pub in_: drm_amdgpu_userq_in,
    pub out: drm_amdgpu_userq_out,
}
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct drm_amdgpu_userq_fence_info {
    pub va: u64,
    pub value: u64,
}
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct drm_amdgpu_userq_in {
    pub op: u32,
    pub queue_id: u32,
    pub ip_type: u32,
    pub doorbell_handle: u32,
    pub doorbell_offset: u32,
    pub flags: u32,
    pub queue_va: u64,
    pub queue_size: u64,
    pub rptr_va: u64,
    pub wptr_va: u64,
    pub mqd: u64,
    pub mqd_size: u64,
}
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct drm_amdgpu_userq_mqd_compute_gfx11 {
    pub eop_va: u64,
}
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct drm_amdgpu_userq_mqd_gfx11 {
    pub shadow_va: u64,
    pub csa_va: u64,
}
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct drm_amdgpu_userq_mqd_sdma_gfx11 {
    pub csa_va: u64,
}
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct drm_amdgpu_userq_out {
    pub queue_id: u32,
    pub _pad: u32,
}
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct drm_amdgpu_userq_signal {
    pub queue_id: u32,
    pub pad: u32,
    pub syncobj_handles: u64,
    pub num_syncobj_handles: u16,
    pub pad0: u16,
    pub pad1: u32,
    pub bo_read_handles: u64,
    pub bo_write_handles: u64,
    pub num_bo_read_handles: u32,
    pub num_bo_write_handles: u32,
}
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct drm_amdgpu_userq_wait {
    pub waitq_id: u32,
    pub pad: u32,
    pub syncobj_handles: u64,
    pub syncobj_timeline_handles: u64,
    pub syncobj_timeline_points: u64,
    pub bo_read_handles: u64,
    pub bo_write_handles: u64,
    pub num_syncobj_timeline_handles: u16,
    pub num_fences: u16,
    pub num_syncobj_handles: u16,
    pub pad0: u16,
    pub num_bo_read_handles: u32,
    pub num_bo_write_handles: u32,
    pub out_fences: u64,
}
#[repr(C)]
#[derive(Clone, Copy)]
pub union drm_amdgpu_vm {
    pub in_: drm_amdgpu_vm_in,
    pub out: drm_amdgpu_vm_out,
}
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct drm_amdgpu_vm_in {
    pub op: u32,
    pub flags: u32,
}
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct drm_amdgpu_vm_out {
    pub flags: u64,
}
#[repr(C)]
#[derive(Clone, Copy)]
pub union drm_amdgpu_wait_cs {
    pub in_: drm_amdgpu_wait_cs_in,
    pub out: drm_amdgpu_wait_cs_out,
}
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct drm_amdgpu_wait_cs_in {
    pub handle: u64,
    pub timeout: u64,
    pub ip_type: u32,
    pub ip_instance: u32,
    pub ring: u32,
    pub ctx_id: u32,
}
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct drm_amdgpu_wait_cs_out {
    pub status: u64,
}
#[repr(C)]
#[derive(Clone, Copy)]
pub union drm_amdgpu_wait_fences {
    pub in_: drm_amdgpu_wait_fences_in,
    pub out: drm_amdgpu_wait_fences_out,
}
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct drm_amdgpu_wait_fences_in {
    pub fences: u64,
    pub fence_count: u32,
    pub wait_all: u32,
    pub timeout_ns: u64,
}
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct drm_amdgpu_wait_fences_out {
    pub status: u32,
    pub first_signaled: u32,
}
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct drm_auth {
    pub magic: drm_magic_t,
}
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct drm_client {
    pub idx: c_int,
    pub auth: c_int,
    pub pid: c_ulong,
    pub uid: c_ulong,
    pub magic: c_ulong,
    pub iocs: c_ulong,
}
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct drm_color_ctm_3x4 {
    pub matrix: [u64; 12],
}
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct drm_gem_change_handle {
    pub handle: u32,
    pub new_handle: u32,
}
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct drm_gem_close {
    pub handle: u32,
    pub pad: u32,
}
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct drm_gem_flink {
    pub handle: u32,
    pub name: u32,
}
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct drm_gem_open {
    pub name: u32,
    pub handle: u32,
    pub size: u64,
}
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct drm_get_cap {
    pub capability: u64,
    pub value: u64,
}
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct drm_prime_handle {
    pub handle: u32,
    pub flags: u32,
    pub fd: i32,
}
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct drm_set_client_cap {
    pub capability: u64,
    pub value: u64,
}
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct drm_syncobj_array {
    pub handles: u64,
    pub count_handles: u32,
    pub pad: u32,
}
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct drm_syncobj_create {
    pub handle: u32,
    pub flags: u32,
}
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct drm_syncobj_destroy {
    pub handle: u32,
    pub pad: u32,
}
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct drm_syncobj_eventfd {
    pub handle: u32,
    pub flags: u32,
    pub point: u64,
    pub fd: i32,
    pub pad: u32,
}
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct drm_syncobj_handle {
    pub handle: u32,
    pub flags: u32,
    pub fd: i32,
    pub pad: u32,
    pub point: u64,
}
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct drm_syncobj_timeline_array {
    pub handles: u64,
    pub points: u64,
    pub count_handles: u32,
    pub flags: u32,
}
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct drm_syncobj_timeline_wait {
    pub handles: u64,
    pub points: u64,
    pub timeout_nsec: i64,
    pub count_handles: u32,
    pub flags: u32,
    pub first_signaled: u32,
    pub pad: u32,
    pub deadline_nsec: u64,
}
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct drm_syncobj_transfer {
    pub src_handle: u32,
    pub dst_handle: u32,
    pub src_point: u64,
    pub dst_point: u64,
    pub flags: u32,
    pub pad: u32,
}
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct drm_syncobj_wait {
    pub handles: u64,
    pub timeout_nsec: i64,
    pub count_handles: u32,
    pub flags: u32,
    pub first_signaled: u32,
    pub pad: u32,
    pub deadline_nsec: u64,
}
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct drm_unique {
    pub unique_len: usize,
    pub unique: *mut c_char,
}
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct drm_version {
    pub version_major: c_int,
    pub version_minor: c_int,
    pub version_patchlevel: c_int,
    pub name_len: usize,
    pub name: *mut c_char,
    pub date_len: usize,
    pub date: *mut c_char,
    pub desc_len: usize,
    pub desc: *mut c_char,
}
/// Since KFD 1.13.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct kfd_context_save_area_header {
    /// Since KFD 1.13.
    pub wave_state: kfd_context_save_area_header__bindgen_ty_1,
    /// Since KFD 1.13.
    pub debug_offset: u32,
    /// Since KFD 1.13.
    pub debug_size: u32,
    /// Since KFD 1.13.
    pub err_payload_addr: u64,
    /// Since KFD 1.13.
    pub err_event_id: u32,
    /// Since KFD 1.13.
    pub reserved1: u32,
}
/// Since KFD 1.13.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct kfd_context_save_area_header__bindgen_ty_1 {
    /// Since KFD 1.13.
    pub control_stack_offset: u32,
    /// Since KFD 1.13.
    pub control_stack_size: u32,
    /// Since KFD 1.13.
    pub wave_state_offset: u32,
    /// Since KFD 1.13.
    pub wave_state_size: u32,
}
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct kfd_criu_bo_bucket {
    pub addr: u64,
    pub size: u64,
    pub offset: u64,
    pub restored_offset: u64,
    pub gpu_id: u32,
    pub alloc_flags: u32,
    pub dmabuf_fd: u32,
    pub pad: u32,
}
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct kfd_criu_device_bucket {
    pub user_gpu_id: u32,
    pub actual_gpu_id: u32,
    pub drm_fd: u32,
    pub pad: u32,
}
/// Since KFD 1.13.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct kfd_dbg_device_info_entry {
    pub exception_status: u64,
    pub lds_base: u64,
    pub lds_limit: u64,
    pub scratch_base: u64,
    pub scratch_limit: u64,
    pub gpuvm_base: u64,
    pub gpuvm_limit: u64,
    pub gpu_id: u32,
    pub location_id: u32,
    pub vendor_id: u32,
    pub device_id: u32,
    pub revision_id: u32,
    pub subsystem_vendor_id: u32,
    pub subsystem_device_id: u32,
    pub fw_version: u32,
    pub gfx_target_version: u32,
    pub simd_count: u32,
    pub max_waves_per_simd: u32,
    pub array_count: u32,
    pub simd_arrays_per_engine: u32,
    pub num_xcc: u32,
    pub capability: u32,
    pub debug_prop: u32,
    /// Since KFD 1.21.
    pub capability2: u32,
    pub pad: u32,
}
#[repr(C)]
#[derive(Clone, Copy)]
pub struct kfd_event_data {
    pub __bindgen_anon_1: kfd_event_data__bindgen_ty_1,
    pub kfd_event_data_ext: u64,
    pub event_id: u32,
    pub pad: u32,
}
#[repr(C)]
#[derive(Clone, Copy)]
pub union kfd_event_data__bindgen_ty_1 {
    pub memory_exception_data: kfd_hsa_memory_exception_data,
    pub hw_exception_data: kfd_hsa_hw_exception_data,
    /// Since KFD 1.14.
    pub signal_event_data: kfd_hsa_signal_event_data,
}
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct kfd_hsa_hw_exception_data {
    pub reset_type: u32,
    pub reset_cause: u32,
    pub memory_lost: u32,
    pub gpu_id: u32,
}
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct kfd_hsa_memory_exception_data {
    pub failure: kfd_memory_exception_failure,
    pub va: u64,
    pub gpu_id: u32,
    pub ErrorType: u32,
}
/// Since KFD 1.14.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct kfd_hsa_signal_event_data {
    pub last_event_age: u64,
}
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct kfd_ioctl_acquire_vm_args {
    pub drm_fd: u32,
    pub gpu_id: u32,
}
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct kfd_ioctl_alloc_memory_of_gpu_args {
    pub va_addr: u64,
    pub size: u64,
    pub handle: u64,
    pub mmap_offset: u64,
    pub gpu_id: u32,
    pub flags: u32,
}
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct kfd_ioctl_alloc_queue_gws_args {
    pub queue_id: u32,
    pub num_gws: u32,
    pub first_gws: u32,
    pub pad: u32,
}
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct kfd_ioctl_create_event_args {
    pub event_page_offset: u64,
    pub event_trigger_data: u32,
    pub event_type: u32,
    pub auto_reset: u32,
    pub node_id: u32,
    pub event_id: u32,
    pub event_slot_index: u32,
}
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct kfd_ioctl_create_queue_args {
    pub ring_base_address: u64,
    pub write_pointer_address: u64,
    pub read_pointer_address: u64,
    pub doorbell_offset: u64,
    pub ring_size: u32,
    pub gpu_id: u32,
    pub queue_type: u32,
    pub queue_percentage: u32,
    pub queue_priority: u32,
    pub queue_id: u32,
    pub eop_buffer_address: u64,
    pub eop_buffer_size: u64,
    pub ctx_save_restore_address: u64,
    pub ctx_save_restore_size: u32,
    pub ctl_stack_size: u32,
    /// Since KFD 1.17.
    pub sdma_engine_id: u32,
    /// Since KFD 1.22.
    pub metadata_ring_size: u32,
}
/// Since KFD 1.7.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct kfd_ioctl_criu_args {
    pub devices: u64,
    pub bos: u64,
    pub priv_data: u64,
    pub priv_data_size: u64,
    pub num_devices: u32,
    pub num_bos: u32,
    pub num_objects: u32,
    pub pid: u32,
    pub op: u32,
}
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct kfd_ioctl_dbg_address_watch_args {
    pub content_ptr: u64,
    pub gpu_id: u32,
    pub buf_size_in_bytes: u32,
}
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct kfd_ioctl_dbg_register_args {
    pub gpu_id: u32,
    pub pad: u32,
}
/// Since KFD 1.13.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct kfd_ioctl_dbg_trap_args {
    /// Since KFD 1.13.
    pub pid: u32,
    /// Since KFD 1.13.
    pub op: u32,
    /// Since KFD 1.13.
    pub __bindgen_anon_1: kfd_ioctl_dbg_trap_args__bindgen_ty_1,
}
/// Since KFD 1.13.
#[repr(C)]
#[derive(Clone, Copy)]
pub union kfd_ioctl_dbg_trap_args__bindgen_ty_1 {
    /// Since KFD 1.13.
    pub enable: kfd_ioctl_dbg_trap_enable_args,
    /// Since KFD 1.13.
    pub send_runtime_event: kfd_ioctl_dbg_trap_send_runtime_event_args,
    /// Since KFD 1.13.
    pub set_exceptions_enabled: kfd_ioctl_dbg_trap_set_exceptions_enabled_args,
    /// Since KFD 1.13.
    pub launch_override: kfd_ioctl_dbg_trap_set_wave_launch_override_args,
    /// Since KFD 1.13.
    pub launch_mode: kfd_ioctl_dbg_trap_set_wave_launch_mode_args,
    /// Since KFD 1.13.
    pub suspend_queues: kfd_ioctl_dbg_trap_suspend_queues_args,
    /// Since KFD 1.13.
    pub resume_queues: kfd_ioctl_dbg_trap_resume_queues_args,
    /// Since KFD 1.13.
    pub set_node_address_watch: kfd_ioctl_dbg_trap_set_node_address_watch_args,
    /// Since KFD 1.13.
    pub clear_node_address_watch: kfd_ioctl_dbg_trap_clear_node_address_watch_args,
    /// Since KFD 1.13.
    pub set_flags: kfd_ioctl_dbg_trap_set_flags_args,
    /// Since KFD 1.13.
    pub query_debug_event: kfd_ioctl_dbg_trap_query_debug_event_args,
    /// Since KFD 1.13.
    pub query_exception_info: kfd_ioctl_dbg_trap_query_exception_info_args,
    /// Since KFD 1.13.
    pub queue_snapshot: kfd_ioctl_dbg_trap_queue_snapshot_args,
    /// Since KFD 1.13.
    pub device_snapshot: kfd_ioctl_dbg_trap_device_snapshot_args,
}
/// Since KFD 1.13.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct kfd_ioctl_dbg_trap_clear_node_address_watch_args {
    /// Since KFD 1.13.
    pub gpu_id: u32,
    /// Since KFD 1.13.
    pub id: u32,
}
/// Since KFD 1.13.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct kfd_ioctl_dbg_trap_device_snapshot_args {
    /// Since KFD 1.13.
    pub exception_mask: u64,
    /// Since KFD 1.13.
    pub snapshot_buf_ptr: u64,
    /// Since KFD 1.13.
    pub num_devices: u32,
    /// Since KFD 1.13.
    pub entry_size: u32,
}
/// Since KFD 1.13.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct kfd_ioctl_dbg_trap_enable_args {
    /// Since KFD 1.13.
    pub exception_mask: u64,
    /// Since KFD 1.13.
    pub rinfo_ptr: u64,
    /// Since KFD 1.13.
    pub rinfo_size: u32,
    /// Since KFD 1.13.
    pub dbg_fd: u32,
}
/// Since KFD 1.13.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct kfd_ioctl_dbg_trap_query_debug_event_args {
    /// Since KFD 1.13.
    pub exception_mask: u64,
    /// Since KFD 1.13.
    pub gpu_id: u32,
    /// Since KFD 1.13.
    pub queue_id: u32,
}
/// Since KFD 1.13.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct kfd_ioctl_dbg_trap_query_exception_info_args {
    /// Since KFD 1.13.
    pub info_ptr: u64,
    /// Since KFD 1.13.
    pub info_size: u32,
    /// Since KFD 1.13.
    pub source_id: u32,
    /// Since KFD 1.13.
    pub exception_code: u32,
    /// Since KFD 1.13.
    pub clear_exception: u32,
}
/// Since KFD 1.13.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct kfd_ioctl_dbg_trap_queue_snapshot_args {
    /// Since KFD 1.13.
    pub exception_mask: u64,
    /// Since KFD 1.13.
    pub snapshot_buf_ptr: u64,
    /// Since KFD 1.13.
    pub num_queues: u32,
    /// Since KFD 1.13.
    pub entry_size: u32,
}
/// Since KFD 1.13.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct kfd_ioctl_dbg_trap_resume_queues_args {
    /// Since KFD 1.13.
    pub queue_array_ptr: u64,
    /// Since KFD 1.13.
    pub num_queues: u32,
    /// Since KFD 1.13.
    pub pad: u32,
}
/// Since KFD 1.13.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct kfd_ioctl_dbg_trap_send_runtime_event_args {
    /// Since KFD 1.13.
    pub exception_mask: u64,
    /// Since KFD 1.13.
    pub gpu_id: u32,
    /// Since KFD 1.13.
    pub queue_id: u32,
}
/// Since KFD 1.13.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct kfd_ioctl_dbg_trap_set_exceptions_enabled_args {
    /// Since KFD 1.13.
    pub exception_mask: u64,
}
/// Since KFD 1.13.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct kfd_ioctl_dbg_trap_set_flags_args {
    /// Since KFD 1.13.
    pub flags: u32,
    /// Since KFD 1.13.
    pub pad: u32,
}
/// Since KFD 1.13.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct kfd_ioctl_dbg_trap_set_node_address_watch_args {
    /// Since KFD 1.13.
    pub address: u64,
    /// Since KFD 1.13.
    pub mode: u32,
    /// Since KFD 1.13.
    pub mask: u32,
    /// Since KFD 1.13.
    pub gpu_id: u32,
    /// Since KFD 1.13.
    pub id: u32,
}
/// Since KFD 1.13.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct kfd_ioctl_dbg_trap_set_wave_launch_mode_args {
    /// Since KFD 1.13.
    pub launch_mode: u32,
    /// Since KFD 1.13.
    pub pad: u32,
}
/// Since KFD 1.13.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct kfd_ioctl_dbg_trap_set_wave_launch_override_args {
    /// Since KFD 1.13.
    pub override_mode: u32,
    /// Since KFD 1.13.
    pub enable_mask: u32,
    /// Since KFD 1.13.
    pub support_request_mask: u32,
    /// Since KFD 1.13.
    pub pad: u32,
}
/// Since KFD 1.13.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct kfd_ioctl_dbg_trap_suspend_queues_args {
    /// Since KFD 1.13.
    pub exception_mask: u64,
    /// Since KFD 1.13.
    pub queue_array_ptr: u64,
    /// Since KFD 1.13.
    pub num_queues: u32,
    /// Since KFD 1.13.
    pub grace_period: u32,
}
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct kfd_ioctl_dbg_unregister_args {
    pub gpu_id: u32,
    pub pad: u32,
}
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct kfd_ioctl_dbg_wave_control_args {
    pub content_ptr: u64,
    pub gpu_id: u32,
    pub buf_size_in_bytes: u32,
}
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct kfd_ioctl_destroy_event_args {
    pub event_id: u32,
    pub pad: u32,
}
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct kfd_ioctl_destroy_queue_args {
    pub queue_id: u32,
    pub pad: u32,
}
/// Since KFD 1.12.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct kfd_ioctl_export_dmabuf_args {
    pub handle: u64,
    pub flags: u32,
    pub dmabuf_fd: u32,
}
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct kfd_ioctl_free_memory_of_gpu_args {
    pub handle: u64,
}
/// Since KFD 1.9.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct kfd_ioctl_get_available_memory_args {
    pub available: u64,
    pub gpu_id: u32,
    pub pad: u32,
}
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct kfd_ioctl_get_clock_counters_args {
    pub gpu_clock_counter: u64,
    pub cpu_clock_counter: u64,
    pub system_clock_counter: u64,
    pub system_clock_freq: u64,
    pub gpu_id: u32,
    pub pad: u32,
}
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct kfd_ioctl_get_dmabuf_info_args {
    pub size: u64,
    pub metadata_ptr: u64,
    pub metadata_size: u32,
    pub gpu_id: u32,
    pub flags: u32,
    pub dmabuf_fd: u32,
}
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct kfd_ioctl_get_process_apertures_args {
    pub process_apertures: [kfd_process_device_apertures; 7],
    pub num_of_nodes: u32,
    pub pad: u32,
}
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct kfd_ioctl_get_process_apertures_new_args {
    pub kfd_process_device_apertures_ptr: u64,
    pub num_of_nodes: u32,
    pub pad: u32,
}
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct kfd_ioctl_get_queue_wave_state_args {
    pub ctl_stack_address: u64,
    pub ctl_stack_used_size: u32,
    pub save_area_used_size: u32,
    pub queue_id: u32,
    pub pad: u32,
}
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct kfd_ioctl_get_tile_config_args {
    pub tile_config_ptr: u64,
    pub macro_tile_config_ptr: u64,
    pub num_tile_configs: u32,
    pub num_macro_tile_configs: u32,
    pub gpu_id: u32,
    pub gb_addr_config: u32,
    pub num_banks: u32,
    pub num_ranks: u32,
}
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct kfd_ioctl_get_version_args {
    pub major_version: u32,
    pub minor_version: u32,
}
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct kfd_ioctl_import_dmabuf_args {
    pub va_addr: u64,
    pub handle: u64,
    pub gpu_id: u32,
    pub dmabuf_fd: u32,
}
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct kfd_ioctl_map_memory_to_gpu_args {
    pub handle: u64,
    pub device_ids_array_ptr: u64,
    pub n_devices: u32,
    pub n_success: u32,
}
/// Since KFD 1.23.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct kfd_ioctl_pmc_settings {
    pub gpu_id: u32,
    pub lock: u32,
    pub perfcount_enable: u32,
}
/// Since KFD 1.23.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct kfd_ioctl_profiler_args {
    /// Since KFD 1.23.
    pub op: u32,
    /// Since KFD 1.23.
    pub __bindgen_anon_1: kfd_ioctl_profiler_args__bindgen_ty_1,
}
/// Since KFD 1.23.
#[repr(C)]
#[derive(Clone, Copy)]
pub union kfd_ioctl_profiler_args__bindgen_ty_1 {
    /// Since KFD 1.23.
    pub pmc: kfd_ioctl_pmc_settings,
    /// Since KFD 1.23.
    pub ptl: kfd_ioctl_ptl_control,
    /// Since KFD 1.23.
    pub version: u32,
}
/// Since KFD 1.23.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct kfd_ioctl_ptl_control {
    pub gpu_id: u32,
    pub enable: u32,
}
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct kfd_ioctl_reset_event_args {
    pub event_id: u32,
    pub pad: u32,
}
/// Since KFD 1.13.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct kfd_ioctl_runtime_enable_args {
    pub r_debug: u64,
    pub mode_mask: u32,
    pub capabilities_mask: u32,
}
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct kfd_ioctl_set_cu_mask_args {
    pub queue_id: u32,
    pub num_cu_mask: u32,
    pub cu_mask_ptr: u64,
}
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct kfd_ioctl_set_event_args {
    pub event_id: u32,
    pub pad: u32,
}
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct kfd_ioctl_set_memory_policy_args {
    pub alternate_aperture_base: u64,
    pub alternate_aperture_size: u64,
    pub gpu_id: u32,
    pub default_policy: u32,
    pub alternate_policy: u32,
    /// Since KFD 1.18.
    pub misc_process_flag: u32,
}
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct kfd_ioctl_set_scratch_backing_va_args {
    pub va_addr: u64,
    pub gpu_id: u32,
    pub pad: u32,
}
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct kfd_ioctl_set_trap_handler_args {
    pub tba_addr: u64,
    pub tma_addr: u64,
    pub gpu_id: u32,
    pub pad: u32,
}
/// Since KFD 1.5.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct kfd_ioctl_set_xnack_mode_args {
    pub xnack_enabled: i32,
}
/// Since KFD 1.3.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct kfd_ioctl_smi_events_args {
    pub gpuid: u32,
    pub anon_fd: u32,
}
/// Since KFD 1.5.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct kfd_ioctl_svm_args {
    pub start_addr: u64,
    pub size: u64,
    pub op: u32,
    pub nattr: u32,
    pub attrs: [kfd_ioctl_svm_attribute; 0],
}
/// Since KFD 1.5.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct kfd_ioctl_svm_attribute {
    pub type_: u32,
    pub value: u32,
}
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct kfd_ioctl_unmap_memory_from_gpu_args {
    pub handle: u64,
    pub device_ids_array_ptr: u64,
    pub n_devices: u32,
    pub n_success: u32,
}
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct kfd_ioctl_update_queue_args {
    pub ring_base_address: u64,
    pub queue_id: u32,
    pub ring_size: u32,
    pub queue_percentage: u32,
    pub queue_priority: u32,
}
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct kfd_ioctl_wait_events_args {
    pub events_ptr: u64,
    pub num_events: u32,
    pub wait_for_all: u32,
    pub timeout: u32,
    pub wait_result: u32,
}
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct kfd_memory_exception_failure {
    pub NotPresent: u32,
    pub ReadOnly: u32,
    pub NoExecute: u32,
    pub imprecise: u32,
}
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct kfd_process_device_apertures {
    pub lds_base: u64,
    pub lds_limit: u64,
    pub scratch_base: u64,
    pub scratch_limit: u64,
    pub gpuvm_base: u64,
    pub gpuvm_limit: u64,
    pub gpu_id: u32,
    pub pad: u32,
}
/// Since KFD 1.13.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct kfd_queue_snapshot_entry {
    pub exception_status: u64,
    pub ring_base_address: u64,
    pub write_pointer_address: u64,
    pub read_pointer_address: u64,
    pub ctx_save_restore_address: u64,
    pub queue_id: u32,
    pub gpu_id: u32,
    pub ring_size: u32,
    pub queue_type: u32,
    pub ctx_save_restore_area_size: u32,
    pub reserved: u32,
}
/// Since KFD 1.13.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct kfd_runtime_info {
    pub r_debug: u64,
    pub runtime_state: u32,
    pub ttmp_setup: u32,
}
zeroed_default! {
    dma_buf_export_sync_file,
    dma_buf_import_sync_file,
    dma_buf_sync,
    drm_amdgpu_bo_list,
    drm_amdgpu_bo_list_entry,
    drm_amdgpu_bo_list_in,
    drm_amdgpu_bo_list_out,
    drm_amdgpu_cs,
    drm_amdgpu_cs_chunk,
    drm_amdgpu_cs_chunk_cp_gfx_shadow,
    drm_amdgpu_cs_chunk_data,
    drm_amdgpu_cs_chunk_data__bindgen_ty_1,
    drm_amdgpu_cs_chunk_dep,
    drm_amdgpu_cs_chunk_fence,
    drm_amdgpu_cs_chunk_ib,
    drm_amdgpu_cs_chunk_sem,
    drm_amdgpu_cs_chunk_syncobj,
    drm_amdgpu_cs_in,
    drm_amdgpu_cs_out,
    drm_amdgpu_ctx,
    drm_amdgpu_ctx_in,
    drm_amdgpu_ctx_out,
    drm_amdgpu_ctx_out__bindgen_ty_1,
    drm_amdgpu_ctx_out__bindgen_ty_2,
    drm_amdgpu_ctx_out__bindgen_ty_3,
    drm_amdgpu_fence,
    drm_amdgpu_fence_to_handle,
    drm_amdgpu_fence_to_handle__bindgen_ty_1,
    drm_amdgpu_fence_to_handle__bindgen_ty_2,
    drm_amdgpu_gem_create,
    drm_amdgpu_gem_create_in,
    drm_amdgpu_gem_create_out,
    drm_amdgpu_gem_list_handles,
    drm_amdgpu_gem_list_handles_entry,
    drm_amdgpu_gem_metadata,
    drm_amdgpu_gem_metadata__bindgen_ty_1,
    drm_amdgpu_gem_mmap,
    drm_amdgpu_gem_mmap_in,
    drm_amdgpu_gem_mmap_out,
    drm_amdgpu_gem_op,
    drm_amdgpu_gem_userptr,
    drm_amdgpu_gem_va,
    drm_amdgpu_gem_vm_entry,
    drm_amdgpu_gem_wait_idle,
    drm_amdgpu_gem_wait_idle_in,
    drm_amdgpu_gem_wait_idle_out,
    drm_amdgpu_heap_info,
    drm_amdgpu_info,
    drm_amdgpu_info__bindgen_ty_1,
    drm_amdgpu_info__bindgen_ty_1__bindgen_ty_1,
    drm_amdgpu_info__bindgen_ty_1__bindgen_ty_2,
    drm_amdgpu_info__bindgen_ty_1__bindgen_ty_3,
    drm_amdgpu_info__bindgen_ty_1__bindgen_ty_4,
    drm_amdgpu_info__bindgen_ty_1__bindgen_ty_5,
    drm_amdgpu_info__bindgen_ty_1__bindgen_ty_6,
    drm_amdgpu_info_device,
    drm_amdgpu_info_firmware,
    drm_amdgpu_info_gds,
    drm_amdgpu_info_gpuvm_fault,
    drm_amdgpu_info_hw_ip,
    drm_amdgpu_info_num_handles,
    drm_amdgpu_info_uq_metadata,
    drm_amdgpu_info_uq_metadata__bindgen_ty_1,
    drm_amdgpu_info_uq_metadata_compute,
    drm_amdgpu_info_uq_metadata_gfx,
    drm_amdgpu_info_uq_metadata_sdma,
    drm_amdgpu_info_vbios,
    drm_amdgpu_info_vce_clock_table,
    drm_amdgpu_info_vce_clock_table_entry,
    drm_amdgpu_info_video_caps,
    drm_amdgpu_info_video_codec_info,
    drm_amdgpu_info_vram_gtt,
    drm_amdgpu_memory_info,
    drm_amdgpu_query_fw,
    drm_amdgpu_sched,
    drm_amdgpu_sched_in,
    drm_amdgpu_userq,
    drm_amdgpu_userq_fence_info,
    drm_amdgpu_userq_in,
    drm_amdgpu_userq_mqd_compute_gfx11,
    drm_amdgpu_userq_mqd_gfx11,
    drm_amdgpu_userq_mqd_sdma_gfx11,
    drm_amdgpu_userq_out,
    drm_amdgpu_userq_signal,
    drm_amdgpu_userq_wait,
    drm_amdgpu_vm,
    drm_amdgpu_vm_in,
    drm_amdgpu_vm_out,
    drm_amdgpu_wait_cs,
    drm_amdgpu_wait_cs_in,
    drm_amdgpu_wait_cs_out,
    drm_amdgpu_wait_fences,
    drm_amdgpu_wait_fences_in,
    drm_amdgpu_wait_fences_out,
    drm_auth,
    drm_client,
    drm_color_ctm_3x4,
    drm_gem_change_handle,
    drm_gem_close,
    drm_gem_flink,
    drm_gem_open,
    drm_get_cap,
    drm_prime_handle,
    drm_set_client_cap,
    drm_syncobj_array,
    drm_syncobj_create,
    drm_syncobj_destroy,
    drm_syncobj_eventfd,
    drm_syncobj_handle,
    drm_syncobj_timeline_array,
    drm_syncobj_timeline_wait,
    drm_syncobj_transfer,
    drm_syncobj_wait,
    drm_unique,
    drm_version,
    kfd_context_save_area_header,
    kfd_context_save_area_header__bindgen_ty_1,
    kfd_criu_bo_bucket,
    kfd_criu_device_bucket,
    kfd_dbg_device_info_entry,
    kfd_event_data,
    kfd_event_data__bindgen_ty_1,
    kfd_hsa_hw_exception_data,
    kfd_hsa_memory_exception_data,
    kfd_hsa_signal_event_data,
    kfd_ioctl_acquire_vm_args,
    kfd_ioctl_alloc_memory_of_gpu_args,
    kfd_ioctl_alloc_queue_gws_args,
    kfd_ioctl_create_event_args,
    kfd_ioctl_create_queue_args,
    kfd_ioctl_criu_args,
    kfd_ioctl_dbg_address_watch_args,
    kfd_ioctl_dbg_register_args,
    kfd_ioctl_dbg_trap_args,
    kfd_ioctl_dbg_trap_args__bindgen_ty_1,
    kfd_ioctl_dbg_trap_clear_node_address_watch_args,
    kfd_ioctl_dbg_trap_device_snapshot_args,
    kfd_ioctl_dbg_trap_enable_args,
    kfd_ioctl_dbg_trap_query_debug_event_args,
    kfd_ioctl_dbg_trap_query_exception_info_args,
    kfd_ioctl_dbg_trap_queue_snapshot_args,
    kfd_ioctl_dbg_trap_resume_queues_args,
    kfd_ioctl_dbg_trap_send_runtime_event_args,
    kfd_ioctl_dbg_trap_set_exceptions_enabled_args,
    kfd_ioctl_dbg_trap_set_flags_args,
    kfd_ioctl_dbg_trap_set_node_address_watch_args,
    kfd_ioctl_dbg_trap_set_wave_launch_mode_args,
    kfd_ioctl_dbg_trap_set_wave_launch_override_args,
    kfd_ioctl_dbg_trap_suspend_queues_args,
    kfd_ioctl_dbg_unregister_args,
    kfd_ioctl_dbg_wave_control_args,
    kfd_ioctl_destroy_event_args,
    kfd_ioctl_destroy_queue_args,
    kfd_ioctl_export_dmabuf_args,
    kfd_ioctl_free_memory_of_gpu_args,
    kfd_ioctl_get_available_memory_args,
    kfd_ioctl_get_clock_counters_args,
    kfd_ioctl_get_dmabuf_info_args,
    kfd_ioctl_get_process_apertures_args,
    kfd_ioctl_get_process_apertures_new_args,
    kfd_ioctl_get_queue_wave_state_args,
    kfd_ioctl_get_tile_config_args,
    kfd_ioctl_get_version_args,
    kfd_ioctl_import_dmabuf_args,
    kfd_ioctl_map_memory_to_gpu_args,
    kfd_ioctl_pmc_settings,
    kfd_ioctl_profiler_args,
    kfd_ioctl_profiler_args__bindgen_ty_1,
    kfd_ioctl_ptl_control,
    kfd_ioctl_reset_event_args,
    kfd_ioctl_runtime_enable_args,
    kfd_ioctl_set_cu_mask_args,
    kfd_ioctl_set_event_args,
    kfd_ioctl_set_memory_policy_args,
    kfd_ioctl_set_scratch_backing_va_args,
    kfd_ioctl_set_trap_handler_args,
    kfd_ioctl_set_xnack_mode_args,
    kfd_ioctl_smi_events_args,
    kfd_ioctl_svm_args,
    kfd_ioctl_svm_attribute,
    kfd_ioctl_unmap_memory_from_gpu_args,
    kfd_ioctl_update_queue_args,
    kfd_ioctl_wait_events_args,
    kfd_memory_exception_failure,
    kfd_process_device_apertures,
    kfd_queue_snapshot_entry,
    kfd_runtime_info,
}
ioctls! {
    AMDKFD_IOC_ACQUIRE_VM = 0x40084b15, amdkfd_ioc_acquire_vm(&mut kfd_ioctl_acquire_vm_args) since 1;
    AMDKFD_IOC_ALLOC_MEMORY_OF_GPU = 0xc0284b16, amdkfd_ioc_alloc_memory_of_gpu(&mut kfd_ioctl_alloc_memory_of_gpu_args) since 1;
    AMDKFD_IOC_ALLOC_QUEUE_GWS = 0xc0104b1e, amdkfd_ioc_alloc_queue_gws(&mut kfd_ioctl_alloc_queue_gws_args) since 1;
    AMDKFD_IOC_AVAILABLE_MEMORY = 0xc0104b23, amdkfd_ioc_available_memory(&mut kfd_ioctl_get_available_memory_args) since 9;
    AMDKFD_IOC_CREATE_EVENT = 0xc0204b08, amdkfd_ioc_create_event(&mut kfd_ioctl_create_event_args) since 1;
    AMDKFD_IOC_CREATE_PROCESS = 0x4b27, amdkfd_ioc_create_process() since 19;
    AMDKFD_IOC_CREATE_QUEUE = 0xc0604b02, amdkfd_ioc_create_queue(&mut kfd_ioctl_create_queue_args) since 1;
    AMDKFD_IOC_CRIU_OP = 0xc0384b22, amdkfd_ioc_criu_op(&mut kfd_ioctl_criu_args) since 7;
    AMDKFD_IOC_DBG_ADDRESS_WATCH_DEPRECATED = 0x40104b0f, amdkfd_ioc_dbg_address_watch_deprecated(&mut kfd_ioctl_dbg_address_watch_args) since 1;
    AMDKFD_IOC_DBG_REGISTER_DEPRECATED = 0x40084b0d, amdkfd_ioc_dbg_register_deprecated(&mut kfd_ioctl_dbg_register_args) since 1;
    AMDKFD_IOC_DBG_TRAP = 0xc0204b26, amdkfd_ioc_dbg_trap(&mut kfd_ioctl_dbg_trap_args) since 13;
    AMDKFD_IOC_DBG_UNREGISTER_DEPRECATED = 0x40084b0e, amdkfd_ioc_dbg_unregister_deprecated(&mut kfd_ioctl_dbg_unregister_args) since 1;
    AMDKFD_IOC_DBG_WAVE_CONTROL_DEPRECATED = 0x40104b10, amdkfd_ioc_dbg_wave_control_deprecated(&mut kfd_ioctl_dbg_wave_control_args) since 1;
    AMDKFD_IOC_DESTROY_EVENT = 0x40084b09, amdkfd_ioc_destroy_event(&mut kfd_ioctl_destroy_event_args) since 1;
    AMDKFD_IOC_DESTROY_QUEUE = 0xc0084b03, amdkfd_ioc_destroy_queue(&mut kfd_ioctl_destroy_queue_args) since 1;
    AMDKFD_IOC_EXPORT_DMABUF = 0xc0104b24, amdkfd_ioc_export_dmabuf(&mut kfd_ioctl_export_dmabuf_args) since 12;
    AMDKFD_IOC_FREE_MEMORY_OF_GPU = 0x40084b17, amdkfd_ioc_free_memory_of_gpu(&mut kfd_ioctl_free_memory_of_gpu_args) since 1;
    AMDKFD_IOC_GET_CLOCK_COUNTERS = 0xc0284b05, amdkfd_ioc_get_clock_counters(&mut kfd_ioctl_get_clock_counters_args) since 1;
    AMDKFD_IOC_GET_DMABUF_INFO = 0xc0204b1c, amdkfd_ioc_get_dmabuf_info(&mut kfd_ioctl_get_dmabuf_info_args) since 1;
    AMDKFD_IOC_GET_PROCESS_APERTURES = 0x81904b06, amdkfd_ioc_get_process_apertures(&mut kfd_ioctl_get_process_apertures_args) since 1;
    AMDKFD_IOC_GET_PROCESS_APERTURES_NEW = 0xc0104b14, amdkfd_ioc_get_process_apertures_new(&mut kfd_ioctl_get_process_apertures_new_args) since 1;
    AMDKFD_IOC_GET_QUEUE_WAVE_STATE = 0xc0184b1b, amdkfd_ioc_get_queue_wave_state(&mut kfd_ioctl_get_queue_wave_state_args) since 1;
    AMDKFD_IOC_GET_TILE_CONFIG = 0xc0284b12, amdkfd_ioc_get_tile_config(&mut kfd_ioctl_get_tile_config_args) since 1;
    AMDKFD_IOC_GET_VERSION = 0x80084b01, amdkfd_ioc_get_version(&mut kfd_ioctl_get_version_args) since 1;
    AMDKFD_IOC_IMPORT_DMABUF = 0xc0184b1d, amdkfd_ioc_import_dmabuf(&mut kfd_ioctl_import_dmabuf_args) since 1;
    AMDKFD_IOC_MAP_MEMORY_TO_GPU = 0xc0184b18, amdkfd_ioc_map_memory_to_gpu(&mut kfd_ioctl_map_memory_to_gpu_args) since 1;
    AMDKFD_IOC_PROFILER = 0xc0104b28, amdkfd_ioc_profiler(&mut kfd_ioctl_profiler_args) since 23;
    AMDKFD_IOC_RESET_EVENT = 0x40084b0b, amdkfd_ioc_reset_event(&mut kfd_ioctl_reset_event_args) since 1;
    AMDKFD_IOC_RUNTIME_ENABLE = 0xc0104b25, amdkfd_ioc_runtime_enable(&mut kfd_ioctl_runtime_enable_args) since 13;
    AMDKFD_IOC_SET_CU_MASK = 0x40104b1a, amdkfd_ioc_set_cu_mask(&mut kfd_ioctl_set_cu_mask_args) since 1;
    AMDKFD_IOC_SET_EVENT = 0x40084b0a, amdkfd_ioc_set_event(&mut kfd_ioctl_set_event_args) since 1;
    AMDKFD_IOC_SET_MEMORY_POLICY = 0x40204b04, amdkfd_ioc_set_memory_policy(&mut kfd_ioctl_set_memory_policy_args) since 1;
    AMDKFD_IOC_SET_SCRATCH_BACKING_VA = 0xc0104b11, amdkfd_ioc_set_scratch_backing_va(&mut kfd_ioctl_set_scratch_backing_va_args) since 1;
    AMDKFD_IOC_SET_TRAP_HANDLER = 0x40184b13, amdkfd_ioc_set_trap_handler(&mut kfd_ioctl_set_trap_handler_args) since 1;
    AMDKFD_IOC_SET_XNACK_MODE = 0xc0044b21, amdkfd_ioc_set_xnack_mode(&mut kfd_ioctl_set_xnack_mode_args) since 5;
    AMDKFD_IOC_SMI_EVENTS = 0xc0084b1f, amdkfd_ioc_smi_events(&mut kfd_ioctl_smi_events_args) since 3;
    AMDKFD_IOC_SVM = 0xc0184b20, amdkfd_ioc_svm(&mut kfd_ioctl_svm_args, nattr of kfd_ioctl_svm_attribute) since 5;
    AMDKFD_IOC_UNMAP_MEMORY_FROM_GPU = 0xc0184b19, amdkfd_ioc_unmap_memory_from_gpu(&mut kfd_ioctl_unmap_memory_from_gpu_args) since 1;
    AMDKFD_IOC_UPDATE_QUEUE = 0x40184b07, amdkfd_ioc_update_queue(&mut kfd_ioctl_update_queue_args) since 1;
    AMDKFD_IOC_WAIT_EVENTS = 0xc0184b0c, amdkfd_ioc_wait_events(&mut kfd_ioctl_wait_events_args) since 1;
    DMA_BUF_IOCTL_EXPORT_SYNC_FILE = 0xc0086202, dma_buf_ioctl_export_sync_file(&mut dma_buf_export_sync_file);
    DMA_BUF_IOCTL_IMPORT_SYNC_FILE = 0x40086203, dma_buf_ioctl_import_sync_file(&mut dma_buf_import_sync_file);
    DMA_BUF_IOCTL_SYNC = 0x40086200, dma_buf_ioctl_sync(&mut dma_buf_sync);
    DRM_IOCTL_AMDGPU_BO_LIST = 0xc0186443, drm_ioctl_amdgpu_bo_list(&mut drm_amdgpu_bo_list);
    DRM_IOCTL_AMDGPU_CS = 0xc0186444, drm_ioctl_amdgpu_cs(&mut drm_amdgpu_cs);
    DRM_IOCTL_AMDGPU_CTX = 0xc0106442, drm_ioctl_amdgpu_ctx(&mut drm_amdgpu_ctx);
    DRM_IOCTL_AMDGPU_FENCE_TO_HANDLE = 0xc0206454, drm_ioctl_amdgpu_fence_to_handle(&mut drm_amdgpu_fence_to_handle);
    DRM_IOCTL_AMDGPU_GEM_CREATE = 0xc0206440, drm_ioctl_amdgpu_gem_create(&mut drm_amdgpu_gem_create);
    DRM_IOCTL_AMDGPU_GEM_LIST_HANDLES = 0xc0106459, drm_ioctl_amdgpu_gem_list_handles(&mut drm_amdgpu_gem_list_handles);
    DRM_IOCTL_AMDGPU_GEM_METADATA = 0xc1206446, drm_ioctl_amdgpu_gem_metadata(&mut drm_amdgpu_gem_metadata);
    DRM_IOCTL_AMDGPU_GEM_MMAP = 0xc0086441, drm_ioctl_amdgpu_gem_mmap(&mut drm_amdgpu_gem_mmap);
    DRM_IOCTL_AMDGPU_GEM_OP = 0xc0186450, drm_ioctl_amdgpu_gem_op(&mut drm_amdgpu_gem_op);
    DRM_IOCTL_AMDGPU_GEM_USERPTR = 0xc0186451, drm_ioctl_amdgpu_gem_userptr(&mut drm_amdgpu_gem_userptr);
    DRM_IOCTL_AMDGPU_GEM_VA = 0x40406448, drm_ioctl_amdgpu_gem_va(&mut drm_amdgpu_gem_va);
    DRM_IOCTL_AMDGPU_GEM_WAIT_IDLE = 0xc0106447, drm_ioctl_amdgpu_gem_wait_idle(&mut drm_amdgpu_gem_wait_idle);
    DRM_IOCTL_AMDGPU_INFO = 0x40206445, drm_ioctl_amdgpu_info(&mut drm_amdgpu_info);
    DRM_IOCTL_AMDGPU_SCHED = 0x40106455, drm_ioctl_amdgpu_sched(&mut drm_amdgpu_sched);
    DRM_IOCTL_AMDGPU_USERQ = 0xc0486456, drm_ioctl_amdgpu_userq(&mut drm_amdgpu_userq);
    DRM_IOCTL_AMDGPU_USERQ_SIGNAL = 0xc0306457, drm_ioctl_amdgpu_userq_signal(&mut drm_amdgpu_userq_signal);
    DRM_IOCTL_AMDGPU_USERQ_WAIT = 0xc0486458, drm_ioctl_amdgpu_userq_wait(&mut drm_amdgpu_userq_wait);
    DRM_IOCTL_AMDGPU_VM = 0xc0086453, drm_ioctl_amdgpu_vm(&mut drm_amdgpu_vm);
    DRM_IOCTL_AMDGPU_WAIT_CS = 0xc0206449, drm_ioctl_amdgpu_wait_cs(&mut drm_amdgpu_wait_cs);
    DRM_IOCTL_AMDGPU_WAIT_FENCES = 0xc0186452, drm_ioctl_amdgpu_wait_fences(&mut drm_amdgpu_wait_fences);
    DRM_IOCTL_AUTH_MAGIC = 0x40046411, drm_ioctl_auth_magic(&mut drm_auth);
    DRM_IOCTL_GEM_CHANGE_HANDLE = 0xc00864d2, drm_ioctl_gem_change_handle(&mut drm_gem_change_handle);
    DRM_IOCTL_GEM_CLOSE = 0x40086409, drm_ioctl_gem_close(&mut drm_gem_close);
    DRM_IOCTL_GEM_FLINK = 0xc008640a, drm_ioctl_gem_flink(&mut drm_gem_flink);
    DRM_IOCTL_GEM_OPEN = 0xc010640b, drm_ioctl_gem_open(&mut drm_gem_open);
    DRM_IOCTL_GET_CAP = 0xc010640c, drm_ioctl_get_cap(&mut drm_get_cap);
    DRM_IOCTL_GET_CLIENT = 0xc0286405, drm_ioctl_get_client(&mut drm_client);
    DRM_IOCTL_GET_MAGIC = 0x80046402, drm_ioctl_get_magic(&mut drm_auth);
    DRM_IOCTL_GET_UNIQUE = 0xc0106401, drm_ioctl_get_unique(&mut drm_unique);
    DRM_IOCTL_PRIME_FD_TO_HANDLE = 0xc00c642e, drm_ioctl_prime_fd_to_handle(&mut drm_prime_handle);
    DRM_IOCTL_PRIME_HANDLE_TO_FD = 0xc00c642d, drm_ioctl_prime_handle_to_fd(&mut drm_prime_handle);
    DRM_IOCTL_SET_CLIENT_CAP = 0x4010640d, drm_ioctl_set_client_cap(&mut drm_set_client_cap);
    DRM_IOCTL_SYNCOBJ_CREATE = 0xc00864bf, drm_ioctl_syncobj_create(&mut drm_syncobj_create);
    DRM_IOCTL_SYNCOBJ_DESTROY = 0xc00864c0, drm_ioctl_syncobj_destroy(&mut drm_syncobj_destroy);
    DRM_IOCTL_SYNCOBJ_EVENTFD = 0xc01864cf, drm_ioctl_syncobj_eventfd(&mut drm_syncobj_eventfd);
    DRM_IOCTL_SYNCOBJ_FD_TO_HANDLE = 0xc01864c2, drm_ioctl_syncobj_fd_to_handle(&mut drm_syncobj_handle);
    DRM_IOCTL_SYNCOBJ_HANDLE_TO_FD = 0xc01864c1, drm_ioctl_syncobj_handle_to_fd(&mut drm_syncobj_handle);
    DRM_IOCTL_SYNCOBJ_QUERY = 0xc01864cb, drm_ioctl_syncobj_query(&mut drm_syncobj_timeline_array);
    DRM_IOCTL_SYNCOBJ_RESET = 0xc01064c4, drm_ioctl_syncobj_reset(&mut drm_syncobj_array);
    DRM_IOCTL_SYNCOBJ_SIGNAL = 0xc01064c5, drm_ioctl_syncobj_signal(&mut drm_syncobj_array);
    DRM_IOCTL_SYNCOBJ_TIMELINE_SIGNAL = 0xc01864cd, drm_ioctl_syncobj_timeline_signal(&mut drm_syncobj_timeline_array);
    DRM_IOCTL_SYNCOBJ_TIMELINE_WAIT = 0xc03064ca, drm_ioctl_syncobj_timeline_wait(&mut drm_syncobj_timeline_wait);
    DRM_IOCTL_SYNCOBJ_TRANSFER = 0xc02064cc, drm_ioctl_syncobj_transfer(&mut drm_syncobj_transfer);
    DRM_IOCTL_SYNCOBJ_WAIT = 0xc02864c3, drm_ioctl_syncobj_wait(&mut drm_syncobj_wait);
    DRM_IOCTL_VERSION = 0xc0406400, drm_ioctl_version(&mut drm_version);
}
