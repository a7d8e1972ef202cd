// Makes requests by copies of the descriptor of device.c's file, and by descriptors that had that file. What is printed are those with the file.
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdio.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <unistd.h>

// No known one: it is recorded if the file is the driver's.
static void request(int fd) { ioctl(fd, 0x1234, 0); }

int main(void) {
    int fd = open("/dev/kfd", O_RDWR), copies[] = {dup(fd), fcntl(fd, F_DUPFD_CLOEXEC, 3), dup2(fd, 50), dup3(fd, 51, O_CLOEXEC)};
    printf("%d\n", fd);
    for (int copy = 0; copy < 4; ++copy) {
        request(copies[copy]);
        printf("%d\n", copies[copy]);
    }
    pid_t child = vfork();
    if (!child) {
        close(fd);
        dup2(1, copies[0]);
        _exit(0);
    }
    waitpid(child, NULL, 0);
    request(fd);
    request(copies[0]);
    dup2(1, 50);
    close_range(51, 51, 0);
    dup2(1, 51);
    request(50);
    request(51);
    return 0;
}
