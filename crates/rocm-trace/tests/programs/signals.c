// Prints what signals would do: those that are ignored (I), those that wait (B).
#include <signal.h>
#include <stdio.h>

int main(void) {
    sigset_t blocked;
    sigprocmask(SIG_SETMASK, NULL, &blocked);
    for (int signal = 1; signal < 32; ++signal) {
        struct sigaction action;
        // Rust's standard library sets this one.
        if (signal == SIGPIPE || sigaction(signal, NULL, &action)) continue;
        printf("%d:%s%s\n", signal, action.sa_handler == SIG_IGN ? "I" : "", sigismember(&blocked, signal) ? "B" : "");
    }
    return 0;
}
