/* Counts the instructions of a call, of this thread and outside of the kernel: the processor stops after each (the trap flag) and a signal handler counts. */
#pragma once
#include <signal.h>
#include <stdio.h>
#include <string.h>

static volatile sig_atomic_t instructions;

static void count_instruction(int signal) {
    (void)signal;
    instructions++;
}

/* The compiler may keep values in the 128 bytes below the stack pointer. */
#define TRAPS(how, mask) __asm__ volatile("lea -128(%%rsp), %%rsp\n pushfq\n " how " %0, (%%rsp)\n popfq\n lea 128(%%rsp), %%rsp" : : "i"(mask) : "memory", "cc")

/* Prints the fewest that `call` took in some rounds: the first ones look functions up and allocate. `between` is done after each, uncounted. */
#define INSTRUCTIONS(name, call, between)                                                                    \
    do {                                                                                                     \
        struct sigaction action_;                                                                            \
        memset(&action_, 0, sizeof action_), action_.sa_handler = count_instruction;                         \
        sigaction(SIGTRAP, &action_, NULL);                                                                  \
        sig_atomic_t fewest_ = 0;                                                                            \
        for (int round_ = 0; round_ < 24; round_++) {                                                        \
            instructions = 0;                                                                                \
            TRAPS("orq", 0x100);                                                                             \
            call;                                                                                            \
            TRAPS("andq", ~0x100);                                                                           \
            if (!round_ || instructions < fewest_) fewest_ = instructions;                                   \
            between;                                                                                         \
        }                                                                                                    \
        printf("instructions %s: %d\n", name, (int)fewest_);                                                 \
    } while (0)
