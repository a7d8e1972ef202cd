//! Expressions and statements at random. What stands here is defined by OpenCL C, or by the prelude where that says so.

use super::Random;
use std::fmt::Write;

/// Writes the body of a kernel; the variables are those of [`super::kernel`].
pub struct Generator {
    pub random: Random,
    pub source: String,
}

impl Generator {
    fn below(&mut self, n: u64) -> u64 {
        self.random.next() % n
    }

    fn pick<'a>(&mut self, choices: &[&'a str]) -> &'a str {
        choices[self.below(choices.len() as u64) as usize]
    }

    /// An expression of type `uint`.
    fn uint(&mut self, depth: u32) -> String {
        if depth == 0 {
            return match self.below(6) {
                0 => format!("{}u", self.random.next() as u32 >> self.below(32)),
                1 => "i".into(),
                _ => format!("u{}", self.below(4)),
            };
        }
        let a = self.uint(depth - 1);
        match self.below(20) {
            0..=3 => {
                let (op, b) = (self.pick(&["+", "-", "*", "^", "&", "|"]), self.uint(depth - 1));
                format!("({a} {op} {b})")
            }
            4 => {
                let (op, b) = (self.pick(&["<<", ">>"]), self.uint(depth - 1));
                format!("({a} {op} ({b} & 31))")
            }
            5 => {
                let (kind, b) = (self.below(4), self.uint(depth - 1));
                let op = ["/", "%"][kind as usize % 2];
                // `zero` hides the dividend's range. Without, LLVM 19 divides through f32 whatever is sign-extended
                // from at most 24 bits, unsigned or not, and gets 1 for -2u / -1u if both were shorts (llvm-project #194829,
                // fixed in 2026).
                if kind < 2 {
                    format!("(({a} ^ zero) {op} ({b} | 1))")
                } else {
                    // Up to 22 bits that is right.
                    format!("(({a} >> 10) {op} ({b} >> 10 | 1))")
                }
            }
            6 => {
                let (f, b) = (
                    self.pick(&["max", "min", "mul_hi", "add_sat", "sub_sat", "rotate", "hadd"]),
                    self.uint(depth - 1),
                );
                format!("{f}({a}, {b})")
            }
            7 => {
                let (f, b) =
                    (self.pick(&["max", "min", "mul_hi", "add_sat", "sub_sat", "rhadd"]), self.uint(depth - 1));
                format!("(uint){f}((int){a}, (int){b})")
            }
            8 => format!("{}({a})", self.pick(&["clz", "popcount", "~", "-"])),
            9 => {
                let t = self.pick(&["char", "uchar", "short", "ushort"]);
                format!("(uint)({t}){a}")
            }
            10 => {
                let (op, b) = (self.pick(&["<", "<=", "==", "!=", ">"]), self.uint(depth - 1));
                let (t, c) = (self.pick(&["int", "uint", "short", "uchar"]), self.uint(depth - 1));
                format!("(({t}){a} {op} ({t}){b} ? {c} : {a})")
            }
            11 => format!("bits({})", self.float(depth - 1)),
            12 => format!("bits64({})", self.double(depth - 1)),
            13 => {
                let (b, shift) = (self.uint(depth - 1), self.below(40));
                format!("(uint)(((ulong){a} * {b} + l0) >> {shift})")
            }
            14 => {
                let b = self.uint(depth - 1);
                format!("as_uint(as_uchar4({a}) * as_uchar4({b}))")
            }
            15 => {
                let (b, op) = (self.uint(depth - 1), self.pick(&["+", "*", "-"]));
                format!("as_uint(as_ushort2({a}) {op} as_ushort2({b}))")
            }
            16 => format!("h_bits({})", self.half(depth - 1)),
            17 => {
                let (b, c) = (self.uint(depth - 1), self.uint(0));
                let product = match self.below(3) {
                    0 => format!("dot4(as_char4({a}), as_char4({b}), {c})"),
                    1 => format!("udot4(as_uchar4({a}), as_uchar4({b}), {c})"),
                    _ => format!("dot2(as_short2({a}), as_short2({b}), {c})"),
                };
                // LLVM 19 makes one v_dot4c of a difference too, and adds what should be subtracted.
                format!("({product} ^ zero)")
            }
            18 => {
                let (to, from) = (self.pick(&["int", "uint", "short", "uchar"]), self.below(3));
                let rounding = self.pick(&["", "_rte", "_rtz", "_rtp", "_rtn"]);
                let value = match from {
                    0 => self.float(depth - 1),
                    1 => self.double(depth - 1),
                    _ => format!("(float){}", self.half(depth - 1)),
                };
                format!("(uint)convert_{to}_sat{rounding}(number({value}))")
            }
            _ => {
                let (b, c) = (self.uint(depth - 1), self.uint(depth - 1));
                match self.below(4) {
                    0 => format!("bitselect({a}, {b}, {c})"),
                    1 => format!("mad24({a} & 0xffffff, {b} >> 9, {c})"),
                    // Without overflow, which PoCL 3.1 takes to be undefined.
                    2 => format!("((uint)mul24((int){a} >> 17, (int){b} >> 17) + mul24({b} >> 8, {a} >> 8))"),
                    // Not of ints: PoCL 3.1 subtracts them with undefined overflow.
                    _ => format!("abs_diff({a}, {b})"),
                }
            }
        }
    }

    fn float(&mut self, depth: u32) -> String {
        if depth == 0 {
            return match self.below(4) {
                0 => format!("{}.5f", self.below(1000)),
                1 => format!("(float)(int){}", self.uint(0)),
                n => format!("f{}", n - 2),
            };
        }
        let a = self.float(depth - 1);
        match self.below(10) {
            0..=2 => {
                let (op, b) = (self.pick(&["+", "-", "*"]), self.float(depth - 1));
                format!("({a} {op} {b})")
            }
            3 => {
                let (b, c) = (self.float(depth - 1), self.float(depth - 1));
                format!("fma({a}, {b}, {c})")
            }
            4 => format!("{}({a})", self.pick(&["floor", "ceil", "trunc", "rint", "fabs", "-"])),
            5 => format!("({a} / {})", self.float(depth - 1)),
            6 => format!("sqrt(fabs({a}))"),
            // Adding zero: which of two zeros is the smaller one is open.
            7 => format!("({}({a}, {}) + 0.0f)", self.pick(&["fmin", "fmax"]), self.float(depth - 1)),
            8 => {
                let (b, c) = (self.half(depth - 1), self.half(0));
                match self.below(3) {
                    0 => format!("(float){b}"),
                    1 => format!("(float){}", self.double(depth - 1)),
                    _ => format!("fma((float){b}, (float){c}, {a})"),
                }
            }
            _ => {
                let (b, c) = (self.float(depth - 1), self.uint(depth - 1));
                format!("({a} < {b} ? {b} : (float){c})")
            }
        }
    }

    fn double(&mut self, depth: u32) -> String {
        if depth == 0 {
            return match self.below(3) {
                0 => "d0".into(),
                1 => format!("(double)(int){}", self.uint(0)),
                _ => format!("(double){}", self.float(0)),
            };
        }
        let (a, b) = (self.double(depth - 1), self.double(depth - 1));
        match self.below(9) {
            0 => format!("fma({a}, {b}, d0)"),
            1 => format!("({a} > {b} ? {b} : {a})"),
            2 => format!("({a} / {b})"),
            3 => format!("sqrt(fabs({a}))"),
            4 => format!("{}({a})", self.pick(&["floor", "ceil", "trunc", "rint", "fabs", "-"])),
            5 => format!("({}({a}, {b}) + 0.0)", self.pick(&["fmin", "fmax"])),
            _ => format!("({a} {} {b})", self.pick(&["+", "-", "*"])),
        }
    }

    /// An expression of type `H`.
    fn half(&mut self, depth: u32) -> String {
        if depth == 0 {
            return match self.below(6) {
                0 => format!("h_bits_to({}u)", self.below(0x1_0000)),
                1 => format!("h_from_short({})", self.uint(0)),
                2 => format!("h_from_float({})", self.float(0)),
                3 => format!("h_bits_to({})", self.uint(0)),
                n => format!("h{}", n - 4),
            };
        }
        let a = self.half(depth - 1);
        match self.below(10) {
            0..=3 => format!("h_{}({a}, {})", self.pick(&["add", "sub", "mul"]), self.half(depth - 1)),
            4 => format!("h_fma({a}, {}, {})", self.half(depth - 1), self.half(depth - 1)),
            5 => format!("h_{}({a})", self.pick(&["floor", "ceil", "trunc", "rint"])),
            6 => format!("h_from_double({})", self.double(depth - 1)),
            7 => format!("h_from_float({})", self.float(depth - 1)),
            8 => {
                let (op, b) = (self.pick(&["<", ">", "<=", ">=", "==", "!="]), self.half(depth - 1));
                format!("({a} {op} {b} ? {} : {b})", self.half(0))
            }
            _ => format!("{}({a})", self.pick(&["-", "fabs"])),
        }
    }

    /// An expression of type `H2`.
    fn halves(&mut self) -> String {
        let pair = |g: &mut Self| match g.below(4) {
            0 => format!("(H2)({}, {})", g.half(1), g.half(0)),
            1 => "w0.yx".to_owned(),
            2 => "-w0".to_owned(),
            _ => "w0".to_owned(),
        };
        let (a, b) = (pair(self), pair(self));
        match self.below(3) {
            0 => format!("h2_fma({a}, {b}, {})", pair(self)),
            1 => format!("h2_mul({a}, {b})"),
            _ => format!("h2_add({a}, {b})"),
        }
    }

    /// An expression of type `uint` that all items of the sub-group evaluate together.
    fn together(&mut self) -> String {
        let x = self.uint(1);
        match self.below(14) {
            0 => format!("sg_{}({x})", self.pick(&["add", "min", "max"])),
            1 | 2 => format!("sg_{}({x})", self.pick(&["scan_add", "scan_max", "before_add"])),
            3 => format!("sg_broadcast({x}, {})", self.below(64)),
            4 => format!("({}({x} & 3) ? u0 : u3)", self.pick(&["sg_any", "sg_all"])),
            5 => format!("sg_ballot(({x} & 5) != 0)"),
            6 | 7 => format!("sg_pull({x}, ({}))", self.uint(1)),
            8 => format!("sg_push_xor({x}, {})", self.below(64)),
            9 => format!("sg_swizzle({x}, {})", self.below(0x8000)),
            10 => format!("sg_swizzle({x}, {})", 0x8000 + self.below(0x100)),
            _ => {
                let control = match self.below(8) {
                    0 => self.below(0x100),
                    n @ 1..=3 => 0x100 + (n - 1) * 16 + 1 + self.below(15),
                    _ => [0x130, 0x134, 0x138, 0x13c, 0x140, 0x141, 0x142, 0x143][self.below(8) as usize],
                };
                let mask = |g: &mut Self| if g.below(2) == 0 { 15 } else { g.below(16) };
                let (old, rows, banks) = (self.uint(0), mask(self), mask(self));
                format!("sg_dpp({old}, {x}, {control:#x}, {rows}, {banks})")
            }
        }
    }

    /// `zero` is 0, which the compiler does not know, and for all it knows different in each item. Without it, a
    /// variable can be known to be the same in all items that are in a loop; LLVM 19 keeps it in a scalar register,
    /// which the items that go on change for those that have left (llvm-project #203256, fixed in 2026).
    ///
    /// A statement; `uniform`: all items of the work-group run it.
    fn statement(&mut self, depth: u32, uniform: bool) {
        if uniform && self.below(4) == 0 {
            let (v, e) = (self.below(4), self.together());
            let _ = writeln!(self.source, "u{v} = {e} ^ zero;");
            return;
        }
        match self.below(if depth == 0 { 9 } else { 15 }) {
            0..=2 => {
                let (v, e) = (self.below(4), self.uint(2));
                let _ = writeln!(self.source, "u{v} = {e} ^ zero;");
            }
            3 => {
                let (v, e) = (self.below(2), self.float(2));
                let _ = writeln!(self.source, "f{v} = zero ? f0 : {e};");
            }
            4 => {
                let e = self.double(2);
                let (x, y) = (self.uint(1), self.uint(1));
                let _ = writeln!(self.source, "d0 = zero ? 0 : {e}; l0 = l0 * 3 + ((ulong){x} << 32) - {y};");
            }
            5 => {
                let (i, e) = (self.uint(1), self.uint(1));
                let _ = writeln!(self.source, "p[{i} & 7] ^= {e}; u1 += p[u2 & 7];");
            }
            6 => {
                let (v, e) = (self.below(2), self.half(2));
                let _ = writeln!(self.source, "h{v} = zero ? h0 : {e};");
            }
            7 => {
                let e = self.halves();
                let _ = writeln!(self.source, "w0 = zero ? w0.yx : {e};");
            }
            8 => {
                let s = self.own_atomic();
                let _ = writeln!(self.source, "{s}");
            }
            9 => {
                let c = self.uint(1);
                let _ = writeln!(self.source, "if ({c} & 1) {{");
                self.block(depth - 1, false);
                let _ = writeln!(self.source, "}} else {{");
                self.block(depth - 1, false);
                let _ = writeln!(self.source, "}}");
            }
            10 => {
                let n = self.uint(1);
                let _ = writeln!(self.source, "for (uint j = 0; j < ({n} & 7); j++) {{ u3 += j;");
                self.block(depth - 1, false);
                let _ = writeln!(self.source, "if (u0 % 11 == 3) break; }}");
            }
            11 => {
                let e = self.uint(1);
                let _ = writeln!(self.source, "switch ({e} & 3) {{ case 0:");
                self.block(depth - 1, false);
                let _ = writeln!(self.source, "break; case 1:");
                self.block(depth - 1, false);
                let _ = writeln!(self.source, "case 2: u1 += 3; break; default:");
                self.block(depth - 1, false);
                let _ = writeln!(self.source, "}}");
            }
            12 => {
                let (n, e) = (self.uint(0), self.uint(1));
                let _ = writeln!(
                    self.source,
                    "{{ uint n = {n} & 15; while (n != 0) {{ n &= n - 1; if ((u1 ^ n) & 1) continue; u0 ^= {e};"
                );
                self.block(0, false);
                let _ = writeln!(self.source, "}} }}");
            }
            13 if uniform => {
                let (e, k) = (self.uint(1), self.below(64));
                let _ = writeln!(
                    self.source,
                    "t[l] = {e}; barrier(CLK_LOCAL_MEM_FENCE); u2 ^= t[(l * 5 + {k}) & 63]; atomic_add(&s, u2); barrier(CLK_LOCAL_MEM_FENCE); u0 += s; barrier(CLK_LOCAL_MEM_FENCE);"
                );
            }
            _ => {
                let e = self.uint(1);
                // One accumulator per operation: different ones do not commute.
                let slot = self.below(9);
                let f = ["add", "xor", "max", "or", "and", "min", "sub", "add", "max"][slot as usize];
                let _ = match slot {
                    0..=6 => writeln!(self.source, "atomic_{f}(g + {slot}, {e});"),
                    _ => writeln!(
                        self.source,
                        "atom_{f}((volatile global ulong *)g + {slot}, (ulong){e} * 0x100000001UL);"
                    ),
                };
            }
        }
    }

    /// An atomic operation on memory that no other item uses, so that what it returns is known.
    fn own_atomic(&mut self) -> String {
        const ALL: &[&str] = &["add", "sub", "xchg", "min", "max", "and", "or", "xor"];
        let (v, e, c) = (self.below(4), self.uint(1), self.uint(0));
        let memory = self.pick(&["own", "own_local"]);
        match self.below(10) {
            0 => format!("u{v} += atomic_cmpxchg({memory}, {c} & 3, {e} & 3);"),
            1 => format!("u{v} ^= atomic_{}({memory});", self.pick(&["inc", "dec"])),
            2 => {
                let f = self.pick(&["min", "max"]);
                format!("u{v} += (uint)atomic_{f}((volatile global int *)own, (int){e});")
            }
            3 => format!("l0 += atom_{}(own64, ((ulong){e} << 20) + {c});", self.pick(ALL)),
            4 => format!("l0 ^= atom_cmpxchg(own64, (ulong)({c} & 1), (ulong){e});"),
            _ => format!("u{v} += atomic_{}({memory}, {e});", self.pick(ALL)),
        }
    }

    /// One to four statements.
    pub fn block(&mut self, depth: u32, uniform: bool) {
        for _ in 0..1 + self.below(4) {
            self.statement(depth, uniform);
        }
    }
}
