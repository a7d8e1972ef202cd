#!/bin/sh
# hiprtc of HIP 5.2.3 (Debian bookworm): takes `-mcode-object-version=3`, `4` and `5` with success, and gives code of version 4 each time.
#
# The same option given to clang of the same LLVM decides the version. The version is in the ELF header (e_ident[EI_ABIVERSION]: 1 is version 3, 2 is 4, 3 is 5). What was seen:
#
#   -mcode-object-version=3: compiled (0), version 4
#   -mcode-object-version=4: compiled (0), version 4
#   -mcode-object-version=5: compiled (0), version 4
#
# No GPU is needed: hiprtc compiles for the chip that it is told. The same was seen with HIP 5.7.1 (Debian trixie).
set -eu
. "$(dirname "$0")/common.sh"
debian libamdhip64-5 5.2.3-8
debian libamd-comgr2 5.2.3-2
debian libhsa-runtime64-1 5.2.3-3
debian libhsakmt1 5.2.3+dfsg-1
debian libllvm15 1:15.0.6-4+b1
cc --version >/dev/null

cat > main.c <<'C'
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
int main(int count, char **options) {
    void *hip = dlopen("libamdhip64.so.5", RTLD_NOW), *program;
    if (!hip) return puts(dlerror()), 2;
    int (*create)(void **, const char *, const char *, int, const char **, const char **) = dlsym(hip, "hiprtcCreateProgram");
    int (*compile)(void *, int, const char **) = dlsym(hip, "hiprtcCompileProgram");
    int (*size)(void *, size_t *) = dlsym(hip, "hiprtcGetCodeSize"), (*get)(void *, char *) = dlsym(hip, "hiprtcGetCode");
    for (int i = 1; i < count; ++i) {
        const char *both[] = {"--offload-arch=gfx908", options[i]};
        if (create(&program, "extern \"C\" __global__ void k(int *p) { *p = 1; }", "k", 0, NULL, NULL)) return 2;
        int status = compile(program, 2, both);
        size_t bytes = 0;
        if (status || size(program, &bytes) || bytes < 64) return 2;
        char *code = malloc(bytes);
        if (get(program, code)) return 2;
        printf("%s: compiled (%d), version %d\n", options[i], status, code[8] + 2);
        free(code);
    }
    return 0;
}
C
cc -O1 -o main main.c -ldl
LD_LIBRARY_PATH=$PWD/usr/lib/x86_64-linux-gnu:$PWD/usr/lib/llvm-15/lib ./main -mcode-object-version=3 -mcode-object-version=4 -mcode-object-version=5 > seen || { cat seen; exit 2; }
for version in 3 4 5; do echo "-mcode-object-version=$version: compiled (0), version 4"; done > expected
compare
