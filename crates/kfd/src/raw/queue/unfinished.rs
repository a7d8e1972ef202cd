//! Which kernels of a queue may still run.

use super::Queue;
use crate::queues::compute::Hardware;

impl Queue {
    /// The names of the kernels that were submitted and are not known to be done, in their order, each once: after a fault or a stop those that it may have been. The
    /// driver does not say which. Kernels of a [`Module`](crate::Module) that was dropped have no name. Empty in a child of a fork.
    pub fn unfinished_kernels(&self) -> Vec<String> {
        let mut names = Vec::new();
        if self.gpu.driver.is_forked() {
            return names;
        }
        let counter = self.submitted.state.counter.handle().get();
        // Each piece of work ends with the packet that counts it.
        let mut left = self.submitted.count() - self.submitted.done();
        let packets = self.replaced.iter().chain([&self.hardware]).rev().flat_map(Hardware::latest_packets);
        for (kernel, completion) in packets {
            if completion == counter {
                if left == 0 {
                    break;
                }
                left -= 1;
            }
            names.extend(self.gpu.kernel_at(kernel).filter(|name| !names.contains(name)));
        }
        names.reverse();
        names
    }
}
