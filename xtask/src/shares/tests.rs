use super::*;

fn samples() -> Vec<Sample> {
    let lines = [
        " 30         \tvgpu-lead\tlibvgpu.so          \t[.] gcn_alu::mfma::avx512",
        " 10\tvgpu-helper\tlibvgpu.so\t[.] <gcn_alu::valu::f32::Add as core::ops::function::FnOnce<()>>::call_once",
        " 3\tvgpu-lead\tlibvgpu.so\t[.] gcn::dispatch::workgroup::Workgroup::run",
        " 2\tvgpu-lead\t[JIT] tid 1741\t[.] 0x00007f3a1c000123",
        " 5\tvgpu-lead\t[kernel.kallsyms]\t[k] clear_page_erms",
        " 20\tmy program\tlibvgpu.so\t[.] vgpu::driver::kfd::ioctl",
        " 8\tmy program\tlibhsa-runtime64.so.1.11.0\t[.] rocr::core::InterruptSignal::WaitRelaxed",
        " 2\tmy program\tlibrocblas.so.4.0\t[.] rocblas_sgemm",
        " 10\tclang-17\tlibc.so.6\t[.] malloc",
        " 5\tmy program\t[kernel.kallsyms]\t[k] do_syscall_64",
        " 5\tmy program\tmy\t[.] main",
        " 1000\trustc\tlibrustc_driver.so\t[.] compile",
    ];
    lines.into_iter().map(|line| Sample::parse(line).expect("a line of perf")).collect()
}

#[test]
fn samples_are_sorted_by_who_runs_and_what_the_device_does() {
    let shares = Shares::of(&samples());
    assert_eq!(shares.all, 100, "without what only builds");
    let kinds: Vec<_> = Kind::ALL.iter().map(|kind| shares.kinds.get(kind).copied().unwrap_or(0)).collect();
    assert_eq!(kinds, [50, 20, 8, 0, 2, 10, 5, 5]);
    let device: Vec<_> = DEVICE.iter().map(|name| shares.device.get(name).copied().unwrap_or(0)).collect();
    assert_eq!(device, [2, 10, 30, 0, 0, 0, 3, 0, 5, 0]);
}

#[test]
fn the_tables_are_in_percent() {
    let text = Shares::of(&samples()).to_string();
    for line in ["| where | share of 100 samples |", "| the device | 50.0 % |", "| matrix instructions | 60.0 % |"] {
        assert!(text.lines().any(|have| have == line), "{line} in {text}");
    }
}

#[test]
fn what_is_no_line_of_perf_is_an_error() {
    for line in ["", "12", "many\ta\tb\tc", "12\tthread\tfile"] {
        assert!(Sample::parse(line).is_err(), "{line:?}");
    }
}
