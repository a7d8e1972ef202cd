//! Uses that must not compile, beside those in the documentation of what they misuse. Each is wrong in one place; the
//! crate's example is the right use.
//!
//! Writing to a buffer that is on its way to the other side:
//! ```compile_fail,E0599
//! # use rocm_interop::{Buffer, OpenCl, Result};
//! fn write(buffer: Buffer<f32, OpenCl>) -> Result<()> {
//!     let mut pending = buffer.into_hip_later()?;
//!     pending.write(&[1.0])
//! }
//! ```
//! Giving a buffer to the side that has it:
//! ```compile_fail,E0599
//! # use rocm_interop::{Buffer, Hip, Result};
//! fn hand_over(buffer: Buffer<f32, Hip>) -> Result<()> {
//!     buffer.into_hip().map(drop)
//! }
//! ```
//! Taking a buffer's side on trust:
//! ```compile_fail,E0308
//! # use rocm_interop::{Buffer, Hip, OpenCl};
//! fn relabel(buffer: Buffer<f32, OpenCl>) -> Buffer<f32, Hip> {
//!     buffer
//! }
//! ```
//! Passing the turn on without waiting, by the trait of what can be handed over:
//! ```compile_fail,E0061
//! # use rocm_interop::{Buffer, Hip, OpenCl};
//! # use rocm_interop::hand_over::Shared;
//! fn relabel(buffer: Buffer<f32, Hip>) -> Buffer<f32, OpenCl> {
//!     buffer.turn()
//! }
//! ```
//! Closing a buffer that a HIP argument names:
//! ```compile_fail,E0505
//! # use rocm_interop::{Argument, Buffer, Hip, Result};
//! # use rocm_interop::hip::HipKernel;
//! fn close(kernel: &HipKernel, buffer: Buffer<f32, Hip>) -> Result<()> {
//!     let argument = Argument::from(&buffer);
//!     buffer.close()?;
//!     unsafe { kernel.launch(1, 64, 0, &[argument]) }
//! }
//! ```
//! Closing a buffer twice:
//! ```compile_fail,E0382
//! # use rocm_interop::{Buffer, OpenCl, Result};
//! fn twice(buffer: Buffer<f32, OpenCl>) -> Result<()> {
//!     buffer.close()?;
//!     buffer.close()
//! }
//! ```
//! Elements that hold pointers:
//! ```compile_fail,E0277
//! # use rocm_interop::{Result, Session};
//! fn strings(session: &Session) -> Result<()> {
//!     session.allocate::<String>(16).map(drop)
//! }
//! ```
//! Elements with padding, whose bytes are not all values:
//! ```compile_fail,E0277
//! # use rocm_interop::{Result, Session};
//! #[derive(Clone, Copy)]
//! #[repr(C)]
//! struct Padded(u8, u32);
//! fn padded(session: &Session) -> Result<()> {
//!     session.allocate::<Padded>(16).map(drop)
//! }
//! ```
//! Writing in two threads, which only one can be first at:
//! ```compile_fail,E0596
//! # use rocm_interop::{Buffer, OpenCl};
//! fn race(buffer: &Buffer<f32, OpenCl>) {
//!     std::thread::scope(|scope| {
//!         scope.spawn(|| buffer.write(&[1.0]));
//!         scope.spawn(|| buffer.write(&[2.0]));
//!     });
//! }
//! ```
//! Handing over in one thread what another one reads:
//! ```compile_fail,E0505
//! # use rocm_interop::{Buffer, OpenCl};
//! fn race(buffer: Buffer<f32, OpenCl>) {
//!     std::thread::scope(|scope| {
//!         scope.spawn(|| buffer.read(&mut [0.0]));
//!         buffer.into_hip().unwrap();
//!     });
//! }
//! ```
//! Using a buffer that a thread has taken:
//! ```compile_fail,E0382
//! # use rocm_interop::{Buffer, OpenCl};
//! fn both(buffer: Buffer<f32, OpenCl>) {
//!     std::thread::spawn(move || buffer.into_hip().map(drop));
//!     buffer.read(&mut [0.0]).unwrap();
//! }
//! ```
//! Local memory for a kernel of HIP, whose launch takes its size:
//! ```compile_fail,E0599
//! # use rocm_interop::{Argument, Hip};
//! fn local() -> Argument<'static, Hip> {
//!     Argument::<Hip>::local(64)
//! }
//! ```
//! Using a buffer that everybody reads by now:
//! ```compile_fail,E0382
//! # use rocm_interop::{Buffer, OpenCl, Result};
//! fn keep_the_old_name(mut buffer: Buffer<f32, OpenCl>) -> Result<()> {
//!     let _table = buffer.into_read_only()?;
//!     buffer.write(&[1.0])
//! }
//! ```
//! Copying to what everybody reads:
//! ```compile_fail,E0599
//! # use rocm_interop::Result;
//! # use rocm_interop::memory::ReadOnly;
//! fn overwrite(table: ReadOnly<f32>) -> Result<()> {
//!     table.upload(vec![1.0]).map(drop)
//! }
//! ```
//! Letting a library write there:
//! ```compile_fail,E0308
//! # use rocm_interop::Result;
//! # use rocm_interop::hip::RawHip;
//! # use rocm_interop::memory::ReadOnly;
//! fn overwrite(hip: &RawHip<'_>, table: &mut ReadOnly<f32>) -> Result<*mut f32> {
//!     hip.pointer_mut(table)
//! }
//! ```
//! Reading the memory that a copy is being made to:
//! ```compile_fail,E0382
//! # use rocm_interop::{Buffer, OpenCl, Result};
//! # use rocm_interop::transfer::Staging;
//! fn early(buffer: Buffer<f32, OpenCl>, staging: Staging<f32>) -> Result<f32> {
//!     let download = buffer.download(staging)?;
//!     let first = staging[0];
//!     download.wait()?;
//!     Ok(first)
//! }
//! ```
//! Kernels launched without `unsafe`, as nothing checks what they do:
//! ```compile_fail,E0133
//! # use rocm_interop::Result;
//! # use rocm_interop::opencl::OpenClKernel;
//! fn launch(kernel: &OpenClKernel) -> Result<()> {
//!     kernel.launch(&[16], None, &[])
//! }
//! ```
//! Giving a turn that is another process's:
//! ```compile_fail,E0599
//! # use rocm_interop::{OpenCl, Result};
//! # use rocm_interop::share::Away;
//! fn give(theirs: Away<f32, OpenCl>) -> Result<()> {
//!     theirs.give().map(drop)
//! }
//! ```
//! Having a turn twice:
//! ```compile_fail,E0599
//! # use rocm_interop::OpenCl;
//! # use rocm_interop::share::Held;
//! fn twice(mine: Held<f32, OpenCl>) -> [Held<f32, OpenCl>; 2] {
//!     [mine.clone(), mine]
//! }
//! ```
//!
//! What is right: everything may be used by all threads.
//! ```
//! # use rocm_interop::{*, hand_over::*, hip::*, memory::*, opencl::*, share::*, transfer::*};
//! fn shared<T: Send + Sync + 'static>() {}
//! fn sent<T: Send + 'static>() {}
//! shared::<Libraries>();
//! shared::<Device>();
//! shared::<Session>();
//! shared::<Buffer<f32, OpenCl>>();
//! shared::<Buffer<[f64; 2], Hip>>();
//! shared::<Transfer<f32>>();
//! shared::<Transfer<f32, Hip, Staging<f32>>>();
//! shared::<Staging<f32>>();
//! shared::<ReadOnly<f32>>();
//! shared::<BufferPool<f32, OpenCl>>();
//! shared::<HandOver<Buffer<f32, Hip>>>();
//! shared::<Flags>();
//! shared::<DmaBuf>();
//! shared::<Held<f32, OpenCl>>();
//! shared::<Away<f32, Hip>>();
//! shared::<IpcHandle>();
//! shared::<OpenClProgram>();
//! shared::<OpenClKernel>();
//! shared::<HipModule>();
//! shared::<HipKernel>();
//! shared::<Argument<'static, Hip>>();
//! shared::<Error>();
//! shared::<Refused<Buffer<f32, Hip>>>();
//! sent::<WhenReady<Buffer<f32, OpenCl>>>();
//! shared::<Idle<Buffer<f32, OpenCl>>>();
//! ```
