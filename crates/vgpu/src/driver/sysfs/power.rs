//! Files of a GPU's power management: clocks, limits, sensors and utilisation, as in `amdgpu_pm.c`, `arcturus_ppt.c`
//! and `smu_v13_0_6_ppt.c` of Linux 6.12.
//!
//! A program in software has no temperature, draws no power and has no fan: those sensors read 0, always. What an
//! MI100's boards do not tell, such as the clocks of its fabric, has no file.

use super::tree::{Directory, Node};
use crate::driver::config::Config;
use crate::driver::device;
use crate::hardware::profile::{Metrics, Profile};
use crate::time::boottime_ns;

/// Degrees above the limit at which the driver switches off (`CTF_OFFSET_EDGE` and its like).
const EMERGENCY: u32 = 5;
/// Lanes of the PCI Express link, and its speed in 0.1 GT/s.
const LINK: (u16, u16) = (16, 160);

/// Adds the files of the card whose first GPU is `index` to its directory, `device`, and the sensors to the machine's.
pub fn add(root: &mut Directory, profile: &Profile, index: u32, device: &str, slot: &str) {
    let (core, memory) = (profile.core_clock_mhz, profile.memory_clock_mhz);
    // One level each: the highest, by which the waves' clock counts too.
    for (name, content) in [
        ("pp_dpm_sclk", format!("0: {core}Mhz *\n")),
        ("pp_dpm_mclk", format!("0: {memory}Mhz *\n")),
        // The clock of the link is what a video BIOS says, of which there is none.
        ("pp_dpm_pcie", "0: 16.0GT/s, x16 0Mhz *\n".to_owned()),
        ("power_dpm_state", "performance\n".to_owned()),
        ("power_dpm_force_performance_level", "high\n".to_owned()),
    ] {
        root.file(&format!("sys/{device}/{name}"), content);
    }
    let live = |read: fn(u32) -> Vec<u8>| Node::Live { read, gpu: index };
    root.insert(&format!("sys/{device}/gpu_busy_percent"), live(|gpu| format!("{}\n", busy_percent(gpu)).into()));
    let metrics = match profile.sensors.metrics {
        Metrics::V1_3 => metrics_1_3,
        Metrics::V1_5 => metrics_1_5,
    };
    root.insert(&format!("sys/{device}/gpu_metrics"), live(metrics));
    sensors(root, profile, device, slot);
}

/// How busy the partitions of a card are on average.
fn busy_percent(gpu: u32) -> u32 {
    let card = Config::get().map_or(gpu..gpu + 1, |config| config.card(gpu));
    let partitions = card.len() as f64;
    let busy = device::with_accounts(|accounts| card.map(|index| accounts.busy(index)).sum()).unwrap_or(0.0);
    (busy / partitions * 100.0).round() as u32
}

/// The sensors of the GPU, by the lowest number that no sensor has.
fn sensors(root: &mut Directory, profile: &Profile, device: &str, slot: &str) {
    let classes = root.directory("sys/class/hwmon", true);
    let is_free = |name: &String| {
        let machines = std::ffi::CString::new(format!("/sys/class/hwmon/{name}/name")).unwrap_or_default();
        !classes.entries.contains_key(name) && crate::real::read_file(&machines).is_none()
    };
    let Some(name) = (0..).map(|number| format!("hwmon{number}")).find(is_free) else { return };
    let path = format!("{device}/hwmon/{name}");
    classes.link(&name, format!("../../{path}"));
    let mut file = |name: &str, content: String| root.file(&format!("sys/{path}/{name}"), content + "\n");
    file("name", "amdgpu".to_owned());
    let limits = profile.temperature_limits;
    let places = [(1, "edge"), (2, "junction"), (3, "mem")].into_iter().zip(limits);
    for ((number, label), limit) in places.filter(|(_, limit)| *limit != 0) {
        let milli = |degrees: u32| (degrees * 1000).to_string();
        file(&format!("temp{number}_label"), label.to_owned());
        file(&format!("temp{number}_input"), milli(0));
        file(&format!("temp{number}_crit"), milli(limit));
        file(&format!("temp{number}_crit_hyst"), "-273150".to_owned());
        file(&format!("temp{number}_emergency"), milli(limit + EMERGENCY));
    }
    let micro = |watts: u32| (u64::from(watts) * 1_000_000).to_string();
    file("power1_label", "PPT".to_owned());
    file(if profile.sensors.average_power { "power1_average" } else { "power1_input" }, micro(0));
    file("power1_cap_min", micro(0));
    for name in ["power1_cap", "power1_cap_max", "power1_cap_default"] {
        file(name, micro(profile.power_limit_watts));
    }
    if profile.sensors.voltage {
        file("in0_label", "vddgfx".to_owned());
        file("in0_input", "0".to_owned());
    }
    for (number, label, mhz) in [(1, "sclk", profile.core_clock_mhz), (2, "mclk", profile.memory_clock_mhz)] {
        file(&format!("freq{number}_label"), label.to_owned());
        file(&format!("freq{number}_input"), (u64::from(mhz) * 1_000_000).to_string());
    }
    if profile.fan_rpm > 0 {
        fan(&mut file, profile.fan_rpm);
    }
    root.link(&format!("sys/{path}/device"), format!("../../../{slot}"));
    root.link(&format!("sys/{path}/subsystem"), "../../../../../class/hwmon");
}

fn fan(file: &mut impl FnMut(&str, String), rpm: u32) {
    for name in ["fan1_input", "fan1_target", "fan1_min", "fan1_enable", "pwm1", "pwm1_min"] {
        file(name, "0".to_owned());
    }
    file("fan1_max", rpm.to_string());
    file("pwm1_max", "255".to_owned());
    // The firmware decides.
    file("pwm1_enable", "2".to_owned());
}

/// A table of metrics. What is not known has all bits set, as the driver leaves what a chip does not measure.
struct Table(Vec<u8>);

impl Table {
    /// With this size and version in the header.
    fn new(bytes: u16, version: [u8; 2]) -> Table {
        let mut table = Table(vec![0xff; bytes.into()]);
        table.put(0, bytes.to_le_bytes());
        table.put(2, version);
        table
    }

    fn put<const N: usize>(&mut self, at: usize, bytes: [u8; N]) {
        self.0[at..at + N].copy_from_slice(&bytes);
    }

    fn put_all(&mut self, fields: &[(usize, u16)]) {
        fields.iter().for_each(|(at, value)| self.put(*at, value.to_le_bytes()));
    }
}

/// The clocks of the compute units and of the memory, in MHz.
fn clocks(gpu: u32) -> [u16; 2] {
    let profile = Config::get().map(|config| config.profile(gpu));
    profile.map_or([0; 2], |profile| [profile.core_clock_mhz as u16, profile.memory_clock_mhz as u16])
}

/// `struct gpu_metrics_v1_3` of `kgd_pp_interface.h`.
fn metrics_1_3(gpu: u32) -> Vec<u8> {
    let mut table = Table::new(120, [1, 3]);
    let [core, memory] = clocks(gpu);
    table.put_all(&[
        // Activity of the compute units, and of the video engine, for which there is no way in.
        (16, busy_percent(gpu) as u16),
        (20, 0),
        // Clocks, on average and now.
        (40, core),
        (44, memory),
        (54, core),
        (58, memory),
        // The fan.
        (72, 0),
        (74, LINK.0),
        (76, LINK.1),
    ]);
    table.put(32, boottime_ns().to_le_bytes());
    // Nothing is throttled.
    table.put(68, 0u32.to_le_bytes());
    table.put(112, 0u64.to_le_bytes());
    table.0
}

/// `struct gpu_metrics_v1_5` of `kgd_pp_interface.h`.
fn metrics_1_5(gpu: u32) -> Vec<u8> {
    let mut table = Table::new(360, [1, 5]);
    let [core, memory] = clocks(gpu);
    table.put_all(&[
        // Activity of the compute units.
        (12, busy_percent(gpu) as u16),
        (112, LINK.0),
        (114, LINK.1),
        // Clock of the memory.
        (352, memory),
    ]);
    // The four video engines and the 32 of JPEG, for which there is no way in.
    table.put(16, [0; 2 * (4 + 32)]);
    table.put(96, boottime_ns().to_le_bytes());
    // Nothing is throttled, and no clock is locked.
    table.put(104, 0u64.to_le_bytes());
    // The clocks of the XCCs.
    (0..8).for_each(|xcc| table.put(312 + 2 * xcc, core.to_le_bytes()));
    table.0
}
