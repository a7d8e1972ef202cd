//! What monitoring programs read: sensors, use, and the processes of `/sys/class/kfd/kfd/proc`.

mod common;

use common::queues::{RING, buffer, buffer_of, destroy, dword, queue, queue_with, submit};
use common::*;
use kfd_sys::*;
use std::collections::BTreeSet;
use std::fs;
use std::process::Command;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

fn text(path: &str) -> String {
    fs::read_to_string(path).unwrap_or_else(|error| panic!("{path}: {error}"))
}

fn names(path: &str) -> BTreeSet<String> {
    fs::read_dir(path).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect()
}

/// `hwmon_attributes` of `amdgpu_pm.c` without what `hwmon_attributes_visible` hides on an Arcturus.
#[test]
fn sensors_are_those_of_an_arcturus() {
    on_gpus(2, "sensors_are_those_of_an_arcturus", || {
        for index in 0..2 {
            let folder = format!("/sys/class/drm/card{index}/device/hwmon");
            let sensors = names(&folder);
            let [name] = &sensors.iter().collect::<Vec<_>>()[..] else { panic!("{sensors:?}") };
            let class = format!("/sys/class/hwmon/{name}");
            assert!(names("/sys/class/hwmon").contains(*name));
            assert_eq!(fs::canonicalize(&class).unwrap(), fs::canonicalize(format!("{folder}/{name}")).unwrap());
            let temperatures = (1..=3).flat_map(|number| {
                ["label", "input", "crit", "crit_hyst", "emergency"].map(|what| format!("temp{number}_{what}"))
            });
            let others = "name device subsystem power1_label power1_average power1_cap power1_cap_min power1_cap_max \
                power1_cap_default in0_label in0_input freq1_label freq1_input freq2_label freq2_input fan1_input fan1_target \
                fan1_min fan1_max fan1_enable pwm1 pwm1_min pwm1_max pwm1_enable";
            let wanted = temperatures.chain(others.split_whitespace().map(String::from)).collect::<BTreeSet<_>>();
            assert_eq!(names(&class), wanted);
            for (file, content) in [
                ("name", "amdgpu"),
                ("temp2_label", "junction"),
                ("temp2_input", "0"),
                ("temp3_crit", "94000"),
                ("temp1_emergency", "105000"),
                ("power1_average", "0"),
                ("power1_cap", "290000000"),
                ("freq1_input", "1502000000"),
                ("freq2_input", "1200000000"),
                ("fan1_input", "0"),
                ("fan1_max", "3850"),
            ] {
                assert_eq!(text(&format!("{class}/{file}")), format!("{content}\n"), "{file}");
            }
        }
        // Programs look for the sensors of other devices too.
        assert!(names("/sys/class").contains("hwmon"));
    });
}

/// The table of metrics, whose halves are at these offsets, and whose time is at `time`.
fn metrics<const N: usize>(halves: [usize; N], time: usize) -> (Vec<u8>, [u16; N]) {
    let table = fs::read("/sys/class/drm/card0/device/gpu_metrics").unwrap();
    let time = u64::from_le_bytes(table[time..time + 8].try_into().unwrap());
    let mut now = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: writable.
    unsafe { libc::clock_gettime(libc::CLOCK_BOOTTIME, &mut now) };
    let now = now.tv_sec as u64 * 1_000_000_000 + now.tv_nsec as u64;
    assert!(time <= now && now - time < 60_000_000_000, "{time} {now}");
    let halves = halves.map(|at| u16::from_le_bytes([table[at], table[at + 1]]));
    (table, halves)
}

#[test]
fn the_table_of_metrics_is_version_1_3() {
    on_gpu("the_table_of_metrics_is_version_1_3", || {
        // Temperature, activity, power, clocks, link.
        let (table, halves) = metrics([4, 16, 22, 54, 58, 74, 76], 32);
        assert_eq!((table.len(), &table[..4]), (120, &[120, 0, 1, 3][..]));
        assert_eq!(halves, [0xffff, 0, 0xffff, 1502, 1200, 16, 160]);
    });
}

#[test]
fn the_table_of_metrics_of_an_mi300x_is_version_1_5() {
    on_models("mi300x", "the_table_of_metrics_of_an_mi300x_is_version_1_5", || {
        // Temperature, power, activity of compute units, video and JPEG engines, link, clocks of the first and the last
        // XCC, one that is not known, of the memory.
        let (table, halves) = metrics([4, 10, 12, 22, 86, 112, 114, 312, 326, 328, 352], 96);
        assert_eq!((table.len(), &table[..4]), (360, &[104, 1, 1, 5][..]));
        assert_eq!(halves, [0xffff, 0xffff, 0, 0, 0, 16, 160, 2100, 2100, 0xffff, 1300]);
        assert_eq!(&table[104..112], [0; 8]);
    });
}

/// What another program of the run reads in these files.
fn seen_by_another(paths: &[String]) -> Vec<String> {
    let output = Command::new("head").args(["-qn", "1"]).args(paths).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap().lines().map(String::from).collect()
}

fn wait_for(what: &str, mut holds: impl FnMut() -> bool) {
    let deadline = Instant::now() + Duration::from_secs(60);
    while !holds() {
        assert!(Instant::now() < deadline, "{what}");
        std::thread::sleep(Duration::from_millis(20));
    }
}

#[test]
fn a_process_and_its_work_are_seen_by_others() {
    on_gpu("a_process_and_its_work_are_seen_by_others", || {
        const PROCESSES: &str = "/sys/class/kfd/kfd/proc";
        // A render node alone makes no process of the driver's.
        let render = open_render_node(128).unwrap();
        assert_eq!(names(PROCESSES), BTreeSet::new());
        drop(render);
        let device = Device::open(1);
        let process = std::process::id().to_string();
        assert_eq!(names(PROCESSES), [process.clone()].into());
        let listed = Command::new("ls").arg(PROCESSES).output().unwrap();
        assert_eq!(String::from_utf8_lossy(&listed.stdout), format!("{process}\n"));

        let own = format!("{PROCESSES}/{process}");
        let id = gpu_id(0);
        let stats = format!("stats_{id}");
        let files = ["pasid", "queues"].map(String::from).into_iter();
        let files = files.chain(["vram", "sdma", "stats", "counters"].map(|kind| format!("{kind}_{id}")));
        assert_eq!(names(&own), files.collect());
        assert_eq!(names(&format!("{own}/{stats}")), ["cu_occupancy", "evicted_ms"].map(String::from).into());
        let (copied, _) = buffer_of(&device, 3 << 20, VRAM);
        let compute = queue(&device, KFD_IOC_QUEUE_TYPE_COMPUTE);
        let sdma = queue(&device, KFD_IOC_QUEUE_TYPE_SDMA_XGMI);
        let read =
            |names: &[&str]| seen_by_another(&names.iter().map(|name| format!("{own}/{name}")).collect::<Vec<_>>());
        let vram = format!("vram_{id}");
        assert_eq!(
            read(&["pasid", &vram, &format!("{stats}/evicted_ms"), &format!("counters_{id}/faults")]),
            ["32768", &(3u32 << 20).to_string(), "0", "0"]
        );
        assert_eq!(names(&format!("{own}/queues")), [&compute, &sdma].map(|queue| queue.queue_id.to_string()).into());
        for (queue, kind) in [(&compute, "0"), (&sdma, "4")] {
            let file = |name: &str| text(&format!("{own}/queues/{}/{name}", queue.queue_id));
            // Without ends of lines, as the driver writes them.
            assert_eq!(
                [file("gpuid"), file("size"), file("type")],
                [id.to_string(), RING.to_string(), kind.to_owned()]
            );
        }

        // However its engine was chosen.
        let by_engine = queue_with(&device, KFD_IOC_QUEUE_TYPE_SDMA_BY_ENG_ID, |args| args.sdma_engine_id = 1);
        let of_xgmi = queue_with(&device, KFD_IOC_QUEUE_TYPE_SDMA_BY_ENG_ID, |args| args.sdma_engine_id = 2);
        for (queue, kind) in [(by_engine, "1"), (of_xgmi, "4")] {
            assert_eq!(text(&format!("{own}/queues/{}/type", queue.queue_id)), kind);
            destroy(&device, &queue);
        }

        // Time of the SDMA engine, in microseconds.
        let sdma_time = || read(&[&format!("sdma_{id}")])[0].parse::<u64>().unwrap();
        assert_eq!(sdma_time(), 0);
        let (fence, _) = buffer(&device, 4096);
        let [low, high] = [|address: u64| address as u32, |address: u64| (address >> 32) as u32];
        let half = 3 << 19;
        let copy = [1, half as u32 - 1, 0, low(copied), high(copied), low(copied + half), high(copied + half)];
        let written = [5, low(fence), high(fence), 7];
        submit(&device, &sdma, &[copy.as_slice(), &written].concat(), 1);
        wait_for("copy", || dword(fence).load(Ordering::Acquire) == 7);
        wait_for("time of the SDMA engine", || sdma_time() > 0);

        // 100 work-groups of one wave each that branch to themselves: at 40 waves a compute unit they are worth three.
        let busy = || text("/sys/class/drm/card0/device/gpu_busy_percent").trim().parse::<u32>().unwrap();
        assert_eq!((busy(), read(&[&format!("{stats}/cu_occupancy")])), (0, vec!["0".to_owned()]));
        let (code, _) = buffer(&device, 4096);
        dword(code).store(0xbf82_ffff, Ordering::Relaxed);
        let packets = [
            [0xc003_7602, 0x207, 64, 1, 1].as_slice(),
            &[0xc002_7602, 0x20c, low(code >> 8), high(code >> 8)],
            &[0xc002_7602, 0x212, 1 | 0xf0 << 12 | 1 << 23, 2 << 1 | 1 << 7],
            &[0xc003_1502, 100, 1, 1, 5],
        ]
        .concat();
        submit(&device, &compute, &packets, 4);
        wait_for("busy GPU", || busy() >= 95);
        wait_for("occupied compute units", || read(&[&format!("{stats}/cu_occupancy")]) == ["3"]);
        let metrics = fs::read("/sys/class/drm/card0/device/gpu_metrics").unwrap();
        assert!((95..=100).contains(&metrics[16]) && metrics[17] == 0, "{:?}", &metrics[16..18]);
        destroy(&device, &compute);
        assert_eq!(text(&format!("{own}/{stats}/cu_occupancy")), "0\n");
        wait_for("idle GPU", || busy() <= 1);
        assert_eq!(names(&format!("{own}/queues")), [sdma.queue_id.to_string()].into());

        // A child that uses the device is there as long as it lives.
        let mut pipes = [[0; 2]; 2];
        // SAFETY: room for two descriptors each. The child exits without unwinding.
        let child = unsafe {
            pipes.iter_mut().for_each(|pipe| assert_eq!(libc::pipe(pipe.as_mut_ptr()), 0));
            libc::fork()
        };
        let [there, go] = pipes;
        if child == 0 {
            let kfd = open_kfd();
            // SAFETY: one byte each, and the descriptors are open.
            unsafe {
                libc::write(there[1], c"!".as_ptr().cast(), 1);
                libc::read(go[0], (&mut 0u8 as *mut u8).cast(), 1);
                libc::_exit(i32::from(kfd.is_err()));
            }
        }
        // SAFETY: as above.
        assert_eq!(unsafe { libc::read(there[0], (&mut 0u8 as *mut u8).cast(), 1) }, 1);
        assert_eq!(names(PROCESSES), [process.clone(), child.to_string()].into());
        assert_eq!(text(&format!("{PROCESSES}/{child}/pasid")), "32769\n");
        // SAFETY: as above; the child is ours.
        unsafe {
            libc::write(go[1], c"!".as_ptr().cast(), 1);
            libc::waitpid(child, std::ptr::null_mut(), 0);
        }
        assert_eq!(names(PROCESSES), [process].into());
        assert_eq!(errno(fs::read_dir(format!("{PROCESSES}/{child}")).map(|_| ())), libc::ENOENT);
    });
}
