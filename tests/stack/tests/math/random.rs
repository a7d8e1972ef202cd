//! rocRAND.
use rocm_interop::Session;
use rocm_math::{Random, Real};
use stack_tests::exclusive;

use crate::number::Number;
use crate::{assert_refused, on_gpu, read, session};

macro_rules! needs_rocrand {
    () => {
        needs_amd_opencl!();
        stack_tests::needs_library!("rocRAND");
    };
}

const N: usize = 20_000;

fn mean_and_deviation<R: Number>(numbers: &[R]) -> [f64; 2] {
    let of = |value: &dyn Fn(f64) -> f64| {
        numbers.iter().map(|number| value(number.complex()[0])).sum::<f64>() / numbers.len() as f64
    };
    let mean = of(&|x| x);
    [mean, of(&|x| (x - mean) * (x - mean)).sqrt()]
}

fn distributions<R: Real + Number + Into<f64>>(session: &Session) {
    let zeros = vec![R::of([0.0; 2]); N + 2];
    let numbers = |seed: u64| {
        let random = Random::new(session, seed).expect("rocRAND");
        let mut buffer = on_gpu(session, &zeros);
        random.uniform(buffer.slice_mut(..N).unwrap()).unwrap();
        let first = read(&buffer);
        random.uniform(buffer.slice_mut(..N).unwrap()).unwrap();
        let second = read(&buffer);
        random.normal(R::of([5.0, 0.0]), R::of([2.0, 0.0]), buffer.slice_mut(..N).unwrap()).unwrap();
        [first, second, read(&buffer)]
    };
    let all = numbers(1);
    assert!(all.iter().all(|numbers| numbers[N..] == zeros[N..]), "numbers behind the part");
    let [first, second, normal] = &all;
    assert_ne!(first, second, "the generator goes on");
    for uniform in [first, second] {
        assert!(uniform[..N].iter().map(|x| x.complex()[0]).all(|x| 0.0 < x && x <= 1.0));
        // Of N numbers, off by 5 standard deviations at most: the numbers are the same in each run.
        let [mean, deviation] = mean_and_deviation(&uniform[..N]);
        assert!((mean - 0.5).abs() < 5.0 * 0.289 / (N as f64).sqrt(), "{mean}");
        assert!((deviation - 0.2887).abs() < 0.005, "{deviation}");
    }
    let [mean, deviation] = mean_and_deviation(&normal[..N]);
    assert!((mean - 5.0).abs() < 5.0 * 2.0 / (N as f64).sqrt(), "{mean}");
    assert!((deviation - 2.0).abs() < 0.06, "{deviation}");
    let beyond = normal[..N].iter().filter(|x| (x.complex()[0] - 5.0).abs() > 4.0).count() as f64 / N as f64;
    assert!((beyond - 0.0455).abs() < 0.01, "{beyond} are beyond two standard deviations");
    assert_eq!(numbers(1), all, "the seed decides");
    assert_ne!(numbers(2)[0], all[0]);
}

#[test]
fn random_numbers_have_their_distribution_and_their_seed() {
    needs_rocrand!();
    let _alone = exclusive();
    let session = session();
    distributions::<f32>(&session);
    distributions::<f64>(&session);
    let other = crate::session();
    let (random, mut foreign) = (Random::new(&session, 1).expect("rocRAND"), on_gpu(&other, &[7.0f32; 4]));
    assert_refused(random.uniform(&mut foreign), &["of another session"]);
    assert_refused(random.normal(0.0, 1.0, &mut foreign), &["of another session"]);
    assert_eq!(read(&foreign), [7.0; 4]);
}
