//! Exceptions of waves, with and without a trap handler of the process.

use super::client::{Client, Dispatch, HANDLER, ILLEGAL, STORE, TRAP, barrier};
use crate::hardware::interrupts::Sender;
use crate::hardware::queue::QueueArgs;
use std::time::Duration;

#[test]
fn without_a_trap_handler_no_queue_hears_of_exceptions() {
    let client = Client::new(None);
    let queue = client.queue(16);
    let arguments = client.arguments(&[client.allocate(256), 1]);
    // A trap is passed over.
    queue.run(Dispatch::new(client.kernel(TRAP), arguments));
    // An illegal instruction halts its wave, and the queue goes on.
    let (halted, later, never) = (client.signal(1), client.signal(1), client.signal(1));
    queue.submit(Dispatch { completion: halted, ..Dispatch::new(client.kernel(ILLEGAL), arguments) }.packet());
    queue.submit(Dispatch { completion: later, ..Dispatch::new(client.kernel(STORE), arguments) }.packet());
    client.wait(later, 0);
    queue.submit(barrier(3, true, &[], never));
    std::thread::sleep(Duration::from_millis(5));
    assert_eq!([client.value(halted), client.value(never), client.value(queue.error)], [1, 1, 0]);
    assert!(client.raised.events().is_empty());
    client.engine.destroy_queue(queue.args.id).unwrap();
}

#[test]
fn a_trap_handler_reports_and_halts() {
    let client = Client::new(None);
    for (event, (kernel, code)) in [(ILLEGAL, 0x4000_0000), (TRAP, 0x8000_0000)].into_iter().enumerate() {
        let queue = client.queue(16);
        let arguments = client.arguments(&[client.allocate(256), 1]);
        client.gpu.set_trap_handler(client.code(HANDLER), client.arguments(&[queue.error, event as u64]));
        let completion = client.signal(1);
        let dispatch = Dispatch { completion, groups: 5, ..Dispatch::new(client.kernel(kernel), arguments) };
        queue.submit(dispatch.packet());
        assert_eq!(queue.reported(), code);
        client.wait_for("interrupts of all work-groups", || {
            client.raised.events().iter().filter(|&&raised| raised == event as u32).count() == 5
        });
        assert_eq!(client.value(completion), 1);
        client.engine.destroy_queue(queue.args.id).unwrap();
    }
    // Taken away again.
    client.gpu.set_trap_handler(0, 0);
    let queue = client.queue(16);
    queue.run(Dispatch::new(client.kernel(TRAP), client.arguments(&[client.allocate(256), 1])));
    assert_eq!(client.value(queue.error), 0);
}

#[test]
fn what_a_handler_sends_is_for_a_driver_that_asked() {
    let client = Client::new(None);
    client.gpu.report_exceptions(true);
    let queue = client.queue_with(QueueArgs { context_save: 0x1234_5000, ..client.queue_args(16) });
    let message = queue.args.doorbell | 1 << 11;
    let signal = client.signal(0);
    client.gpu.set_trap_handler(client.code(HANDLER), client.arguments(&[signal, u64::from(message)]));
    queue.submit(Dispatch::new(client.kernel(TRAP), client.arguments(&[client.allocate(256), 1])).packet());
    client.wait_for("message", || !client.raised.traps().is_empty());
    let [(sent, Sender { doorbell, context_save })] = client.raised.traps()[..] else { panic!("one wave") };
    assert_eq!((sent, doorbell, context_save), (message, queue.args.doorbell, 0x1234_5000));
    assert!(client.raised.events().is_empty());
}
