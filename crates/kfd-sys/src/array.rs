//! Requests whose argument struct is followed by an array.
use std::ffi::c_ulong;
use std::io;
use std::os::fd::BorrowedFd;

/// The most that a request number can say of its argument's size, which has 14 bits of it (`asm-generic/ioctl.h`).
const MAX_SIZE: usize = (1 << 14) - 1;
const SIZE_SHIFT: u32 = 16;

/// Calls `request` with `elements` after `args`, and copies the driver's changes to both back.
///
/// # Safety
/// As for [`crate::ioctl`]; besides, the driver must expect elements of this type behind the struct, and neither may
/// have padding.
pub(crate) unsafe fn ioctl<A: Copy, E: Copy>(
    fd: BorrowedFd<'_>,
    request: c_ulong,
    args: &mut A,
    elements: &mut [E],
) -> io::Result<()> {
    const { assert!(align_of::<A>() <= 8 && size_of::<A>().is_multiple_of(align_of::<E>())) };
    let length = size_of_val(elements);
    let size = size_of::<A>() + length;
    if size > MAX_SIZE {
        let (given, most) = (elements.len(), (MAX_SIZE - size_of::<A>()) / size_of::<E>());
        let text = format!("{given} elements in one request, which can have {most}: divide them among several");
        return Err(io::Error::new(io::ErrorKind::InvalidInput, text));
    }
    let mut buffer = vec![0u64; size.div_ceil(8)];
    let start = buffer.as_mut_ptr().cast::<u8>();
    // The size that the number has for the struct alone is replaced.
    let request = request & !((MAX_SIZE as c_ulong) << SIZE_SHIFT) | (size as c_ulong) << SIZE_SHIFT;
    // SAFETY: the buffer has room for both, one behind the other, and they are plain data without padding, in both
    // directions. The rest is the caller's promise.
    unsafe {
        start.copy_from_nonoverlapping(std::ptr::from_ref(args).cast(), size_of::<A>());
        start.add(size_of::<A>()).copy_from_nonoverlapping(elements.as_ptr().cast(), length);
        let result = crate::ioctl(fd, request, start.cast());
        std::ptr::from_mut(args).cast::<u8>().copy_from_nonoverlapping(start, size_of::<A>());
        elements.as_mut_ptr().cast::<u8>().copy_from_nonoverlapping(start.add(size_of::<A>()), length);
        result
    }
}
