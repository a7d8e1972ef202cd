//! Properties that hold for any input bytes. The fuzz targets in `fuzz/` run these functions; `tests/corpus.rs` runs
//! them on the inputs that fuzzing has found.

use rocm_trace::clock::Moment;
use rocm_trace::output::{chrome, jsonl, perfetto};
use rocm_trace::page::page;
use rocm_trace::raw::{CHUNK_BYTES, ChunkHeader, Header, MAGIC};
use rocm_trace::reader::ProcessFile;
use rocm_trace::report::{Recording, report};
use rocm_trace::tables;
use rocm_trace::timeline::Timeline;
use rocm_trace::view::View;
use std::sync::atomic::AtomicU64;

const PROCESS: u32 = 7;

/// Records of a thread: whatever they say, all formats can be written, and what is written can be read.
pub fn records(bytes: &[u8]) {
    with_records(bytes, |file| {
        let view = View::new(Timeline::of(vec![file], &[], &[]));
        let lines = written(&view);
        let recording = Recording::read(&lines[..]).expect("its own lines");
        for launch in [None, Some(0), Some(1)] {
            assert!(!report(&recording, launch).is_empty());
        }
    });
}

/// Lines of others: of the device's trace, of a runtime's log, and of a recording.
pub fn lines(bytes: &[u8]) {
    with_records(&[], |file| {
        let view = View::new(Timeline::of(vec![file], &[bytes.to_vec()], bytes));
        Recording::read(&written(&view)[..]).expect("its own lines");
    });
    match Recording::read(bytes) {
        Ok(mut recording) => {
            _ = report(&recording, Some(0));
            recording.begin_at_the_first_launch();
            _ = report(&recording, None);
        }
        Err(error) => assert!(!error.to_string().is_empty()),
    }
    for from in [0, 1000] {
        match page("run.jsonl", "./program", &String::from_utf8_lossy(bytes), from) {
            Ok(page) => assert!(page.html.ends_with("</html>\n")),
            Err(error) => assert!(!error.to_string().is_empty()),
        }
    }
}

/// Writes all formats; gives the lines of JSON.
fn written(view: &View) -> Vec<u8> {
    let (mut lines, mut others) = (Vec::new(), Vec::new());
    jsonl::write(view, &mut lines).expect("memory can be written");
    chrome::write(view, &mut others).expect("memory can be written");
    serde_json::from_slice::<serde_json::Value>(&others).expect("Chrome's format is JSON");
    perfetto::write(view, &mut others).expect("memory can be written");
    lines
}

/// A file of a process with one thread, which recorded `bytes`.
fn with_records(bytes: &[u8], look: impl FnOnce(ProcessFile)) {
    const WORDS: usize = CHUNK_BYTES / 8;
    let made = Moment { ticks: 1000, raw_ns: 1000, monotonic_ns: 1000, real_ns: 1000 };
    let header = Header {
        magic: MAGIC,
        tables: tables::digest(),
        pid: PROCESS.into(),
        parent: 1,
        counter: 0,
        made,
        chunks: 2,
        next: AtomicU64::new(2),
        lost: AtomicU64::new(0),
        full: AtomicU64::new(0),
        command_bytes: 0,
        command: [0; 4096],
    };
    let mut words = vec![0_u64; 2 * WORDS].into_boxed_slice();
    // SAFETY: the first chunk has room for a header, the second for one of its own.
    unsafe {
        words.as_mut_ptr().cast::<Header>().write(header);
        let chunk = ChunkHeader { tid: PROCESS.into(), pthread: 0x7f00, name: *b"thread\0\0\0\0\0\0\0\0\0\0" };
        words[WORDS..].as_mut_ptr().cast::<ChunkHeader>().write(chunk);
    }
    let records = &mut words[WORDS + size_of::<ChunkHeader>() / 8..];
    for (word, bytes) in records.iter_mut().zip(bytes.chunks_exact(8)) {
        *word = u64::from_le_bytes(bytes.try_into().expect("8 bytes"));
    }
    let words = Box::into_raw(words);
    // SAFETY: what looks at them is done when they are freed.
    let file = ProcessFile::parse(unsafe { &*words });
    look(file.unwrap_or_else(|error| panic!("{}", error("the file".into()))));
    // SAFETY: they are the box's.
    drop(unsafe { Box::from_raw(words) });
}
