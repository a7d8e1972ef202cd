//! Tests of waits that must end.
use std::fmt::Debug;
use std::sync::mpsc;
use std::thread;
use std::time::Duration;

/// How long a wait may take that is to end by itself.
pub const LONG: Duration = Duration::from_secs(60);

/// Runs `body`, which must not wait for ever.
///
/// # Panics
/// If it returns an error, panics, or has not ended after [`LONG`].
pub fn within_long<E: Debug + Send + 'static>(body: impl FnOnce() -> Result<(), E> + Send + 'static) {
    let (ended, end) = mpsc::channel();
    thread::spawn(move || ended.send(body()));
    match end.recv_timeout(LONG) {
        Ok(result) => result.unwrap(),
        Err(mpsc::RecvTimeoutError::Timeout) => panic!("it waits for ever"),
        Err(mpsc::RecvTimeoutError::Disconnected) => panic!("it panicked"),
    }
}
