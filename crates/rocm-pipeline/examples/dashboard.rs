//! A pipeline of OpenCL and HIP, watched while it runs: how far it is, and how long its kernels, copies and hand-overs
//! take on the GPU.
//!
//! `dashboard --help` says how it is used.
use std::collections::BTreeMap;
use std::error::Error;
use std::io::{IsTerminal, Write};
use std::process::ExitCode;
use std::sync::Arc;
use std::time::{Duration, Instant};

use rocm_interop::hip::HipModule;
use rocm_interop::opencl::OpenClProgram;
use rocm_interop::times::{Times, Work};
use rocm_interop::{Buffer, Device, Libraries, Session};
use rocm_pipeline::{Empty, Pipeline};

const HELP: &str = "\
A pipeline that adds by OpenCL and multiplies by HIP, with a dashboard in the terminal.

usage: dashboard [--batches N] [--points N]

  --batches N   how many batches (100)
  --points N    floats of each, a multiple of 64 (1048576)

If the output is no terminal, a line is written each second in place of the dashboard. The exit status is 0 if every value is right.";

const OPENCL: &str = "kernel void add(global float *x, float a) { x[get_global_id(0)] += a; }";
const HIP: &str = r#"extern "C" __global__ void scale(float *x, float a) { x[blockIdx.x * 64 + threadIdx.x] *= a; }"#;
/// One in each stage, and one that is filled or read.
const BUFFERS: usize = 3;
/// How often the screen is drawn at most.
const REFRESH: Duration = Duration::from_millis(100);

fn main() -> ExitCode {
    if std::env::args().skip(1).any(|argument| argument == "--help" || argument == "-h") {
        println!("{HELP}");
        return ExitCode::SUCCESS;
    }
    let mut screen = std::io::stdout();
    let is_terminal = screen.is_terminal();
    match options().and_then(|(batches, points)| run(batches, points, &mut screen, is_terminal)) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("dashboard: {error}");
            ExitCode::FAILURE
        }
    }
}

fn options() -> Result<(usize, usize), Box<dyn Error>> {
    let (mut batches, mut points) = (100, 1 << 20);
    let mut arguments = std::env::args().skip(1);
    while let Some(option) = arguments.next() {
        let value: usize = arguments.next().ok_or_else(|| format!("{option} needs a number"))?.parse()?;
        match option.as_str() {
            "--batches" if value > 0 => batches = value,
            "--points" if value > 0 && value.is_multiple_of(64) => points = value,
            _ => return Err(format!("{option} {value}: `dashboard --help` has what there is").into()),
        }
    }
    Ok((batches, points))
}

/// Runs all batches; an error if a value is wrong.
pub fn run(batches: usize, points: usize, screen: &mut dyn Write, is_terminal: bool) -> Result<(), Box<dyn Error>> {
    let libraries = Arc::new(Libraries::load()?);
    let session = Session::open_timed(&Device::first(&libraries)?)?;
    let program = OpenClProgram::build(&session, OPENCL, "")?;
    let module = HipModule::build(&session, HIP)?;
    let (add, scale) = (program.kernel("add")?, module.kernel("scale")?);
    let buffers: Vec<_> = (0..BUFFERS).map(|_| session.allocate::<f32>(points)).collect::<Result<_, _>>()?;
    // SAFETY: one work-item an element.
    let add = |x: &mut Buffer<f32, _>| unsafe { add.launch(&[points], Some(&[64]), &[x.into(), 2.0.into()]) };
    let groups = (points / 64) as u32;
    // SAFETY: as above.
    let scale = |x: &mut Buffer<f32, _>| unsafe { scale.launch(groups, 64, 0, &[x.into(), 10.0.into()]) };
    session.record_times(true)?;
    std::thread::scope(|threads| -> Result<(), Box<dyn Error>> {
        let pipeline = Pipeline::new().opencl("add", add).hip("scale", scale);
        let (input, mut output) = pipeline.start(threads, buffers);
        let source = threads.spawn(move || -> Result<(), rocm_interop::Error> {
            for number in 0..batches {
                let Some(mut buffer) = input.buffer() else { break };
                buffer.write(&vec![number as f32; points])?;
                if input.send(buffer).is_err() {
                    break;
                }
            }
            Ok(())
        });
        let mut dashboard = Dashboard::new(batches, screen, is_terminal);
        let mut results = vec![0.0; points];
        for number in 0..batches {
            let batch = loop {
                match output.next_within(REFRESH) {
                    Ok(batch) => break batch.map_err(|failed| failed.to_string())?,
                    Err(Empty::NotYet) => dashboard.show(number, session.take_times()?)?,
                    Err(Empty::Ended) => return Err(format!("batch {number} is missing").into()),
                }
            };
            batch.read(&mut results)?;
            let right = (number as f32 + 2.0) * 10.0;
            if let Some(wrong) = results.iter().find(|result| **result != right) {
                return Err(format!("batch {number} has {wrong}, not {right}").into());
            }
            output.give_back(batch);
            dashboard.show(number + 1, session.take_times()?)?;
        }
        source.join().map_err(|_| "the source's thread panicked")??;
        session.finish()?;
        session.synchronize()?;
        dashboard.end(session.take_times()?)?;
        Ok(())
    })
}

/// Of one kind of work.
#[derive(Default)]
struct Sum {
    count: u32,
    all: Duration,
    longest: Duration,
}

struct Dashboard<'s> {
    screen: &'s mut dyn Write,
    is_terminal: bool,
    batches: usize,
    start: Instant,
    shown: Option<Instant>,
    /// How many lines there are above the cursor.
    lines: usize,
    sums: BTreeMap<String, Sum>,
    lost: u64,
}

impl<'s> Dashboard<'s> {
    fn new(batches: usize, screen: &'s mut dyn Write, is_terminal: bool) -> Self {
        let (start, sums) = (Instant::now(), BTreeMap::new());
        Dashboard { screen, is_terminal, batches, start, shown: None, lines: 0, sums, lost: 0 }
    }

    fn add(&mut self, times: Times) {
        self.lost += times.lost;
        for time in times.all {
            let what = match time.work {
                Work::Kernel(name) => format!("kernel {name}"),
                Work::Copy => "copies".to_owned(),
                Work::Fill => "fills".to_owned(),
                Work::HandOver => "hand-overs".to_owned(),
                _ => "other work".to_owned(),
            };
            let sum = self.sums.entry(format!("{} {what}", time.api)).or_default();
            sum.count += 1;
            sum.all += time.took;
            sum.longest = sum.longest.max(time.took);
        }
    }

    /// Draws it, if it was not drawn just before.
    fn show(&mut self, done: usize, times: Times) -> std::io::Result<()> {
        self.add(times);
        let pause = if self.is_terminal { REFRESH } else { Duration::from_secs(1) };
        if self.shown.is_some_and(|shown| shown.elapsed() < pause) {
            return Ok(());
        }
        self.shown = Some(Instant::now());
        if !self.is_terminal {
            writeln!(self.screen, "{}", self.progress(done))?;
            return self.screen.flush();
        }
        self.draw(done)
    }

    fn end(&mut self, times: Times) -> std::io::Result<()> {
        self.add(times);
        self.draw(self.batches)?;
        if self.lost > 0 {
            writeln!(self.screen, "{} times were lost", self.lost)?;
        }
        writeln!(self.screen, "every value is right")?;
        self.screen.flush()
    }

    fn progress(&self, done: usize) -> String {
        let seconds = self.start.elapsed().as_secs_f64();
        format!("{done} of {} batches in {seconds:.1} s, {:.1} a second", self.batches, done as f64 / seconds)
    }

    /// In place of what it has drawn before, on a terminal.
    fn draw(&mut self, done: usize) -> std::io::Result<()> {
        const WIDTH: usize = 40;
        let filled = WIDTH * done / self.batches;
        let mut lines = vec![format!("[{:<WIDTH$}] {}", "#".repeat(filled), self.progress(done))];
        let longest = self.sums.values().map(|sum| sum.all).max().unwrap_or_default().as_secs_f64();
        lines.push(format!("{:<22} {:>7} {:>11} {:>11}  share", "", "count", "mean", "longest"));
        for (what, sum) in &self.sums {
            let mean = sum.all / sum.count;
            let bar = "=".repeat((20.0 * sum.all.as_secs_f64() / longest.max(1e-9)) as usize);
            lines.push(format!(
                "{what:<22} {:>7} {:>8.1} us {:>8.1} us  {bar}",
                sum.count,
                1e6 * mean.as_secs_f64(),
                1e6 * sum.longest.as_secs_f64()
            ));
        }
        if self.is_terminal && self.lines > 0 {
            // Up, and all below is cleared.
            write!(self.screen, "\x1b[{}A\x1b[J", self.lines)?;
        }
        self.lines = lines.len();
        for line in lines {
            writeln!(self.screen, "{line}")?;
        }
        self.screen.flush()
    }
}
