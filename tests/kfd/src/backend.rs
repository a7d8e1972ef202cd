//! A small backend of a machine-learning framework, on `kfd::raw` and `kfd-runtime` alone: a graph of operations on
//! matrices becomes a graph of work for two queues, which is submitted again for each step of a training. It shows what
//! the lower layer is for, and how much code that takes.

use kfd::aql::Geometry;
use kfd::code::{Arg, Launch};
use kfd::raw::{Command, Queue, SdmaQueue};
use kfd::{Device, Engine, Module, Placement, Wait};
use kfd_runtime::{Arena, Fragment, Graph as Work, Result, Step};

/// A matrix of floats in a [`Graph`].
#[derive(Clone, Copy, Debug)]
pub struct Tensor {
    index: usize,
    rows: u32,
    columns: u32,
}

impl Tensor {
    /// How many values it has.
    pub fn len(self) -> usize {
        self.rows as usize * self.columns as usize
    }

    /// Whether it has none.
    pub fn is_empty(self) -> bool {
        self.len() == 0
    }
}

/// What an operation's kernel gets, in its order.
#[derive(Clone, Copy, Debug)]
enum Operand {
    Count(u32),
    Scale(f32),
    Reads(Tensor),
    Writes(Tensor),
}
use Operand::{Count, Reads, Scale, Writes};

#[derive(Debug)]
struct Operation {
    kernel: &'static str,
    /// Work-items.
    items: u32,
    operands: Vec<Operand>,
}

/// Operations in their order.
#[derive(Debug, Default)]
pub struct Graph {
    tensors: Vec<Tensor>,
    operations: Vec<Operation>,
}

impl Graph {
    /// A matrix that is written by the host or by an operation.
    pub fn tensor(&mut self, rows: u32, columns: u32) -> Tensor {
        let tensor = Tensor { index: self.tensors.len(), rows, columns };
        self.tensors.push(tensor);
        tensor
    }

    fn add(&mut self, kernel: &'static str, items: u32, operands: Vec<Operand>) {
        self.operations.push(Operation { kernel, items, operands });
    }

    /// The product of two matrices, each of which is transposed first if so.
    ///
    /// # Panics
    /// If their sizes do not fit.
    pub fn matmul(&mut self, (a, a_transposed): (Tensor, bool), (b, b_transposed): (Tensor, bool)) -> Tensor {
        let seen = |of: Tensor, transposed| match transposed {
            false => (of.rows, of.columns, of.columns, 1),
            true => (of.columns, of.rows, 1, of.columns),
        };
        let ((m, k, a_row, a_column), (k_of_b, n, b_row, b_column)) = (seen(a, a_transposed), seen(b, b_transposed));
        assert_eq!(k, k_of_b, "matrices that do not fit");
        let out = self.tensor(m, n);
        let (a, b) = ([Reads(a), Count(a_row), Count(a_column)], [Reads(b), Count(b_row), Count(b_column)]);
        let operands = [&[Count(m), Count(n), Count(k)][..], &a, &b, &[Writes(out)]].concat();
        self.add("matmul", m * n, operands);
        out
    }

    /// `row` added to each row.
    pub fn add_row(&mut self, a: Tensor, row: Tensor) -> Tensor {
        let out = self.tensor(a.rows, a.columns);
        let count = a.len() as u32;
        self.add("add_row", count, vec![Count(count), Count(a.columns), Reads(a), Reads(row), Writes(out)]);
        out
    }

    /// Each value, or 0 if it is less.
    pub fn relu(&mut self, a: Tensor) -> Tensor {
        let (out, count) = (self.tensor(a.rows, a.columns), a.len() as u32);
        self.add("relu", count, vec![Count(count), Reads(a), Writes(out)]);
        out
    }

    /// The gradient of [`relu`](Self::relu)'s argument `a`.
    pub fn relu_gradient(&mut self, gradient: Tensor, a: Tensor) -> Tensor {
        let (out, count) = (self.tensor(a.rows, a.columns), a.len() as u32);
        self.add("relu_gradient", count, vec![Count(count), Reads(gradient), Reads(a), Writes(out)]);
        out
    }

    /// Each row as probabilities.
    pub fn softmax(&mut self, a: Tensor) -> Tensor {
        let out = self.tensor(a.rows, a.columns);
        self.add("softmax", a.rows, vec![Count(a.rows), Count(a.columns), Reads(a), Writes(out)]);
        out
    }

    /// `scale * (a - b)`.
    pub fn scaled_difference(&mut self, scale: f32, a: Tensor, b: Tensor) -> Tensor {
        let (out, count) = (self.tensor(a.rows, a.columns), a.len() as u32);
        self.add("scaled_difference", count, vec![Count(count), Scale(scale), Reads(a), Reads(b), Writes(out)]);
        out
    }

    /// The sum of each column.
    pub fn sum_columns(&mut self, a: Tensor) -> Tensor {
        let out = self.tensor(1, a.columns);
        self.add("sum_columns", a.columns, vec![Count(a.rows), Count(a.columns), Reads(a), Writes(out)]);
        out
    }

    /// Changes `weight` in place: less `rate` times the gradient.
    pub fn descend(&mut self, weight: Tensor, gradient: Tensor, rate: f32) {
        let count = weight.len() as u32;
        self.add("descend", count, vec![Count(count), Scale(rate), Reads(gradient), Writes(weight)]);
    }
}

/// A graph that is ready to run on a GPU, with the memory of its tensors.
pub struct Executor {
    list: Work,
    queues: [Queue; 2],
    engine: SdmaQueue,
    tensors: Vec<Fragment>,
    staging: Arena,
    /// The last step in each queue.
    ends: [Option<Step>; 2],
}

/// Which steps use a tensor.
#[derive(Clone, Default)]
struct Users {
    writer: Option<Step>,
    readers: Vec<Step>,
}

impl Executor {
    /// How many may be in flight without an allocation.
    pub const RUNS: usize = 16;

    /// Records the graph. An operation goes into the queue whose last step it comes after, or into that with fewer
    /// steps.
    ///
    /// # Errors
    /// Those of `kfd`.
    pub fn new(gpu: Device, module: &Module, graph: &Graph) -> Result<Executor> {
        const GROUP: u32 = 64;
        let pool = Arena::new(gpu, Placement::VRAM, 1 << 30);
        let memory = |tensor: &Tensor| pool.get(tensor.len() as u64 * 4);
        let tensors = graph.tensors.iter().map(memory).collect::<Result<Vec<_>>>()?;
        let mut list = Work::new(gpu, graph.operations.len() * 256)?;
        let mut users = vec![Users::default(); tensors.len()];
        let mut ends: [Option<Step>; 2] = [None; 2];
        let mut steps = [0; 2];
        for operation in &graph.operations {
            let mut after = Vec::new();
            for operand in &operation.operands {
                match operand {
                    Reads(tensor) => after.extend(users[tensor.index].writer),
                    Writes(tensor) => {
                        after.extend(users[tensor.index].writer);
                        after.extend(&users[tensor.index].readers);
                    }
                    Count(_) | Scale(_) => {}
                }
            }
            let follows = |end: &Option<Step>| end.is_some_and(|end| after.contains(&end));
            let queue = ends.iter().position(follows).unwrap_or(usize::from(steps[1] < steps[0]));
            steps[queue] += 1;
            let arguments: Vec<Arg<'_>> = operation
                .operands
                .iter()
                .map(|operand| match operand {
                    Count(count) => (*count).into(),
                    Scale(scale) => (*scale).into(),
                    Reads(tensor) | Writes(tensor) => Arg::pointer(tensors[tensor.index].address()),
                })
                .collect();
            let launch = Launch::new(Geometry::covering([operation.items], [GROUP as u16])?, &arguments);
            let step = list.launch(queue, &after, &module.kernel(operation.kernel)?, &launch)?;
            ends[queue] = Some(step);
            for operand in &operation.operands {
                match operand {
                    Reads(tensor) => users[tensor.index].readers.push(step),
                    Writes(tensor) => users[tensor.index] = Users { writer: Some(step), readers: Vec::new() },
                    Count(_) | Scale(_) => {}
                }
            }
        }
        list.reserve(Executor::RUNS)?;
        let queues = [Queue::new(gpu)?, Queue::new(gpu)?];
        let engine = SdmaQueue::new(gpu, Engine::Any)?;
        Ok(Executor { list, queues, engine, tensors, staging: Arena::new(gpu, Placement::HOST, 1 << 30), ends })
    }

    /// Begins a run of the graph behind those before it, and waits for nothing.
    ///
    /// # Errors
    /// Those of `kfd`.
    pub fn run(&mut self) -> Result<()> {
        // Each queue does its own steps in turn; those of the other's last run come before, too.
        for queue in &mut self.queues {
            for end in self.ends.iter().flatten() {
                self.list.ticket(*end).map_or(Ok(()), |ticket| queue.wait_for_work(ticket))?;
            }
        }
        // SAFETY: each kernel stays inside the tensors that it is given, which are kept, and comes after those that use
        // what it writes and write what it reads.
        unsafe { self.list.submit(&mut self.queues, &mut []) }
    }

    /// How many queues have steps of it.
    pub fn queues(&self) -> usize {
        self.ends.iter().flatten().count()
    }

    /// Makes room for more runs.
    ///
    /// # Errors
    /// Those of `kfd`.
    pub fn wait(&self, wait: Wait) -> Result<()> {
        self.list.wait(wait)
    }

    /// Sets a tensor when all runs are done.
    ///
    /// # Errors
    /// Those of `kfd`.
    ///
    /// # Panics
    /// If there are more or fewer values than the tensor has.
    pub fn write(&mut self, tensor: Tensor, values: &[f32]) -> Result<()> {
        assert_eq!(values.len(), tensor.len());
        let (bytes, to) = (size_of_val(values) as u64, self.tensors[tensor.index].address());
        let staged = self.staging.get(bytes)?;
        // SAFETY: inside the fragment, which no work uses now.
        unsafe { staged.host()?.cast::<f32>().as_ptr().copy_from_nonoverlapping(values.as_ptr(), values.len()) };
        self.copy(Command::Copy { from: staged.address(), to, bytes })
    }

    /// A tensor's values when all runs are done.
    ///
    /// # Errors
    /// Those of `kfd`.
    pub fn read(&mut self, tensor: Tensor) -> Result<Vec<f32>> {
        let (bytes, from) = (tensor.len() as u64 * 4, self.tensors[tensor.index].address());
        let staged = self.staging.get(bytes)?;
        self.copy(Command::Copy { from, to: staged.address(), bytes })?;
        let start = staged.host()?.cast::<f32>();
        // SAFETY: inside the fragment, of which all work is done.
        Ok((0..tensor.len()).map(|index| unsafe { start.add(index).read() }).collect())
    }

    /// The engines of a gfx908 wait for no kernel, so the host does.
    fn copy(&mut self, command: Command) -> Result<()> {
        self.list.wait(Wait::FOREVER)?;
        // SAFETY: between a tensor and a fragment of its size, while no kernel runs.
        let ticket = unsafe { self.engine.submit(&[command]) }?;
        Ok(self.engine.wait(&ticket, Wait::FOREVER)?)
    }
}

impl Drop for Executor {
    fn drop(&mut self) {
        // The tensors go first: nothing may use them then. Queues that stopped or were lost end with them.
        _ = self.list.wait(Wait::FOREVER);
    }
}
