//! Formats findings as text and as JSON.

mod dispatches;
mod frees;
mod host;
mod leak;
mod packet;
mod runtime;

use super::calls::called;
use super::files::{Files, Line, Place, demangled, is_amds};
use super::trail::Trail;
use serde_json::{Map, Value, json};
use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::fmt;

/// Something that was found, once for each instruction.
pub struct Finding {
    /// What the device wrote.
    fields: Map<String, Value>,
    /// How often, in all processes.
    count: u64,
    /// Where the instruction is.
    place: Place,
    /// Where the other one of a race is.
    other: Place,
    /// What the wave executed last, up to the access, and what the other one of a race did.
    trails: [Trail; 2],
    allocated: Vec<Frame>,
    freed: Vec<Frame>,
    /// Who handed over the copy that the host does not wait for.
    copied: Vec<Frame>,
    /// Who called a function to free.
    called: Vec<Frame>,
    /// Whether the code, and that of the other access, is of a code object of AMD's runtime.
    runtimes_code: [bool; 2],
}

/// A call on the host.
struct Frame {
    file: String,
    place: Place,
    /// The function of another library that it calls. Those that AMD's runtimes call are their own affair.
    called: Option<String>,
}

impl Finding {
    /// All findings in the lines of `text`, in order of first appearance.
    pub fn all(text: &str, files: &mut Files) -> Vec<Finding> {
        let lines = text.lines().filter_map(|line| serde_json::from_str::<Map<String, Value>>(line).ok());
        let mut findings: Vec<Finding> = Vec::new();
        let mut counts: BTreeMap<(u64, u64), (usize, u64)> = BTreeMap::new();
        for fields in lines {
            let number = |name: &str| fields.get(name).and_then(Value::as_u64);
            let (Some(pid), Some(id)) = (number("pid"), number("id")) else { continue };
            if let Some(count) = number("count") {
                if let Some((_, known)) = counts.get_mut(&(pid, id)) {
                    *known = count;
                }
                continue;
            }
            let new = Finding::new(fields, files);
            let index = findings.iter().position(|known| known.is_same(&new)).unwrap_or(findings.len());
            match findings.get_mut(index) {
                Some(known) => known.add_leaked(&new),
                None => findings.push(new),
            }
            counts.insert((pid, id), (index, 1));
        }
        counts.values().for_each(|&(index, count)| findings[index].count += count);
        // Leaks behind the others, the largest first.
        findings.sort_by_key(|finding| finding.leaked().map(Reverse));
        findings
    }

    fn new(mut fields: Map<String, Value>, files: &mut Files) -> Finding {
        let text = |name: &str| fields.get(name).and_then(Value::as_str);
        let mut place = |object: &str, address: &str| match (text(object), text(address).and_then(hexadecimal)) {
            (Some(uri), Some(address)) => files.in_code(uri, address),
            _ => Place::default(),
        };
        let mut own = place("code_object", "code_address");
        let other = place("other_code_object", "other_code_address");
        let runtimes_code =
            ["code_object", "other_code_object"].map(|object| text(object).is_some_and(|uri| files.is_of_runtime(uri)));
        let trails = [("trail", "code_object"), ("other_trail", "other_code_object")]
            .map(|(name, object)| Trail::of(fields.get(name), text(object), files));
        let mut stack = |name: &str| stack(fields.get(name), files);
        let (allocated, freed, copied) = (stack("allocated_by"), stack("freed_by"), stack("copied_by"));
        let (accessed, called) = (stack("accessed_by"), stack("called_by"));
        if text("finding") == Some("leak") {
            // Where it was allocated is where it is.
            own.lines = allocated.iter().flat_map(|frame| frame.place.lines.clone()).collect();
        }
        if !called.is_empty() {
            own.lines = called.iter().flat_map(|frame| frame.place.lines.clone()).collect();
        }
        if text("finding") == Some("host-race") {
            own = accessed.into_iter().next_back().map_or(own, |frame| frame.place);
        }
        // The device knows the functions that a code object exports, the file the others too.
        for (name, place) in [("place", &own), ("other_place", &other)] {
            if let (Some(symbol), Some(place_of_device)) = (&place.symbol, fields.get_mut(name)) {
                *place_of_device = format!("{symbol}+{:#x}", place.offset).into();
            }
        }
        Finding { count: 0, place: own, other, trails, allocated, freed, copied, called, runtimes_code, fields }
    }

    /// Whether this is the same finding, possibly of another process with the code at other addresses.
    pub fn is_same(&self, other: &Finding) -> bool {
        let key = |finding: &Finding| {
            ["finding", "access", "kernel", "place", "instruction", "other_place", "other_access", "other_kernel"]
                .map(|name| finding.text(name).map(str::to_owned))
        };
        key(self) == key(other)
            && ["accessed_by", "called_by", "function"]
                .iter()
                .all(|name| self.fields.get(*name) == other.fields.get(*name))
            && (self.kind() != "leak" || self.leaks_like(other))
    }

    /// The kind of finding.
    pub fn kind(&self) -> &str {
        self.text("finding").unwrap_or("?")
    }

    /// The kernel's name, as people write it and as it is in the code object; of a race of two, both.
    pub fn kernels(&self) -> impl Iterator<Item = String> {
        let symbols = || ["kernel", "other_kernel"].into_iter().filter_map(|name| self.text(name));
        symbols().map(demangled).chain(symbols().map(str::to_owned))
    }

    /// Where the instruction is, and the other one of a race.
    pub fn places(&self) -> [&Place; 2] {
        [&self.place, &self.other]
    }

    /// How often it was found.
    pub fn count(&self) -> u64 {
        self.count
    }

    /// `FILE:LINE` of all lines that the instruction is from, or those of a race.
    pub fn lines(&self) -> impl Iterator<Item = String> {
        let lines = self.place.lines.iter().chain(&self.other.lines);
        lines.map(|Line { file, line, .. }| format!("{file}:{line}"))
    }

    fn text(&self, name: &str) -> Option<&str> {
        self.fields.get(name).and_then(Value::as_str)
    }

    fn number(&self, name: &str) -> Option<u64> {
        self.fields.get(name).and_then(Value::as_u64)
    }

    fn list(&self, name: &str) -> [u64; 3] {
        let list = self.fields.get(name).and_then(Value::as_array);
        std::array::from_fn(|i| list.and_then(|list| list.get(i)).and_then(Value::as_u64).unwrap_or(0))
    }

    /// The kernel, demangled.
    fn kernel(&self) -> Option<String> {
        self.kernel_of("")
    }

    /// The kernel whose field's name begins with `prefix`. Of a packet that did not end it is only known where it
    /// begins.
    fn kernel_of(&self, prefix: &str) -> Option<String> {
        let place = if prefix.is_empty() { &self.place } else { &self.other };
        let of_packet = || place.symbol.as_deref().filter(|_| self.of_packet().is_some());
        self.text(&format!("{prefix}kernel")).or_else(of_packet).map(demangled)
    }

    /// The work-item of an access, whose fields' names begin with `prefix`: its id in its work-group and in the grid.
    fn work_item(&self, prefix: &str) -> Option<[[u64; 3]; 2]> {
        let field = |name: &str| format!("{prefix}{name}");
        let size = self.list("workgroup_size").map(|size| size.max(1));
        let number = self.number(&field("wave"))? * 64 + self.number(&field("lane"))?;
        let local = [number % size[0], number / size[0] % size[1], number / size[0] / size[1]];
        let group = self.list(&field("workgroup"));
        Some([local, std::array::from_fn(|i| group[i] * size[i] + local[i])])
    }

    /// The other access of a race, taken out of `all`.
    fn take_other(&self, all: &mut Map<String, Value>) -> Option<Value> {
        let mut other = Map::new();
        all.remove("other_trail");
        for name in [
            "access",
            "pc",
            "place",
            "instruction",
            "workgroup",
            "wave",
            "lane",
            "gpu",
            "kernel",
            "kernel_object",
            "queue",
            "packet",
            "dispatch",
        ] {
            if let Some(value) = all.remove(&format!("other_{name}")) {
                other.insert(name.to_owned(), value);
            }
        }
        if other.is_empty() {
            return None;
        }
        if self.of_packet().is_some() {
            other.remove("kernel_object");
            other.insert("kernel".to_owned(), self.kernel_of("other_").into());
        } else if let Some(kernel) = self.text("other_kernel") {
            other.insert("kernel".to_owned(), demangled(kernel).into());
            other.insert("symbol".to_owned(), kernel.into());
        }
        if let Some([local, global]) = self.work_item("other_") {
            other.insert("work_item".to_owned(), json!(local));
            other.insert("global_id".to_owned(), json!(global));
        }
        other.insert("lines".to_owned(), lines_to_json(&self.other.lines));
        self.trails[1].add_to(&mut other);
        Some(other.into())
    }

    /// The device's data together with symbolised addresses.
    pub fn to_json(&self) -> Value {
        let mut all = self.fields.clone();
        for name in [
            "id",
            "code_object",
            "code_address",
            "trail",
            "allocated_by",
            "freed_by",
            "copied_by",
            "accessed_by",
            "called_by",
        ] {
            all.remove(name);
            all.remove(&format!("other_{name}"));
        }
        if let Some(other) = self.take_other(&mut all) {
            all.insert("other".to_owned(), other);
        }
        all.insert("count".to_owned(), self.count.into());
        all.insert("whose".to_owned(), self.whose().into());
        if let Some(kernel) = self.kernel() {
            let symbol = all.insert("kernel".to_owned(), kernel.into());
            all.insert("symbol".to_owned(), symbol.or_else(|| self.place.symbol.clone().map(Value::from)).into());
        }
        all.insert("lines".to_owned(), lines_to_json(&self.place.lines));
        self.trails[0].add_to(&mut all);
        if let Some([local, global]) = self.work_item("") {
            all.insert("work_item".to_owned(), json!(local));
            all.insert("global_id".to_owned(), json!(global));
        }
        let stacks = [
            ("allocated", &self.allocated),
            ("freed", &self.freed),
            ("copied", &self.copied),
            ("called", &self.called),
        ];
        for (name, frames) in stacks {
            if !frames.is_empty() {
                let stack: Vec<Value> = frames.iter().map(Frame::to_json).collect();
                let by = self.text("function").filter(|_| name == "called").or_else(|| api(frames));
                all.insert(name.to_owned(), json!({ "by": by, "stack": stack }));
            }
        }
        all.into()
    }
}

impl Frame {
    fn to_json(&self) -> Value {
        json!({ "symbol": self.place.symbol, "object": self.file, "lines": lines_to_json(&self.place.lines) })
    }
}

/// Lines of the source, as fields.
pub fn lines_to_json(lines: &[Line]) -> Value {
    lines
        .iter()
        .map(|Line { function, file, line }| json!({ "function": function, "file": file, "line": line }))
        .collect()
}

/// The calls of a stack that are not this device's and not what starts programs.
fn stack(list: Option<&Value>, files: &mut Files) -> Vec<Frame> {
    let list = list.and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_str);
    let frames = list.filter_map(|text| {
        let (file, offset) = text.rsplit_once('+')?;
        let file = file.to_owned();
        let offset = hexadecimal(offset)?;
        let place = files.in_file(&file, offset);
        let called = if is_amds(&file) { None } else { called(&file, offset) };
        Some(Frame { file, place, called })
    });
    let of_device = |frame: &Frame| frame.file.rsplit('/').next().is_some_and(|name| name.starts_with("libvgpu"));
    // It stands in front of some functions, so not only the innermost ones are.
    frames.filter(|frame| !of_device(frame)).collect()
}

/// Who the program called: the outermost function that has a name of an API, or is called by one. If that is not known,
/// as behind a pointer to a function, it is the outermost library of AMD's.
fn api(frames: &[Frame]) -> Option<&str> {
    let is_api = |name: &&str| {
        let rest = name.strip_prefix("hip").or_else(|| name.strip_prefix("cl"));
        rest.is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_uppercase())) || name.starts_with("hsa_")
    };
    let names = frames.iter().rev().flat_map(|frame| [frame.place.symbol.as_deref(), frame.called.as_deref()]);
    let symbol = names.flatten().find(is_api);
    let library = || frames.iter().rev().find(|frame| is_amds(&frame.file))?.file.rsplit('/').next();
    symbol.or_else(library)
}

/// The number of a text with `0x` before it.
pub fn hexadecimal(text: &str) -> Option<u64> {
    u64::from_str_radix(text.strip_prefix("0x")?, 16).ok()
}

/// A number of things.
pub fn counted(count: u64, what: &str) -> String {
    format!("{count} {what}{}", if count == 1 { "" } else { "s" })
}

/// What a program's author calls an access.
fn word(access: &str) -> &str {
    match access {
        "read" => "load",
        "write" => "store",
        "execute" => "instruction fetch",
        other => other,
    }
}

impl Finding {
    /// Lines and instruction of an access, whose fields' names begin with `prefix`, and behind `by` who made it.
    fn fmt_access(
        &self,
        f: &mut fmt::Formatter<'_>,
        prefix: &str,
        place: &Place,
        by: &str,
        trail: &Trail,
    ) -> fmt::Result {
        let field = |name: &str| format!("{prefix}{name}");
        let text = |name: &str| self.text(&field(name));
        let number = |name: &str| self.number(&field(name)).unwrap_or(0);
        for Line { function, file, line } in &place.lines {
            writeln!(f, "    {file}:{line}, in {function}")?;
        }
        let at = text("place").or_else(|| text("pc")).unwrap_or("?");
        writeln!(f, "    {} at {at}", text("instruction").unwrap_or("?"))?;
        let (group, wave) = (self.list(&field("workgroup")), number("wave"));
        write!(f, "    {by}")?;
        match self.work_item(prefix) {
            Some([local, global]) => writeln!(
                f,
                "work-item {local:?} of work-group {group:?} ({global:?} of the grid): lane {} of wave {wave}",
                number("lane"),
            )?,
            None => writeln!(f, "wave {wave} of work-group {group:?}, as a whole")?,
        }
        trail.fmt_of(wave, f)
    }

    /// Which allocation it is, or is near to.
    fn fmt_allocation(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Some(allocation) = self.text("allocation") else { return Ok(()) };
        let bytes = counted(self.number("allocation_bytes").unwrap_or(0), "byte");
        match (self.number("bytes_behind"), self.number("bytes_before"), self.number("offset")) {
            (Some(0), ..) => write!(f, ", right behind the {bytes} at {allocation}")?,
            (Some(behind), ..) => write!(f, ", {} behind the end of {bytes} at {allocation}", counted(behind, "byte"))?,
            (_, Some(before), _) => write!(f, ", {} before {bytes} at {allocation}", counted(before, "byte"))?,
            (.., Some(offset)) => write!(f, ", {} into {bytes} at {allocation}", counted(offset, "byte"))?,
            _ => {}
        }
        fmt_stack(f, "allocated", &self.allocated)?;
        fmt_stack(f, "freed", &self.freed)
    }
}

/// Of a race: who stores.
const LANES: &str = "of two work-items of a wave, by one instruction, of different values";

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.fmt_own(f)?;
        match self.is_of_runtime() {
            true => write!(f, "\n    in a kernel of AMD's runtime, which the program cannot change"),
            false => Ok(()),
        }
    }
}

impl Finding {
    fn fmt_own(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(bytes) = self.leaked() {
            return self.fmt_leak(f, bytes);
        }
        if self.kind() == "dispatch-race" {
            return self.fmt_dispatches(f);
        }
        if self.kind() == "host-race" {
            return self.fmt_host(f);
        }
        if self.is_free() {
            return self.fmt_free(f);
        }
        if let Some(what) = self.of_packet() {
            return self.fmt_packet(f, what);
        }
        let text = |name: &str| self.text(name).unwrap_or("?");
        let access = word(text("access"));
        let what = match text("finding") {
            "out-of-bounds" => format!("{access} outside of an allocation"),
            "use-after-free" => format!("{access} to memory that is freed"),
            "memory-fault" => {
                format!("{access} where nothing is mapped for it, which ended the program's work on this GPU")
            }
            "lds-out-of-bounds" => format!("{access} outside of the work-group's LDS"),
            "kernarg-out-of-bounds" => format!("{access} behind the kernel's arguments"),
            "scratch-out-of-bounds" => format!("{access} outside of the work-item's private memory"),
            "uninitialized" => format!("{access} of device memory that nobody has written"),
            "scratch-uninitialized" => format!("{access} of private memory that no work-item of the wave has written"),
            "lds-uninitialized" => format!("{access} of LDS that no wave of the work-group has written"),
            "race" => {
                let why = match text("why") {
                    "same-instruction" => LANES,
                    "no-wait" => "of two waves, and a barrier between them, but no wait in front of it",
                    _ => "of two waves, and no barrier between them",
                };
                format!("race in LDS: {access} and {} {why}", word(text("other_access")))
            }
            "device-race" => {
                let why = match text("why") {
                    "no-barrier" => "of two waves of a work-group, and no barrier between them",
                    "same-instruction" => LANES,
                    "no-acquire" => "of two work-groups, and a flag between them, but no acquire behind it",
                    _ => "of two work-groups, and nothing orders them",
                };
                format!("race in device memory: {access} and {} {why}", word(text("other_access")))
            }
            "barrier" => match text("why") {
                "lanes-off" => "barrier that not all work-items of a wave come to".to_owned(),
                _ => "waves of a work-group meet at different barriers".to_owned(),
            },
            "ended-before-barrier" => "barrier that a wave does not come to, as it has ended".to_owned(),
            "missing-wait" => {
                let use_of = if text("other_access") == "write" { "overwritten" } else { "used" };
                format!("{} is {use_of} before the load to it is waited for", text("register"))
            }
            other => other.to_owned(),
        };
        let kernel = self.kernel().unwrap_or_else(|| text("kernel_object").to_owned());
        writeln!(f, "check: {what}, by kernel {kernel}, {}", counted(self.count, "time"))?;
        let [own, other] = &self.trails;
        self.fmt_access(f, "", &self.place, "the first by ", own)?;
        if self.text("other_access").is_some() {
            self.fmt_access(f, "other_", &self.other, "and ", other)?;
        }
        if ["barrier", "ended-before-barrier"].contains(&self.kind()) {
            return write!(f, "    in work-groups of {:?}", self.list("workgroup_size"));
        }
        if self.kind() == "missing-wait" {
            return write!(f, "    an s_waitcnt is missing between them");
        }
        write!(f, "    at {}", text("address"))?;
        if let Some(bytes) = self.number("lds_bytes") {
            return write!(f, " of LDS, of which the work-group has {}", counted(bytes, "byte"));
        }
        if let Some(bytes) = self.number("scratch_bytes") {
            return write!(f, " of private memory, of which the work-item has {}", counted(bytes, "byte"));
        }
        if let (Some(bytes), Some(start)) = (self.number("kernarg_bytes"), self.text("kernarg")) {
            let behind = counted(self.number("bytes_behind").unwrap_or(0), "byte");
            return write!(f, ", {behind} behind the end of the {} of arguments at {start}", counted(bytes, "byte"));
        }
        if self.kind() == "scratch-uninitialized" {
            return write!(f, " of private memory");
        }
        if ["race", "lds-uninitialized"].contains(&self.kind()) {
            return write!(f, " of LDS");
        }
        self.fmt_allocation(f)
    }
}

/// Who did it, if that is known.
fn fmt_stack(f: &mut fmt::Formatter<'_>, done: &str, frames: &[Frame]) -> fmt::Result {
    if frames.is_empty() {
        return Ok(());
    }
    write!(f, "\n    {done}")?;
    if let Some(api) = api(frames) {
        write!(f, " by {api}")?;
    }
    for Line { function, file, line } in frames.iter().flat_map(|frame| &frame.place.lines) {
        write!(f, "\n        {file}:{line}, in {function}")?;
    }
    Ok(())
}
