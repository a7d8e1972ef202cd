// What the recorded programs share. Between begin() and end() is what a recording shows: both print the time by the clock of the traces.
#pragma once
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <map>
#include <sched.h>
#include <string>
#include <unistd.h>

static void mark(const char *what, timespec t) {
    printf("%s %lld\n", what, t.tv_sec * 1000000000ll + t.tv_nsec);
    fflush(stdout);
}

// What the kernel says of the other threads: state, and how often each has been switched from.
static std::map<std::string, std::string> other_threads() {
    std::map<std::string, std::string> threads;
    for (auto &entry : std::filesystem::directory_iterator("/proc/self/task")) {
        std::string number = entry.path().filename(), line, kept;
        std::ifstream status(entry.path() / "status");
        while (std::getline(status, line)) {
            if (line.rfind("State:", 0) == 0 || line.find("ctxt_switches:") != std::string::npos) {
                kept += line;
            }
        }
        // A thread that ends meanwhile has no file any more, or an empty one.
        if (number != std::to_string(gettid()) && !kept.empty()) {
            threads[number] = kept;
        }
    }
    return threads;
}

// Waits until nothing that was begun before is left to do: until all other threads sleep at once. A thread that sleeps in two looks and was not
// switched from between them slept all the time between them.
static void quiet() {
    const time_t limit = time(nullptr) + 60;
    std::map<std::string, std::string> before, now = other_threads();
    auto asleep = [](auto &thread) { return thread.second.find("S (sleeping)") != std::string::npos; };
    while (now != before || !std::all_of(now.begin(), now.end(), asleep)) {
        if (time(nullptr) > limit) {
            fprintf(stderr, "other threads do not come to rest\n");
            exit(1);
        }
        sched_yield();
        before = std::move(now);
        now = other_threads();
    }
}

// What was before is over when the recording begins.
static void begin() {
    quiet();
    timespec t;
    clock_gettime(CLOCK_MONOTONIC_RAW, &t);
    mark("begin", t);
}

// The recording has all that this process did.
static void begin_with_process() {
    mark("begin", {});
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
