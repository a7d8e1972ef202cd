// Gives the kernel addresses that it cannot read, and prints what it says.
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/ioctl.h>
#include <sys/mman.h>

static void print(const char *call, long result) {
    printf("%s: %ld %d\n", call, result, result < 0 ? errno : 0);
    fflush(stdout);
}

int main(void) {
    char *page = mmap(NULL, 8192, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    mprotect(page + 4096, 4096, PROT_NONE);
    // A path without an end, and requests with the driver's number (AMDKFD_IOC_GET_VERSION) whose argument is not there, or half.
    char *path = page + 4096 - 9;
    for (int at = 0; at < 9; ++at) path[at] = "/dev/dri/"[at];
    void *volatile arguments[] = {NULL, (void *)16, page + 4096 - 4, page + 4096, (void *)-8};
    for (int at = 0; at < 5; ++at) print("ioctl", ioctl(0, _IOR('K', 1, char[8]), arguments[at]));
    arguments[2] = path;
    for (int at = 0; at < 5; ++at) print("open", open(arguments[at], O_RDONLY));
    for (int at = 1; at < 5; ++at) print("fopen", fopen(arguments[at], "r") ? 0 : -1);
    return 0;
}
