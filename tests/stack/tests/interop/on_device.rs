//! Fills and copies that the GPU makes of buffers.
use cl_sys::Cl;
use rocm_interop::{Buffer, Error, Hip, OpenCl, Session};

use crate::hand_over::{Late, after, start};
use crate::{N, Sides, assert_same, mem_of, session};

/// Elements, no multiple of 16 bytes.
const ODD: usize = 1003;

/// Of each kind of owner that OpenCL uses.
fn buffers(session: &Session, mem: cl_sys::cl_mem) -> [Buffer<u32, OpenCl>; 4] {
    // SAFETY: a buffer of the session's context, used by the view only.
    let view = unsafe { session.view(mem) }.expect("view");
    let hips = session.allocate_hip(ODD).expect("allocate").into_opencl().expect("hand-over");
    [session.allocate(ODD).expect("allocate"), view, hips, session.allocate_host(ODD).expect("allocate")]
}

fn contents(buffer: &Buffer<u32, OpenCl>) -> Vec<u32> {
    let mut all = vec![0; ODD];
    buffer.read(&mut all).expect("read");
    all
}

/// Between memory of all kinds, of parts that begin anywhere.
#[test]
fn buffers_of_every_kind_are_filled_and_copied_on_opencls_turn() {
    needs_amd_opencl!();
    let session = session();
    let cl = Cl::load().expect("OpenCL");
    let mems = [0, 1].map(|_| mem_of(&session, &cl, cl_sys::CL_MEM_READ_WRITE, 4 * ODD));
    let (mut ones, mut others) = (buffers(&session, mems[0]), buffers(&session, mems[1]));
    for (kind, buffer) in ones.iter_mut().enumerate() {
        buffer.fill(7).expect("fill");
        buffer.fill_range(5..9, 8).expect("fill");
        let want: Vec<u32> = (0..ODD).map(|i| if (5..9).contains(&i) { 8 } else { 7 }).collect();
        assert_eq!(contents(buffer), want, "kind {kind}");
        buffer.write(&start()[..ODD]).expect("write");
        buffer.copy_within(1..4, 100).expect("copy");
        assert_eq!(contents(buffer)[98..105], [98, 99, 1, 2, 3, 103, 104], "kind {kind}");
        let refused = buffer.copy_within(1..4, 3).expect_err("they overlap").to_string();
        assert!(refused.starts_with("range: 12 bytes at ") && refused.contains(" overlap"), "{refused}");
        buffer.copy_within(1..4, 4).expect("side by side");
    }
    for (from, source) in ones.iter_mut().enumerate() {
        source.write(&start()[..ODD]).expect("write");
        for (to, target) in others.iter_mut().enumerate() {
            target.fill(9).expect("fill");
            target.copy_from(2, &source.slice(3..ODD - 1).expect("a part")).expect("copy");
            let want: Vec<u32> = [9, 9].into_iter().chain(3..ODD as u32 - 1).chain([9, 9]).collect();
            assert_eq!(contents(target), want, "from kind {from} to kind {to}");
            let refused = target.copy_from(8, &source.slice(3..).expect("a part")).expect_err("too long").to_string();
            assert!(refused.contains("1000 elements from element 8 on, but the buffer has 1003"), "{refused}");
        }
    }
    let foreign = crate::session();
    let elsewhere = foreign.allocate::<u32>(ODD).expect("allocate");
    let refused = ones[0].copy_from(0, &elsewhere.slice(..).expect("all")).expect_err("another queue's");
    assert!(matches!(refused, Error::Argument { subject: "buffer", .. }), "{refused}");
    drop((ones, others));
    // SAFETY: made above.
    mems.into_iter().for_each(|mem| assert_eq!(unsafe { cl.clReleaseMemObject(mem) }.expect("OpenCL"), 0));
}

/// Elements of any size: OpenCL itself fills with powers of two only.
#[test]
fn buffers_are_filled_with_elements_of_any_size() {
    needs_amd_opencl!();
    fn check<T: rocm_interop::sys::Pod + PartialEq + std::fmt::Debug>(session: &Session, values: [T; 2]) {
        let mut buffer = session.allocate::<T>(ODD).expect("allocate");
        buffer.fill(values[0]).expect("fill");
        buffer.fill_range(3..ODD - 2, values[1]).expect("fill");
        let mut all = vec![values[0]; ODD];
        buffer.read(&mut all).expect("read");
        for (i, value) in all.into_iter().enumerate() {
            assert_eq!(value, values[usize::from((3..ODD - 2).contains(&i))], "{i}");
        }
    }
    let session = session();
    check(&session, [1u8, 2]);
    check(&session, [0x0102u16, 0x0304]);
    check(&session, [1.5f64, -0.0]);
    check(&session, [[1u8, 2, 3], [4, 5, 6]]);
    check(&session, [[1.0f32, 2.0, 3.0], [4.0, 5.0, 6.0]]);
    check(&session, [[7u64; 16], [8; 16]]);
    let refused = session.allocate::<[u64; 17]>(2).expect("allocate").fill([0; 17]).expect_err("136 bytes").to_string();
    assert!(refused.contains("are of 136 bytes, and a fill has 128 at most"), "{refused}");
}

#[test]
fn hips_own_memory_is_filled_and_copied_on_hips_turn() {
    needs_amd_opencl!();
    let session = session();
    let sides = Sides::new(&session).expect("kernels");
    let [mut one, mut other] = [0, 1].map(|_| session.allocate_hip::<u32>(N).expect("allocate"));
    one.fill(5).expect("fill");
    sides.triple(&one).expect("launch");
    other.fill(1).expect("fill");
    other.copy_from(10, &one.slice(..100).expect("a part")).expect("copy");
    other.copy_within(10..20, 500).expect("copy");
    one.fill_range(1.., 0).expect("fill");
    let (one, other) = (one.into_opencl().expect("hand-over"), other.into_opencl().expect("hand-over"));
    let (mut ends, is_copy) = ([vec![0; N], vec![0; N]], |i| (10..110).contains(&i) || (500..510).contains(&i));
    one.read(&mut ends[0]).expect("read");
    other.read(&mut ends[1]).expect("read");
    assert!(ends[0].iter().enumerate().all(|(i, x)| *x == if i == 0 { 15 } else { 0 }), "{:?}", &ends[0][..4]);
    assert_same(&ends[1], &(0..N).map(|i| if is_copy(i) { 15 } else { 1 }).collect::<Vec<_>>());
    let mut opencls: Buffer<u32, Hip> = session.allocate(N).expect("allocate").into_hip().expect("hand-over");
    for refused in [opencls.fill(1), opencls.copy_within(..2, 4)] {
        let refused = refused.expect_err("HIP does not know it").to_string();
        assert!(refused.contains("is not memory of `hipMalloc`") && refused.contains("hand it to OpenCL"), "{refused}");
    }
    let refused = session.allocate_hip::<[u8; 3]>(8).expect("allocate").fill([1; 3]).expect_err("3 bytes").to_string();
    assert!(refused.contains("are of 3 bytes, and HIP fills with 1, 2 or 4"), "{refused}");
}

/// Between long kernels before and behind them, with nobody waiting.
#[test]
fn fills_and_copies_come_in_their_turn() {
    needs_amd_opencl!();
    let late = Late::new();
    for hips in [false, true] {
        let make = || match hips {
            false => late.session.allocate::<u32>(N).expect("allocate"),
            true => late.session.allocate_hip(N).expect("allocate").into_opencl().expect("hand-over"),
        };
        let (mut one, mut other) = (make(), make());
        one.write(&start()).expect("write");
        other.write(&vec![3; N]).expect("write");
        late.opencl(&one);
        other.copy_from(0, &one.slice(..).expect("all")).expect("copy");
        one.fill(0).expect("fill");
        late.opencl(&other);
        let mut end = vec![1; N];
        one.read(&mut end).expect("read");
        assert_same(&end, &vec![0; N]);
        other.read(&mut end).expect("read");
        assert_same(&end, &after(2));
    }
}
