//! M5: a buffer whose turn passes between two processes, of which either may be killed at any moment. The second
//! process is this test again, in another role.
use std::os::fd::AsFd;
use std::os::unix::net::UnixStream;
use std::thread;
use std::time::{Duration, Instant};

use rocm_interop::hip::{HipKernel, HipModule};
use rocm_interop::opencl::{OpenClKernel, OpenClProgram};
use rocm_interop::share::{Away, ChannelError, Held};
use rocm_interop::{Buffer, Error, Hip, OpenCl, Session};
use stack_tests::{exclusive, needs_vgpu, on_vgpu, run_tests};

use crate::second::{LIMIT, Random, Second, descriptors, first, left, role};
use crate::{HIP, N, OPENCL, Sides, assert_same, both_sides, ran_alone_within, session};

/// More than the blocks of HSA's runtime have.
const WHOLE: usize = (4 << 20) / 4;

/// What both processes compute in turn: the first adds 5, the second triples.
struct Steps {
    /// What is there now.
    want: Vec<u32>,
    add: OpenClKernel,
    triple: HipKernel,
}

impl Steps {
    fn new(session: &Session) -> Steps {
        let add = OpenClProgram::build(session, OPENCL, "").expect("program").kernel("add").expect("kernel");
        let triple = HipModule::build(session, HIP).expect("module").kernel("triple").expect("kernel");
        Steps { want: (0..N as u32).collect(), add, triple }
    }

    fn check<Side: rocm_interop::Turn>(&self, buffer: &Buffer<u32, Side>) {
        let mut got = vec![0; N];
        buffer.read(&mut got).expect("read");
        assert_same(&got, &self.want);
    }

    fn add(&mut self, buffer: &Buffer<u32, OpenCl>) {
        // SAFETY: one work-item an element.
        unsafe { self.add.launch(&[N], Some(&[64]), &[buffer.into(), 5.into()]) }.expect("launch");
        self.added();
    }

    fn triple(&mut self, buffer: &Buffer<u32, Hip>) {
        // SAFETY: one work-item an element.
        unsafe { self.triple.launch((N / 64) as u32, 64, 0, &[buffer.into()]) }.expect("launch");
        self.tripled();
    }

    fn added(&mut self) {
        self.want.iter_mut().for_each(|i| *i = i.wrapping_add(5));
    }

    fn tripled(&mut self) {
        self.want.iter_mut().for_each(|i| *i = i.wrapping_mul(3));
    }

    /// The first process's turns.
    fn adds(&mut self, mut mine: Held<u32, OpenCl>, rounds: usize) -> Held<u32, OpenCl> {
        for _ in 0..rounds {
            self.add(&mine);
            mine = mine.give().expect("the second process waits").take(LIMIT).expect("the turn");
            self.tripled();
            self.check(&mine);
        }
        mine
    }

    /// The second process's turns.
    fn triples(&mut self, mut theirs: Away<u32, OpenCl>, rounds: usize) -> Away<u32, OpenCl> {
        for _ in 0..rounds {
            let mine = theirs.take(LIMIT).expect("the turn");
            self.added();
            self.check(&mine);
            let mine = mine.with(Buffer::into_hip).expect("hand-over");
            self.triple(&mine);
            theirs = mine.with(Buffer::into_opencl).expect("hand-over").give().expect("the first process waits");
        }
        theirs
    }
}

/// A buffer of HIP's or of OpenCL's, with the first numbers in it.
fn offered(session: &Session, is_hips: bool, socket: &UnixStream, steps: &Steps) -> Held<u32, OpenCl> {
    let buffer = if is_hips {
        session.allocate_hip(WHOLE).expect("allocate").into_opencl().expect("hand-over")
    } else {
        session.allocate(WHOLE).expect("allocate")
    };
    let mut mine = Held::offer(buffer, socket.try_clone().expect("a descriptor")).expect("offer");
    mine.write(&steps.want).expect("write");
    mine
}

fn accepted(session: &Session, socket: UnixStream) -> Result<Away<u32, OpenCl>, Error> {
    Away::accept(socket, LIMIT, |memory| session.import(memory))
}

/// Of `rounds`, with data checked on both sides in each.
fn rounds(test: &str, rounds: usize) {
    let session = session();
    let mut steps = Steps::new(&session);
    if role().is_some() {
        drop(steps.triples(accepted(&session, first()).expect("accept"), rounds));
        return;
    }
    for is_hips in [true, false] {
        let mut steps = Steps::new(&session);
        let mut second = Second::start(test, "triples");
        let mine = offered(&session, is_hips, &second.socket, &steps);
        // The other process comes late: it is still starting.
        let mine = steps.adds(mine, rounds);
        assert!(second.process.wait().expect("a child can be waited for").success());
        let refused = mine.give().expect_err("nobody is there");
        assert!(matches!(refused.error(), Error::Channel(ChannelError::PeerGone { in_its_turn: false })), "{refused}");
        both_sides(&session, refused.into_parts().1.reclaim().expect("nobody else has it")).expect("both sides");
    }
}

#[test]
fn m5_a_turn_passes_a_thousand_times() {
    needs_amd_opencl!();
    rounds("held::m5_a_turn_passes_a_thousand_times", 1000);
}

#[test]
fn m5_a_turn_passes_with_any_caches_and_schedule() {
    needs_amd_opencl!();
    needs_vgpu!();
    const TEST: &str = "held::m5_a_turn_passes_with_any_caches_and_schedule";
    if role().is_some() || std::env::var_os(crate::ALONE).is_some() {
        return rounds(TEST, 30);
    }
    for options in [["--caches", "1"], ["--caches", "2"], ["--schedule", "1"], ["--schedule", "2"]] {
        let mut command = on_vgpu(&options, std::env::current_exe().expect("this test"));
        run_tests(command.env(crate::ALONE, "1"), &[TEST], LIMIT);
    }
}

/// Both ends in one process, in two sessions.
fn pair() -> (Session, Held<u32, OpenCl>, Session, Away<u32, OpenCl>) {
    let (one, other) = (session(), session());
    let (ours, theirs) = UnixStream::pair().expect("sockets");
    let mine = Held::offer(one.allocate_hip(WHOLE).expect("allocate"), ours).expect("offer");
    let mine = mine.with(Buffer::into_opencl).expect("hand-over");
    let theirs = accepted(&other, theirs).expect("accept");
    (one, mine, other, theirs)
}

#[test]
fn m5_a_turn_is_one_processs_alone() {
    needs_amd_opencl!();
    let (one, mut mine, other, theirs) = pair();
    // Nobody gives it: the wait ends in its time, and nothing is lost.
    let started = Instant::now();
    let refused = theirs.take(Duration::from_millis(50)).expect_err("not given");
    assert!(
        matches!(refused.error(), Error::Channel(ChannelError::NotYet { .. }))
            && started.elapsed() >= Duration::from_millis(50)
    );
    // Nor is it taken.
    let refused = refused.into_parts().1.reclaim().expect_err("it is the other one's");
    assert!(refused.to_string().contains("has not gone"), "{refused}");
    let theirs = refused.into_parts().1;
    let refused = mine.reclaim().expect_err("it is both's");
    assert!(refused.to_string().contains("has not gone"), "{refused}");
    mine = refused.into_parts().1;

    // Another buffer is not the other one's.
    let mut swapped = one.allocate(WHOLE).expect("allocate");
    std::mem::swap(&mut *mine, &mut swapped);
    let refused = mine.give().expect_err("another buffer");
    assert!(refused.to_string().contains("another one than the other process has"), "{refused}");
    mine = refused.into_parts().1;
    std::mem::swap(&mut *mine, &mut swapped);

    // A turn is an event of its descriptor's.
    let waiting = |theirs: &Away<u32, OpenCl>| {
        let mut event = [rustix::event::PollFd::from_borrowed_fd(theirs.as_fd(), rustix::event::PollFlags::IN)];
        rustix::event::poll(&mut event, Some(&rustix::event::Timespec { tv_sec: 0, tv_nsec: 0 })).expect("poll")
    };
    assert_eq!(waiting(&theirs), 0);
    mine.write(&[7; N]).expect("write");
    let away = mine.give().expect("the other one takes it");
    assert_eq!(waiting(&theirs), 1);
    let taken = theirs.take(Duration::ZERO).expect("the turn");
    let mut got = vec![0; N];
    taken.read(&mut got).expect("read");
    assert_eq!(got, [7; N]);

    // Dropped in its turn: as if that process had been killed.
    drop(taken);
    let refused = away.take(LIMIT).expect_err("nobody gives it");
    assert!(matches!(refused.error(), Error::Channel(ChannelError::PeerGone { in_its_turn: true })), "{refused}");
    let (error, away) = refused.into_parts();
    assert!(error.to_string().contains("half of a result"), "{error}");
    both_sides(&one, away.reclaim().expect("nobody else has it")).expect("both sides");
    drop(other);

    let (one, mine, _other, theirs) = pair();
    drop(theirs);
    let refused = mine.give().expect_err("nobody takes it");
    assert!(matches!(refused.error(), Error::Channel(ChannelError::PeerGone { in_its_turn: false })), "{refused}");
    both_sides(&one, refused.into_parts().1.reclaim().expect("nobody else has it")).expect("both sides");
}

#[test]
fn m5_what_cannot_be_offered_or_accepted_is_an_error() {
    needs_amd_opencl!();
    let session = session();
    let (ours, theirs) = UnixStream::pair().expect("sockets");
    // In a block of HSA's runtime with others.
    let refused = Held::offer(session.allocate::<u32>(N).expect("allocate"), ours).expect_err("neighbours");
    assert!(refused.to_string().contains("in which other buffers are, or will be"), "{refused}");
    both_sides(&session, refused.into_parts().1).expect("both sides");
    let error = accepted(&session, theirs).expect_err("nobody is there");
    assert!(
        matches!(&error, Error::Channel(ChannelError::Socket { reason }) if reason.kind() == std::io::ErrorKind::UnexpectedEof),
        "{error}"
    );

    let (ours, theirs) = UnixStream::pair().expect("sockets");
    let error =
        Away::accept(theirs, Duration::ZERO, |memory| session.import::<u32>(memory)).expect_err("not there yet");
    assert!(matches!(error, Error::Channel(ChannelError::NotYet { limit: Duration::ZERO })), "{error}");
    let buffer = session.allocate::<u32>(WHOLE).expect("allocate");
    let refused = Held::offer(buffer, ours).expect_err("nobody is there");
    assert!(matches!(refused.error(), Error::Channel(ChannelError::Socket { .. })), "{refused}");

    // What cannot be mapped tells the other process.
    let (ours, theirs) = UnixStream::pair().expect("sockets");
    let mine = Held::offer(refused.into_parts().1, ours).expect("offer");
    let error = Away::accept(theirs, LIMIT, |_| session.allocate::<u32>(0)).expect_err("no bytes").to_string();
    assert!(error.contains("len: 0 elements"), "{error}");
    assert!(matches!(
        mine.give().expect_err("nobody").error(),
        Error::Channel(ChannelError::PeerGone { in_its_turn: false })
    ));
}

/// How often a process is killed, and what its moments are drawn from: `HELD_KILLS` and `HELD_SEED` are for longer
/// campaigns.
fn campaign() -> (u32, u64) {
    fn number<T: std::str::FromStr>(name: &str, default: T) -> T {
        std::env::var(name).ok().map_or(default, |value| value.parse().ok().expect("a number"))
    }
    (number("HELD_KILLS", 10), number("HELD_SEED", 1))
}

/// The second process is killed at moments of its start, and of its turns. The first one has an error in time, and the
/// buffer.
#[test]
fn m5_who_has_a_turn_is_killed() {
    needs_amd_opencl!();
    const TEST: &str = "held::m5_who_has_a_turn_is_killed";
    let Some(role) = role() else {
        if !ran_alone_within(TEST, &[], Duration::from_secs(600) + Duration::from_secs(10) * campaign().0) {
            kill(TEST);
        }
        return;
    };
    // As little as can be before the first turn, so that more of the moments are in turns.
    let (session, first) = (session(), first());
    if role == "accepts" {
        let mut theirs = accepted(&session, first).expect("accept");
        loop {
            let mut mine = theirs.take(LIMIT).expect("the turn");
            let mut data = vec![0; N];
            mine.read(&mut data).expect("read");
            data.iter_mut().for_each(|i| *i = i.wrapping_add(5).wrapping_mul(3));
            mine.write(&data).expect("write");
            theirs = mine.give().expect("the first process waits");
        }
    }
    let buffer = session.allocate_hip(WHOLE).expect("allocate").into_opencl().expect("hand-over");
    let mut mine = Held::offer(buffer, first).expect("offer");
    for number in 0.. {
        mine.write(&vec![number; N]).expect("write");
        mine = mine.give().expect("the first process waits").take(LIMIT).expect("the turn");
    }
}

fn kill(test: &str) {
    let _alone = exclusive();
    let session = session();
    let sides = Sides::new(&session).expect("kernels");
    sides.run(session.allocate(WHOLE).expect("allocate")).expect("both sides");
    let (kills, seed) = campaign();
    let mut random = Random(seed);
    // As long as it takes until turns pass.
    let mut begins = Duration::ZERO;
    let mut before = None;
    let (mut in_start, mut in_turns, mut longest) = (0, 0, Duration::ZERO);
    for kill in 0..kills {
        for role in ["accepts", "offers"] {
            let mut second = Second::start(test, role);
            let started = Instant::now();
            // A third of them while it starts, unless it is the first, the others within some turns.
            let moment = match random.below(3) {
                0 if kill != 0 => begins.mul_f64(random.below(1000) as f64 / 1000.0),
                _ => begins + Duration::from_micros(random.below(20_000)),
            };
            let socket = second.socket.try_clone().expect("a descriptor");
            let (turns, took) = thread::scope(|scope| {
                let other = scope.spawn(|| match role {
                    "accepts" => gives(&session, &sides, socket, kill == 0),
                    _ => takes(&session, &sides, socket, kill == 0),
                });
                if kill == 0 {
                    // Until it has had some turns.
                    while !other.is_finished() {
                        thread::sleep(Duration::from_millis(1));
                    }
                    begins = begins.max(started.elapsed());
                } else {
                    thread::sleep(moment);
                }
                second.kill();
                let killed = Instant::now();
                let turns = other.join().expect("no panic");
                (turns, killed.elapsed())
            });
            longest = longest.max(took);
            assert!(took < LIMIT / 4, "{took:?} after {moment:?} until the other process knew");
            if turns == 0 {
                in_start += 1
            } else {
                in_turns += 1
            }
            drop(second);
            // What the libraries keep after their first use is not left by others.
            match &before {
                None if kill == 0 && role == "accepts" => {}
                None => before = Some((left(&session), descriptors())),
                Some((before, open)) => {
                    before.assert_no_more(&session, Some(moment));
                    assert!(descriptors() <= *open, "{} descriptors, {open} before", descriptors());
                }
            }
        }
    }
    println!("{in_start} killed before their first turn, {in_turns} later; the other process knew within {longest:?}");
    sides.run(session.allocate(N).expect("allocate")).expect("both sides");
}

/// Offers a buffer to who is killed, or to who has three turns. Returns how many turns there were.
fn gives(session: &Session, sides: &Sides, socket: UnixStream, three: bool) -> u32 {
    let buffer = session.allocate_hip(WHOLE).expect("allocate").into_opencl().expect("hand-over");
    let mut mine = match Held::offer(buffer, socket) {
        Ok(mine) => mine,
        Err(refused) => {
            assert!(matches!(refused.error(), Error::Channel(ChannelError::Socket { .. })), "{refused}");
            return 0;
        }
    };
    let mut want: Vec<u32> = (0..N as u32).collect();
    mine.write(&want).expect("write");
    for turns in 0.. {
        let theirs = match mine.give() {
            Ok(theirs) => theirs,
            Err(refused) => {
                assert!(
                    matches!(refused.error(), Error::Channel(ChannelError::PeerGone { in_its_turn: false })),
                    "{refused}"
                );
                // Still good for both sides.
                sides.run(refused.into_parts().1.reclaim().expect("nobody else has it")).expect("both sides");
                return turns;
            }
        };
        mine = match theirs.take(LIMIT) {
            Ok(mine) => mine,
            Err(refused) => {
                assert!(
                    matches!(refused.error(), Error::Channel(ChannelError::PeerGone { in_its_turn: true })),
                    "{refused}"
                );
                sides.run(refused.into_parts().1.reclaim().expect("nobody else has it")).expect("both sides");
                return turns;
            }
        };
        let mut got = vec![0; N];
        mine.read(&mut got).expect("read");
        want.iter_mut().for_each(|i| *i = i.wrapping_add(5).wrapping_mul(3));
        assert_same(&got, &want);
        if three && turns == 2 {
            return turns;
        }
    }
    unreachable!("it is killed")
}

/// Accepts a buffer of who is killed, or of who gives three turns. Returns how many turns there were.
fn takes(session: &Session, sides: &Sides, socket: UnixStream, three: bool) -> u32 {
    let mut theirs = match accepted(session, socket) {
        Ok(theirs) => theirs,
        Err(error) => {
            assert!(matches!(error, Error::Channel(ChannelError::Socket { .. })), "{error}");
            return 0;
        }
    };
    for turns in 0.. {
        let mine = match theirs.take(LIMIT) {
            Ok(mine) => mine,
            Err(refused) => {
                assert!(
                    matches!(refused.error(), Error::Channel(ChannelError::PeerGone { in_its_turn: true })),
                    "{refused}"
                );
                sides.run(refused.into_parts().1.reclaim().expect("nobody else has it")).expect("both sides");
                return turns;
            }
        };
        let mut got = vec![0; N];
        mine.read(&mut got).expect("read");
        assert_same(&got, &vec![turns; N]);
        if three && turns == 2 {
            return turns;
        }
        theirs = match mine.give() {
            Ok(theirs) => theirs,
            Err(refused) => {
                assert!(
                    matches!(refused.error(), Error::Channel(ChannelError::PeerGone { in_its_turn: false })),
                    "{refused}"
                );
                let mine = refused.into_parts().1;
                mine.read(&mut got).expect("read");
                assert_same(&got, &vec![turns; N]);
                sides.run(mine.reclaim().expect("nobody else has it")).expect("both sides");
                return turns + 1;
            }
        };
    }
    unreachable!("it is killed")
}
