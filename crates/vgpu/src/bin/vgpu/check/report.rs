//! What was found, for people and for programs.

use super::files::{Files, Line, Place, demangled};
use serde_json::{Map, Value, json};
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
    allocated: Vec<Frame>,
    freed: Vec<Frame>,
}

/// A call on the host.
struct Frame {
    file: String,
    place: Place,
}

impl Finding {
    /// All that the lines of `text` tell of, in the order of the first time.
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
            if index == findings.len() {
                findings.push(new);
            }
            counts.insert((pid, id), (index, 1));
        }
        counts.values().for_each(|&(index, count)| findings[index].count += count);
        findings
    }

    fn new(fields: Map<String, Value>, files: &mut Files) -> Finding {
        let text = |name: &str| fields.get(name).and_then(Value::as_str);
        let place = match (text("code_object"), text("code_address").and_then(hexadecimal)) {
            (Some(uri), Some(address)) => files.in_code(uri, address),
            _ => Place::default(),
        };
        let mut stack = |name: &str| stack(fields.get(name), files);
        let (allocated, freed) = (stack("allocated_by"), stack("freed_by"));
        Finding { count: 0, place, allocated, freed, fields }
    }

    /// Of another process, perhaps, which has the code elsewhere.
    fn is_same(&self, other: &Finding) -> bool {
        let key = |finding: &Finding| {
            ["finding", "access", "kernel", "place", "instruction"].map(|name| finding.text(name).map(str::to_owned))
        };
        key(self) == key(other)
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
        self.text("kernel").map(demangled)
    }

    /// The work-item: its id in its work-group and in the grid.
    fn work_item(&self) -> Option<[[u64; 3]; 2]> {
        let size = self.list("workgroup_size").map(|size| size.max(1));
        let number = self.number("wave")? * 64 + self.number("lane")?;
        let local = [number % size[0], number / size[0] % size[1], number / size[0] / size[1]];
        let group = self.list("workgroup");
        Some([local, std::array::from_fn(|i| group[i] * size[i] + local[i])])
    }

    /// What the device wrote and what was looked up.
    pub fn to_json(&self) -> Value {
        let mut all = self.fields.clone();
        for name in ["id", "code_object", "code_address", "allocated_by", "freed_by"] {
            all.remove(name);
        }
        all.insert("count".to_owned(), self.count.into());
        if let Some(kernel) = self.kernel() {
            let symbol = all.insert("kernel".to_owned(), kernel.into());
            all.insert("symbol".to_owned(), symbol.into());
        }
        all.insert("lines".to_owned(), lines_to_json(&self.place.lines));
        if let Some([local, global]) = self.work_item() {
            all.insert("work_item".to_owned(), json!(local));
            all.insert("global_id".to_owned(), json!(global));
        }
        for (name, frames) in [("allocated", &self.allocated), ("freed", &self.freed)] {
            if !frames.is_empty() {
                let stack: Vec<Value> = frames.iter().map(Frame::to_json).collect();
                all.insert(name.to_owned(), json!({ "by": api(frames), "stack": stack }));
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

fn lines_to_json(lines: &[Line]) -> Value {
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
        let place = files.in_file(&file, hexadecimal(offset)?);
        Some(Frame { file, place })
    });
    let of_device = |frame: &Frame| frame.file.rsplit('/').next().is_some_and(|name| name.starts_with("libvgpu"));
    frames.skip_while(of_device).collect()
}

/// Who the program called: the outermost function that has a name of an API. From HIP 6 on `hipMalloc` jumps to a function without a name; there it is the
/// outermost library of AMD's.
fn api(frames: &[Frame]) -> Option<&str> {
    let is_api = |name: &&str| {
        let rest = name.strip_prefix("hip").or_else(|| name.strip_prefix("cl"));
        rest.is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_uppercase())) || name.starts_with("hsa_")
    };
    let is_amds =
        |name: &&str| ["libamdhip64", "libamdocl64", "libhsa-runtime64"].iter().any(|of| name.starts_with(of));
    let symbol = frames.iter().rev().filter_map(|frame| frame.place.symbol.as_deref()).find(is_api);
    symbol.or_else(|| frames.iter().rev().filter_map(|frame| frame.file.rsplit('/').next()).find(is_amds))
}

fn hexadecimal(text: &str) -> Option<u64> {
    u64::from_str_radix(text.strip_prefix("0x")?, 16).ok()
}

fn counted(count: u64, what: &str) -> String {
    format!("{count} {what}{}", if count == 1 { "" } else { "s" })
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let text = |name: &str| self.text(name).unwrap_or("?");
        let access = match text("access") {
            "read" => "load",
            "write" => "store",
            "execute" => "instruction fetch",
            other => other,
        };
        let what = match text("finding") {
            "out-of-bounds" => format!("{access} outside of an allocation"),
            "use-after-free" => format!("{access} to memory that is freed"),
            "memory-fault" => {
                format!("{access} where nothing is mapped for it, which ended the program's work on this GPU")
            }
            other => other.to_owned(),
        };
        let kernel = self.kernel().unwrap_or_else(|| text("kernel_object").to_owned());
        writeln!(f, "check: {what}, by kernel {kernel}, {}", counted(self.count, "time"))?;
        for Line { function, file, line } in &self.place.lines {
            writeln!(f, "    {file}:{line}, in {function}")?;
        }
        let place = self.text("place").unwrap_or(text("pc"));
        writeln!(f, "    {} at {place}", text("instruction"))?;
        let group = self.list("workgroup");
        write!(f, "    the first by ")?;
        match self.work_item() {
            Some([local, global]) => writeln!(
                f,
                "work-item {local:?} of work-group {group:?} ({global:?} of the grid): lane {} of wave {}",
                self.number("lane").unwrap_or(0),
                self.number("wave").unwrap_or(0)
            )?,
            None => writeln!(f, "wave {} of work-group {group:?}, as a whole", self.number("wave").unwrap_or(0))?,
        }
        write!(f, "    at {}", text("address"))?;
        let Some(allocation) = self.text("allocation") else { return Ok(()) };
        let bytes = counted(self.number("allocation_bytes").unwrap_or(0), "byte");
        match (self.number("bytes_behind"), self.number("bytes_before"), self.number("offset")) {
            (Some(0), ..) => write!(f, ", right behind the {bytes} at {allocation}")?,
            (Some(behind), ..) => write!(f, ", {} behind the end of {bytes} at {allocation}", counted(behind, "byte"))?,
            (_, Some(before), _) => write!(f, ", {} before {bytes} at {allocation}", counted(before, "byte"))?,
            (.., Some(offset)) => write!(f, ", {} into {bytes} at {allocation}", counted(offset, "byte"))?,
            _ => {}
        }
        for (done, frames) in [("allocated", &self.allocated), ("freed", &self.freed)] {
            if frames.is_empty() {
                continue;
            }
            write!(f, "\n    {done}")?;
            if let Some(api) = api(frames) {
                write!(f, " by {api}")?;
            }
            for Line { function, file, line } in frames.iter().flat_map(|frame| &frame.place.lines) {
                write!(f, "\n        {file}:{line}, in {function}")?;
            }
        }
        Ok(())
    }
}
