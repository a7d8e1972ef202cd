// What the recorded programs share. Between begin() and end() is what a recording shows: both print the time by the clock of the traces.
#pragma once
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>

static void mark(const char *what, timespec t) {
    printf("%s %lld\n", what, t.tv_sec * 1000000000ll + t.tv_nsec);
    fflush(stdout);
}

static void begin() {
    timespec t;
    clock_gettime(CLOCK_MONOTONIC_RAW, &t);
    mark("begin", t);
}

static void end() {
    timespec t;
    clock_gettime(CLOCK_MONOTONIC_RAW, &t);
    mark("end", t);
}

static void expect(const char *what, bool right) {
    if (!right) {
        fprintf(stderr, "%s: wrong data\n", what);
        exit(1);
    }
}
