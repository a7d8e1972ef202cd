//! Who is busy when.

use std::time::{Duration, Instant};

use parking_lot::{Mutex, MutexGuard};
use rocm_interop::sys::Api;

use crate::{Report, StageReport};

/// Stages of a pipeline, each on the side of an API.
#[derive(Debug)]
pub(crate) struct Meter {
    apis: Vec<Api>,
    times: Mutex<Times>,
}

#[derive(Debug)]
struct Times {
    /// How many stages of OpenCL's and of HIP's are busy.
    busy: [u32; 2],
    /// The first start, and the last change.
    span: Option<(Instant, Instant)>,
    report: Report,
}

/// A stage is busy as long as it lives.
pub(crate) struct Busy<'m> {
    meter: &'m Meter,
    stage: usize,
    since: Instant,
}

impl Meter {
    pub(crate) fn new(stages: Vec<(&'static str, Api)>) -> Meter {
        let apis = stages.iter().map(|(_, api)| *api).collect();
        let none = Duration::ZERO;
        let stages = stages.into_iter().map(|(name, _)| StageReport { name, busy: none, batches: 0 }).collect();
        let report = Report { wall: none, opencl: none, hip: none, overlapped: none, stages };
        Meter { apis, times: Mutex::new(Times { busy: [0; 2], span: None, report }) }
    }

    pub(crate) fn enter(&self, stage: usize) -> Busy<'_> {
        let since = self.change(|times, now| {
            times.busy[self.side(stage)] += 1;
            now
        });
        Busy { meter: self, stage, since }
    }

    pub(crate) fn report(&self) -> Report {
        self.lock().report.clone()
    }

    fn side(&self, stage: usize) -> usize {
        usize::from(self.apis[stage] == Api::Hip)
    }

    fn lock(&self) -> MutexGuard<'_, Times> {
        self.times.lock()
    }

    /// Adds up the time since the last change, in which the same were busy.
    fn change<R>(&self, change: impl FnOnce(&mut Times, Instant) -> R) -> R {
        let mut times = self.lock();
        let now = Instant::now();
        let (first, last) = times.span.unwrap_or((now, now));
        let (past, [opencl, hip]) = (now - last, times.busy);
        times.span = Some((first, now));
        let report = &mut times.report;
        report.wall = now - first;
        let add = |time: &mut Duration, busy: bool| *time += if busy { past } else { Duration::ZERO };
        add(&mut report.opencl, opencl > 0);
        add(&mut report.hip, hip > 0);
        add(&mut report.overlapped, opencl > 0 && hip > 0);
        change(&mut times, now)
    }
}

impl Drop for Busy<'_> {
    fn drop(&mut self) {
        self.meter.change(|times, now| {
            times.busy[self.meter.side(self.stage)] -= 1;
            let stage = &mut times.report.stages[self.stage];
            stage.busy += now - self.since;
            stage.batches += 1;
        });
    }
}

#[cfg(test)]
mod tests {
    use std::thread::sleep;
    use std::time::Duration;

    use rocm_interop::sys::Api;

    use super::{Meter, Report};

    #[test]
    fn what_is_busy_at_once_is_counted_for_both_and_once_for_a_side() {
        let step = Duration::from_millis(2);
        let meter = Meter::new(vec![("a", Api::OpenCl), ("b", Api::Hip), ("c", Api::OpenCl)]);
        let a = meter.enter(0);
        sleep(step);
        assert_eq!(meter.report().overlapped, Duration::ZERO);
        let (b, c) = (meter.enter(1), meter.enter(2));
        sleep(step);
        drop((a, c));
        sleep(step);
        drop(b);
        let report = meter.report();
        assert!(report.overlapped >= step && report.opencl >= 2 * step && report.hip >= 2 * step, "{report:?}");
        let somebody_busy = |report: &Report| report.opencl + report.hip - report.overlapped;
        assert_eq!(somebody_busy(&report), report.wall, "never was nobody busy");
        let stage = |i: usize| report.stages[i].busy;
        assert!(stage(0) <= report.opencl && stage(2) < stage(0) && stage(1) == report.hip, "{report:?}");
        assert_eq!(report.stages.iter().map(|stage| stage.batches).collect::<Vec<_>>(), [1, 1, 1]);
        assert!(report.overlap() > 1.0 && report.overlap() <= 2.0);

        sleep(step);
        drop((meter.enter(0), meter.enter(1)));
        let report = meter.report();
        assert!(somebody_busy(&report) + step <= report.wall, "nobody was, between: {report:?}");
    }
}
