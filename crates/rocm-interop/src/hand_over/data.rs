//! What is copied to and from buffers beside other work.

use bytemuck::Pod;

/// Owns elements on the host that a copy uses.
// `pub` for the sealed trait; nobody outside can name it.
pub trait Data<T> {
    /// At one place, wherever the value is moved.
    #[doc(hidden)]
    fn elements(&mut self) -> &mut [T];

    /// Leaves them to a copy that cannot be waited for: they stay where they are for the rest of the process, and this
    /// has none.
    #[doc(hidden)]
    fn leave(&mut self);
}

/// What a [`Transfer`](crate::transfer::Transfer) copies: a `Vec`, or [`Staging`](crate::transfer::Staging), which
/// AMD's libraries copy without another copy on the host. Nothing else implements it.
pub trait HostData<T>: Data<T> {}

impl<T, D: Data<T>> HostData<T> for D {}

impl<T: Pod> Data<T> for Vec<T> {
    fn elements(&mut self) -> &mut [T] {
        self
    }

    fn leave(&mut self) {
        std::mem::forget(std::mem::take(self));
    }
}
