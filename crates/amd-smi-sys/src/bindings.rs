// Written by `cargo xtask bindgen` from the headers that bindings.txt names; do not edit.
#![allow(missing_docs, nonstandard_style, unused_imports, clippy::all)]
use crate::*;
use core::ffi::*;
pub const AMDSMI_APU_MAX_CORES: u32 = 16;
pub const AMDSMI_APU_MAX_IPU: u32 = 8;
pub const AMDSMI_APU_MAX_L3: u32 = 2;
pub const AMDSMI_APU_V24_CORES: u32 = 8;
pub const AMDSMI_DATE_FORMAT: &[u8; 35] = b"%04d-%02d-%02d:%02d:%02d:%02d.%03d\0";
pub const AMDSMI_DEFAULT_VARIANT: i32 = -1;
pub const AMDSMI_FABRIC_LABEL_MAX_LENGTH: u32 = 32;
pub const AMDSMI_FABRIC_PPOD_ID_SIZE: u32 = 16;
pub const AMDSMI_GPU_CUID_SIZE: u32 = 38;
pub const AMDSMI_GPU_UUID_SIZE: u32 = 38;
pub const AMDSMI_LIB_VERSION_MAJOR: u32 = 27;
pub const AMDSMI_LIB_VERSION_MINOR: u32 = 1;
pub const AMDSMI_LIB_VERSION_RELEASE: u32 = 0;
pub const AMDSMI_LIB_VERSION_YEAR: u32 = 24;
pub const AMDSMI_MAX_ACCELERATOR_PARTITIONS: u32 = 8;
pub const AMDSMI_MAX_ACCELERATOR_PROFILE: u32 = 32;
pub const AMDSMI_MAX_AID: u32 = 4;
pub const AMDSMI_MAX_CACHE_TYPES: u32 = 10;
pub const AMDSMI_MAX_CARVEOUT_OPTIONS: u32 = 16;
pub const AMDSMI_MAX_CONTAINER_TYPE: u32 = 2;
pub const AMDSMI_MAX_CP_PROFILE_RESOURCES: u32 = 32;
pub const AMDSMI_MAX_DATE_LENGTH: u32 = 32;
pub const AMDSMI_MAX_DEVICES: u32 = 32;
pub const AMDSMI_MAX_DRIVER_INFO_RSVD: u32 = 64;
pub const AMDSMI_MAX_DRIVER_VERSION_LENGTH: u32 = 80;
pub const AMDSMI_MAX_ENGINES: u32 = 8;
pub const AMDSMI_MAX_FAN_SPEED: u32 = 255;
pub const AMDSMI_MAX_MM_IP_COUNT: u32 = 8;
pub const AMDSMI_MAX_NAME: u32 = 32;
pub const AMDSMI_MAX_NIC_FW: u32 = 16;
pub const AMDSMI_MAX_NIC_PORTS: u32 = 32;
pub const AMDSMI_MAX_NIC_RDMA_DEV: u32 = 32;
pub const AMDSMI_MAX_NUMBER_OF_AFIDS_PER_RECORD: u32 = 12;
pub const AMDSMI_MAX_NUM_AID: u32 = 2;
pub const AMDSMI_MAX_NUM_CLKS: u32 = 4;
pub const AMDSMI_MAX_NUM_CLKS_PER_AID: u32 = 2;
pub const AMDSMI_MAX_NUM_CLKS_PER_MID: u32 = 2;
pub const AMDSMI_MAX_NUM_FREQUENCIES: u32 = 33;
pub const AMDSMI_MAX_NUM_GFX_CLKS: u32 = 8;
pub const AMDSMI_MAX_NUM_HBM_STACKS: u32 = 12;
pub const AMDSMI_MAX_NUM_JPEG: u32 = 32;
pub const AMDSMI_MAX_NUM_JPEG_ENG_V1: u32 = 40;
pub const AMDSMI_MAX_NUM_MID: u32 = 2;
pub const AMDSMI_MAX_NUM_NUMA_NODES: u32 = 32;
pub const AMDSMI_MAX_NUM_PM_POLICIES: u32 = 32;
pub const AMDSMI_MAX_NUM_VCN: u32 = 4;
pub const AMDSMI_MAX_NUM_XCC: u32 = 8;
pub const AMDSMI_MAX_NUM_XCP: u32 = 8;
pub const AMDSMI_MAX_NUM_XGMI_LINKS: u32 = 8;
pub const AMDSMI_MAX_NUM_XGMI_PHYSICAL_LINK: u32 = 64;
pub const AMDSMI_MAX_POWER_EFFICIENCY_PPTLIMIT: u32 = 2097151;
pub const AMDSMI_MAX_POWER_EFFICIENCY_UTIL: u32 = 127;
pub const AMDSMI_MAX_SPD_DIMM_ADDRESS: u32 = 255;
pub const AMDSMI_MAX_SPD_LID: u32 = 15;
pub const AMDSMI_MAX_SPD_REG_OFFSET: u32 = 2047;
pub const AMDSMI_MAX_SPD_REG_SPACE: u32 = 1;
pub const AMDSMI_MAX_SPD_WRITE_DATA: u32 = 255;
pub const AMDSMI_MAX_STRING_LENGTH: u32 = 256;
pub const AMDSMI_MAX_SVI3_RAIL_INDEX: u32 = 4;
pub const AMDSMI_MAX_SVI3_RAIL_SELECTION: u32 = 1;
pub const AMDSMI_MAX_UTILIZATION_VALUES: u32 = 4;
pub const AMDSMI_MAX_UUID_ELEMENTS: u32 = 16;
pub const AMDSMI_NORMAL_STRING_LENGTH: u32 = 32;
pub const AMDSMI_NUM_HBM_INSTANCES: u32 = 4;
pub const AMDSMI_NUM_VOLTAGE_CURVE_POINTS: u32 = 3;
pub const AMDSMI_POWER_EFFICIENCY_MODE_4: u32 = 4;
pub const AMDSMI_POWER_EFFICIENCY_MODE_5: u32 = 5;
pub const AMDSMI_PRODUCT_NAME_LENGTH: u32 = 128;
pub const AMDSMI_RAIL_INDEX_NONE: u32 = 4294967295;
pub const AMDSMI_TIME_FORMAT: &[u8; 20] = b"%02d:%02d:%02d.%03d\0";
pub const CENTRIGRADE_TO_MILLI_CENTIGRADE: u32 = 1000;
pub const MAX_AMDSMI_NAME_LENGTH: u32 = 64;
pub const MAX_EVENT_NOTIFICATION_MSG_SIZE: u32 = 64;
pub type __syscall_slong_t = c_long;
pub type __time_t = c_long;
pub type amdsmi_bit_field_t = u64;
pub type amdsmi_cpusocket_handle = *mut c_void;
pub type amdsmi_event_handle_t = usize;
pub type amdsmi_node_handle = *mut c_void;
pub type amdsmi_process_handle_t = u32;
pub type amdsmi_processor_handle = *mut c_void;
pub type amdsmi_socket_handle = *mut c_void;
pub type processor_type_t = amdsmi_processor_type_t;
c_enums! {
    amdsmi_accelerator_partition_mem_alloc_mode_t: c_uint {
        AMDSMI_ACCELERATOR_PARTITION_MEM_ALLOC_INVALID = 0,
        AMDSMI_ACCELERATOR_PARTITION_MEM_ALLOC_CAPPING = 1,
        AMDSMI_ACCELERATOR_PARTITION_MEM_ALLOC_ALL = 2,
    }
    amdsmi_accelerator_partition_resource_type_t: c_uint {
        AMDSMI_ACCELERATOR_XCC = 0,
        AMDSMI_ACCELERATOR_ENCODER = 1,
        AMDSMI_ACCELERATOR_DECODER = 2,
        AMDSMI_ACCELERATOR_DMA = 3,
        AMDSMI_ACCELERATOR_JPEG = 4,
        AMDSMI_ACCELERATOR_MAX = 5,
    }
    amdsmi_accelerator_partition_type_t: c_uint {
        AMDSMI_ACCELERATOR_PARTITION_INVALID = 0,
        AMDSMI_ACCELERATOR_PARTITION_SPX = 1,
        AMDSMI_ACCELERATOR_PARTITION_DPX = 2,
        AMDSMI_ACCELERATOR_PARTITION_TPX = 3,
        AMDSMI_ACCELERATOR_PARTITION_QPX = 4,
        AMDSMI_ACCELERATOR_PARTITION_CPX = 5,
        AMDSMI_ACCELERATOR_PARTITION_MAX = 6,
    }
    amdsmi_affinity_scope_t: c_uint {
        AMDSMI_AFFINITY_SCOPE_NODE = 0,
        AMDSMI_AFFINITY_SCOPE_SOCKET = 1,
    }
    amdsmi_cache_property_type_t: c_uint {
        AMDSMI_CACHE_PROPERTY_ENABLED = 1,
        AMDSMI_CACHE_PROPERTY_DATA_CACHE = 2,
        AMDSMI_CACHE_PROPERTY_INST_CACHE = 4,
        AMDSMI_CACHE_PROPERTY_CPU_CACHE = 8,
        AMDSMI_CACHE_PROPERTY_SIMD_CACHE = 16,
    }
    amdsmi_card_form_factor_t: c_uint {
        AMDSMI_CARD_FORM_FACTOR_PCIE = 0,
        AMDSMI_CARD_FORM_FACTOR_OAM = 1,
        AMDSMI_CARD_FORM_FACTOR_CEM = 2,
        AMDSMI_CARD_FORM_FACTOR_UNKNOWN = 3,
    }
    amdsmi_clk_limit_type_t: c_uint {
        AMDSMI_CLK_LIMIT_MIN = 0,
        AMDSMI_CLK_LIMIT_MAX = 1,
        CLK_LIMIT_MIN = 0,
        CLK_LIMIT_MAX = 1,
    }
    amdsmi_clk_type_t: c_uint {
        AMDSMI_CLK_TYPE_SYS = 0,
        AMDSMI_CLK_TYPE_FIRST = 0,
        AMDSMI_CLK_TYPE_GFX = 0,
        AMDSMI_CLK_TYPE_DF = 1,
        AMDSMI_CLK_TYPE_DCEF = 2,
        AMDSMI_CLK_TYPE_SOC = 3,
        AMDSMI_CLK_TYPE_MEM = 4,
        AMDSMI_CLK_TYPE_PCIE = 5,
        AMDSMI_CLK_TYPE_VCLK0 = 6,
        AMDSMI_CLK_TYPE_VCLK1 = 7,
        AMDSMI_CLK_TYPE_DCLK0 = 8,
        AMDSMI_CLK_TYPE_DCLK1 = 9,
        AMDSMI_CLK_TYPE__MAX = 9,
        CLK_TYPE_SYS = 0,
        CLK_TYPE_FIRST = 0,
        CLK_TYPE_GFX = 0,
        CLK_TYPE_DF = 1,
        CLK_TYPE_DCEF = 2,
        CLK_TYPE_SOC = 3,
        CLK_TYPE_MEM = 4,
        CLK_TYPE_PCIE = 5,
        CLK_TYPE_VCLK0 = 6,
        CLK_TYPE_VCLK1 = 7,
        CLK_TYPE_DCLK0 = 8,
        CLK_TYPE_DCLK1 = 9,
        CLK_TYPE__MAX = 9,
    }
    amdsmi_compute_partition_mem_alloc_mode_t: c_uint {
        AMDSMI_COMPUTE_PARTITION_MEM_ALLOC_INVALID = 0,
        AMDSMI_COMPUTE_PARTITION_MEM_ALLOC_CAPPING = 1,
        AMDSMI_COMPUTE_PARTITION_MEM_ALLOC_ALL = 2,
    }
    amdsmi_compute_partition_type_t: c_uint {
        AMDSMI_COMPUTE_PARTITION_INVALID = 0,
        AMDSMI_COMPUTE_PARTITION_SPX = 1,
        AMDSMI_COMPUTE_PARTITION_DPX = 2,
        AMDSMI_COMPUTE_PARTITION_TPX = 3,
        AMDSMI_COMPUTE_PARTITION_QPX = 4,
        AMDSMI_COMPUTE_PARTITION_CPX = 5,
        COMPUTE_PARTITION_INVALID = 0,
        COMPUTE_PARTITION_CPX = 1,
        COMPUTE_PARTITION_SPX = 2,
        COMPUTE_PARTITION_DPX = 3,
        COMPUTE_PARTITION_TPX = 4,
        COMPUTE_PARTITION_QPX = 5,
    }
    amdsmi_compute_tray_type_t: c_uint {
        AMDSMI_COMPUTE_TRAY_TYPE_UNKNOWN = 0,
        AMDSMI_COMPUTE_TRAY_TYPE_HELIOS_P = 1,
        AMDSMI_COMPUTE_TRAY_TYPE_HELIOS_R = 2,
        AMDSMI_COMPUTE_TRAY_TYPE_TITAN = 3,
    }
    amdsmi_container_types_t: c_uint {
        AMDSMI_CONTAINER_LXC = 0,
        AMDSMI_CONTAINER_DOCKER = 1,
        CONTAINER_LXC = 0,
        CONTAINER_DOCKER = 1,
    }
    amdsmi_counter_command_t: c_uint {
        AMDSMI_CNTR_CMD_START = 0,
        AMDSMI_CNTR_CMD_STOP = 1,
    }
    amdsmi_cper_notify_type_t: c_ulong {
        AMDSMI_CPER_NOTIFY_TYPE_CMC = 4976123370175105969,
        AMDSMI_CPER_NOTIFY_TYPE_CPE = 5356425115412803478,
        AMDSMI_CPER_NOTIFY_TYPE_MCE = 5531987820403847166,
        AMDSMI_CPER_NOTIFY_TYPE_PCIE = 5619395120325705759,
        AMDSMI_CPER_NOTIFY_TYPE_INIT = 4992964802890589160,
        AMDSMI_CPER_NOTIFY_TYPE_NMI = 4812579876830546431,
        AMDSMI_CPER_NOTIFY_TYPE_BOOT = 4655221457236894822,
        AMDSMI_CPER_NOTIFY_TYPE_DMAR = 5487573144795207569,
        AMDSMI_CPER_NOTIFY_TYPE_SEA = 1289362001033197706,
        AMDSMI_CPER_NOTIFY_TYPE_SEI = 5658685719731260545,
        AMDSMI_CPER_NOTIFY_TYPE_PEI = 4761520883332928940,
        AMDSMI_CPER_NOTIFY_TYPE_CXL_COMPONENT = 5306157213770398665,
    }
    amdsmi_cper_sev_t: c_uint {
        AMDSMI_CPER_SEV_NON_FATAL_UNCORRECTED = 0,
        AMDSMI_CPER_SEV_FATAL = 1,
        AMDSMI_CPER_SEV_NON_FATAL_CORRECTED = 2,
        AMDSMI_CPER_SEV_NUM = 3,
        AMDSMI_CPER_SEV_UNUSED = 10,
    }
    amdsmi_dev_perf_level_t: c_uint {
        AMDSMI_DEV_PERF_LEVEL_AUTO = 0,
        AMDSMI_DEV_PERF_LEVEL_FIRST = 0,
        AMDSMI_DEV_PERF_LEVEL_LOW = 1,
        AMDSMI_DEV_PERF_LEVEL_HIGH = 2,
        AMDSMI_DEV_PERF_LEVEL_MANUAL = 3,
        AMDSMI_DEV_PERF_LEVEL_STABLE_STD = 4,
        AMDSMI_DEV_PERF_LEVEL_STABLE_PEAK = 5,
        AMDSMI_DEV_PERF_LEVEL_STABLE_MIN_MCLK = 6,
        AMDSMI_DEV_PERF_LEVEL_STABLE_MIN_SCLK = 7,
        AMDSMI_DEV_PERF_LEVEL_DETERMINISM = 8,
        AMDSMI_DEV_PERF_LEVEL_LAST = 8,
        AMDSMI_DEV_PERF_LEVEL_UNKNOWN = 256,
    }
    amdsmi_event_group_t: c_uint {
        AMDSMI_EVNT_GRP_XGMI = 0,
        AMDSMI_EVNT_GRP_XGMI_DATA_OUT = 10,
        AMDSMI_EVNT_GRP_INVALID = 4294967295,
    }
    amdsmi_event_type_t: c_uint {
        AMDSMI_EVNT_FIRST = 0,
        AMDSMI_EVNT_XGMI_FIRST = 0,
        AMDSMI_EVNT_XGMI_0_NOP_TX = 0,
        AMDSMI_EVNT_XGMI_0_REQUEST_TX = 1,
        AMDSMI_EVNT_XGMI_0_RESPONSE_TX = 2,
        AMDSMI_EVNT_XGMI_0_BEATS_TX = 3,
        AMDSMI_EVNT_XGMI_1_NOP_TX = 4,
        AMDSMI_EVNT_XGMI_1_REQUEST_TX = 5,
        AMDSMI_EVNT_XGMI_1_RESPONSE_TX = 6,
        AMDSMI_EVNT_XGMI_1_BEATS_TX = 7,
        AMDSMI_EVNT_XGMI_LAST = 7,
        AMDSMI_EVNT_XGMI_DATA_OUT_FIRST = 10,
        AMDSMI_EVNT_XGMI_DATA_OUT_0 = 10,
        AMDSMI_EVNT_XGMI_DATA_OUT_1 = 11,
        AMDSMI_EVNT_XGMI_DATA_OUT_2 = 12,
        AMDSMI_EVNT_XGMI_DATA_OUT_3 = 13,
        AMDSMI_EVNT_XGMI_DATA_OUT_4 = 14,
        AMDSMI_EVNT_XGMI_DATA_OUT_5 = 15,
        AMDSMI_EVNT_XGMI_DATA_OUT_LAST = 15,
        AMDSMI_EVNT_LAST = 15,
    }
    amdsmi_evt_notification_type_t: c_uint {
        AMDSMI_EVT_NOTIF_NONE = 0,
        AMDSMI_EVT_NOTIF_VMFAULT = 1,
        AMDSMI_EVT_NOTIF_FIRST = 1,
        AMDSMI_EVT_NOTIF_THERMAL_THROTTLE = 2,
        AMDSMI_EVT_NOTIF_GPU_PRE_RESET = 3,
        AMDSMI_EVT_NOTIF_GPU_POST_RESET = 4,
        AMDSMI_EVT_NOTIF_MIGRATE_START = 5,
        AMDSMI_EVT_NOTIF_MIGRATE_END = 6,
        AMDSMI_EVT_NOTIF_PAGE_FAULT_START = 7,
        AMDSMI_EVT_NOTIF_PAGE_FAULT_END = 8,
        AMDSMI_EVT_NOTIF_QUEUE_EVICTION = 9,
        AMDSMI_EVT_NOTIF_QUEUE_RESTORE = 10,
        AMDSMI_EVT_NOTIF_UNMAP_FROM_GPU = 11,
        AMDSMI_EVT_NOTIF_PROCESS_START = 12,
        AMDSMI_EVT_NOTIF_PROCESS_END = 13,
        AMDSMI_EVT_NOTIF_LAST = 13,
    }
    amdsmi_fabric_accelerator_vpod_state_t: c_uint {
        AMDSMI_FABRIC_ACCELERATOR_VPOD_STATE_UNCONFIGURED = 0,
        AMDSMI_FABRIC_ACCELERATOR_VPOD_STATE_CONFIGURED = 1,
        AMDSMI_FABRIC_ACCELERATOR_VPOD_STATE_READY = 2,
        AMDSMI_FABRIC_ACCELERATOR_VPOD_STATE_ACTIVE = 3,
        AMDSMI_FABRIC_ACCELERATOR_VPOD_STATE_ERROR = 4,
        AMDSMI_FABRIC_ACCELERATOR_VPOD_STATE_UNKNOWN = 5,
    }
    amdsmi_fabric_npa_address_mode_t: c_uint {
        AMDSMI_FABRIC_NPA_ADDRESS_MODE_SOURCE_ALIASING = 0,
        AMDSMI_FABRIC_NPA_ADDRESS_MODE_SOURCE_IDENTIFICATION = 1,
        AMDSMI_FABRIC_NPA_ADDRESS_MODE_UNKNOWN = 2,
    }
    amdsmi_fabric_size_constants_t: c_uint {
        AMDSMI_FABRIC_ACTIVE_ACCELERATORS_BITMAP_SIZE = 32,
        AMDSMI_FABRIC_MAX_LOCAL_GPUS = 16,
    }
    amdsmi_fabric_telemetry_category_mask_t: c_uint {
        AMDSMI_FABRIC_TELEMETRY_CATEGORY_MASK_UALOE = 1,
        AMDSMI_FABRIC_TELEMETRY_CATEGORY_MASK_SWITCH = 2,
        AMDSMI_FABRIC_TELEMETRY_CATEGORY_MASK_CRYPTO = 4,
        AMDSMI_FABRIC_TELEMETRY_CATEGORY_MASK_PFC = 8,
        AMDSMI_FABRIC_TELEMETRY_CATEGORY_MASK_NETPORT = 16,
        AMDSMI_FABRIC_TELEMETRY_CATEGORY_MASK_DERIVED_UALOE = 32,
        AMDSMI_FABRIC_TELEMETRY_CATEGORY_MASK_DERIVED_NETPORT = 64,
        AMDSMI_FABRIC_TELEMETRY_CATEGORY_MASK_ALL_KNOWN = 127,
    }
    amdsmi_fabric_telemetry_category_t: c_uint {
        AMDSMI_FABRIC_TELEMETRY_CATEGORY_UALOE = 0,
        AMDSMI_FABRIC_TELEMETRY_CATEGORY_SWITCH = 1,
        AMDSMI_FABRIC_TELEMETRY_CATEGORY_CRYPTO = 2,
        AMDSMI_FABRIC_TELEMETRY_CATEGORY_PFC = 3,
        AMDSMI_FABRIC_TELEMETRY_CATEGORY_NETPORT = 4,
        AMDSMI_FABRIC_TELEMETRY_CATEGORY_DERIVED_UALOE = 5,
        AMDSMI_FABRIC_TELEMETRY_CATEGORY_DERIVED_NETPORT = 6,
        AMDSMI_FABRIC_TELEMETRY_CATEGORY_MAX = 7,
        AMDSMI_FABRIC_TELEMETRY_CATEGORY_INVALID = 4294967295,
        AMDSMI_FABRIC_TELEMETRY_CATEGORY_UNKNOWN = 4294967295,
    }
    amdsmi_fabric_type_t: c_uint {
        AMDSMI_FABRIC_TYPE_UALOE = 0,
        AMDSMI_FABRIC_TYPE_UALINK = 1,
        AMDSMI_FABRIC_TYPE_UNKNOWN = 2,
        AMDSMI_FABRIC_TYPE_UALLINK = 1,
    }
    amdsmi_freq_ind_t: c_uint {
        AMDSMI_FREQ_IND_MIN = 0,
        AMDSMI_FREQ_IND_MAX = 1,
        AMDSMI_FREQ_IND_INVALID = 4294967295,
    }
    amdsmi_fw_block_t: c_uint {
        AMDSMI_FW_ID_SMU = 1,
        AMDSMI_FW_ID_FIRST = 1,
        AMDSMI_FW_ID_CP_CE = 2,
        AMDSMI_FW_ID_CP_PFP = 3,
        AMDSMI_FW_ID_CP_ME = 4,
        AMDSMI_FW_ID_CP_MEC_JT1 = 5,
        AMDSMI_FW_ID_CP_MEC_JT2 = 6,
        AMDSMI_FW_ID_CP_MEC1 = 7,
        AMDSMI_FW_ID_CP_MEC2 = 8,
        AMDSMI_FW_ID_RLC = 9,
        AMDSMI_FW_ID_SDMA0 = 10,
        AMDSMI_FW_ID_SDMA1 = 11,
        AMDSMI_FW_ID_SDMA2 = 12,
        AMDSMI_FW_ID_SDMA3 = 13,
        AMDSMI_FW_ID_SDMA4 = 14,
        AMDSMI_FW_ID_SDMA5 = 15,
        AMDSMI_FW_ID_SDMA6 = 16,
        AMDSMI_FW_ID_SDMA7 = 17,
        AMDSMI_FW_ID_VCN = 18,
        AMDSMI_FW_ID_UVD = 19,
        AMDSMI_FW_ID_VCE = 20,
        AMDSMI_FW_ID_ISP = 21,
        AMDSMI_FW_ID_DMCU_ERAM = 22,
        AMDSMI_FW_ID_DMCU_ISR = 23,
        AMDSMI_FW_ID_RLC_RESTORE_LIST_GPM_MEM = 24,
        AMDSMI_FW_ID_RLC_RESTORE_LIST_SRM_MEM = 25,
        AMDSMI_FW_ID_RLC_RESTORE_LIST_CNTL = 26,
        AMDSMI_FW_ID_RLC_V = 27,
        AMDSMI_FW_ID_MMSCH = 28,
        AMDSMI_FW_ID_PSP_SYSDRV = 29,
        AMDSMI_FW_ID_PSP_SOSDRV = 30,
        AMDSMI_FW_ID_PSP_TOC = 31,
        AMDSMI_FW_ID_PSP_KEYDB = 32,
        AMDSMI_FW_ID_DFC = 33,
        AMDSMI_FW_ID_PSP_SPL = 34,
        AMDSMI_FW_ID_DRV_CAP = 35,
        AMDSMI_FW_ID_MC = 36,
        AMDSMI_FW_ID_PSP_BL = 37,
        AMDSMI_FW_ID_CP_PM4 = 38,
        AMDSMI_FW_ID_RLC_P = 39,
        AMDSMI_FW_ID_SEC_POLICY_STAGE2 = 40,
        AMDSMI_FW_ID_REG_ACCESS_WHITELIST = 41,
        AMDSMI_FW_ID_IMU_DRAM = 42,
        AMDSMI_FW_ID_IMU_IRAM = 43,
        AMDSMI_FW_ID_SDMA_TH0 = 44,
        AMDSMI_FW_ID_SDMA_TH1 = 45,
        AMDSMI_FW_ID_CP_MES = 46,
        AMDSMI_FW_ID_MES_KIQ = 47,
        AMDSMI_FW_ID_MES_STACK = 48,
        AMDSMI_FW_ID_MES_THREAD1 = 49,
        AMDSMI_FW_ID_MES_THREAD1_STACK = 50,
        AMDSMI_FW_ID_RLX6 = 51,
        AMDSMI_FW_ID_RLX6_DRAM_BOOT = 52,
        AMDSMI_FW_ID_RS64_ME = 53,
        AMDSMI_FW_ID_RS64_ME_P0_DATA = 54,
        AMDSMI_FW_ID_RS64_ME_P1_DATA = 55,
        AMDSMI_FW_ID_RS64_PFP = 56,
        AMDSMI_FW_ID_RS64_PFP_P0_DATA = 57,
        AMDSMI_FW_ID_RS64_PFP_P1_DATA = 58,
        AMDSMI_FW_ID_RS64_MEC = 59,
        AMDSMI_FW_ID_RS64_MEC_P0_DATA = 60,
        AMDSMI_FW_ID_RS64_MEC_P1_DATA = 61,
        AMDSMI_FW_ID_RS64_MEC_P2_DATA = 62,
        AMDSMI_FW_ID_RS64_MEC_P3_DATA = 63,
        AMDSMI_FW_ID_PPTABLE = 64,
        AMDSMI_FW_ID_PSP_SOC = 65,
        AMDSMI_FW_ID_PSP_DBG = 66,
        AMDSMI_FW_ID_PSP_INTF = 67,
        AMDSMI_FW_ID_RLX6_CORE1 = 68,
        AMDSMI_FW_ID_RLX6_DRAM_BOOT_CORE1 = 69,
        AMDSMI_FW_ID_RLCV_LX7 = 70,
        AMDSMI_FW_ID_RLC_SAVE_RESTORE_LIST = 71,
        AMDSMI_FW_ID_ASD = 72,
        AMDSMI_FW_ID_TA_RAS = 73,
        AMDSMI_FW_ID_TA_XGMI = 74,
        AMDSMI_FW_ID_RLC_SRLG = 75,
        AMDSMI_FW_ID_RLC_SRLS = 76,
        AMDSMI_FW_ID_PM = 77,
        AMDSMI_FW_ID_DMCU = 78,
        AMDSMI_FW_ID_PLDM_BUNDLE = 79,
        AMDSMI_FW_ID__MAX = 80,
        FW_ID_SMU = 1,
        FW_ID_FIRST = 1,
        FW_ID_CP_CE = 2,
        FW_ID_CP_PFP = 3,
        FW_ID_CP_ME = 4,
        FW_ID_CP_MEC_JT1 = 5,
        FW_ID_CP_MEC_JT2 = 6,
        FW_ID_CP_MEC1 = 7,
        FW_ID_CP_MEC2 = 8,
        FW_ID_RLC = 9,
        FW_ID_SDMA0 = 10,
        FW_ID_SDMA1 = 11,
        FW_ID_SDMA2 = 12,
        FW_ID_SDMA3 = 13,
        FW_ID_SDMA4 = 14,
        FW_ID_SDMA5 = 15,
        FW_ID_SDMA6 = 16,
        FW_ID_SDMA7 = 17,
        FW_ID_VCN = 18,
        FW_ID_UVD = 19,
        FW_ID_VCE = 20,
        FW_ID_ISP = 21,
        FW_ID_DMCU_ERAM = 22,
        FW_ID_DMCU_ISR = 23,
        FW_ID_RLC_RESTORE_LIST_GPM_MEM = 24,
        FW_ID_RLC_RESTORE_LIST_SRM_MEM = 25,
        FW_ID_RLC_RESTORE_LIST_CNTL = 26,
        FW_ID_RLC_V = 27,
        FW_ID_MMSCH = 28,
        FW_ID_PSP_SYSDRV = 29,
        FW_ID_PSP_SOSDRV = 30,
        FW_ID_PSP_TOC = 31,
        FW_ID_PSP_KEYDB = 32,
        FW_ID_DFC = 33,
        FW_ID_PSP_SPL = 34,
        FW_ID_DRV_CAP = 35,
        FW_ID_MC = 36,
        FW_ID_PSP_BL = 37,
        FW_ID_CP_PM4 = 38,
        FW_ID_RLC_P = 39,
        FW_ID_SEC_POLICY_STAGE2 = 40,
        FW_ID_REG_ACCESS_WHITELIST = 41,
        FW_ID_IMU_DRAM = 42,
        FW_ID_IMU_IRAM = 43,
        FW_ID_SDMA_TH0 = 44,
        FW_ID_SDMA_TH1 = 45,
        FW_ID_CP_MES = 46,
        FW_ID_MES_KIQ = 47,
        FW_ID_MES_STACK = 48,
        FW_ID_MES_THREAD1 = 49,
        FW_ID_MES_THREAD1_STACK = 50,
        FW_ID_RLX6 = 51,
        FW_ID_RLX6_DRAM_BOOT = 52,
        FW_ID_RS64_ME = 53,
        FW_ID_RS64_ME_P0_DATA = 54,
        FW_ID_RS64_ME_P1_DATA = 55,
        FW_ID_RS64_PFP = 56,
        FW_ID_RS64_PFP_P0_DATA = 57,
        FW_ID_RS64_PFP_P1_DATA = 58,
        FW_ID_RS64_MEC = 59,
        FW_ID_RS64_MEC_P0_DATA = 60,
        FW_ID_RS64_MEC_P1_DATA = 61,
        FW_ID_RS64_MEC_P2_DATA = 62,
        FW_ID_RS64_MEC_P3_DATA = 63,
        FW_ID_PPTABLE = 64,
        FW_ID_PSP_SOC = 65,
        FW_ID_PSP_DBG = 66,
        FW_ID_PSP_INTF = 67,
        FW_ID_RLX6_CORE1 = 68,
        FW_ID_RLX6_DRAM_BOOT_CORE1 = 69,
        FW_ID_RLCV_LX7 = 70,
        FW_ID_RLC_SAVE_RESTORE_LIST = 71,
        FW_ID_ASD = 72,
        FW_ID_TA_RAS = 73,
        FW_ID_TA_XGMI = 74,
        FW_ID_RLC_SRLG = 75,
        FW_ID_RLC_SRLS = 76,
        FW_ID_PM = 77,
        FW_ID_DMCU = 78,
        FW_ID__MAX = 79,
    }
    amdsmi_gpu_block_t: c_ulong {
        AMDSMI_GPU_BLOCK_INVALID = 0,
        AMDSMI_GPU_BLOCK_FIRST = 1,
        AMDSMI_GPU_BLOCK_UMC = 1,
        AMDSMI_GPU_BLOCK_SDMA = 2,
        AMDSMI_GPU_BLOCK_GFX = 4,
        AMDSMI_GPU_BLOCK_MMHUB = 8,
        AMDSMI_GPU_BLOCK_ATHUB = 16,
        AMDSMI_GPU_BLOCK_PCIE_BIF = 32,
        AMDSMI_GPU_BLOCK_HDP = 64,
        AMDSMI_GPU_BLOCK_XGMI_WAFL = 128,
        AMDSMI_GPU_BLOCK_DF = 256,
        AMDSMI_GPU_BLOCK_SMN = 512,
        AMDSMI_GPU_BLOCK_SEM = 1024,
        AMDSMI_GPU_BLOCK_MP0 = 2048,
        AMDSMI_GPU_BLOCK_MP1 = 4096,
        AMDSMI_GPU_BLOCK_FUSE = 8192,
        AMDSMI_GPU_BLOCK_MCA = 16384,
        AMDSMI_GPU_BLOCK_VCN = 32768,
        AMDSMI_GPU_BLOCK_JPEG = 65536,
        AMDSMI_GPU_BLOCK_IH = 131072,
        AMDSMI_GPU_BLOCK_MPIO = 262144,
        AMDSMI_GPU_BLOCK_MMSCH = 524288,
        AMDSMI_GPU_BLOCK_MP5 = 1048576,
        AMDSMI_GPU_BLOCK_ATU = 2097152,
        AMDSMI_GPU_BLOCK_DACC_BE = 4194304,
        AMDSMI_GPU_BLOCK_ECLR = 8388608,
        AMDSMI_GPU_BLOCK_KPX_SERDES = 16777216,
        AMDSMI_GPU_BLOCK_LSDMA = 33554432,
        AMDSMI_GPU_BLOCK_MPART = 67108864,
        AMDSMI_GPU_BLOCK_MPIFOE = 134217728,
        AMDSMI_GPU_BLOCK_MPRAS = 268435456,
        AMDSMI_GPU_BLOCK_NBIF = 536870912,
        AMDSMI_GPU_BLOCK_NBIO = 1073741824,
        AMDSMI_GPU_BLOCK_OXRP = 2147483648,
        AMDSMI_GPU_BLOCK_PCIE_PL = 4294967296,
        AMDSMI_GPU_BLOCK_PCS_XGMI = 8589934592,
        AMDSMI_GPU_BLOCK_PIE = 17179869184,
        AMDSMI_GPU_BLOCK_CS = 34359738368,
        AMDSMI_GPU_BLOCK_SHUB = 68719476736,
        AMDSMI_GPU_BLOCK_SSBDCI = 137438953472,
        AMDSMI_GPU_BLOCK_UCIE_PCS = 274877906944,
        AMDSMI_GPU_BLOCK_LAST = 274877906944,
        AMDSMI_GPU_BLOCK_RESERVED = 9223372036854775808,
    }
    amdsmi_init_flags_t: c_uint {
        AMDSMI_INIT_ALL_PROCESSORS = 4294967295,
        AMDSMI_INIT_AMD_CPUS = 1,
        AMDSMI_INIT_AMD_GPUS = 2,
        AMDSMI_INIT_NON_AMD_CPUS = 4,
        AMDSMI_INIT_NON_AMD_GPUS = 8,
        AMDSMI_INIT_AMD_APUS = 3,
        AMDSMI_INIT_AMD_NICS = 16,
    }
    amdsmi_io_bw_encoding_t: c_uint {
        AMDSMI_AGG_BW0 = 1,
        AMDSMI_RD_BW0 = 2,
        AMDSMI_WR_BW0 = 4,
        AGG_BW0 = 1,
        RD_BW0 = 2,
        WR_BW0 = 4,
    }
    amdsmi_io_link_type_t: c_uint {
        AMDSMI_IOLINK_TYPE_UNDEFINED = 0,
        AMDSMI_IOLINK_TYPE_PCIEXPRESS = 1,
        AMDSMI_IOLINK_TYPE_XGMI = 2,
        AMDSMI_IOLINK_TYPE_NUMIOLINKTYPES = 3,
        AMDSMI_IOLINK_TYPE_SIZE = 4294967295,
    }
    amdsmi_link_status_t: c_uint {
        AMDSMI_LINK_STATUS_ENABLED = 0,
        AMDSMI_LINK_STATUS_DISABLED = 1,
        AMDSMI_LINK_STATUS_INACTIVE = 2,
        AMDSMI_LINK_STATUS_ERROR = 3,
    }
    amdsmi_link_type_t: c_uint {
        AMDSMI_LINK_TYPE_INTERNAL = 0,
        AMDSMI_LINK_TYPE_PCIE = 1,
        AMDSMI_LINK_TYPE_XGMI = 2,
        AMDSMI_LINK_TYPE_NOT_APPLICABLE = 3,
        AMDSMI_LINK_TYPE_UNKNOWN = 4,
        AMDSMI_LINK_TYPE_NUMA = 5,
        AMDSMI_LINK_TYPE_XNUMA = 6,
    }
    amdsmi_memory_page_status_t: c_uint {
        AMDSMI_MEM_PAGE_STATUS_RESERVED = 0,
        AMDSMI_MEM_PAGE_STATUS_PENDING = 1,
        AMDSMI_MEM_PAGE_STATUS_UNRESERVABLE = 2,
    }
    amdsmi_memory_partition_type_t: c_uint {
        AMDSMI_MEMORY_PARTITION_UNKNOWN = 0,
        AMDSMI_MEMORY_PARTITION_NPS1 = 1,
        AMDSMI_MEMORY_PARTITION_NPS2 = 2,
        AMDSMI_MEMORY_PARTITION_NPS4 = 4,
        AMDSMI_MEMORY_PARTITION_NPS8 = 8,
        MEMORY_PARTITION_UNKNOWN = 0,
        MEMORY_PARTITION_NPS1 = 1,
        MEMORY_PARTITION_NPS2 = 2,
        MEMORY_PARTITION_NPS4 = 3,
        MEMORY_PARTITION_NPS8 = 4,
    }
    amdsmi_memory_type_t: c_uint {
        AMDSMI_MEM_TYPE_FIRST = 0,
        AMDSMI_MEM_TYPE_VRAM = 0,
        AMDSMI_MEM_TYPE_VIS_VRAM = 1,
        AMDSMI_MEM_TYPE_GTT = 2,
        AMDSMI_MEM_TYPE_LAST = 2,
    }
    amdsmi_mm_ip_t: c_uint {
        AMDSMI_MM_UVD = 0,
        AMDSMI_MM_VCE = 1,
        AMDSMI_MM_VCN = 2,
        AMDSMI_MM__MAX = 3,
    }
    amdsmi_npm_status_t: c_uint {
        AMDSMI_NPM_STATUS_DISABLED = 0,
        AMDSMI_NPM_STATUS_ENABLED = 1,
    }
    amdsmi_power_cap_type_t: c_uint {
        AMDSMI_POWER_CAP_TYPE_PPT0 = 0,
        AMDSMI_POWER_CAP_TYPE_PPT1 = 1,
    }
    amdsmi_power_profile_preset_masks_t: c_ulong {
        AMDSMI_PWR_PROF_PRST_CUSTOM_MASK = 1,
        AMDSMI_PWR_PROF_PRST_VIDEO_MASK = 2,
        AMDSMI_PWR_PROF_PRST_POWER_SAVING_MASK = 4,
        AMDSMI_PWR_PROF_PRST_COMPUTE_MASK = 8,
        AMDSMI_PWR_PROF_PRST_VR_MASK = 16,
        AMDSMI_PWR_PROF_PRST_3D_FULL_SCR_MASK = 32,
        AMDSMI_PWR_PROF_PRST_BOOTUP_DEFAULT = 64,
        AMDSMI_PWR_PROF_PRST_LAST = 64,
        AMDSMI_PWR_PROF_PRST_INVALID = 18446744073709551615,
    }
    amdsmi_power_type_t: c_uint {
        AMDSMI_AVERAGE_POWER = 0,
        AMDSMI_CURRENT_POWER = 1,
        AMDSMI_INVALID_POWER = 4294967295,
    }
    amdsmi_processor_type_t: c_uint {
        AMDSMI_PROCESSOR_TYPE_UNKNOWN = 0,
        AMDSMI_PROCESSOR_TYPE_AMD_GPU = 1,
        AMDSMI_PROCESSOR_TYPE_AMD_CPU = 2,
        AMDSMI_PROCESSOR_TYPE_NON_AMD_GPU = 3,
        AMDSMI_PROCESSOR_TYPE_NON_AMD_CPU = 4,
        AMDSMI_PROCESSOR_TYPE_AMD_CPU_CORE = 5,
        AMDSMI_PROCESSOR_TYPE_AMD_APU = 6,
        AMDSMI_PROCESSOR_TYPE_AMD_NIC = 7,
        AMDSMI_PROCESSOR_TYPE_BRCM_NIC = 8,
        AMDSMI_PROCESSOR_TYPE_BRCM_SWITCH = 9,
    }
    amdsmi_ptl_data_format_t: c_uint {
        AMDSMI_PTL_DATA_FORMAT_I8 = 0,
        AMDSMI_PTL_DATA_FORMAT_F16 = 1,
        AMDSMI_PTL_DATA_FORMAT_BF16 = 2,
        AMDSMI_PTL_DATA_FORMAT_F32 = 3,
        AMDSMI_PTL_DATA_FORMAT_F64 = 4,
        AMDSMI_PTL_DATA_FORMAT_F8 = 5,
        AMDSMI_PTL_DATA_FORMAT_VECTOR = 6,
        AMDSMI_PTL_DATA_FORMAT_INVALID = 4294967295,
    }
    amdsmi_ras_err_state_t: c_uint {
        AMDSMI_RAS_ERR_STATE_NONE = 0,
        AMDSMI_RAS_ERR_STATE_DISABLED = 1,
        AMDSMI_RAS_ERR_STATE_PARITY = 2,
        AMDSMI_RAS_ERR_STATE_SING_C = 3,
        AMDSMI_RAS_ERR_STATE_MULT_UC = 4,
        AMDSMI_RAS_ERR_STATE_POISON = 5,
        AMDSMI_RAS_ERR_STATE_ENABLED = 6,
        AMDSMI_RAS_ERR_STATE_LAST = 6,
        AMDSMI_RAS_ERR_STATE_INVALID = 4294967295,
    }
    amdsmi_reg_type_t: c_uint {
        AMDSMI_REG_XGMI = 0,
        AMDSMI_REG_WAFL = 1,
        AMDSMI_REG_PCIE = 2,
        AMDSMI_REG_USR = 3,
        AMDSMI_REG_USR1 = 4,
    }
    #[must_use = "it says whether the call succeeded"]
    amdsmi_status_t: c_uint {
        AMDSMI_STATUS_SUCCESS = 0,
        AMDSMI_STATUS_INVAL = 1,
        AMDSMI_STATUS_NOT_SUPPORTED = 2,
        AMDSMI_STATUS_NOT_YET_IMPLEMENTED = 3,
        AMDSMI_STATUS_FAIL_LOAD_MODULE = 4,
        AMDSMI_STATUS_FAIL_LOAD_SYMBOL = 5,
        AMDSMI_STATUS_DRM_ERROR = 6,
        AMDSMI_STATUS_API_FAILED = 7,
        AMDSMI_STATUS_TIMEOUT = 8,
        AMDSMI_STATUS_RETRY = 9,
        AMDSMI_STATUS_NO_PERM = 10,
        AMDSMI_STATUS_INTERRUPT = 11,
        AMDSMI_STATUS_IO = 12,
        AMDSMI_STATUS_ADDRESS_FAULT = 13,
        AMDSMI_STATUS_FILE_ERROR = 14,
        AMDSMI_STATUS_OUT_OF_RESOURCES = 15,
        AMDSMI_STATUS_INTERNAL_EXCEPTION = 16,
        AMDSMI_STATUS_INPUT_OUT_OF_BOUNDS = 17,
        AMDSMI_STATUS_INIT_ERROR = 18,
        AMDSMI_STATUS_REFCOUNT_OVERFLOW = 19,
        AMDSMI_STATUS_DIRECTORY_NOT_FOUND = 20,
        AMDSMI_STATUS_IPC_ERROR = 21,
        AMDSMI_STATUS_BUSY = 30,
        AMDSMI_STATUS_NOT_FOUND = 31,
        AMDSMI_STATUS_NOT_INIT = 32,
        AMDSMI_STATUS_NO_SLOT = 33,
        AMDSMI_STATUS_DRIVER_NOT_LOADED = 34,
        AMDSMI_STATUS_MORE_DATA = 39,
        AMDSMI_STATUS_NO_DATA = 40,
        AMDSMI_STATUS_INSUFFICIENT_SIZE = 41,
        AMDSMI_STATUS_UNEXPECTED_SIZE = 42,
        AMDSMI_STATUS_UNEXPECTED_DATA = 43,
        AMDSMI_STATUS_NON_AMD_CPU = 44,
        AMDSMI_STATUS_NO_ENERGY_DRV = 45,
        AMDSMI_STATUS_NO_MSR_DRV = 46,
        AMDSMI_STATUS_NO_HSMP_DRV = 47,
        AMDSMI_STATUS_NO_HSMP_SUP = 48,
        AMDSMI_STATUS_NO_HSMP_MSG_SUP = 49,
        AMDSMI_STATUS_HSMP_TIMEOUT = 50,
        AMDSMI_STATUS_NO_DRV = 51,
        AMDSMI_STATUS_FILE_NOT_FOUND = 52,
        AMDSMI_STATUS_ARG_PTR_NULL = 53,
        AMDSMI_STATUS_AMDGPU_RESTART_ERR = 54,
        AMDSMI_STATUS_SETTING_UNAVAILABLE = 55,
        AMDSMI_STATUS_CORRUPTED_EEPROM = 56,
        AMDSMI_STATUS_MAP_ERROR = 4294967294,
        AMDSMI_STATUS_UNKNOWN_ERROR = 4294967295,
        AMDSMI_NO_ENERGY_DRV = 45,
        AMDSMI_NO_MSR_DRV = 46,
        AMDSMI_NO_HSMP_DRV = 47,
        AMDSMI_NO_HSMP_SUP = 48,
        AMDSMI_NO_HSMP_MSG_SUP = 49,
        AMDSMI_HSMP_TIMEOUT = 50,
        AMDSMI_NO_DRV = 51,
        AMDSMI_FILE_NOT_FOUND = 52,
        AMDSMI_ARG_PTR_NULL = 53,
    }
    amdsmi_temperature_metric_t: c_uint {
        AMDSMI_TEMP_CURRENT = 0,
        AMDSMI_TEMP_FIRST = 0,
        AMDSMI_TEMP_MAX = 1,
        AMDSMI_TEMP_MIN = 2,
        AMDSMI_TEMP_MAX_HYST = 3,
        AMDSMI_TEMP_MIN_HYST = 4,
        AMDSMI_TEMP_CRITICAL = 5,
        AMDSMI_TEMP_CRITICAL_HYST = 6,
        AMDSMI_TEMP_EMERGENCY = 7,
        AMDSMI_TEMP_EMERGENCY_HYST = 8,
        AMDSMI_TEMP_CRIT_MIN = 9,
        AMDSMI_TEMP_CRIT_MIN_HYST = 10,
        AMDSMI_TEMP_OFFSET = 11,
        AMDSMI_TEMP_LOWEST = 12,
        AMDSMI_TEMP_HIGHEST = 13,
        AMDSMI_TEMP_SHUTDOWN = 14,
        AMDSMI_TEMP_LAST = 14,
    }
    amdsmi_temperature_type_t: c_uint {
        AMDSMI_TEMPERATURE_TYPE_EDGE = 0,
        AMDSMI_TEMPERATURE_TYPE_FIRST = 0,
        AMDSMI_TEMPERATURE_TYPE_HOTSPOT = 1,
        AMDSMI_TEMPERATURE_TYPE_JUNCTION = 1,
        AMDSMI_TEMPERATURE_TYPE_VRAM = 2,
        AMDSMI_TEMPERATURE_TYPE_HBM_0 = 3,
        AMDSMI_TEMPERATURE_TYPE_HBM_1 = 4,
        AMDSMI_TEMPERATURE_TYPE_HBM_2 = 5,
        AMDSMI_TEMPERATURE_TYPE_HBM_3 = 6,
        AMDSMI_TEMPERATURE_TYPE_PLX = 7,
        AMDSMI_TEMPERATURE_TYPE_GPUBOARD_NODE_FIRST = 100,
        AMDSMI_TEMPERATURE_TYPE_GPUBOARD_NODE_RETIMER_X = 100,
        AMDSMI_TEMPERATURE_TYPE_GPUBOARD_NODE_OAM_X_IBC = 101,
        AMDSMI_TEMPERATURE_TYPE_GPUBOARD_NODE_OAM_X_IBC_2 = 102,
        AMDSMI_TEMPERATURE_TYPE_GPUBOARD_NODE_OAM_X_VDD18_VR = 103,
        AMDSMI_TEMPERATURE_TYPE_GPUBOARD_NODE_OAM_X_04_HBM_B_VR = 104,
        AMDSMI_TEMPERATURE_TYPE_GPUBOARD_NODE_OAM_X_04_HBM_D_VR = 105,
        AMDSMI_TEMPERATURE_TYPE_GPUBOARD_NODE_LAST = 149,
        AMDSMI_TEMPERATURE_TYPE_GPUBOARD_VR_FIRST = 150,
        AMDSMI_TEMPERATURE_TYPE_GPUBOARD_VDDCR_VDD0 = 150,
        AMDSMI_TEMPERATURE_TYPE_GPUBOARD_VDDCR_VDD1 = 151,
        AMDSMI_TEMPERATURE_TYPE_GPUBOARD_VDDCR_VDD2 = 152,
        AMDSMI_TEMPERATURE_TYPE_GPUBOARD_VDDCR_VDD3 = 153,
        AMDSMI_TEMPERATURE_TYPE_GPUBOARD_VDDCR_SOC_A = 154,
        AMDSMI_TEMPERATURE_TYPE_GPUBOARD_VDDCR_SOC_C = 155,
        AMDSMI_TEMPERATURE_TYPE_GPUBOARD_VDDCR_SOCIO_A = 156,
        AMDSMI_TEMPERATURE_TYPE_GPUBOARD_VDDCR_SOCIO_C = 157,
        AMDSMI_TEMPERATURE_TYPE_GPUBOARD_VDD_085_HBM = 158,
        AMDSMI_TEMPERATURE_TYPE_GPUBOARD_VDDCR_11_HBM_B = 159,
        AMDSMI_TEMPERATURE_TYPE_GPUBOARD_VDDCR_11_HBM_D = 160,
        AMDSMI_TEMPERATURE_TYPE_GPUBOARD_VDD_USR = 161,
        AMDSMI_TEMPERATURE_TYPE_GPUBOARD_VDDIO_11_E32 = 162,
        AMDSMI_TEMPERATURE_TYPE_GPUBOARD_VDDIO_04_HBM_B = 163,
        AMDSMI_TEMPERATURE_TYPE_GPUBOARD_VDDIO_04_HBM_D = 164,
        AMDSMI_TEMPERATURE_TYPE_GPUBOARD_VDDCR_075_HBM_B = 165,
        AMDSMI_TEMPERATURE_TYPE_GPUBOARD_VDDCR_075_HBM_D = 166,
        AMDSMI_TEMPERATURE_TYPE_GPUBOARD_VDDIO_11_GTA_A = 167,
        AMDSMI_TEMPERATURE_TYPE_GPUBOARD_VDDIO_11_GTA_C = 168,
        AMDSMI_TEMPERATURE_TYPE_GPUBOARD_VDDAN_075_GTA_A = 169,
        AMDSMI_TEMPERATURE_TYPE_GPUBOARD_VDDAN_075_GTA_C = 170,
        AMDSMI_TEMPERATURE_TYPE_GPUBOARD_VDDCR_075_UCIE = 171,
        AMDSMI_TEMPERATURE_TYPE_GPUBOARD_VDDIO_065_UCIEAA = 172,
        AMDSMI_TEMPERATURE_TYPE_GPUBOARD_VDDIO_065_UCIEAM_A = 173,
        AMDSMI_TEMPERATURE_TYPE_GPUBOARD_VDDIO_065_UCIEAM_C = 174,
        AMDSMI_TEMPERATURE_TYPE_GPUBOARD_VDDAN_075 = 175,
        AMDSMI_TEMPERATURE_TYPE_GPUBOARD_VR_LAST = 199,
        AMDSMI_TEMPERATURE_TYPE_GPUBOARD_LAST = 175,
        AMDSMI_TEMPERATURE_TYPE_BASEBOARD_FIRST = 200,
        AMDSMI_TEMPERATURE_TYPE_BASEBOARD_UBB_FPGA = 200,
        AMDSMI_TEMPERATURE_TYPE_BASEBOARD_UBB_FRONT = 201,
        AMDSMI_TEMPERATURE_TYPE_BASEBOARD_UBB_BACK = 202,
        AMDSMI_TEMPERATURE_TYPE_BASEBOARD_UBB_OAM7 = 203,
        AMDSMI_TEMPERATURE_TYPE_BASEBOARD_UBB_IBC = 204,
        AMDSMI_TEMPERATURE_TYPE_BASEBOARD_UBB_UFPGA = 205,
        AMDSMI_TEMPERATURE_TYPE_BASEBOARD_UBB_OAM1 = 206,
        AMDSMI_TEMPERATURE_TYPE_BASEBOARD_OAM_0_1_HSC = 207,
        AMDSMI_TEMPERATURE_TYPE_BASEBOARD_OAM_2_3_HSC = 208,
        AMDSMI_TEMPERATURE_TYPE_BASEBOARD_OAM_4_5_HSC = 209,
        AMDSMI_TEMPERATURE_TYPE_BASEBOARD_OAM_6_7_HSC = 210,
        AMDSMI_TEMPERATURE_TYPE_BASEBOARD_UBB_FPGA_0V72_VR = 211,
        AMDSMI_TEMPERATURE_TYPE_BASEBOARD_UBB_FPGA_3V3_VR = 212,
        AMDSMI_TEMPERATURE_TYPE_BASEBOARD_RETIMER_0_1_2_3_1V2_VR = 213,
        AMDSMI_TEMPERATURE_TYPE_BASEBOARD_RETIMER_4_5_6_7_1V2_VR = 214,
        AMDSMI_TEMPERATURE_TYPE_BASEBOARD_RETIMER_0_1_0V9_VR = 215,
        AMDSMI_TEMPERATURE_TYPE_BASEBOARD_RETIMER_4_5_0V9_VR = 216,
        AMDSMI_TEMPERATURE_TYPE_BASEBOARD_RETIMER_2_3_0V9_VR = 217,
        AMDSMI_TEMPERATURE_TYPE_BASEBOARD_RETIMER_6_7_0V9_VR = 218,
        AMDSMI_TEMPERATURE_TYPE_BASEBOARD_OAM_0_1_2_3_3V3_VR = 219,
        AMDSMI_TEMPERATURE_TYPE_BASEBOARD_OAM_4_5_6_7_3V3_VR = 220,
        AMDSMI_TEMPERATURE_TYPE_BASEBOARD_IBC_HSC = 221,
        AMDSMI_TEMPERATURE_TYPE_BASEBOARD_IBC = 222,
        AMDSMI_TEMPERATURE_TYPE_BASEBOARD_LAST = 249,
        AMDSMI_TEMPERATURE_TYPE__MAX = 249,
        TEMPERATURE_TYPE_EDGE = 0,
        TEMPERATURE_TYPE_FIRST = 0,
        TEMPERATURE_TYPE_HOTSPOT = 1,
        TEMPERATURE_TYPE_JUNCTION = 1,
        TEMPERATURE_TYPE_VRAM = 2,
        TEMPERATURE_TYPE_HBM_0 = 3,
        TEMPERATURE_TYPE_HBM_1 = 4,
        TEMPERATURE_TYPE_HBM_2 = 5,
        TEMPERATURE_TYPE_HBM_3 = 6,
        TEMPERATURE_TYPE_PLX = 7,
        TEMPERATURE_TYPE__MAX = 7,
    }
    amdsmi_utilization_counter_type_t: c_uint {
        AMDSMI_UTILIZATION_COUNTER_FIRST = 0,
        AMDSMI_COARSE_GRAIN_GFX_ACTIVITY = 0,
        AMDSMI_COARSE_GRAIN_MEM_ACTIVITY = 1,
        AMDSMI_COARSE_DECODER_ACTIVITY = 2,
        AMDSMI_FINE_GRAIN_GFX_ACTIVITY = 100,
        AMDSMI_FINE_GRAIN_MEM_ACTIVITY = 101,
        AMDSMI_FINE_DECODER_ACTIVITY = 102,
        AMDSMI_UTILIZATION_COUNTER_LAST = 102,
    }
    amdsmi_virtualization_mode_t: c_uint {
        AMDSMI_VIRTUALIZATION_MODE_UNKNOWN = 0,
        AMDSMI_VIRTUALIZATION_MODE_BAREMETAL = 1,
        AMDSMI_VIRTUALIZATION_MODE_HOST = 2,
        AMDSMI_VIRTUALIZATION_MODE_GUEST = 3,
        AMDSMI_VIRTUALIZATION_MODE_PASSTHROUGH = 4,
    }
    amdsmi_voltage_metric_t: c_uint {
        AMDSMI_VOLT_CURRENT = 0,
        AMDSMI_VOLT_FIRST = 0,
        AMDSMI_VOLT_MAX = 1,
        AMDSMI_VOLT_MIN_CRIT = 2,
        AMDSMI_VOLT_MIN = 3,
        AMDSMI_VOLT_MAX_CRIT = 4,
        AMDSMI_VOLT_AVERAGE = 5,
        AMDSMI_VOLT_LOWEST = 6,
        AMDSMI_VOLT_HIGHEST = 7,
        AMDSMI_VOLT_LAST = 7,
    }
    amdsmi_voltage_type_t: c_uint {
        AMDSMI_VOLT_TYPE_FIRST = 0,
        AMDSMI_VOLT_TYPE_VDDGFX = 0,
        AMDSMI_VOLT_TYPE_VDDBOARD = 1,
        AMDSMI_VOLT_TYPE_LAST = 1,
        AMDSMI_VOLT_TYPE_INVALID = 4294967295,
    }
    amdsmi_vram_type_t: c_uint {
        AMDSMI_VRAM_TYPE_UNKNOWN = 0,
        AMDSMI_VRAM_TYPE_HBM = 1,
        AMDSMI_VRAM_TYPE_HBM2 = 2,
        AMDSMI_VRAM_TYPE_HBM2E = 3,
        AMDSMI_VRAM_TYPE_HBM3 = 4,
        AMDSMI_VRAM_TYPE_HBM3E = 5,
        AMDSMI_VRAM_TYPE_DDR2 = 10,
        AMDSMI_VRAM_TYPE_DDR3 = 11,
        AMDSMI_VRAM_TYPE_DDR4 = 12,
        AMDSMI_VRAM_TYPE_DDR5 = 13,
        AMDSMI_VRAM_TYPE_GDDR1 = 17,
        AMDSMI_VRAM_TYPE_GDDR2 = 18,
        AMDSMI_VRAM_TYPE_GDDR3 = 19,
        AMDSMI_VRAM_TYPE_GDDR4 = 20,
        AMDSMI_VRAM_TYPE_GDDR5 = 21,
        AMDSMI_VRAM_TYPE_GDDR6 = 22,
        AMDSMI_VRAM_TYPE_GDDR7 = 23,
        AMDSMI_VRAM_TYPE_LPDDR4 = 30,
        AMDSMI_VRAM_TYPE_LPDDR5 = 31,
        AMDSMI_VRAM_TYPE__MAX = 31,
        VRAM_TYPE_UNKNOWN = 0,
        VRAM_TYPE_GDDR1 = 1,
        VRAM_TYPE_DDR2 = 2,
        VRAM_TYPE_GDDR3 = 3,
        VRAM_TYPE_GDDR4 = 4,
        VRAM_TYPE_GDDR5 = 5,
        VRAM_TYPE_HBM = 6,
        VRAM_TYPE_DDR3 = 7,
        VRAM_TYPE_DDR4 = 8,
        VRAM_TYPE_GDDR6 = 9,
        VRAM_TYPE__MAX = 9,
    }
    amdsmi_vram_vendor_type_t: c_uint {
        AMDSMI_VRAM_VENDOR__PLACEHOLDER0 = 0,
        AMDSMI_VRAM_VENDOR__SAMSUNG = 1,
        AMDSMI_VRAM_VENDOR__INFINEON = 2,
        AMDSMI_VRAM_VENDOR__ELPIDA = 3,
        AMDSMI_VRAM_VENDOR__ETRON = 4,
        AMDSMI_VRAM_VENDOR__NANYA = 5,
        AMDSMI_VRAM_VENDOR__HYNIX = 6,
        AMDSMI_VRAM_VENDOR__MOSEL = 7,
        AMDSMI_VRAM_VENDOR__WINBOND = 8,
        AMDSMI_VRAM_VENDOR__ESMT = 9,
        AMDSMI_VRAM_VENDOR__PLACEHOLDER1 = 10,
        AMDSMI_VRAM_VENDOR__PLACEHOLDER2 = 11,
        AMDSMI_VRAM_VENDOR__PLACEHOLDER3 = 12,
        AMDSMI_VRAM_VENDOR__PLACEHOLDER4 = 13,
        AMDSMI_VRAM_VENDOR__PLACEHOLDER5 = 14,
        AMDSMI_VRAM_VENDOR__MICRON = 15,
    }
    amdsmi_xgmi_link_status_type_t: c_uint {
        AMDSMI_XGMI_LINK_DOWN = 0,
        AMDSMI_XGMI_LINK_UP = 1,
        AMDSMI_XGMI_LINK_DISABLE = 2,
    }
    amdsmi_xgmi_status_t: c_uint {
        AMDSMI_XGMI_STATUS_NO_ERRORS = 0,
        AMDSMI_XGMI_STATUS_ERROR = 1,
        AMDSMI_XGMI_STATUS_MULTIPLE_ERRORS = 2,
    }
}
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct amd_metrics_table_header_t {
    pub structure_size: u16,
    pub format_revision: u8,
    pub content_revision: u8,
}
#[repr(C)]
#[derive(Clone, Copy)]
pub struct amdsmi_accelerator_partition_profile_config_t {
    pub num_profiles: u32,
    pub num_resource_profiles: u32,
    pub resource_profiles: [amdsmi_accelerator_partition_resource_profile_t; 32],
    pub default_profile_index: u32,
    pub profiles: [amdsmi_accelerator_partition_profile_t; 32],
    pub reserved: [u64; 30],
}
#[repr(C)]
#[derive(Clone, Copy)]
pub struct amdsmi_accelerator_partition_profile_t {
    pub profile_type: amdsmi_accelerator_partition_type_t,
    pub num_partitions: u32,
    pub memory_caps: amdsmi_nps_caps_t,
    pub profile_index: u32,
    pub num_resources: u32,
    pub resources: [[u32; 32]; 8],
    pub reserved: [u64; 13],
}
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct amdsmi_accelerator_partition_resource_profile_t {
    pub profile_index: u32,
    pub resource_type: amdsmi_accelerator_partition_resource_type_t,
    pub partition_resource: u32,
    pub num_partitions_share_resource: u32,
    pub reserved: [u64; 6],
}
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct amdsmi_apu_metrics_t {
    pub temperature_gfx: u16,
    pub temperature_soc: u16,
    pub temperature_core: [u16; 16],
    pub temperature_l3: [u16; 2],
    pub temperature_skin: u16,
    pub average_gfx_activity: u16,
    pub average_mm_activity: u16,
    pub average_vcn_activity: u16,
    pub average_ipu_activity: [u16; 8],
    pub average_core_c0_activity: [u16; 16],
    pub average_dram_reads: u16,
    pub average_dram_writes: u16,
    pub average_ipu_reads: u16,
    pub average_ipu_writes: u16,
    pub average_socket_power: u32,
    pub average_cpu_power: u16,
    pub average_soc_power: u16,
    pub average_gfx_power: u32,
    pub average_core_power: [u16; 16],
    pub average_ipu_power: u16,
    pub average_apu_power: u32,
    pub average_dgpu_power: u32,
    pub average_all_core_power: u32,
    pub average_sys_power: u16,
    pub stapm_power_limit: u16,
    pub current_stapm_power_limit: u16,
    pub average_gfxclk_frequency: u16,
    pub average_socclk_frequency: u16,
    pub average_uclk_frequency: u16,
    pub average_fclk_frequency: u16,
    pub average_vclk_frequency: u16,
    pub average_dclk_frequency: u16,
    pub average_vpeclk_frequency: u16,
    pub average_ipuclk_frequency: u16,
    pub average_mpipu_frequency: u16,
    pub current_gfxclk: u16,
    pub current_socclk: u16,
    pub current_uclk: u16,
    pub current_fclk: u16,
    pub current_vclk: u16,
    pub current_dclk: u16,
    pub current_coreclk: [u16; 16],
    pub current_l3clk: [u16; 2],
    pub current_core_maxfreq: u16,
    pub current_gfx_maxfreq: u16,
    pub throttle_status: u32,
    pub indep_throttle_status: u64,
    pub throttle_residency_prochot: u32,
    pub throttle_residency_spl: u32,
    pub throttle_residency_fppt: u32,
    pub throttle_residency_sppt: u32,
    pub throttle_residency_thm_core: u32,
    pub throttle_residency_thm_gfx: u32,
    pub throttle_residency_thm_soc: u32,
    pub fan_pwm: u16,
    pub average_temperature_gfx: u16,
    pub average_temperature_soc: u16,
    pub average_temperature_core: [u16; 16],
    pub average_temperature_l3: [u16; 2],
    pub average_cpu_voltage: u16,
    pub average_soc_voltage: u16,
    pub average_gfx_voltage: u16,
    pub average_cpu_current: u16,
    pub average_soc_current: u16,
    pub average_gfx_current: u16,
    pub time_filter_alphavalue: u32,
}
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct amdsmi_asic_info_t {
    pub market_name: [c_char; 256],
    pub vendor_id: u32,
    pub vendor_name: [c_char; 256],
    pub subvendor_id: u32,
    pub device_id: u64,
    pub rev_id: u32,
    pub asic_serial: [c_char; 256],
    pub oam_id: u32,
    pub num_of_compute_units: u32,
    pub target_graphics_version: u64,
    pub subsystem_id: u32,
    pub flags: u64,
    pub physical_acc_id: u32,
    pub chip_rev_id: u32,
    pub external_rev_id: u32,
    pub reserved: [u32; 15],
}
#[repr(C)]
#[derive(Clone, Copy)]
pub union amdsmi_bdf_t {
    pub bdf: amdsmi_bdf_t_bdf_,
    pub __bindgen_anon_1: amdsmi_bdf_t__bindgen_ty_1,
    pub as_uint: u64,
}
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct amdsmi_bdf_t__bindgen_ty_1 {
    pub _bindgen_align: [u64; 0],
    pub _bitfield_1: [u8; 8],
}
bitfields! { amdsmi_bdf_t__bindgen_ty_1
    function_number: _bitfield_1 0 3;
    device_number: _bitfield_1 3 5;
    bus_number: _bitfield_1 8 8;
    domain_number: _bitfield_1 16 48;
}
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct amdsmi_bdf_t_bdf_ {
    pub _bindgen_align: [u64; 0],
    pub _bitfield_1: [u8; 8],
}
bitfields! { amdsmi_bdf_t_bdf_
    function_number: _bitfield_1 0 3;
    device_number: _bitfield_1 3 5;
    bus_number: _bitfield_1 8 8;
    domain_number: _bitfield_1 16 48;
}
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct amdsmi_bdf_t_fields_ {
    pub _bindgen_align: [u64; 0],
    pub _bitfield_1: [u8; 8],
}
bitfields! { amdsmi_bdf_t_fields_
    function_number: _bitfield_1 0 3;
    device_number: _bitfield_1 3 5;
    bus_number: _bitfield_1 8 8;
    domain_number: _bitfield_1 16 48;
}
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct amdsmi_board_info_t {
    pub model_number: [c_char; 256],
    pub product_serial: [c_char; 256],
    pub fru_id: [c_char; 256],
    pub product_name: [c_char; 256],
    pub manufacturer_name: [c_char; 256],
    pub reserved: [u64; 64],
}
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct amdsmi_clk_info_t {
    pub clk: u32,
    pub min_clk: u32,
    pub max_clk: u32,
    pub clk_locked: u8,
    pub clk_deep_sleep: u8,
    pub reserved: [u32; 4],
}
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct amdsmi_counter_value_t {
    pub value: u64,
    pub time_enabled: u64,
    pub time_running: u64,
}
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct amdsmi_cper_guid_t {
    pub b: [c_uchar; 16],
}
#[repr(C,packed)]
#[derive(Clone, Copy)]
pub struct amdsmi_cper_hdr_t {
    pub signature: [c_char; 4],
    pub revision: u16,
    pub signature_end: u32,
    pub sec_cnt: u16,
    pub error_severity: amdsmi_cper_sev_t,
    pub cper_valid_bits: amdsmi_cper_valid_bits_t,
    pub record_length: u32,
    pub timestamp: amdsmi_cper_timestamp_t,
    pub platform_id: [c_char; 16],
    pub partition_id: amdsmi_cper_guid_t,
    pub creator_id: [c_char; 16],
    pub notify_type: amdsmi_cper_guid_t,
    pub record_id: [c_char; 8],
    pub flags: u32,
    pub persistence_info: u64,
    pub reserved: [u8; 12],
}
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct amdsmi_cper_timestamp_t {
    pub seconds: u8,
    pub minutes: u8,
    pub hours: u8,
    pub flag: u8,
    pub day: u8,
    pub month: u8,
    pub year: u8,
    pub century: u8,
}
#[repr(C,packed)]
#[derive(Clone, Copy)]
pub union amdsmi_cper_valid_bits_t {
    pub valid_bits: amdsmi_cper_valid_bits_t_valid_bits_,
    pub valid_mask: u32,
}
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct amdsmi_cper_valid_bits_t_valid_bits_ {
    pub _bitfield_1: [u8; 4],
}
bitfields! { amdsmi_cper_valid_bits_t_valid_bits_
    platform_id: _bitfield_1 0 1;
    timestamp: _bitfield_1 1 1;
    partition_id: _bitfield_1 2 1;
    reserved: _bitfield_1 3 29;
}
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct amdsmi_cpu_info_t {
    pub model_name: [c_char; 256],
    pub cpu_family_id: u32,
    pub model_id: u32,
    pub threads_per_core: u32,
    pub cores_per_socket: u32,
    pub frequency_boost: bool,
    pub vendor_id: u32,
    pub vendor_name: [c_char; 256],
    pub subvendor_id: u32,
    pub device_id: u64,
    pub rev_id: u32,
    pub asic_serial: [c_char; 256],
    pub socket_id: u32,
    pub core_id: u32,
    pub num_of_cpu_cores: u32,
    pub socket_count: u32,
    pub core_count: u32,
    pub reserved: [u32; 17],
}
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct amdsmi_cpu_util_t {
    pub cpu_util_total: u32,
    pub cpu_util_user: u32,
    pub cpu_util_nice: u32,
    pub cpu_util_sys: u32,
    pub cpu_util_irq: u32,
}
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct amdsmi_ddr_bw_metrics_t {
    pub max_bw: u32,
    pub utilized_bw: u32,
    pub utilized_pct: u32,
}
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct amdsmi_dimm_power_t {
    pub _bindgen_align: [u16; 0],
    pub _bitfield_1: [u8; 4],
    pub dimm_addr: u8,
}
bitfields! { amdsmi_dimm_power_t
    power: _bitfield_1 0 15;
    update_rate: _bitfield_1 16 9;
}
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct amdsmi_dimm_thermal_t {
    pub _bitfield_1: [u8; 4],
    pub dimm_addr: u8,
    pub temp: f32,
}
bitfields! { amdsmi_dimm_thermal_t
    sensor: _bitfield_1 0 11;
    update_rate: _bitfield_1 16 9;
}
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct amdsmi_dpm_level_t {
    pub max_dpm_level: u8,
    pub min_dpm_level: u8,
}
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct amdsmi_dpm_policy_entry_t {
    pub policy_id: u32,
    pub policy_description: [c_char; 256],
}
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct amdsmi_dpm_policy_t {
    pub num_supported: u32,
    pub current: u32,
    pub policies: [amdsmi_dpm_policy_entry_t; 32],
}
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct amdsmi_driver_info_t {
    pub driver_version: [c_char; 256],
    pub driver_date: [c_char; 256],
    pub driver_name: [c_char; 256],
}
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct amdsmi_engine_usage_t {
    pub gfx_activity: u32,
    pub umc_activity: u32,
    pub mm_activity: u32,
    pub reserved: [u32; 13],
}
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct amdsmi_enumeration_info_t {
    pub drm_render: u32,
    pub drm_card: u32,
    pub hsa_id: u32,
    pub hip_id: u32,
    pub hip_uuid: [c_char; 256],
    pub oam_id: u32,
    pub physical_acc_id: u32,
}
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct amdsmi_error_count_t {
    pub correctable_count: u64,
    pub uncorrectable_count: u64,
    pub deferred_count: u64,
    pub reserved: [u64; 5],
}
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct amdsmi_evt_notification_data_t {
    pub processor_handle: amdsmi_processor_handle,
    pub event: amdsmi_evt_notification_type_t,
    pub message: [c_char; 256],
}
#[repr(C)]
#[derive(Clone, Copy)]
pub struct amdsmi_fabric_info_t {
    pub bdf: amdsmi_bdf_t,
    pub fabric_version: u32,
    pub fabric_info: amdsmi_fabric_info_t_fabric_info_,
    pub reserved: [u32; 15],
}
#[repr(C)]
#[derive(Clone, Copy)]
pub union amdsmi_fabric_info_t_fabric_info_ {
    pub v1: amdsmi_fabric_info_v1_t,
}
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct amdsmi_fabric_info_v1_t {
    pub accelerator_id: u32,
    pub fabric_type: amdsmi_fabric_type_t,
    pub bandwidth: u32,
    pub latency: u32,
    pub ppod_id: [u8; 16],
    pub ppod_size: u32,
    pub vpod_id: u32,
    pub vpod_size: u32,
    pub vpod_active_accelerators: [u32; 32],
    pub local_accelerators: [u32; 16],
    pub addr_mode: amdsmi_fabric_npa_address_mode_t,
    pub accel_state: amdsmi_fabric_accelerator_vpod_state_t,
}
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct amdsmi_fabric_label_t {
    pub text: [c_char; 32],
}
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct amdsmi_fabric_telemetry_dataset_t {
    pub category: amdsmi_fabric_telemetry_category_t,
    pub generation_count: u64,
    pub timestamp: timespec,
    pub instance_count: c_uint,
    pub instances: *mut amdsmi_fabric_telemetry_instance_t,
}
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct amdsmi_fabric_telemetry_instance_t {
    pub name: amdsmi_fabric_label_t,
    pub logical_idx: c_uint,
    pub item_count: c_uint,
    pub items: *mut amdsmi_fabric_telemetry_item_t,
}
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct amdsmi_fabric_telemetry_item_t {
    pub id: u64,
    pub value: u64,
}
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct amdsmi_fabric_telemetry_t {
    pub datasets: [*mut amdsmi_fabric_telemetry_dataset_t; 7],
}
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct amdsmi_freq_volt_region_t {
    pub freq_range: amdsmi_range_t,
    pub volt_range: amdsmi_range_t,
}
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct amdsmi_frequencies_t {
    pub has_deep_sleep: bool,
    pub num_supported: u32,
    pub current: u32,
    pub frequency: [u64; 33],
}
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct amdsmi_frequency_range_t {
    pub supported_freq_range: amdsmi_range_t,
    pub current_freq_range: amdsmi_range_t,
    pub reserved: [u32; 8],
}
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct amdsmi_fw_info_t {
    pub num_fw_info: u8,
    pub fw_info_list: [amdsmi_fw_info_t_fw_info_list_; 80],
    pub reserved: [u32; 7],
}
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct amdsmi_fw_info_t_fw_info_list_ {
    pub fw_id: amdsmi_fw_block_t,
    pub fw_version: u64,
    pub reserved: [u64; 2],
}
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct amdsmi_gpu_cache_info_t {
    pub num_cache_types: u32,
    pub cache: [amdsmi_gpu_cache_info_t_cache_; 10],
    pub reserved: [u32; 15],
}
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct amdsmi_gpu_cache_info_t_cache_ {
    pub cache_properties: u32,
    pub cache_size: u32,
    pub cache_level: u32,
    pub max_num_cu_shared: u32,
    pub num_cache_instance: u32,
    pub reserved: [u32; 3],
}
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct amdsmi_gpu_metrics_t {
    pub common_header: amd_metrics_table_header_t,
    pub temperature_edge: u16,
    pub temperature_hotspot: u16,
    pub temperature_mem: u16,
    pub temperature_vrgfx: u16,
    pub temperature_vrsoc: u16,
    pub temperature_vrmem: u16,
    pub average_gfx_activity: u16,
    pub average_umc_activity: u16,
    pub average_mm_activity: u16,
    pub average_socket_power: u16,
    pub energy_accumulator: u64,
    pub system_clock_counter: u64,
    pub average_gfxclk_frequency: u16,
    pub average_socclk_frequency: u16,
    pub average_uclk_frequency: u16,
    pub average_vclk0_frequency: u16,
    pub average_dclk0_frequency: u16,
    pub average_vclk1_frequency: u16,
    pub average_dclk1_frequency: u16,
    pub current_gfxclk: u16,
    pub current_socclk: u16,
    pub current_uclk: u16,
    pub current_vclk0: u16,
    pub current_dclk0: u16,
    pub current_vclk1: u16,
    pub current_dclk1: u16,
    pub throttle_status: u32,
    pub current_fan_speed: u16,
    pub pcie_link_width: u16,
    pub pcie_link_speed: u16,
    pub gfx_activity_acc: u64,
    pub mem_activity_acc: u64,
    pub temperature_hbm: [u16; 4],
    pub firmware_timestamp: u64,
    pub voltage_soc: u16,
    pub voltage_gfx: u16,
    pub voltage_mem: u16,
    pub indep_throttle_status: u64,
    pub current_socket_power: u16,
    pub vcn_activity: [u16; 4],
    pub gfxclk_lock_status: u32,
    pub xgmi_link_width: u16,
    pub xgmi_link_speed: u16,
    pub pcie_bandwidth_acc: u64,
    pub pcie_bandwidth_inst: u64,
    pub pcie_l0_to_recov_count_acc: u64,
    pub pcie_replay_count_acc: u64,
    pub pcie_replay_rover_count_acc: u64,
    pub xgmi_read_data_acc: [u64; 8],
    pub xgmi_write_data_acc: [u64; 8],
    pub current_gfxclks: [u16; 8],
    pub current_socclks: [u16; 4],
    pub current_vclk0s: [u16; 4],
    pub current_dclk0s: [u16; 4],
    pub jpeg_activity: [u16; 32],
    pub pcie_nak_sent_count_acc: u64,
    pub pcie_nak_rcvd_count_acc: u64,
    pub accumulation_counter: u64,
    pub prochot_residency_acc: u64,
    pub ppt_residency_acc: u64,
    pub socket_thm_residency_acc: u64,
    pub vr_thm_residency_acc: u64,
    pub hbm_thm_residency_acc: u64,
    pub num_partition: u16,
    pub xcp_stats: [amdsmi_gpu_xcp_metrics_t; 8],
    pub pcie_lc_perf_other_end_recovery: u64,
    pub vram_max_bandwidth: u64,
    pub xgmi_link_status: [u16; 8],
    pub temperature_hbm_stacks: [u16; 12],
    pub temperature_mid: [u16; 2],
    pub temperature_aid: [u16; 2],
    pub current_uclk_aid: [u16; 2],
    pub current_socclks_mid: [u16; 2],
    pub apu_metrics: *mut amdsmi_apu_metrics_t,
}
#[repr(C)]
#[derive(Clone, Copy)]
pub struct amdsmi_gpu_ras_policy_info_t {
    pub major_version: u8,
    pub minor_version: u8,
    pub policy_data: amdsmi_gpu_ras_policy_info_t_policy_data_,
}
#[repr(C)]
#[derive(Clone, Copy)]
pub union amdsmi_gpu_ras_policy_info_t_policy_data_ {
    pub v4_0: amdsmi_gpu_ras_policy_v4_0_t,
    pub info: [u64; 5],
}
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct amdsmi_gpu_ras_policy_v4_0_t {
    pub dram_non_critical_region_threshold: u16,
    pub dram_critical_region_threshold: u16,
}
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct amdsmi_gpu_xcp_metrics_t {
    pub gfx_busy_inst: [u32; 8],
    pub jpeg_busy: [u16; 40],
    pub vcn_busy: [u16; 4],
    pub gfx_busy_acc: [u64; 8],
    pub gfx_below_host_limit_acc: [u64; 8],
    pub gfx_below_host_limit_ppt_acc: [u64; 8],
    pub gfx_below_host_limit_thm_acc: [u64; 8],
    pub gfx_low_utilization_acc: [u64; 8],
    pub gfx_below_host_limit_total_acc: [u64; 8],
    pub temperature_xcd: [u16; 8],
}
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct amdsmi_hsmp_driver_version_t {
    pub major: u32,
    pub minor: u32,
}
#[repr(C,packed)]
#[derive(Clone, Copy, Debug)]
pub struct amdsmi_hsmp_metrics_table_t {
    pub accumulation_counter: u32,
    pub max_socket_temperature: u32,
    pub max_vr_temperature: u32,
    pub max_hbm_temperature: u32,
    pub max_socket_temperature_acc: u64,
    pub max_vr_temperature_acc: u64,
    pub max_hbm_temperature_acc: u64,
    pub socket_power_limit: u32,
    pub max_socket_power_limit: u32,
    pub socket_power: u32,
    pub timestamp: u64,
    pub socket_energy_acc: u64,
    pub ccd_energy_acc: u64,
    pub xcd_energy_acc: u64,
    pub aid_energy_acc: u64,
    pub hbm_energy_acc: u64,
    pub cclk_frequency_limit: u32,
    pub gfxclk_frequency_limit: u32,
    pub fclk_frequency: u32,
    pub uclk_frequency: u32,
    pub socclk_frequency: [u32; 4],
    pub vclk_frequency: [u32; 4],
    pub dclk_frequency: [u32; 4],
    pub lclk_frequency: [u32; 4],
    pub gfxclk_frequency_acc: [u64; 8],
    pub cclk_frequency_acc: [u64; 96],
    pub max_cclk_frequency: u32,
    pub min_cclk_frequency: u32,
    pub max_gfxclk_frequency: u32,
    pub min_gfxclk_frequency: u32,
    pub fclk_frequency_table: [u32; 4],
    pub uclk_frequency_table: [u32; 4],
    pub socclk_frequency_table: [u32; 4],
    pub vclk_frequency_table: [u32; 4],
    pub dclk_frequency_table: [u32; 4],
    pub lclk_frequency_table: [u32; 4],
    pub max_lclk_dpm_range: u32,
    pub min_lclk_dpm_range: u32,
    pub xgmi_width: u32,
    pub xgmi_bitrate: u32,
    pub xgmi_read_bandwidth_acc: [u64; 8],
    pub xgmi_write_bandwidth_acc: [u64; 8],
    pub socket_c0_residency: u32,
    pub socket_gfx_busy: u32,
    pub dram_bandwidth_utilization: u32,
    pub socket_c0_residency_acc: u64,
    pub socket_gfx_busy_acc: u64,
    pub dram_bandwidth_acc: u64,
    pub max_dram_bandwidth: u32,
    pub dram_bandwidth_utilization_acc: u64,
    pub pcie_bandwidth_acc: [u64; 4],
    pub prochot_residency_acc: u32,
    pub ppt_residency_acc: u32,
    pub socket_thm_residency_acc: u32,
    pub vr_thm_residency_acc: u32,
    pub hbm_thm_residency_acc: u32,
    pub spare: u32,
    pub gfxclk_frequency: [u32; 8],
}
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct amdsmi_kfd_info_t {
    pub kfd_id: u64,
    pub node_id: u32,
    pub current_partition_id: u32,
    pub reserved: [u32; 12],
}
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct amdsmi_link_id_bw_type_t {
    pub bw_type: amdsmi_io_bw_encoding_t,
    pub link_name: *mut c_char,
}
#[repr(C)]
#[derive(Clone, Copy)]
pub struct amdsmi_link_metrics_t {
    pub num_links: u32,
    pub links: [amdsmi_link_metrics_t__links; 64],
    pub reserved: [u64; 7],
}
#[repr(C)]
#[derive(Clone, Copy)]
pub struct amdsmi_link_metrics_t__links {
    pub bdf: amdsmi_bdf_t,
    pub bit_rate: u32,
    pub max_bandwidth: u32,
    pub link_type: amdsmi_link_type_t,
    pub read: u64,
    pub write: u64,
    pub link_status: amdsmi_link_status_t,
    pub reserved: [u64; 1],
}
#[repr(C)]
#[derive(Clone, Copy)]
pub struct amdsmi_memory_partition_config_t {
    pub partition_caps: amdsmi_nps_caps_t,
    pub mp_mode: amdsmi_memory_partition_type_t,
    pub num_numa_ranges: u32,
    pub numa_range: [amdsmi_memory_partition_config_t_numa_range_; 32],
    pub reserved: [u64; 11],
}
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct amdsmi_memory_partition_config_t_numa_range_ {
    pub memory_type: amdsmi_vram_type_t,
    pub start: u64,
    pub end: u64,
}
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct amdsmi_name_value_t {
    pub name: [c_char; 256],
    pub value: u64,
}
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct amdsmi_nic_asic_info_t {
    pub vendor_id: u16,
    pub subvendor_id: u16,
    pub device_id: u16,
    pub subsystem_id: u16,
    pub revision: u8,
    pub permanent_address: [c_char; 256],
    pub product_name: [c_char; 256],
    pub part_number: [c_char; 256],
    pub serial_number: [c_char; 256],
    pub vendor_name: [c_char; 256],
}
#[repr(C)]
#[derive(Clone, Copy)]
pub struct amdsmi_nic_bus_info_t {
    pub bdf: amdsmi_bdf_t,
    pub max_pcie_width: u8,
    pub max_pcie_speed: u32,
    pub pcie_interface_version: [c_char; 256],
    pub slot_type: [c_char; 256],
}
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct amdsmi_nic_driver_info_t {
    pub name: [c_char; 256],
    pub version: [c_char; 256],
}
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct amdsmi_nic_fw_entry_t {
    pub name: [c_char; 256],
    pub version: [c_char; 256],
}
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct amdsmi_nic_fw_info_t {
    pub num_fw: u32,
    pub fw: [amdsmi_nic_fw_entry_t; 16],
}
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct amdsmi_nic_numa_info_t {
    pub node: u8,
    pub affinity: [c_char; 256],
}
#[repr(C)]
#[derive(Clone, Copy)]
pub struct amdsmi_nic_port_info_t {
    pub num_ports: u32,
    pub ports: [amdsmi_nic_port_t; 32],
}
#[repr(C)]
#[derive(Clone, Copy)]
pub struct amdsmi_nic_port_t {
    pub bdf: amdsmi_bdf_t,
    pub port_num: u32,
    pub type_: [c_char; 256],
    pub flavour: [c_char; 256],
    pub netdev: [c_char; 256],
    pub ifindex: u8,
    pub mac_address: [c_char; 256],
    pub carrier: u8,
    pub mtu: u16,
    pub link_state: [c_char; 256],
    pub link_speed: u32,
    pub active_fec: u32,
    pub autoneg: [c_char; 256],
    pub pause_autoneg: [c_char; 256],
    pub pause_rx: [c_char; 256],
    pub pause_tx: [c_char; 256],
}
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct amdsmi_nic_rdma_dev_info_t {
    pub rdma_dev: [c_char; 256],
    pub node_guid: [c_char; 256],
    pub node_type: [c_char; 256],
    pub sys_image_guid: [c_char; 256],
    pub fw_ver: [c_char; 256],
    pub num_rdma_ports: u8,
    pub rdma_port_info: [amdsmi_nic_rdma_port_info_t; 32],
}
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct amdsmi_nic_rdma_devices_info_t {
    pub num_rdma_dev: u8,
    pub rdma_dev_info: [amdsmi_nic_rdma_dev_info_t; 32],
}
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct amdsmi_nic_rdma_port_info_t {
    pub netdev: [c_char; 256],
    pub state: [c_char; 256],
    pub rdma_port: u8,
    pub max_mtu: u16,
    pub active_mtu: u16,
}
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct amdsmi_nic_stat_t {
    pub name: [c_char; 256],
    pub value: u64,
}
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct amdsmi_npm_info_t {
    pub status: amdsmi_npm_status_t,
    pub limit: u64,
    pub ubb_power_threshold: u32,
    pub reserved: [u64; 5],
}
#[repr(C)]
#[derive(Clone, Copy)]
pub union amdsmi_nps_caps_t {
    pub nps_flags: amdsmi_nps_caps_t_nps_flags_,
    pub nps_cap_mask: u32,
}
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct amdsmi_nps_caps_t_nps_flags_ {
    pub _bindgen_align: [u32; 0],
    pub _bitfield_1: [u8; 4],
}
bitfields! { amdsmi_nps_caps_t_nps_flags_
    nps1_cap: _bitfield_1 0 1;
    nps2_cap: _bitfield_1 1 1;
    nps4_cap: _bitfield_1 2 1;
    nps8_cap: _bitfield_1 3 1;
    reserved: _bitfield_1 4 28;
}
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct amdsmi_od_vddc_point_t {
    pub frequency: u64,
    pub voltage: u64,
}
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct amdsmi_od_volt_curve_t {
    pub vc_points: [amdsmi_od_vddc_point_t; 3],
}
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct amdsmi_od_volt_freq_data_t {
    pub curr_sclk_range: amdsmi_range_t,
    pub curr_mclk_range: amdsmi_range_t,
    pub curr_fclk_range: amdsmi_range_t,
    pub sclk_freq_limits: amdsmi_range_t,
    pub mclk_freq_limits: amdsmi_range_t,
    pub fclk_freq_limits: amdsmi_range_t,
    pub curve: amdsmi_od_volt_curve_t,
    pub num_regions: u32,
}
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct amdsmi_p2p_capability_t {
    pub is_iolink_coherent: u8,
    pub is_iolink_atomics_32bit: u8,
    pub is_iolink_atomics_64bit: u8,
    pub is_iolink_dma: u8,
    pub is_iolink_bi_directional: u8,
}
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct amdsmi_pcie_bandwidth_t {
    pub transfer_rate: amdsmi_frequencies_t,
    pub lanes: [u32; 33],
}
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct amdsmi_pcie_info_t {
    pub pcie_static: amdsmi_pcie_info_t_pcie_static_,
    pub pcie_metric: amdsmi_pcie_info_t_pcie_metric_,
    pub reserved: [u64; 32],
}
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct amdsmi_pcie_info_t_pcie_metric_ {
    pub pcie_width: u16,
    pub pcie_speed: u32,
    pub pcie_bandwidth: u32,
    pub pcie_replay_count: u64,
    pub pcie_l0_to_recovery_count: u64,
    pub pcie_replay_roll_over_count: u64,
    pub pcie_nak_sent_count: u64,
    pub pcie_nak_received_count: u64,
    pub pcie_lc_perf_other_end_recovery_count: u32,
    pub reserved: [u64; 12],
}
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct amdsmi_pcie_info_t_pcie_static_ {
    pub max_pcie_width: u16,
    pub max_pcie_speed: u32,
    pub pcie_interface_version: u32,
    pub slot_type: amdsmi_card_form_factor_t,
    pub max_pcie_interface_version: u32,
    pub reserved: [u64; 9],
}
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct amdsmi_power_cap_info_t {
    pub power_cap: u64,
    pub default_power_cap: u64,
    pub dpm_cap: u64,
    pub min_power_cap: u64,
    pub max_power_cap: u64,
    pub reserved: [u64; 3],
}
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct amdsmi_power_info_t {
    pub socket_power: u64,
    pub current_socket_power: u32,
    pub average_socket_power: u32,
    pub gfx_voltage: u64,
    pub soc_voltage: u64,
    pub mem_voltage: u64,
    pub power_limit: u32,
    pub ubb_power: u32,
    pub reserved: [u64; 18],
}
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct amdsmi_power_profile_status_t {
    pub available_profiles: amdsmi_bit_field_t,
    pub current: amdsmi_power_profile_preset_masks_t,
    pub num_profiles: u32,
}
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct amdsmi_proc_gpu_entry_t {
    pub gpu_index: u32,
    pub mem: u64,
    pub engine_usage: amdsmi_proc_gpu_entry_t__bindgen_ty_1,
    pub memory_usage: amdsmi_proc_gpu_entry_t__bindgen_ty_2,
    pub cu_occupancy: u32,
    pub evicted_time: u32,
    pub sdma_usage: u64,
    pub reserved: [u32; 8],
}
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct amdsmi_proc_gpu_entry_t__bindgen_ty_1 {
    pub gfx: u64,
    pub enc: u64,
    pub reserved: [u32; 12],
}
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct amdsmi_proc_gpu_entry_t__bindgen_ty_2 {
    pub gtt_mem: u64,
    pub cpu_mem: u64,
    pub vram_mem: u64,
    pub reserved: [u32; 10],
}
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct amdsmi_proc_info_by_pid_t {
    pub pid: amdsmi_process_handle_t,
    pub name: [c_char; 256],
    pub container_name: [c_char; 256],
    pub num_gpus: u32,
    pub gpus: [amdsmi_proc_gpu_entry_t; 32],
}
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct amdsmi_proc_info_t {
    pub name: [c_char; 256],
    pub pid: amdsmi_process_handle_t,
    pub mem: u64,
    pub engine_usage: amdsmi_proc_info_t_engine_usage_,
    pub memory_usage: amdsmi_proc_info_t_memory_usage_,
    pub container_name: [c_char; 256],
    pub cu_occupancy: u32,
    pub evicted_time: u32,
    pub sdma_usage: u64,
    pub reserved: [u32; 8],
}
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct amdsmi_proc_info_t_engine_usage_ {
    pub gfx: u64,
    pub enc: u64,
    pub reserved: [u32; 12],
}
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct amdsmi_proc_info_t_memory_usage_ {
    pub gtt_mem: u64,
    pub cpu_mem: u64,
    pub vram_mem: u64,
    pub reserved: [u32; 10],
}
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct amdsmi_process_info_t {
    pub process_id: u32,
    pub vram_usage: u64,
    pub sdma_usage: u64,
    pub cu_occupancy: u32,
    pub evicted_time: u32,
}
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct amdsmi_range_t {
    pub lower_bound: u64,
    pub upper_bound: u64,
    pub reserved: [u64; 2],
}
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct amdsmi_ras_feature_t {
    pub ras_eeprom_version: u32,
    pub ecc_correction_schema_flag: u32,
    pub ras_info: amdsmi_ras_feature_t_ras_info_,
    pub needs_reboot: bool,
}
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct amdsmi_ras_feature_t_ras_info_ {
    pub _bindgen_align: [u32; 0],
    pub _bitfield_1: [u8; 4],
}
bitfields! { amdsmi_ras_feature_t_ras_info_
    dram_ecc: _bitfield_1 0 1;
    sram_ecc: _bitfield_1 1 1;
    poisoning: _bitfield_1 2 1;
    rsvd: _bitfield_1 3 29;
}
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct amdsmi_retired_page_record_t {
    pub page_address: u64,
    pub page_size: u64,
    pub status: amdsmi_memory_page_status_t,
}
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct amdsmi_smu_fw_version_t {
    pub debug: u8,
    pub minor: u8,
    pub major: u8,
    pub unused: u8,
}
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct amdsmi_sock_info_t {
    pub socket_id: u32,
    pub cores_per_socket: u32,
}
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct amdsmi_temp_range_refresh_rate_t {
    pub _bitfield_1: [u8; 1],
}
bitfields! { amdsmi_temp_range_refresh_rate_t
    range: _bitfield_1 0 3;
    ref_rate: _bitfield_1 3 1;
}
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct amdsmi_topology_nearest_t {
    pub count: u32,
    pub processor_list: [amdsmi_processor_handle; 256],
    pub reserved: [u64; 15],
}
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct amdsmi_tray_info_t {
    pub max_acc_per_tray: u32,
    pub tray_type: amdsmi_compute_tray_type_t,
    pub reserved: [u32; 14],
}
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct amdsmi_ttm_info_t {
    pub current_pages: u64,
}
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct amdsmi_uma_carveout_info_t {
    pub current_index: u32,
    pub num_options: u32,
    pub options: [amdsmi_uma_carveout_option_t; 16],
}
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct amdsmi_uma_carveout_option_t {
    pub index: u32,
    pub description: [c_char; 256],
}
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct amdsmi_utilization_counter_t {
    pub type_: amdsmi_utilization_counter_type_t,
    pub value: u64,
    pub fine_value: [u64; 4],
    pub fine_value_count: u16,
}
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct amdsmi_vbios_info_t {
    pub name: [c_char; 256],
    pub build_date: [c_char; 256],
    pub part_number: [c_char; 256],
    pub version: [c_char; 256],
    pub boot_firmware: [c_char; 256],
    pub reserved: [u64; 36],
}
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct amdsmi_version_t {
    pub major: u32,
    pub minor: u32,
    pub release: u32,
    pub build: *const c_char,
}
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct amdsmi_violation_status_t {
    pub reference_timestamp: u64,
    pub violation_timestamp: u64,
    pub acc_counter: u64,
    pub acc_prochot_thrm: u64,
    pub acc_ppt_pwr: u64,
    pub acc_socket_thrm: u64,
    pub acc_vr_thrm: u64,
    pub acc_hbm_thrm: u64,
    pub acc_gfx_clk_below_host_limit: u64,
    pub per_prochot_thrm: u64,
    pub per_ppt_pwr: u64,
    pub per_socket_thrm: u64,
    pub per_vr_thrm: u64,
    pub per_hbm_thrm: u64,
    pub per_gfx_clk_below_host_limit: u64,
    pub active_prochot_thrm: u8,
    pub active_ppt_pwr: u8,
    pub active_socket_thrm: u8,
    pub active_vr_thrm: u8,
    pub active_hbm_thrm: u8,
    pub active_gfx_clk_below_host_limit: u8,
    pub acc_gfx_clk_below_host_limit_pwr: [[u64; 8]; 8],
    pub acc_gfx_clk_below_host_limit_thm: [[u64; 8]; 8],
    pub acc_low_utilization: [[u64; 8]; 8],
    pub acc_gfx_clk_below_host_limit_total: [[u64; 8]; 8],
    pub per_gfx_clk_below_host_limit_pwr: [[u64; 8]; 8],
    pub per_gfx_clk_below_host_limit_thm: [[u64; 8]; 8],
    pub per_low_utilization: [[u64; 8]; 8],
    pub per_gfx_clk_below_host_limit_total: [[u64; 8]; 8],
    pub active_gfx_clk_below_host_limit_pwr: [[u8; 8]; 8],
    pub active_gfx_clk_below_host_limit_thm: [[u8; 8]; 8],
    pub active_low_utilization: [[u8; 8]; 8],
    pub active_gfx_clk_below_host_limit_total: [[u8; 8]; 8],
    pub reserved: [[u64; 8]; 8],
    pub reserved2: [[u64; 8]; 8],
    pub reserved3: [[u64; 8]; 8],
}
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct amdsmi_vram_info_t {
    pub vram_type: amdsmi_vram_type_t,
    pub vram_vendor: [c_char; 256],
    pub vram_size: u64,
    pub vram_bit_width: u32,
    pub vram_max_bandwidth: u64,
    pub reserved: [u64; 37],
}
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct amdsmi_vram_usage_t {
    pub vram_total: u32,
    pub vram_used: u32,
    pub reserved: [u32; 2],
}
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct amdsmi_xgmi_info_t {
    pub xgmi_lanes: u8,
    pub xgmi_hive_id: u64,
    pub xgmi_node_id: u64,
    pub index: u32,
    pub reserved: [u32; 9],
}
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct amdsmi_xgmi_link_status_t {
    pub total_links: u32,
    pub status: [amdsmi_xgmi_link_status_type_t; 8],
    pub reserved: [u64; 7],
}
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct timespec {
    pub tv_sec: __time_t,
    pub tv_nsec: __syscall_slong_t,
}
zeroed_default! {
    amd_metrics_table_header_t,
    amdsmi_accelerator_partition_profile_config_t,
    amdsmi_accelerator_partition_profile_t,
    amdsmi_accelerator_partition_resource_profile_t,
    amdsmi_apu_metrics_t,
    amdsmi_asic_info_t,
    amdsmi_bdf_t,
    amdsmi_bdf_t__bindgen_ty_1,
    amdsmi_bdf_t_bdf_,
    amdsmi_bdf_t_fields_,
    amdsmi_board_info_t,
    amdsmi_clk_info_t,
    amdsmi_counter_value_t,
    amdsmi_cper_guid_t,
    amdsmi_cper_hdr_t,
    amdsmi_cper_timestamp_t,
    amdsmi_cper_valid_bits_t,
    amdsmi_cper_valid_bits_t_valid_bits_,
    amdsmi_cpu_info_t,
    amdsmi_cpu_util_t,
    amdsmi_ddr_bw_metrics_t,
    amdsmi_dimm_power_t,
    amdsmi_dimm_thermal_t,
    amdsmi_dpm_level_t,
    amdsmi_dpm_policy_entry_t,
    amdsmi_dpm_policy_t,
    amdsmi_driver_info_t,
    amdsmi_engine_usage_t,
    amdsmi_enumeration_info_t,
    amdsmi_error_count_t,
    amdsmi_evt_notification_data_t,
    amdsmi_fabric_info_t,
    amdsmi_fabric_info_t_fabric_info_,
    amdsmi_fabric_info_v1_t,
    amdsmi_fabric_label_t,
    amdsmi_fabric_telemetry_dataset_t,
    amdsmi_fabric_telemetry_instance_t,
    amdsmi_fabric_telemetry_item_t,
    amdsmi_fabric_telemetry_t,
    amdsmi_freq_volt_region_t,
    amdsmi_frequencies_t,
    amdsmi_frequency_range_t,
    amdsmi_fw_info_t,
    amdsmi_fw_info_t_fw_info_list_,
    amdsmi_gpu_cache_info_t,
    amdsmi_gpu_cache_info_t_cache_,
    amdsmi_gpu_metrics_t,
    amdsmi_gpu_ras_policy_info_t,
    amdsmi_gpu_ras_policy_info_t_policy_data_,
    amdsmi_gpu_ras_policy_v4_0_t,
    amdsmi_gpu_xcp_metrics_t,
    amdsmi_hsmp_driver_version_t,
    amdsmi_hsmp_metrics_table_t,
    amdsmi_kfd_info_t,
    amdsmi_link_id_bw_type_t,
    amdsmi_link_metrics_t,
    amdsmi_link_metrics_t__links,
    amdsmi_memory_partition_config_t,
    amdsmi_memory_partition_config_t_numa_range_,
    amdsmi_name_value_t,
    amdsmi_nic_asic_info_t,
    amdsmi_nic_bus_info_t,
    amdsmi_nic_driver_info_t,
    amdsmi_nic_fw_entry_t,
    amdsmi_nic_fw_info_t,
    amdsmi_nic_numa_info_t,
    amdsmi_nic_port_info_t,
    amdsmi_nic_port_t,
    amdsmi_nic_rdma_dev_info_t,
    amdsmi_nic_rdma_devices_info_t,
    amdsmi_nic_rdma_port_info_t,
    amdsmi_nic_stat_t,
    amdsmi_npm_info_t,
    amdsmi_nps_caps_t,
    amdsmi_nps_caps_t_nps_flags_,
    amdsmi_od_vddc_point_t,
    amdsmi_od_volt_curve_t,
    amdsmi_od_volt_freq_data_t,
    amdsmi_p2p_capability_t,
    amdsmi_pcie_bandwidth_t,
    amdsmi_pcie_info_t,
    amdsmi_pcie_info_t_pcie_metric_,
    amdsmi_pcie_info_t_pcie_static_,
    amdsmi_power_cap_info_t,
    amdsmi_power_info_t,
    amdsmi_power_profile_status_t,
    amdsmi_proc_gpu_entry_t,
    amdsmi_proc_gpu_entry_t__bindgen_ty_1,
    amdsmi_proc_gpu_entry_t__bindgen_ty_2,
    amdsmi_proc_info_by_pid_t,
    amdsmi_proc_info_t,
    amdsmi_proc_info_t_engine_usage_,
    amdsmi_proc_info_t_memory_usage_,
    amdsmi_process_info_t,
    amdsmi_range_t,
    amdsmi_ras_feature_t,
    amdsmi_ras_feature_t_ras_info_,
    amdsmi_retired_page_record_t,
    amdsmi_smu_fw_version_t,
    amdsmi_sock_info_t,
    amdsmi_temp_range_refresh_rate_t,
    amdsmi_topology_nearest_t,
    amdsmi_tray_info_t,
    amdsmi_ttm_info_t,
    amdsmi_uma_carveout_info_t,
    amdsmi_uma_carveout_option_t,
    amdsmi_utilization_counter_t,
    amdsmi_vbios_info_t,
    amdsmi_version_t,
    amdsmi_violation_status_t,
    amdsmi_vram_info_t,
    amdsmi_vram_usage_t,
    amdsmi_xgmi_info_t,
    amdsmi_xgmi_link_status_t,
    timespec,
}
