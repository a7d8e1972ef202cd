//! Uses that must not compile, beside those in the documentation of what they misuse. Each is wrong in one place; the crate's example is
//! the right use.
//!
//! Writing to a buffer on HIP's turn:
//! ```compile_fail,E0599
//! # use rocm_interop::{Buffer, Hip, Result};
//! fn write(mut buffer: Buffer<'_, f32, Hip>) -> Result<()> {
//!     buffer.write(&[1.0])
//! }
//! ```
//! Giving a buffer to the side that has it:
//! ```compile_fail,E0599
//! # use rocm_interop::{Buffer, Hip, Result};
//! fn hand_over(buffer: Buffer<'_, f32, Hip>) -> Result<()> {
//!     buffer.into_hip().map(drop)
//! }
//! ```
//! Taking a buffer's side on trust:
//! ```compile_fail,E0308
//! # use rocm_interop::{Buffer, Hip, OpenCl};
//! fn relabel<'s>(buffer: Buffer<'s, f32, OpenCl>) -> Buffer<'s, f32, Hip> {
//!     buffer
//! }
//! ```
//! Closing a buffer that a HIP argument names:
//! ```compile_fail,E0505
//! # use rocm_interop::{Buffer, Hip, HipArgument, HipKernel, Result};
//! fn close(kernel: &HipKernel<'_>, buffer: Buffer<'_, f32, Hip>) -> Result<()> {
//!     let argument = HipArgument::from(&buffer);
//!     buffer.close()?;
//!     unsafe { kernel.launch(1, 64, &[argument]) }
//! }
//! ```
//! Closing a buffer twice:
//! ```compile_fail,E0382
//! # use rocm_interop::{Buffer, OpenCl, Result};
//! fn twice(buffer: Buffer<'_, f32, OpenCl>) -> Result<()> {
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
//! A view that outlives its session:
//! ```compile_fail,E0505
//! # use rocm_interop::{Result, Session};
//! fn view(session: Session, mem: cl_sys::cl_mem) -> Result<()> {
//!     let view = unsafe { session.view::<f32>(mem) }?;
//!     drop(session);
//!     view.close()
//! }
//! ```
//! An OpenCL kernel that outlives its program:
//! ```compile_fail,E0505
//! # use rocm_interop::{OpenClProgram, Result};
//! fn kernel(program: OpenClProgram<'_>) -> Result<()> {
//!     let kernel = program.kernel("add")?;
//!     program.close()?;
//!     kernel.close()
//! }
//! ```
//! A HIP kernel that outlives its module:
//! ```compile_fail,E0505
//! # use rocm_interop::{HipModule, Result};
//! fn kernel(module: HipModule<'_>) -> Result<()> {
//!     let kernel = module.kernel("scale")?;
//!     module.close()?;
//!     unsafe { kernel.launch(1, 64, &[]) }
//! }
//! ```
//! A program that outlives its session:
//! ```compile_fail,E0505
//! # use rocm_interop::{OpenClProgram, Result, Session};
//! fn program(session: Session) -> Result<()> {
//!     let program = OpenClProgram::build(&session, "", "")?;
//!     session.close()?;
//!     program.close()
//! }
//! ```
//! A session on another thread, whose current device of HIP is not the session's:
//! ```compile_fail,E0277
//! # use rocm_interop::Session;
//! fn elsewhere(session: Session) {
//!     std::thread::spawn(move || session.close());
//! }
//! ```
//! A buffer on another thread:
//! ```compile_fail,E0277
//! # use rocm_interop::{Buffer, OpenCl};
//! fn elsewhere(buffer: Buffer<'_, f32, OpenCl>) {
//!     std::thread::scope(|scope| {
//!         scope.spawn(|| buffer.len());
//!     });
//! }
//! ```
//! Kernels launched without `unsafe`, as nothing checks what they do:
//! ```compile_fail,E0133
//! # use rocm_interop::{OpenClKernel, Result};
//! fn launch(kernel: &OpenClKernel<'_>) -> Result<()> {
//!     kernel.launch(&[16], None)
//! }
//! ```
