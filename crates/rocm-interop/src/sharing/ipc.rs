//! HIP's own handles of memory, for other processes.

use std::fmt;
use std::ptr::null_mut;

use bytemuck::Pod;
use hip_sys::{hipError_t, hipIpcMemHandle_t};
use hsa_sys::hsa_amd_ipc_memory_t;

use crate::allocation::{Allocation, Owner};
use crate::apis::call::call;
use crate::buffer::whole_elements;
use crate::error::Code;
use crate::{Buffer, Error, Hip, Result, Session};

/// `hipIpcMemLazyEnablePeerAccess`, the only flag that HIP takes, as hip_runtime_api.h of HIP 6.4 and 7 has it, and
/// that of 5. Each refuses the other's before it looks at the handle.
const LAZY_PEER_ACCESS: [u32; 2] = [1, 0];

/// Names memory of HIP in one process, for another process to open; plain bytes, which go any way.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct IpcHandle([u8; IpcHandle::SIZE]);

impl IpcHandle {
    /// Length of its bytes: HIP's handle, and how many bytes it names.
    pub const SIZE: usize = 64 + 8;

    /// As they were sent.
    pub fn from_bytes(bytes: [u8; IpcHandle::SIZE]) -> IpcHandle {
        IpcHandle(bytes)
    }

    /// To be sent.
    pub fn to_bytes(self) -> [u8; IpcHandle::SIZE] {
        self.0
    }

    fn new(handle: &hipIpcMemHandle_t, bytes: u64) -> IpcHandle {
        let mut all = [0; IpcHandle::SIZE];
        all[..64].copy_from_slice(bytemuck::cast_slice(&handle.reserved));
        all[64..].copy_from_slice(&bytes.to_le_bytes());
        IpcHandle(all)
    }

    fn parts(&self) -> (hipIpcMemHandle_t, u64) {
        let (handle, bytes) = self.0.split_at(64);
        let mut reserved = [0; 64];
        reserved.copy_from_slice(bytemuck::cast_slice(handle));
        let mut word = [0; 8];
        word.copy_from_slice(bytes);
        (hipIpcMemHandle_t { reserved }, u64::from_le_bytes(word))
    }
}

impl fmt::Debug for IpcHandle {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("IpcHandle").field("bytes", &self.parts().1).finish_non_exhaustive()
    }
}

impl<T: Pod> Buffer<T, Hip> {
    /// A handle of HIP's (`hipIpcGetMemHandle`), with which another process opens the memory. It names all of the
    /// buffer object, so the buffer has more than 2 MiB, as for [`export`](Buffer::export).
    ///
    /// Before ROCm 7 this needs AMD's own kernel module; dma-bufs do not.
    ///
    /// # Errors
    /// [`Error::Argument`] if the memory is not of [`Session::allocate_hip`], as HIP does not know any other, and as
    /// for `export`; [`Error::NoIpcHandle`] without that kernel module, [`Error::Call`].
    #[doc(alias = "hipIpcGetMemHandle")]
    pub fn ipc_handle(&self) -> Result<IpcHandle> {
        if !self.memory.is_hips() {
            let reason =
                "is not memory of HIP, which gives handles of its own only; make it by `allocate_hip`, or `export` it"
                    .to_owned();
            return Err(Error::Argument { subject: "buffer", reason });
        }
        let bytes = self.export()?.bytes();
        let mut handle = hipIpcMemHandle_t { reserved: [0; 64] };
        let hip = &self.memory.core().libraries.hip;
        // SAFETY: memory of HIP's; writes one handle.
        let code = match unsafe { call!(hip, hipIpcGetMemHandle(&mut handle, self.memory.pointer())) } {
            Ok(()) => Code::Hip(hipError_t::hipSuccess),
            Err(Error::Call { code: code @ Code::Hip(hipError_t::hipErrorInvalidValue), .. }) => code,
            Err(error) => return Err(error),
        };
        // The runtime's own handle (`hsa_amd_ipc_memory_t`) comes first, and is never all zeros.
        if handle.reserved[..size_of::<hsa_amd_ipc_memory_t>()].iter().all(|byte| *byte == 0) {
            return Err(Error::NoIpcHandle { code });
        }
        Ok(IpcHandle::new(&handle, bytes))
    }
}

impl Session {
    /// Opens memory of HIP of another process (`hipIpcOpenMemHandle`), of as many whole elements as it has.
    ///
    /// From HIP 7 on, the other process is asked for it, and if it ends in just that moment, or has freed the memory,
    /// this never returns. A dma-buf ([`Buffer::export`]) and a turn ([`Held`](crate::share::Held)) keep the memory
    /// that they are of.
    ///
    /// # Errors
    /// [`Error::Call`]: HIP's error if the other process is gone, and `hipErrorInvalidContext` if it is this one. [`Error::Argument`] if there
    /// is no whole element, [`Error::NotResident`] if the memory is another GPU's or shorter than the handle says.
    ///
    /// # Safety
    /// The handle is one of [`ipc_handle`](Buffer::ipc_handle), unchanged: HIP follows what is in it.
    #[doc(alias = "hipIpcOpenMemHandle")]
    pub unsafe fn open_ipc<T: Pod>(&self, handle: &IpcHandle) -> Result<Buffer<T, Hip>> {
        let (handle, bytes) = handle.parts();
        let len = whole_elements::<T>("handle", bytes)?;
        self.0.select_device()?;
        let mut pointer = null_mut();
        let mut open = |flags| {
            // SAFETY: the caller's handle; writes one pointer.
            unsafe { call!(self.0.libraries.hip, hipIpcOpenMemHandle(&mut pointer, handle, flags)) }
        };
        let [newer, older] = LAZY_PEER_ACCESS;
        open(newer).or_else(|error| match error {
            Error::Call { code: Code::Hip(hipError_t::hipErrorInvalidValue), .. } => {
                self.0.libraries.forget_hips_error();
                open(older)
            }
            error => Err(error),
        })?;
        let (address, bytes) = (pointer.expose_provenance() as u64, bytes as usize);
        let memory = Allocation::proven(&self.0, Owner::Opened, address, bytes, || self.0.opened(address, bytes))?;
        Buffer::new(memory, len)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn handles_go_as_bytes() {
        let reserved = std::array::from_fn(|i| i as std::ffi::c_char);
        let handle = IpcHandle::from_bytes(IpcHandle::new(&hipIpcMemHandle_t { reserved }, 1 << 40).to_bytes());
        let (got, bytes) = handle.parts();
        assert_eq!((got.reserved, bytes), (reserved, 1 << 40));
        assert_eq!(format!("{handle:?}"), "IpcHandle { bytes: 1099511627776, .. }");
    }
}
