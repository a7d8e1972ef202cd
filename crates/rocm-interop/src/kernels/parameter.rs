//! What kernels declare, and whether a launch gives it.

use std::fmt;

use amdgpu_code_object::{Bundle, CodeObject, KernelKind, TargetId, ValueKind, Version, find, unpack};
use hip_sys::hipError_t;
use kfd_sys::HSA_CAP_SRAM_EDCSUPPORTED;

use crate::error::Code;
use crate::kernels::argument::Kind;
use crate::kernels::scalar::Scalar;
use crate::session::Core;
use crate::session::failures::Accesses;
use crate::{Argument, Error, Result};

/// What a kernel declares a parameter as.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Declared {
    Pointer,
    Local,
    /// Of so many bytes.
    Value(usize),
    /// Images, samplers, pipes and queues.
    Handle,
}

impl fmt::Display for Declared {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Declared::Pointer => f.write_str("a buffer"),
            Declared::Local => f.write_str("local memory"),
            Declared::Value(bytes) => write!(f, "a value of {bytes} bytes"),
            Declared::Handle => f.write_str("what this crate does not give: use `raw` and OpenCL's own functions"),
        }
    }
}

#[derive(Debug)]
pub(crate) struct Parameter {
    pub(crate) declared: Declared,
    /// The kernel may write where it points to: it is not declared `const`.
    pub(crate) written: bool,
    /// As in the source, `uint*`, if that is known.
    pub(crate) type_name: Option<String>,
}

/// Refuses code that runs without a launch: AMD's OpenCL and HIP run constructors when the code is loaded and
/// destructors when it is unloaded, in a queue of their own, behind the back of the session's. Logs where it cannot be
/// seen.
pub(crate) fn refuse_constructors(image: &[u8]) -> Result<()> {
    let object = match CodeObject::parse(image) {
        Ok(object) => object,
        Err(error) => {
            tracing::warn!(%error, "the code object is of a form that is not known: arguments of its kernels are not checked, nor whether it has constructors");
            return Ok(());
        }
    };
    match object.kernels().iter().find(|kernel| kernel.metadata().kind != KernelKind::Normal) {
        None => Ok(()),
        Some(kernel) => Err(Error::Argument {
            subject: "source",
            reason: format!(
                "has constructors or destructors of global variables (`{}`), which run without a launch and which no hand-over waits for; set the variables \
                 by a kernel",
                kernel.name()
            ),
        }),
    }
}

/// The code object for the session's GPU in `bytes`, which are one, or an offload bundle.
pub(crate) fn code_for(core: &Core, bytes: &[u8]) -> Result<Vec<u8>> {
    // sysfs shows both as 32 bits.
    let property = |name| core.device.kfd().property(name).unwrap_or(0) as u32;
    let sramecc = property("capability") & HSA_CAP_SRAM_EDCSUPPORTED != 0;
    let device = TargetId::of_device(property("gfx_target_version"), Some(sramecc), Some(core.retries_faults()?));
    let find = || {
        let bytes = unpack(bytes)?;
        find(&bytes, &device)?;
        let code = if Bundle::is_at(&bytes) { Bundle::parse(&bytes)?.code_for(&device)? } else { &bytes };
        Ok(code.to_vec())
    };
    find().map_err(Error::CodeObject)
}

/// The error of code that was not loaded, by what its file says of the cause.
pub(crate) fn not_loaded(core: &Core, image: &[u8], error: Error) -> Error {
    let (call, code) = match error {
        Error::Call { call, code } => (call, code),
        Error::Compile { code, .. } => ("clBuildProgram", code),
        other => return other,
    };
    if let Err(reason) = code_for(core, image) {
        return reason;
    }
    let is_newest = CodeObject::parse(image).is_ok_and(|object| object.version() == Version::V6);
    match core.libraries.hip_version() {
        Ok((major @ ..6, minor, _)) if is_newest => {
            Error::CodeVersion { call, code, version: 6, hip: format!("{major}.{minor}") }
        }
        _ => error,
    }
}

/// The error of a kernel that is not there, with those that are.
pub(crate) fn no_kernel(error: Error, image: &[u8], name: &str) -> Error {
    const NOT_FOUND: [Code; 2] =
        [Code::Hip(hipError_t::hipErrorNotFound), Code::OpenCl(cl_sys::CL_INVALID_KERNEL_NAME)];
    match error {
        Error::Call { call, code } if NOT_FOUND.contains(&code) => {
            let names =
                |object: CodeObject<'_>| object.kernels().iter().map(|kernel| kernel.name().to_owned()).collect();
            let present = CodeObject::parse(image).map(names).unwrap_or_default();
            Error::NoKernel { call, code, name: name.to_owned(), present }
        }
        other => other,
    }
}

/// The buffers among the arguments, and whether a kernel with such a signature may write there: it may where it is not
/// known.
pub(crate) fn given<Side>(arguments: &[Argument<'_, Side>], signature: Option<&Signature>) -> Accesses {
    let given = arguments.iter().enumerate().filter_map(|(index, argument)| match argument.kind() {
        Kind::Memory(memory, _) => {
            let written = signature.is_none_or(|signature| signature.parameters[index].written);
            Some((memory.address(), written && !argument.is_read_only()))
        }
        _ => None,
    });
    given.collect()
}

/// A kernel's name and what it declares.
#[derive(Debug)]
pub(crate) struct Signature {
    pub(crate) kernel: String,
    pub(crate) parameters: Vec<Parameter>,
    /// Most work-items of a work-group that it was compiled for.
    pub(crate) max_items: u64,
    /// Its own LDS, of a work-group in bytes.
    pub(crate) lds: u64,
}

impl Signature {
    /// What the code object says of a kernel, whose compiler knows what its types are by another name; `None` if it is
    /// of a form that is not known here.
    pub(crate) fn of(image: &[u8], kernel: &str) -> Option<Signature> {
        let object = CodeObject::parse(image).ok()?;
        let found = object.kernel(kernel).ok()?;
        let arguments = found.metadata().args.iter().filter(|argument| !argument.value_kind.is_hidden());
        let parameter = |argument: &amdgpu_code_object::ArgumentMetadata| Parameter {
            declared: match argument.value_kind {
                ValueKind::GlobalBuffer => Declared::Pointer,
                ValueKind::DynamicSharedPointer => Declared::Local,
                ValueKind::ByValue => Declared::Value(argument.size as usize),
                _ => Declared::Handle,
            },
            written: !argument.is_const,
            type_name: argument.type_name.clone(),
        };
        let (max_items, lds) = (found.metadata().max_flat_workgroup_size.into(), found.group_bytes().into());
        Some(Signature { kernel: kernel.to_owned(), parameters: arguments.map(parameter).collect(), max_items, lds })
    }

    /// The error of a launch that was refused, with the limit that is passed: the APIs say only that something is
    /// wrong. Its work-groups have so many work-items, if that is known, and so much LDS on top of the kernel's own.
    pub(crate) fn with_limit(
        &self,
        error: Error,
        limit: u64,
        asked: impl Fn() -> String,
        items: Option<u64>,
        lds: u64,
    ) -> Error {
        let Error::Call { call, code } = error else { return error };
        let (kernel, lds) = (&self.kernel, self.lds.saturating_add(lds));
        let why = if items.is_some_and(|items| items > self.max_items) {
            format!("kernel `{kernel}` was compiled for work-groups of at most {} work-items", self.max_items)
        } else if lds > limit {
            format!("kernel `{kernel}` needs {lds} bytes of local memory (LDS) for a work-group, the limit is {limit}")
        } else {
            return error;
        };
        let reason = format!("{}: {why} ({}: {call} returned {code})", asked(), code.api());
        Error::Argument { subject: "work size", reason }
    }

    /// Refuses arguments that are not what the kernel declares.
    pub(crate) fn check<Side>(&self, arguments: &[Argument<'_, Side>]) -> Result<()> {
        let refuse = |reason| Err(Error::Argument { subject: "kernel arguments", reason });
        let (kernel, given, declared) = (&self.kernel, arguments.len(), self.parameters.len());
        if given != declared {
            return refuse(format!("{given} for kernel `{kernel}`, which declares {declared}"));
        }
        let local = arguments.iter().filter_map(|argument| match argument.kind() {
            Kind::Local(bytes) => Some(*bytes as u64),
            _ => None,
        });
        // A packet has 32 bits for it, to which AMD's OpenCL cuts the number.
        let all = local.fold(0, u64::saturating_add);
        if all > u32::MAX.into() {
            return refuse(format!("{all} bytes of local memory for kernel `{kernel}` are more than any GPU has"));
        }
        for (index, (argument, parameter)) in arguments.iter().zip(&self.parameters).enumerate() {
            let given = match argument.kind() {
                Kind::Word(value) => Declared::Value(value.len()),
                Kind::Value(value) => Declared::Value(value.len()),
                Kind::Memory(..) => Declared::Pointer,
                Kind::Local(_) => Declared::Local,
            };
            if given != parameter.declared {
                let wanted = parameter.declared;
                let declared =
                    parameter.type_name.as_ref().map_or(String::new(), |name| format!(" is declared `{name}` and"));
                return refuse(format!("{index} of kernel `{kernel}`{declared} takes {wanted}, but {given} was given"));
            }
            // Where the code object has types, it has `const` too.
            if let (true, true, Some(name)) = (argument.is_read_only(), parameter.written, &parameter.type_name) {
                return refuse(format!(
                    "{index} of kernel `{kernel}` is declared `{name}`, which it may write, but read-only elements were given: declare it `const`"
                ));
            }
            let declared = parameter.type_name.as_deref().and_then(|name| Some((name, Scalar::named(name)?)));
            if let (Some((name, declared)), Some(given)) = (declared, argument.scalar())
                && !(given == declared || parameter.declared == Declared::Pointer && given.fills(declared))
            {
                return refuse(format!(
                    "{index} of kernel `{kernel}` is declared `{name}`, {declared}, but {given} were given: convert the value, or see a buffer as what it has by `Buffer::cast`"
                ));
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::{Declared, Parameter, Signature};
    use crate::{Argument, OpenCl};

    #[test]
    fn arguments_are_what_is_declared() {
        let parameter = |declared, name: &str| Parameter { declared, written: true, type_name: Some(name.to_owned()) };
        let parameters = vec![
            Parameter { declared: Declared::Value(4), written: true, type_name: None },
            parameter(Declared::Value(1), "char"),
            parameter(Declared::Local, "float*"),
        ];
        let kernel = Signature { kernel: "k".to_owned(), parameters, max_items: 1024, lds: 0 };
        let (byte, local) = (7u8, || Argument::<OpenCl>::local(64));
        let value = || Argument::<OpenCl>::value(&byte);
        kernel.check(&[1.into(), value(), local()]).expect("as declared");
        let refused = |arguments: &[Argument<'_, OpenCl>], words: &str| {
            let error = kernel.check(arguments).expect_err(words).to_string();
            assert_eq!(error, format!("kernel arguments: {words}"));
        };
        refused(&[], "0 for kernel `k`, which declares 3");
        refused(
            &[value(), value(), local()],
            "0 of kernel `k` takes a value of 4 bytes, but a value of 1 bytes was given",
        );
        refused(&[local(), value(), local()], "0 of kernel `k` takes a value of 4 bytes, but local memory was given");
        let words = "1 of kernel `k` is declared `char` and takes a value of 1 bytes, but local memory was given";
        refused(&[1.into(), local(), local()], words);
        let words = "2 of kernel `k` is declared `float*` and takes local memory, but a value of 1 bytes was given";
        refused(&[1.into(), value(), value()], words);
    }

    #[test]
    fn local_memory_that_a_packet_cannot_say_is_refused() {
        let local = || Parameter { declared: Declared::Local, written: true, type_name: None };
        let kernel = Signature { kernel: "k".to_owned(), parameters: vec![local(), local()], max_items: 1024, lds: 0 };
        let check = |sizes: [usize; 2]| kernel.check(&sizes.map(Argument::<OpenCl>::local));
        check([1 << 31, (1 << 31) - 1]).expect("OpenCL knows what the GPU has");
        for (sizes, all) in
            [([1 << 31, 1 << 31], 1u64 << 32), ([4, 1 << 32], (1 << 32) + 4), ([usize::MAX; 2], u64::MAX)]
        {
            let error = check(sizes).expect_err("too much").to_string();
            assert!(error.contains(&format!("{all} bytes of local memory for kernel `k`")), "{error}");
        }
    }

    #[test]
    fn handles_are_nobodys_to_give() {
        let parameters =
            vec![Parameter { declared: Declared::Handle, written: true, type_name: Some("sampler_t".to_owned()) }];
        let kernel = Signature { kernel: "k".to_owned(), parameters, max_items: 1024, lds: 0 };
        let error = kernel.check::<OpenCl>(&[1.into()]).expect_err("a sampler").to_string();
        assert!(error.contains("`sampler_t` and takes what this crate does not give: use `raw`"), "{error}");
    }
}
