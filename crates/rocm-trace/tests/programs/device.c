// Stands for a machine with the driver: its file is there, and does nothing.
#define _GNU_SOURCE
#include <fcntl.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

int open(const char *path, int flags, ...) { return syscall(SYS_openat, AT_FDCWD, strcmp(path, "/dev/kfd") ? path : "/dev/null", flags, 0); }
