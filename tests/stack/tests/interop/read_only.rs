//! Tables that both APIs, and several sessions, read at once.
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use rocm_interop::{Argument, Error, HipModule, OpenClProgram};

use crate::failures::intercepted;
use crate::{N, assert_same, ran_alone, session, shims};

const OPENCL: &str = "kernel void add(global const uint *t, global uint *x) { x[get_global_id(0)] += t[get_global_id(0)]; }
kernel void late(global const uint *t, global uint *x, ulong flag) {
    while (!atomic_load_explicit((global atomic_uint *)flag, memory_order_relaxed, memory_scope_all_svm_devices)) __builtin_amdgcn_s_sleep(8);
    x[0] = t[1];
}
kernel void overwrite(global uint *t) { t[get_global_id(0)] = 0; }";
const HIP: &str = r#"extern "C" __global__ void twice(const unsigned *t, unsigned *x) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    x[i] += 2 * t[i];
}"#;

/// While a kernel of OpenCL's has the table, one of HIP's and one of another session's read it too; the last reference waits for the first.
#[test]
fn both_sides_and_other_sessions_read_a_table_at_once() {
    needs_amd_opencl!();
    // A kernel that waits would hold up other tests' queues, which share its queue of the hardware.
    if ran_alone("read_only::both_sides_and_other_sessions_read_a_table_at_once", &[]) {
        return;
    }
    let (one, other, third) = (intercepted(), session(), session());
    let program = OpenClProgram::build(&one, OPENCL, "-cl-std=CL2.0").expect("program");
    let (late, overwrite) = (program.kernel("late").expect("kernel"), program.kernel("overwrite").expect("kernel"));
    let add = OpenClProgram::build(&other, OPENCL, "-cl-std=CL2.0").expect("program").kernel("add").expect("kernel");
    let twice = HipModule::build(&one, HIP).expect("module").kernel("twice").expect("kernel");
    let others_twice = HipModule::build(&other, HIP).expect("module").kernel("twice").expect("kernel");
    let mut flag = third.allocate_host::<u32>(1).expect("allocate");
    flag.host_slice().expect("nobody uses it")[0] = 0;
    let until = flag.address();
    let numbers: Vec<u32> = (0..N as u32).map(|i| i + 5).collect();
    let hips = one.allocate_hip::<u32>(N).expect("allocate").into_opencl().expect("hand-over");
    for mut table in [one.allocate::<u32>(N).expect("allocate"), hips] {
        flag.host_slice().expect("nobody uses it")[0] = 0;
        table.write(&numbers).expect("write");
        let table = table.into_read_only().expect("nothing failed");
        let result = one.allocate::<u32>(1).expect("allocate");
        // SAFETY: one work-item; the flag is there until the kernel has ended.
        unsafe { late.launch(&[1], None, &[(&table).into(), (&result).into(), Argument::value(&until)]) }
            .expect("launch");
        let elsewhere = table.for_session(&other).expect("the same GPU");

        let mut on_hip = one.allocate_hip::<u32>(N).expect("allocate");
        on_hip.write(&[1; N]).expect("write");
        let mut on_opencl = other.allocate::<u32>(N).expect("allocate");
        on_opencl.write(&[2; N]).expect("write");
        // SAFETY: one work-item an element.
        unsafe {
            twice.launch((N / 64) as u32, 64, 0, &[(&table).into(), (&on_hip).into()]).expect("launch");
            add.launch(&[N], Some(&[64]), &[(&elsewhere).into(), (&on_opencl).into()]).expect("launch");
        }
        let mut end = vec![0; N];
        on_hip.read(&mut end).expect("read");
        assert_same(&end, &numbers.iter().map(|i| 1 + 2 * i).collect::<Vec<_>>());
        on_opencl.read(&mut end).expect("read");
        assert_same(&end, &numbers.iter().map(|i| 2 + i).collect::<Vec<_>>());
        let others = on_opencl.into_hip().expect("hand-over");
        // SAFETY: as above.
        unsafe { others_twice.launch((N / 64) as u32, 64, 0, &[(&elsewhere).into(), (&others).into()]) }
            .expect("launch");
        others.read(&mut end).expect("read");
        assert_same(&end, &numbers.iter().map(|i| 2 + 3 * i).collect::<Vec<_>>());
        table.read_at(1, &mut end[..2]).expect("read");
        assert_eq!(end[..2], numbers[1..3]);
        assert!(
            table
                .read_at(N - 1, &mut [0; 2])
                .expect_err("too many")
                .to_string()
                .contains("2 elements from element 4095 on")
        );

        // SAFETY: refused before it is launched.
        let error = unsafe { overwrite.launch(&[N], None, &[(&table).into()]) }.expect_err("it writes").to_string();
        assert!(
            error.contains("0 of kernel `overwrite` is declared `uint*`, which it may write")
                && error.contains("declare it `const`"),
            "{error}"
        );
        let (error, table) = table.into_buffer().expect_err("there is another reference").into_parts();
        assert!(
            matches!(&error, Error::Argument { .. }) && error.to_string().contains("has other references"),
            "{error}"
        );
        let (error, elsewhere) = elsewhere.into_buffer().expect_err("another session's").into_parts();
        assert!(error.to_string().contains("is made by another session"), "{error}");

        drop(elsewhere);
        let is_back = AtomicBool::new(false);
        std::thread::scope(|threads| {
            threads.spawn(|| {
                let mut buffer = table.into_buffer().expect("the last reference");
                is_back.store(true, Ordering::SeqCst);
                buffer.write(&[8; N]).expect("write");
                buffer.read(&mut end).expect("read");
            });
            std::thread::sleep(Duration::from_millis(300));
            let early = is_back.load(Ordering::SeqCst);
            flag.host_slice().expect("no kernel of its session's uses it")[0] = 1;
            assert!(!early, "a kernel reads it");
        });
        assert_eq!(end, [8; N]);
        let mut end = [0];
        result.read(&mut end).expect("read");
        assert_eq!(end, [numbers[1]]);
    }
    assert_eq!(shims::freed_in_use(), [""; 0]);
}
