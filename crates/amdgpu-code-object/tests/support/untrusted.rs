//! Properties that hold for any input bytes. The fuzz target in `fuzz/` and the tests that mutate code objects run this
//! function; `tests/corpus.rs` runs it on the inputs that fuzzing has found.

use amdgpu_code_object::{Arg, Bundle, CodeObject, Kernel, Launch, UNPACKED_LIMIT, ValueKind};
use aql::Geometry;

/// Parsing does not panic, and what it accepts can be written to memory and launched.
pub fn code_object(bytes: &[u8]) {
    match amdgpu_code_object::unpack(bytes) {
        Ok(unpacked) if unpacked.len() != bytes.len() => {
            assert!(unpacked.len() as u64 <= UNPACKED_LIMIT && unpacked.starts_with(Bundle::MAGIC));
            bundle(&unpacked);
        }
        Ok(_) => bundle(bytes),
        Err(error) => {
            assert!(!error.to_string().is_empty());
            Bundle::parse(bytes).expect_err("it is compressed");
        }
    }
    check(bytes);
}

fn bundle(bytes: &[u8]) {
    if let Ok(bundle) = Bundle::parse(bytes) {
        for entry in bundle.entries() {
            if let Some(target) = entry.target() {
                assert_eq!(target.to_string().parse(), Ok(target.clone()));
                bundle.code_for(&target).expect("an entry runs on its own target");
            }
            check(entry.bytes);
        }
    }
}

fn check(bytes: &[u8]) {
    let object = match CodeObject::parse(bytes) {
        Ok(object) => object,
        Err(error) => return assert!(!error.to_string().is_empty()),
    };
    assert!(object.image_align().is_power_of_two());
    // Who heeds it allocates no more than the file has and as much as he allows.
    assert_eq!(object.excess_bytes(), object.image_bytes().saturating_sub(bytes.len() as u64));
    // Zeroes behind the contents may be up to 4 GiB, which say nothing new.
    if object.image_bytes() < 1 << 20 {
        let mut image = vec![0; object.image_bytes() as usize];
        object.write_image(1 << 40, &mut image).expect("an image");
        for kernel in object.kernels() {
            let at = kernel.descriptor_offset() as usize;
            assert!(at.is_multiple_of(64) && at + 64 <= image.len());
        }
    }
    for symbol in object.symbols() {
        assert!(symbol.offset + symbol.bytes <= object.image_bytes(), "{symbol:?}");
        assert_eq!(object.symbol(&symbol.name), Some(symbol));
    }
    for kernel in object.kernels() {
        launch(object.kernel(kernel.name()).expect("it is there"));
    }
}

/// Right arguments are written within the segment; wrong ones are refused.
fn launch(kernel: &Kernel) {
    let size = kernel.kernarg_bytes() as usize;
    let room = vec![0x55; size];
    let explicit = kernel.metadata().args.iter().filter(|argument| !argument.value_kind.is_hidden());
    let arguments: Vec<Arg<'_>> = explicit
        .map(|argument| match argument.value_kind {
            ValueKind::ByValue => Arg::bytes(&room[..argument.size as usize]),
            ValueKind::DynamicSharedPointer => Arg::local(argument.offset),
            _ => Arg::pointer(argument.offset.into()),
        })
        .collect();
    assert_eq!(arguments.len(), kernel.argument_count());
    let mut kernarg = vec![0xaa; size + 8];
    let geometry = Geometry::three([33, 6, 5], [8, 4, 5]).expect("a geometry");
    let mut launch = Launch::new(geometry, &arguments).with_stack_bytes(16);
    match kernel.prepare(&launch, &mut kernarg) {
        Ok(segments) => assert!(segments.group_bytes >= kernel.group_bytes()),
        Err(error) => {
            assert!(!error.to_string().is_empty());
            assert!(kernarg.iter().all(|&byte| byte == 0xaa), "written in spite of: {error}");
        }
    }
    for service in kernel.needs() {
        launch = launch.with_service(service, 1);
    }
    let _ = kernel.prepare(&launch, &mut kernarg);
    assert!(kernarg[size..].iter().all(|&byte| byte == 0xaa));
    let one_more: Vec<Arg<'_>> = arguments.iter().copied().chain([0u8.into()]).collect();
    kernel.prepare(&Launch::new(geometry, &one_more), &mut kernarg).expect_err("one argument too many");
}
