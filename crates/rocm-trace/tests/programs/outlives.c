// Ends at once, and leaves a child that calls a function of library.c, sleeps for so many seconds as the argument says, and calls another.
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

int hipMalloc(void **pointer, size_t size);
int hipGetLastError(void);

int main(int count, char **words) {
    int ends[2];
    char byte;
    if (count < 2 || pipe(ends)) return 1;
    if (fork()) return read(ends[0], &byte, 1) != 1;
    hipGetLastError();
    if (write(ends[1], "x", 1) != 1) return 1;
    // So that nobody waits for the end of its output.
    close(1);
    sleep(atoi(words[1]));
    void *pointer;
    hipMalloc(&pointer, 12345);
    return 0;
}
