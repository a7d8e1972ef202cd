//! One constant and one typed call per request in the generated table.

macro_rules! ioctls {
    ($($request:ident = $number:literal, $call:ident($(&mut $args:ty)?);)*) => {
        $(
            #[doc = concat!("Request number of [`", stringify!($call), "`].")]
            pub const $request: c_ulong = $number;
        )*
        /// Every request of this crate: name and number.
        pub const REQUESTS: &[(&str, c_ulong)] = &[$((stringify!($request), $number),)*];
        $(
            #[doc = concat!("Calls `ioctl` with [`", stringify!($request), "`]; see [`ioctl`](crate::ioctl).")]
            ///
            /// # Errors
            /// The `errno` of the driver.
            /// # Safety
            /// `fd` must be of the device that defines the request, and addresses in the arguments must be
            /// valid for what the driver does with them.
            #[inline]
            pub unsafe fn $call(fd: std::os::fd::BorrowedFd<'_>$(, args: &mut $args)?) -> std::io::Result<()> {
                // SAFETY: `args` is exclusively borrowed and has the type that the request number encodes;
                // the rest is the caller's promise.
                unsafe { crate::ioctl(fd, $request, ioctls!(@pointer $(args as *mut $args)?)) }
            }
        )*
    };
    (@pointer) => { std::ptr::null_mut() };
    (@pointer $args:expr) => { $args.cast() };
}
