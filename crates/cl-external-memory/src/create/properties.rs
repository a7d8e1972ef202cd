//! The properties with which a program creates a memory object.

use cl_sys::*;
use std::ffi::c_int;

use crate::log::log;

/// A list of properties, read.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Properties {
    /// The descriptor of the dma-buf, if the object is to be of one.
    pub fd: Option<c_int>,
    /// The devices that the handle is for. None named are all of the context's.
    pub devices: Vec<cl_device_id>,
    /// The list itself, with the zero at its end.
    pub all: Vec<cl_mem_properties>,
}

impl Properties {
    /// Reads a list.
    ///
    /// # Errors
    /// `CL_INVALID_PROPERTY` if a name or its value is none that the layer knows, or a name is there twice, or there
    /// are devices without a handle.
    ///
    /// # Safety
    /// `properties` is null or a list that ends with 0, in which a list of devices ends with 0 too.
    pub unsafe fn read(mut properties: *const cl_mem_properties) -> Result<Properties, cl_int> {
        let mut read = Properties::default();
        if properties.is_null() {
            return Ok(read);
        }
        let mut devices = None;
        loop {
            let all = &mut read.all;
            let mut next = || {
                // SAFETY: the list goes on up to the zero that ends it.
                let value = unsafe { *properties };
                properties = properties.wrapping_add(1);
                all.push(value);
                value
            };
            match next() {
                0 => break,
                CL_EXTERNAL_MEMORY_HANDLE_DMA_BUF_KHR_NAME => {
                    let value = next();
                    // Descriptors are passed as numbers of 64 bits, whichever way a program widens them.
                    let fd = c_int::try_from(value).ok().filter(|_| read.fd.is_none());
                    read.fd = Some(fd.ok_or_else(|| {
                        refuse(format_args!("the dma-buf {value}, which is no descriptor or the second one"))
                    })?);
                }
                CL_MEM_DEVICE_HANDLE_LIST_KHR if devices.is_none() => {
                    let named: Vec<_> = std::iter::from_fn(|| {
                        Some(next()).filter(|device| *device != CL_MEM_DEVICE_HANDLE_LIST_END_KHR)
                    })
                    .collect();
                    devices = Some(named);
                }
                name => {
                    return Err(refuse(format_args!("property {name:#x}, which is not known here, or there twice")));
                }
            }
        }
        if let Some(devices) = devices {
            if devices.is_empty() || read.fd.is_none() {
                return Err(refuse(format_args!("CL_MEM_DEVICE_HANDLE_LIST_KHR without devices or without a handle")));
            }
            read.devices = devices.into_iter().map(|device| device as cl_device_id).collect();
        }
        Ok(read)
    }
}

/// The name of a handle type is also that of the property.
const CL_EXTERNAL_MEMORY_HANDLE_DMA_BUF_KHR_NAME: cl_mem_properties =
    CL_EXTERNAL_MEMORY_HANDLE_DMA_BUF_KHR as cl_mem_properties;

fn refuse(what: std::fmt::Arguments<'_>) -> cl_int {
    log!("refused: {what}");
    CL_INVALID_PROPERTY
}

#[cfg(test)]
mod tests {
    use super::*;

    const DMA_BUF: cl_mem_properties = CL_EXTERNAL_MEMORY_HANDLE_DMA_BUF_KHR_NAME;
    const DEVICES: cl_mem_properties = CL_MEM_DEVICE_HANDLE_LIST_KHR;

    fn read(list: &[cl_mem_properties]) -> Result<Properties, cl_int> {
        // SAFETY: the lists below end with 0.
        unsafe { Properties::read(list.as_ptr()) }
    }

    #[test]
    fn lists_are_read_in_any_order() {
        // SAFETY: null is no list.
        assert_eq!(unsafe { Properties::read(std::ptr::null()) }, Ok(Properties::default()));
        assert_eq!(read(&[0]), Ok(Properties { all: vec![0], ..Properties::default() }));
        let devices = vec![0x10 as cl_device_id, 0x20 as cl_device_id];
        for all in [vec![DMA_BUF, 7, DEVICES, 0x10, 0x20, 0, 0], vec![DEVICES, 0x10, 0x20, 0, DMA_BUF, 7, 0]] {
            assert_eq!(read(&all), Ok(Properties { fd: Some(7), devices: devices.clone(), all }));
        }
        assert_eq!(read(&[DMA_BUF, 0, 0]).map(|read| read.fd), Ok(Some(0)), "standard input is a descriptor too");
    }

    #[test]
    fn wrong_lists_are_refused() {
        for list in [
            &[DMA_BUF, 7, DMA_BUF, 7, 0][..],
            &[DMA_BUF, u64::MAX, 0],
            &[DMA_BUF, 1 << 31, 0],
            &[DEVICES, 0x10, 0, 0],
            &[DMA_BUF, 7, DEVICES, 0, 0],
            &[DMA_BUF, 7, DEVICES, 0x10, 0, DEVICES, 0x10, 0, 0],
            &[CL_EXTERNAL_MEMORY_HANDLE_OPAQUE_FD_KHR as cl_mem_properties, 7, 0],
            &[1, 0],
        ] {
            assert_eq!(read(list), Err(CL_INVALID_PROPERTY), "{list:?}");
        }
    }
}
