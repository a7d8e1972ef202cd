//! Tables that both APIs, and several sessions, read at once.
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use rocm_interop::hip::HipModule;
use rocm_interop::memory::Place;
use rocm_interop::opencl::OpenClProgram;
use rocm_interop::{Argument, Error, Session};
use stack_tests::TraceFile;

use crate::failures::intercepted;
use crate::peers::two;
use crate::trace::{Marker, Seen, all_between};
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

/// While a kernel of OpenCL's has the table, one of HIP's and one of another session's read it too; the last reference
/// waits for the first.
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

/// Sizes of launches that mark places in the device's trace.
const MARKS: [usize; 2] = [64 * 107, 64 * 108];

/// A GPU that adds what both read to numbers of its own.
struct Reader<'s> {
    session: &'s Session,
    add: rocm_interop::opencl::OpenClKernel,
    twice: rocm_interop::hip::HipKernel,
}

impl<'s> Reader<'s> {
    fn new(session: &'s Session) -> Reader<'s> {
        let program = OpenClProgram::build(session, OPENCL, "-cl-std=CL2.0").expect("program");
        let module = HipModule::build(session, HIP).expect("module");
        Reader { session, add: program.kernel("add").expect("kernel"), twice: module.kernel("twice").expect("kernel") }
    }

    fn ones(&self) -> rocm_interop::Buffer<u32, rocm_interop::Hip> {
        let mut ones = self.session.allocate_hip::<u32>(N).expect("allocate");
        ones.write(&[1; N]).expect("write");
        ones
    }
}

/// Kernels of two GPUs read one table, where it is, before any of them was waited for; also when the one that made it
/// has let go of it.
#[test]
fn two_gpus_read_one_table() {
    on_two_gpus!("read_only::two_gpus_read_one_table");
    let sessions = two();
    let numbers: Vec<u32> = (0..N as u32).map(|i| 3 * i + 5).collect();
    let marker = Marker::new(&sessions[0]);
    for (home, away) in [(&sessions[0], &sessions[1]), (&sessions[1], &sessions[0])] {
        let readers = [Reader::new(home), Reader::new(away)];
        // OpenCL's SVM is for HIP's kernels alone on another GPU.
        for is_svm in [false, true] {
            let mut table = if is_svm {
                home.allocate::<u32>(N).expect("allocate")
            } else {
                home.allocate_hip::<u32>(N).expect("allocate").into_opencl().expect("hand-over")
            };
            table.write(&numbers).expect("write");
            let table = table.into_read_only().expect("nothing failed");
            let theirs = table.for_session(away).expect("a link");
            assert_eq!(theirs.residency().place, Place::Gpu(home.device().pci()));
            let results = readers.each_ref().map(|reader| [reader.ones(), reader.ones()]);
            marker.mark(MARKS[0]);
            for ((reader, table), [_, x]) in readers.iter().zip([&table, &theirs]).zip(&results) {
                // SAFETY: one work-item an element.
                unsafe { reader.twice.launch((N / 64) as u32, 64, 0, &[table.into(), x.into()]) }.expect("launch");
            }
            for reader in &readers {
                reader.session.synchronize().expect("they have ended");
            }
            marker.mark(MARKS[1]);
            let results = results
                .map(|[add, twice]| [add.into_opencl().expect("hand-over"), twice.into_opencl().expect("hand-over")]);
            for ((reader, table), [x, _]) in readers.iter().zip([&table, &theirs]).zip(&results) {
                // SAFETY: as above.
                let launched = unsafe { reader.add.launch(&[N], Some(&[64]), &[table.into(), x.into()]) };
                if is_svm && std::ptr::eq(reader.session, away) {
                    let error = launched.expect_err("SVM of another GPU").to_string();
                    assert!(error.starts_with("buffer: is SVM that was made for GPU "), "{error}");
                } else {
                    launched.expect("launch");
                }
            }
            // The memory stays as long as somebody reads it.
            drop(table);
            let mut end = vec![0; N];
            theirs.read(&mut end).expect("read");
            assert_same(&end, &numbers);
            let (error, theirs) = theirs.into_buffer().expect_err("another session's").into_parts();
            assert!(error.to_string().contains("is made by another session"), "{error}");
            for (index, [add, twice]) in results.iter().enumerate() {
                add.read(&mut end).expect("read");
                let added = |i: &u32| if is_svm && index == 1 { 1 } else { 1 + i };
                assert_same(&end, &numbers.iter().map(added).collect::<Vec<_>>());
                twice.read(&mut end).expect("read");
                assert_same(&end, &numbers.iter().map(|i| 1 + 2 * i).collect::<Vec<_>>());
            }
            drop(theirs);
        }
    }
}

/// By the devices' own account: two kernels, one of each GPU, and no copy of the table.
#[test]
fn two_gpus_read_one_table_where_it_is() {
    needs_amd_opencl!();
    stack_tests::needs_vgpu!();
    let trace = TraceFile::new("read-only");
    crate::again_on_two_gpus("read_only::two_gpus_read_one_table", &trace.options());
    let seen = all_between(&trace.read(), MARKS);
    assert_eq!(seen.len(), 4);
    assert!(seen.iter().all(|seen| *seen == Seen { copied: 0, kernels: 2 }), "{seen:?}");
}

#[test]
fn a_table_without_a_link_is_refused_by_name() {
    on_two_gpus!("read_only::a_table_without_a_link_is_refused_by_name", "--unlinked");
    let [first, second] = two();
    let mut table = first.allocate::<u32>(N).expect("allocate");
    table.write(&[3; N]).expect("write");
    let table = table.into_read_only().expect("nothing failed");
    let error = table.for_session(&second).expect_err("no link");
    let (user, owner) = (second.device().pci(), first.device().pci());
    assert!(matches!(error, Error::NoLink { user: named, owner: of } if (named, of) == (user, owner)), "{error}");
    let host = first.allocate_host::<u32>(N).expect("allocate").into_read_only().expect("nothing failed");
    assert_eq!(host.for_session(&second).expect("every GPU reads the host's memory").residency().place, Place::Host);
    let mut end = [0; N];
    table.read(&mut end).expect("it is as it was");
    assert_eq!(end, [3; N]);
}
