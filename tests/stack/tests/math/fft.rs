//! rocFFT.
use std::f64::consts::TAU;

use rocm_interop::Session;
use rocm_interop::sys::bytemuck::Zeroable;
use rocm_math::{Direction, Fft, Real};
use stack_tests::exclusive;

use crate::number::{Complex, Number, add, multiply};
use crate::{Mem, assert_refused, on_gpu, read, session};

macro_rules! needs_rocfft {
    () => {
        needs_amd_opencl!();
        stack_tests::needs_library!("rocFFT");
        stack_tests::needs_code!("rocFFT");
    };
}

/// One to three dimensions, with lengths that are no powers of two, the first of which are even and odd. Few, as rocFFT
/// compiles the kernels of each plan.
const SINGLE: &[&[usize]] = &[&[24], &[5, 6], &[4, 3, 5]];
const DOUBLE: &[&[usize]] = &[&[9], &[6, 5]];

fn index(position: &[usize], lengths: &[usize]) -> usize {
    position.iter().zip(lengths).rev().fold(0, |index, (at, length)| index * length + at)
}

fn positions(lengths: &[usize]) -> Vec<Vec<usize>> {
    let all = 0..lengths.iter().product();
    let position = |mut index: usize| {
        lengths
            .iter()
            .map(|length| {
                let at = index % length;
                index /= length;
                at
            })
            .collect()
    };
    all.map(position).collect()
}

/// By the definition.
fn transform(signal: &[Complex], lengths: &[usize], sign: f64) -> Vec<Complex> {
    let term = |to: &[usize], from: &[usize]| {
        let turns: f64 =
            lengths.iter().zip(to.iter().zip(from)).map(|(&n, (k, j))| (k * j % n) as f64 / n as f64).sum();
        let (sin, cos) = (sign * TAU * turns).sin_cos();
        multiply(signal[index(from, lengths)], [cos, sin])
    };
    let all = positions(lengths);
    all.iter().map(|to| all.iter().fold([0.0; 2], |sum, from| add(sum, term(to, from)))).collect()
}

/// The part of a spectrum that is stored for real signals.
fn half(spectrum: &[Complex], lengths: &[usize]) -> Vec<Complex> {
    let stored = positions(lengths).into_iter().filter(|position| position[0] <= lengths[0] / 2);
    stored.map(|position| spectrum[index(&position, lengths)]).collect()
}

#[track_caller]
fn assert_near<T: Number>(got: &[T], want: &[Complex]) {
    assert_eq!(got.len(), want.len());
    for (at, (got, want)) in got.iter().zip(want).enumerate() {
        let [re, im] = got.complex();
        let error = (re - want[0]).hypot(im - want[1]);
        assert!(error <= 1000.0 * T::ERROR, "{at}: {got:?} {want:?}");
    }
}

/// Complex numbers of `count` transforms.
fn signals<T: Number>(lengths: &[usize], count: usize) -> Vec<T> {
    (0..lengths.iter().product::<usize>() * count).map(T::small).collect()
}

fn of_each(signals: &[impl Number], lengths: &[usize], each: impl Fn(&[Complex]) -> Vec<Complex>) -> Vec<Complex> {
    let signals: Vec<Complex> = signals.iter().map(|x| x.complex()).collect();
    signals.chunks(lengths.iter().product()).flat_map(each).collect()
}

fn complex<R: Real + Number>(session: &Session, fft: &Fft, all: &[&[usize]])
where
    R::Complex: Number,
{
    for &lengths in all {
        for (direction, sign) in [(Direction::Forward, -1.0), (Direction::Inverse, 1.0)] {
            let count = 2;
            let signals = signals::<R::Complex>(lengths, count);
            let want = of_each(&signals, lengths, |signal| transform(signal, lengths, sign));
            let (mut from, mut to) = (on_gpu(session, &signals), on_gpu(session, &signals));
            let plan = fft.complex::<R>(direction, lengths, count).unwrap();
            assert_eq!((plan.input_len(), plan.output_len()), (signals.len(), signals.len()));
            plan.run(&mut from, &mut to).unwrap();
            assert_near(&read(&to), &want);
            let mut both = on_gpu(session, &signals);
            let plan = fft.complex_in_place::<R>(direction, lengths, count).unwrap();
            assert_eq!(plan.len(), signals.len());
            plan.run(&mut both).unwrap();
            assert_near(&read(&both), &want);
        }
    }
}

#[test]
fn complex_transforms_are_those_of_the_definition() {
    needs_rocfft!();
    let _alone = exclusive();
    let session = session();
    let fft = Fft::new(&session).expect("rocFFT");
    complex::<f32>(&session, &fft, SINGLE);
    complex::<f64>(&session, &fft, DOUBLE);
}

fn real<R: Real + Number>(session: &Session, fft: &Fft, all: &[&[usize]])
where
    R::Complex: Number,
{
    for &lengths in all {
        let count = 3;
        let signals = signals::<R>(lengths, count);
        let size = lengths.iter().product::<usize>() as f64;
        let spectra = of_each(&signals, lengths, |signal| half(&transform(signal, lengths, -1.0), lengths));
        let zeros = vec![<R::Complex as Zeroable>::zeroed(); spectra.len()];
        let scaled: Vec<Complex> = signals.iter().map(|x| x.complex().map(|part| part * size)).collect();

        let (mut from, mut to) = (on_gpu(session, &signals), on_gpu(session, &zeros));
        let plan = fft.real_forward::<R>(lengths, count).unwrap();
        assert_eq!((plan.input_len(), plan.output_len()), (signals.len(), spectra.len()));
        plan.run(&mut from, &mut to).unwrap();
        assert_near(&read(&to), &spectra);
        let mut back = on_gpu(session, &vec![<R as Zeroable>::zeroed(); signals.len()]);
        fft.real_inverse::<R>(lengths, count).unwrap().run(&mut to, &mut back).unwrap();
        assert_near(&read(&back), &scaled);

        // In place, rows of real numbers are as long as those of their spectra.
        let (row, room) = (lengths[0], lengths[0] / 2 + 1);
        let parts = |row: &[R]| {
            let mut parts = row.to_vec();
            parts.resize(2 * room, <R as Zeroable>::zeroed());
            parts
        };
        let padded: Vec<R> = signals.chunks(row).flat_map(parts).collect();
        let mut both = on_gpu(session, &padded).cast::<R::Complex>().unwrap();
        let plan = fft.real_in_place::<R>(Direction::Forward, lengths, count).unwrap();
        assert_eq!(plan.len(), spectra.len());
        plan.run(&mut both).unwrap();
        assert_near(&read(&both), &spectra);
        fft.real_in_place::<R>(Direction::Inverse, lengths, count).unwrap().run(&mut both).unwrap();
        let back = read(&both.cast::<R>().unwrap());
        let back: Vec<R> = back.chunks(2 * room).flat_map(|room| &room[..row]).copied().collect();
        assert_near(&back, &scaled);
    }
}

#[test]
fn real_transforms_are_those_of_the_definition_and_back() {
    needs_rocfft!();
    let _alone = exclusive();
    let session = session();
    let fft = Fft::new(&session).expect("rocFFT");
    real::<f32>(&session, &fft, SINGLE);
    real::<f64>(&session, &fft, DOUBLE);
}

#[test]
fn plans_and_buffers_that_do_not_fit_are_refused() {
    needs_rocfft!();
    let _alone = exclusive();
    let session = session();
    let fft = Fft::new(&session).expect("rocFFT");
    assert_refused(fft.real_forward::<f32>(&[8, 0], 1), &["plan: 1 transforms of lengths [8, 0]: none may be 0"]);
    assert_refused(fft.complex::<f64>(Direction::Forward, &[1 << 31, 1 << 31], 4), &["have more than"]);
    let plan = fft.real_forward::<f32>(&[8], 2).unwrap();
    let (mut signals, mut short) = (on_gpu(&session, &[1.0f32; 16]), on_gpu(&session, &[1.0f32; 15]));
    let (mut spectra, mut few) = (on_gpu(&session, &[[7.0f32; 2]; 10]), on_gpu(&session, &[[7.0f32; 2]; 9]));
    assert_refused(plan.run(&mut short, &mut spectra), &["input: has 15 elements, of which the call uses 16"]);
    assert_refused(plan.run(&mut signals, &mut few), &["output: has 9 elements, of which the call uses 10"]);
    let mem = Mem::new(&session, 36 * size_of::<f32>());
    let (mut from, mut to) = (mem.view::<f32>(), mem.view::<[f32; 2]>());
    let overlapping = plan.run(from.slice_mut(..16).unwrap(), to.slice_mut(7..17).unwrap());
    assert_refused(overlapping, &["transform: output at 0x", "overlaps input at 0x"]);
    let other = crate::session();
    let (mut foreign, mut foreign_spectra) = (on_gpu(&other, &[1.0f32; 16]), on_gpu(&other, &[[7.0f32; 2]; 10]));
    assert_refused(plan.run(&mut foreign, &mut spectra), &["of another session"]);
    assert_refused(plan.run(&mut signals, &mut foreign_spectra), &["of another session"]);
    let in_place = fft.complex_in_place::<f32>(Direction::Forward, &[8], 1).unwrap();
    assert_refused(in_place.run(&mut foreign_spectra), &["of another session"]);
    assert_eq!(read(&foreign_spectra), [[7.0; 2]; 10]);
    plan.run(&mut signals, &mut spectra).unwrap();
    let constant = |at: usize| if at.is_multiple_of(5) { [8.0, 0.0] } else { [0.0; 2] };
    assert_near(&read(&spectra), &(0..10).map(constant).collect::<Vec<_>>());
}
