//! Exceptions of waves on a device whose driver has a trap handler, without a second-level handler of the process and
//! with one that records its arguments.
//!
//! The words are what llvm-mc makes of the comments.

#[path = "support/launch.rs"]
mod launch;
#[path = "support/memory.rs"]
mod memory;

use std::sync::Mutex;

use gcn::bus::{Access, Bus, MemoryFault, Traps, Window};
use gcn::exec::{Code, Exception, Launch, Order, Outcome, View, Workgroup};
use gcn::target::Target;
use launch::one_wave;
use memory::Memory;

const BASE: u64 = 0x7000_0001_0000;
const HANDLER: usize = 0x400;
/// What the handler stores, by dword: ttmp0, ttmp1, ttmp12, TRAPSTS, what MSG_GET_DOORBELL gives.
const FOUND: usize = 0x800;
const BYTES: usize = 0x1000;
const DOORBELL: u32 = 0x435;

/// s4 = 17, the instruction, s5 = 34, s6 = STATUS.
fn kernel(instruction: u32) -> [u32; 5] {
    [
        0xbe84_0091, // s_mov_b32 s4, 17
        instruction,
        0xbe85_00a2, // s_mov_b32 s5, 34
        0xb886_f802, // s_getreg_b32 s6, hwreg(HW_REG_STATUS)
        0xbf81_0000, // s_endpgm
    ]
}

const TRAP_0: u32 = 0xbf92_0000;
const TRAP_7: u32 = 0xbf92_0007;
const ILLEGAL: u32 = 0xbfff_0000;

/// Stores what it found, interrupts with 0x123 in M0, and goes on behind an s_trap. It halts after anything else.
const REPORT: [u32; 26] = [
    0xc046_1b3d,
    0x0000_0000, // s_store_dwordx2 ttmp[0:1], ttmp[14:15], 0x0
    0xc042_1e3d,
    0x0000_0008, // s_store_dword ttmp12, ttmp[14:15], 0x8
    0xb8ee_f803, // s_getreg_b32 ttmp2, hwreg(HW_REG_TRAPSTS)
    0xc042_1bbd,
    0x0000_000c, // s_store_dword ttmp2, ttmp[14:15], 0xc
    0xbeef_007e, // s_mov_b32 ttmp3, exec_lo
    0xbf90_000a, // s_sendmsg sendmsg(MSG_GET_DOORBELL)
    0xbef0_007e, // s_mov_b32 ttmp4, exec_lo
    0xc042_1c3d,
    0x0000_0010, // s_store_dword ttmp4, ttmp[14:15], 0x10
    0xbefe_006f, // s_mov_b32 exec_lo, ttmp3
    0xb07c_0123, // s_movk_i32 m0, 0x123
    0xbf80_0000, // s_nop 0
    0xbf90_0001, // s_sendmsg sendmsg(MSG_INTERRUPT)
    0x92ee_ff6d,
    0x0008_0010, // s_bfe_u32 ttmp2, ttmp1, 0x80010
    0xbf85_0003, // s_cbranch_scc1 trap
    0xbef8_1a8d, // s_bitset1_b32 ttmp12, 13
    0xbf8d_0001, // s_sethalt 1
    0xbf82_0002, // s_branch leave
    // trap:
    0x806c_846c, // s_add_u32 ttmp0, ttmp0, 4
    0x826d_806d, // s_addc_u32 ttmp1, ttmp1, 0
    // leave:
    0xb978_f802, // s_setreg_b32 hwreg(HW_REG_STATUS), ttmp12
    0xbe80_1f6c, // s_rfe_b64 ttmp[0:1]
];

/// Stores the registers and the SCC that it finds, all ones to ttmp11 (or the other with this number among the scalar
/// registers), and goes on.
fn registers(kept: u32) -> [u32; 12] {
    [
        0x8570_8081, // s_cselect_b32 ttmp4, 1, 0
        0xc046_1bbd,
        0x0000_0000, // s_store_dwordx2 ttmp[2:3], ttmp[14:15], 0x0
        0xc046_1c3d,
        0x0000_0008, // s_store_dwordx2 ttmp[4:5], ttmp[14:15], 0x8
        0xc042_003d | kept << 6,
        0x0000_0010,              // s_store_dword ttmp11, ttmp[14:15], 0x10
        0xbe80_00c1 | kept << 16, // s_mov_b32 ttmp11, -1
        0x806c_846c,              // s_add_u32 ttmp0, ttmp0, 4
        0x826d_806d,              // s_addc_u32 ttmp1, ttmp1, 0
        0xb978_f802,              // s_setreg_b32 hwreg(HW_REG_STATUS), ttmp12
        0xbe80_1f6c,              // s_rfe_b64 ttmp[0:1]
    ]
}

struct Device {
    memory: Memory,
    traps: Traps,
    interrupts: Mutex<Vec<(u32, bool)>>,
}

// SAFETY: all windows are those of `memory`.
unsafe impl Bus for Device {
    fn window(&self, address: u64, access: Access) -> Result<Window, MemoryFault> {
        self.memory.window(address, access)
    }

    fn realtime(&self) -> u64 {
        1
    }

    fn memtime(&self) -> u64 {
        2
    }

    fn interrupt(&self, m0: u32, privileged: bool) {
        self.interrupts.lock().unwrap().push((m0, privileged));
    }

    fn doorbell(&self) -> u32 {
        DOORBELL
    }

    fn traps(&self) -> Traps {
        self.traps
    }
}

/// One wave that ran.
struct Ran {
    outcomes: Vec<Outcome>,
    group: Workgroup,
    found: [u32; 5],
    interrupts: Vec<(u32, bool)>,
}

impl Ran {
    /// s4, s5.
    fn scalars(&self) -> [u32; 2] {
        let wave = &self.group.waves()[0];
        [wave.sgpr[4], wave.sgpr[5]]
    }
}

/// Runs `kernel` as one wave for three turns, or to its end.
fn run(kernel: &[u32], handler: &[u32], traps: Traps) -> Ran {
    run_on(Target::Gfx908, kernel, handler, traps)
}

fn run_on(target: Target, kernel: &[u32], handler: &[u32], traps: Traps) -> Ran {
    let mut memory = Memory::new(BASE, &[0; BYTES]);
    let bytes = |words: &[u32]| words.iter().flat_map(|word| word.to_le_bytes()).collect::<Vec<u8>>();
    memory.fill(0, &bytes(kernel));
    memory.fill(HANDLER, &bytes(handler));
    let device = Device { memory, traps, interrupts: Mutex::default() };
    let code = Code::new(target);
    let launch = Launch::new(&one_wave(BASE), &code).expect("valid");
    let mut group = Workgroup::new();
    group.start(&launch, [0; 3], 0);
    let mut outcomes = Vec::new();
    for _ in 0..3 {
        outcomes.push(group.run(&mut View::new(&device, &code), 1000, &mut Order::round_robin()));
        if outcomes.last() == Some(&Outcome::Done) {
            break;
        }
    }
    let interrupts = device.interrupts.into_inner().unwrap();
    let bytes = device.memory.into_bytes();
    let found = std::array::from_fn(|i| {
        let at = FOUND + 4 * i;
        u32::from_le_bytes(bytes[at..at + 4].try_into().unwrap())
    });
    Ran { outcomes, group, found, interrupts }
}

fn handler() -> Traps {
    Traps::Handler { code: BASE + HANDLER as u64, memory: BASE + FOUND as u64 }
}

fn is_trap(outcome: &Outcome) -> bool {
    matches!(outcome, Outcome::Trapped(Exception::Trap { id: 7, pc }) if *pc == BASE + 4)
}

fn is_illegal(outcome: &Outcome) -> bool {
    matches!(outcome, Outcome::Trapped(Exception::IllegalInstruction { pc, .. }) if *pc == BASE + 4)
}

#[test]
fn without_a_handler_a_trap_is_passed_over() {
    let ran = run(&kernel(TRAP_7), &[], Traps::NoHandler);
    assert!(is_trap(&ran.outcomes[0]), "{:?}", ran.outcomes);
    assert_eq!(ran.outcomes[1..], [Outcome::Done]);
    assert_eq!(ran.scalars(), [17, 34]);
}

#[test]
fn without_a_handler_an_illegal_instruction_halts_the_wave() {
    let ran = run(&kernel(ILLEGAL), &[], Traps::NoHandler);
    assert!(is_illegal(&ran.outcomes[0]), "{:?}", ran.outcomes);
    assert_eq!(ran.outcomes[1..], [Outcome::Yielded, Outcome::Yielded]);
    assert_eq!(ran.scalars(), [17, 0]);
    assert_eq!(ran.group.waves()[0].pc, BASE + 4 - 8);
    assert!(ran.interrupts.is_empty());
}

#[test]
fn without_a_handler_trap_0_halts_the_wave() {
    let ran = run(&kernel(TRAP_0), &[], Traps::NoHandler);
    let Outcome::Trapped(Exception::Trap { id: 0, pc }) = ran.outcomes[0] else { panic!("{:?}", ran.outcomes) };
    assert_eq!(pc, BASE + 4);
    assert_eq!(ran.outcomes[1..], [Outcome::Yielded, Outcome::Yielded]);
    assert_eq!(ran.scalars(), [17, 0]);
    assert_eq!(ran.group.waves()[0].pc, BASE + 4 - 8);
}

#[test]
fn a_handler_finds_what_the_drivers_leaves_in_registers() {
    let [start, end] = [0xbe84_0091, 0xbf81_0000];
    let code = BASE + HANDLER as u64;
    // ttmp11, ttmp13: the driver's handler uses one of them for itself.
    let (kept, whole) = (!(0xfc00_0000 | 1 << 23), u32::MAX);
    for (target, [of_11, of_13]) in
        [(Target::Gfx908, [kept, whole]), (Target::Gfx90a, [kept, whole]), (Target::Gfx942, [whole, kept])]
    {
        for (register, left) in [(119, of_11), (121, of_13)] {
            let ran = run_on(target, &[start, TRAP_7, TRAP_7, end], &registers(register), handler());
            assert!(is_trap(&ran.outcomes[0]), "{target}: {:?}", ran.outcomes);
            assert!(matches!(ran.outcomes[1], Outcome::Trapped(Exception::Trap { id: 7, .. })), "{:?}", ran.outcomes);
            assert_eq!(ran.outcomes[2], Outcome::Done);
            // TBA, SCC, nothing, and what is left of the register.
            assert_eq!(ran.found, [code as u32, (code >> 32) as u32, 1, 0, left], "{target}, register {register}");
            assert!(!ran.group.waves()[0].scc, "what it was before");
        }
    }
}

#[test]
fn a_handler_returns_behind_a_trap() {
    let ran = run(&kernel(TRAP_7), &REPORT, handler());
    assert!(is_trap(&ran.outcomes[0]), "{:?}", ran.outcomes);
    assert_eq!(ran.outcomes[1..], [Outcome::Done]);
    assert_eq!(ran.scalars(), [17, 34]);
    let at = BASE + 4;
    // STATUS: PRIV, VCCZ, VALID.
    let status = 1 << 5 | 1 << 10 | 1 << 16;
    assert_eq!(ran.found, [at as u32, (at >> 32) as u32 | 7 << 16, status, 0, DOORBELL]);
    assert_eq!(ran.interrupts, [(0x123, true)]);
    assert_eq!(ran.group.waves()[0].sgpr[6], 1 << 10 | 1 << 16, "the wave is not privileged any more");
}

#[test]
fn a_handler_halts_a_wave_when_it_returns() {
    let ran = run(&kernel(ILLEGAL), &REPORT, handler());
    assert!(is_illegal(&ran.outcomes[0]), "{:?}", ran.outcomes);
    // It ran to its end although it halted the wave before.
    assert_eq!(ran.outcomes[1..], [Outcome::Yielded, Outcome::Yielded]);
    assert_eq!(ran.scalars(), [17, 0]);
    let at = BASE + 4;
    assert_eq!(ran.found[..2], [at as u32, (at >> 32) as u32]);
    // ILLEGAL_INST.
    assert_eq!(ran.found[3], 1 << 11);
    assert_eq!(ran.interrupts, [(0x123, true)]);
    assert_eq!(ran.group.waves()[0].pc, at);
}

#[test]
fn an_exception_of_a_handler_halts_the_wave() {
    let ran = run(&kernel(TRAP_7), &[ILLEGAL], handler());
    assert!(is_trap(&ran.outcomes[0]), "{:?}", ran.outcomes);
    assert!(matches!(ran.outcomes[1], Outcome::Trapped(Exception::IllegalInstruction { .. })), "{:?}", ran.outcomes);
    assert_eq!(ran.outcomes[2], Outcome::Yielded);
}

#[test]
fn memory_faults_are_the_drivers_and_a_handlers_are_too() {
    // s_load_dword s4, s[0:1], 0x0, whose address is 0.
    let ran = run(&[0xc002_0100, 0], &REPORT, handler());
    assert!(matches!(ran.outcomes[0], Outcome::Exception(Exception::MemoryFault { .. })), "{:?}", ran.outcomes);
    assert!(ran.interrupts.is_empty());
    let nowhere = Traps::Handler { code: BASE + HANDLER as u64, memory: 0x10 };
    let ran = run(&kernel(TRAP_7), &REPORT, nowhere);
    assert!(matches!(ran.outcomes[1], Outcome::Exception(Exception::MemoryFault { .. })), "{:?}", ran.outcomes);
}

#[test]
fn outside_of_a_handler_nothing_of_it_works() {
    // s_setreg_b32 hwreg(HW_REG_STATUS), s4 does not halt, s_rfe_b64 s[0:1] is illegal.
    let ran = run(&[0xbe84_00ff, 1 << 13, 0xb904_f802, 0xbe80_1f00], &[], Traps::End);
    let [Outcome::Exception(Exception::IllegalInstruction { pc, .. }), ..] = ran.outcomes[..] else {
        panic!("{:?}", ran.outcomes)
    };
    assert_eq!(pc, BASE + 12);
}
