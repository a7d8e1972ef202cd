//! A framework's backend on the lower layer alone: a network is trained, and compared with the same on the CPU.
use allocation_counter::measure;
use kfd::Wait;
use kfd_runtime::Result;
use kfd_tests::backend::{Executor, Graph, Tensor};
use kfd_tests::within::{LONG, within_long};
use kfd_tests::{gpu, module, on_gpu};

const SAMPLES: usize = 48;
const INPUTS: usize = 2;
const HIDDEN: usize = 16;
const CLASSES: usize = 3;
const RATE: f32 = 0.5;
const STEPS: usize = 120;

/// Numbers that look random, from -1 to 1.
fn noise(count: usize, seed: u64) -> Vec<f32> {
    let mut state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
    let mut next = || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state >> 40) as f32 / (1 << 23) as f32 - 1.0
    };
    (0..count).map(|_| next()).collect()
}

/// Points of three clouds, and which cloud each is of.
fn samples() -> (Vec<f32>, Vec<f32>) {
    const CENTRES: [[f32; INPUTS]; CLASSES] = [[1.0, 0.0], [-0.7, 0.9], [-0.6, -0.8]];
    let noise = noise(SAMPLES * INPUTS, 7);
    let points = (0..SAMPLES * INPUTS).map(|at| CENTRES[at / INPUTS % CLASSES][at % INPUTS] + 0.3 * noise[at]);
    let classes = (0..SAMPLES * CLASSES).map(|at| if at / CLASSES % CLASSES == at % CLASSES { 1.0 } else { 0.0 });
    (points.collect(), classes.collect())
}

/// The weights: of both layers, each with its row that is added.
fn weights() -> [Vec<f32>; 4] {
    [noise(INPUTS * HIDDEN, 1), vec![0.0; HIDDEN], noise(HIDDEN * CLASSES, 2), vec![0.0; CLASSES]]
}

struct Network {
    graph: Graph,
    x: Tensor,
    classes: Tensor,
    weights: [Tensor; 4],
    probabilities: Tensor,
}

/// A step of a training: forwards, backwards, and the weights changed.
fn network() -> Network {
    let mut graph = Graph::default();
    let [samples, inputs, hidden, out] = [SAMPLES, INPUTS, HIDDEN, CLASSES].map(|size| size as u32);
    let (x, classes) = (graph.tensor(samples, inputs), graph.tensor(samples, out));
    let weights @ [w1, b1, w2, b2] =
        [(inputs, hidden), (1, hidden), (hidden, out), (1, out)].map(|(rows, columns)| graph.tensor(rows, columns));
    let product = graph.matmul((x, false), (w1, false));
    let before = graph.add_row(product, b1);
    let active = graph.relu(before);
    let product = graph.matmul((active, false), (w2, false));
    let scores = graph.add_row(product, b2);
    let probabilities = graph.softmax(scores);
    let d_scores = graph.scaled_difference(1.0 / SAMPLES as f32, probabilities, classes);
    let d_active = graph.matmul((d_scores, false), (w2, true));
    let d_w2 = graph.matmul((active, true), (d_scores, false));
    let d_b2 = graph.sum_columns(d_scores);
    let d_before = graph.relu_gradient(d_active, before);
    let d_w1 = graph.matmul((x, true), (d_before, false));
    let d_b1 = graph.sum_columns(d_before);
    for (weight, gradient) in weights.into_iter().zip([d_w1, d_b1, d_w2, d_b2]) {
        graph.descend(weight, gradient, RATE);
    }
    Network { graph, x, classes, weights, probabilities }
}

/// The same on the CPU, in double precision. Returns the probabilities before the last step.
fn reference(x: &[f32], classes: &[f32], weights: &mut [Vec<f64>; 4], steps: usize) -> Vec<f64> {
    let x: Vec<f64> = x.iter().map(|value| f64::from(*value)).collect();
    let mut probabilities = vec![0.0; SAMPLES * CLASSES];
    for _ in 0..steps {
        let [w1, b1, w2, b2] = &*weights;
        let before: Vec<f64> = (0..SAMPLES * HIDDEN)
            .map(|at| {
                let (row, column) = (at / HIDDEN, at % HIDDEN);
                b1[column] + (0..INPUTS).map(|k| x[row * INPUTS + k] * w1[k * HIDDEN + column]).sum::<f64>()
            })
            .collect();
        for row in 0..SAMPLES {
            let active = |k: usize| before[row * HIDDEN + k].max(0.0);
            let score =
                |column: usize| b2[column] + (0..HIDDEN).map(|k| active(k) * w2[k * CLASSES + column]).sum::<f64>();
            let scores: Vec<f64> = (0..CLASSES).map(score).collect();
            let sum: f64 = scores.iter().map(|score| score.exp()).sum();
            (0..CLASSES).for_each(|column| probabilities[row * CLASSES + column] = scores[column].exp() / sum);
        }
        let d_scores: Vec<f64> =
            (0..SAMPLES * CLASSES).map(|at| (probabilities[at] - f64::from(classes[at])) / SAMPLES as f64).collect();
        let d_before: Vec<f64> = (0..SAMPLES * HIDDEN)
            .map(|at| {
                let (row, k) = (at / HIDDEN, at % HIDDEN);
                let sum = (0..CLASSES).map(|c| d_scores[row * CLASSES + c] * w2[k * CLASSES + c]).sum::<f64>();
                if before[at] > 0.0 { sum } else { 0.0 }
            })
            .collect();
        let rows = || 0..SAMPLES;
        let gradients: [Vec<f64>; 4] = [
            (0..INPUTS * HIDDEN)
                .map(|at| rows().map(|row| x[row * INPUTS + at / HIDDEN] * d_before[row * HIDDEN + at % HIDDEN]).sum())
                .collect(),
            (0..HIDDEN).map(|at| rows().map(|row| d_before[row * HIDDEN + at]).sum()).collect(),
            (0..HIDDEN * CLASSES)
                .map(|at| {
                    let active = |row: usize| before[row * HIDDEN + at / CLASSES].max(0.0);
                    rows().map(|row| active(row) * d_scores[row * CLASSES + at % CLASSES]).sum()
                })
                .collect(),
            (0..CLASSES).map(|at| rows().map(|row| d_scores[row * CLASSES + at]).sum()).collect(),
        ];
        for (weight, gradient) in weights.iter_mut().zip(gradients) {
            weight.iter_mut().zip(gradient).for_each(|(weight, gradient)| *weight -= f64::from(RATE) * gradient);
        }
    }
    probabilities
}

#[test]
fn raw_backend_trains_a_network_as_the_cpu_does() {
    on_gpu("raw_backend_trains_a_network_as_the_cpu_does", || within_long(train));
}

fn train() -> Result<()> {
    let gpu = gpu()?;
    let module = module(gpu, "ml")?;
    let network = network();
    let mut executor = Executor::new(gpu, &module, &network.graph)?;
    assert_eq!(executor.queues(), 2);
    let (x, classes) = samples();
    executor.write(network.x, &x)?;
    executor.write(network.classes, &classes)?;
    for (tensor, values) in network.weights.into_iter().zip(weights()) {
        executor.write(tensor, &values)?;
    }
    let mut expected = weights().map(|values| values.into_iter().map(f64::from).collect());
    let poll = Wait::Poll(LONG);
    // The first runs by themselves, then many of which none waits for the last, without an allocation.
    for _ in 0..2 {
        executor.run()?;
        executor.wait(poll)?;
    }
    let mut outcome = Ok(());
    let allocations = measure(|| {
        outcome = (2..STEPS).try_for_each(|step| {
            executor.run()?;
            if step % 10 == 0 { executor.wait(poll) } else { Ok(()) }
        });
    });
    outcome?;
    assert_eq!(allocations.count_total, 0);
    let probabilities = executor.read(network.probabilities)?;
    let wanted = reference(&x, &classes, &mut expected, STEPS);
    let close = |seen: &[f32], wanted: &[f64]| {
        let far = seen.iter().zip(wanted).find(|(seen, wanted)| (f64::from(**seen) - **wanted).abs() > 1e-3);
        assert_eq!((far, seen.len()), (None, wanted.len()));
    };
    close(&probabilities, &wanted);
    for (tensor, wanted) in network.weights.into_iter().zip(&expected) {
        close(&executor.read(tensor)?, wanted);
    }
    // It has learnt: each sample is of the class that it is of.
    let right = |row: &usize| {
        let of = |values: &[f32]| values[row * CLASSES..][..CLASSES].to_vec();
        let best = of(&probabilities).iter().enumerate().max_by(|a, b| a.1.total_cmp(b.1)).map(|best| best.0);
        best == of(&classes).iter().position(|value| *value == 1.0)
    };
    assert_eq!((0..SAMPLES).filter(right).count(), SAMPLES);
    Ok(())
}
