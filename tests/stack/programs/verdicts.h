// What the programs have in common of which it is known what is to be told of them: the suites of `cargo xtask verdicts`. Each has many cases. `--list` prints a line for each: its name,
// what was planted, and the findings of `vgpu check` of which any tells that, or `nothing` if the case is right.
#pragma once
#include "common.h"
#include <functional>
#include <string>

struct Truth {
    std::string planted;
    std::string told;
};

const char *const RACE = "race,device-race,dispatch-race";
const char *const STRAY = "out-of-bounds,memory-fault";

struct Verdict {
    std::string name;
    std::function<Truth()> truth;
    // Checks what it computes if it is right: what comes of a fault is luck.
    std::function<void(bool is_right)> run;
};

inline int verdicts(int argc, char **argv, const std::vector<Verdict> &all) {
    const std::string wanted = argc == 2 ? argv[1] : "";
    for (const Verdict &v : all) {
        if (wanted != "--list" && wanted != v.name) continue;
        const Truth truth = v.truth();
        if (wanted == "--list") {
            printf("%s\t%s\t%s\n", v.name.c_str(), truth.planted.c_str(), truth.told.empty() ? "nothing" : truth.told.c_str());
        } else {
            v.run(truth.told.empty());
            printf("%s: %zu values checked\n", v.name.c_str(), checked);
        }
    }
    return 0;
}
