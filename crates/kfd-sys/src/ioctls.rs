//! One constant and one typed call per request in the generated table.

macro_rules! ioctls {
    ($($request:ident = $number:literal, $call:ident($(&mut $args:ty $(, $count:ident of $element:ty)?)?) $(since $minor:literal)?;)*) => {
        $(
            #[doc = concat!("Request number of [`", stringify!($call), "`].")]
            pub const $request: c_ulong = $number;
        )*
        /// Every request of this crate.
        pub const REQUESTS: &[crate::Request] = &[
            $(crate::Request {
                name: stringify!($request),
                number: $number,
                since_minor: ioctls!(@option $($minor)?),
            },)*
        ];
        $($(
            // The number has the size of the struct, without the elements of an array that it may end in.
            const _: () = assert!(size_of::<$args>() as c_ulong == $number >> 16 & 0x3fff, stringify!($request));
        )?)*
        $(ioctls! { @call $request [$($minor)?] $call($(&mut $args $(, $count of $element)?)?) })*
    };
    (@call $request:ident [$($minor:literal)?] $call:ident()) => {
        ioctls! {
            @documented $request [$($minor)?]
            #[inline]
            pub unsafe fn $call(fd: std::os::fd::BorrowedFd<'_>) -> std::io::Result<()> {
                // SAFETY: the request takes no arguments; the rest is the caller's promise.
                unsafe { crate::ioctl(fd, $request, std::ptr::null_mut()) }
            }
        }
    };
    (@call $request:ident [$($minor:literal)?] $call:ident(&mut $args:ty)) => {
        ioctls! {
            @documented $request [$($minor)?]
            #[inline]
            pub unsafe fn $call(fd: std::os::fd::BorrowedFd<'_>, args: &mut $args) -> std::io::Result<()> {
                // SAFETY: `args` is exclusively borrowed and has the type that the request number encodes; the rest is
                // the caller's promise.
                unsafe { crate::ioctl(fd, $request, std::ptr::from_mut(args).cast()) }
            }
        }
    };
    (@call $request:ident [$($minor:literal)?] $call:ident(&mut $args:ty, $count:ident of $element:ty)) => {
        ioctls! {
            @documented $request [$($minor)?]
            ///
            /// The elements follow the struct in the driver's interface: they are copied behind it, and what the driver
            /// writes is copied back.
            #[doc = concat!("`", stringify!($count), "` is set to their number; more than fit into a request are [`InvalidInput`](std::io::ErrorKind::InvalidInput).")]
            pub unsafe fn $call(
                fd: std::os::fd::BorrowedFd<'_>,
                args: &mut $args,
                elements: &mut [$element],
            ) -> std::io::Result<()> {
                args.$count = elements.len().try_into().unwrap_or(u32::MAX);
                // SAFETY: both are structs of the kernel's interface, which have no padding, and the array follows the
                // struct there; the rest is the caller's promise.
                unsafe { crate::array::ioctl(fd, $request, args, elements) }
            }
        }
    };
    (@option) => { None };
    (@option $minor:literal) => { Some($minor) };
    (@documented $request:ident [$($minor:literal)?] $(#[$doc:meta])* pub unsafe fn $($function:tt)*) => {
        #[doc = concat!("Calls `ioctl` with [`", stringify!($request), "`]; see [`ioctl`](crate::ioctl).")]
        $(
            ///
            #[doc = concat!("Since KFD 1.", $minor, ".")]
        )?
        $(#[$doc])*
        ///
        /// # Errors
        /// The `errno` of the driver.
        /// # Safety
        /// `fd` must be of the device that defines the request, and addresses in the arguments must be valid for what
        /// the driver does with them.
        pub unsafe fn $($function)*
    };
}
