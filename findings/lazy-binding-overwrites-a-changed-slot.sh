#!/bin/sh
# glibc 2.36 (Debian bookworm): the slot of a lazily bound function that is changed while another thread's first call is being resolved is overwritten by the dynamic linker.
#
# A program that puts its own function into the slot (in .got.plt, as profilers and layers do) reads it back as changed, and calls it. When the resolution that had begun before ends,
# the dynamic linker stores the library's function there, and the program's is gone. What was seen:
#
#   after the change:          2
#   the call that was pending: 1
#   after that call:           1
#
# Here the resolution takes 500 ms, as the library chooses its function at the first call (GNU indirect function). Linking with -z now avoids it: there is nothing to resolve later.
set -eu
. "$(dirname "$0")/common.sh"
debian libc6 2.36-9+deb12u14
cc --version >/dev/null

cat > slow.c <<'C'
#include <unistd.h>
static int real(void) { return 1; }
static int (*choose(void))(void) { usleep(500000); return real; }
int slow(void) __attribute__((ifunc("choose")));
C
cat > main.c <<'C'
#define _GNU_SOURCE
#include <elf.h>
#include <link.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
int slow(void);
static int instead(void) { return 2; }
static void *first_call(void *result) { *(int *)result = slow(); return NULL; }
// The program's own slot of `slow`: the address of its relocation for lazy binding.
static int (**slot(void))(void) {
    const ElfW(Sym) *symbols = NULL;
    const ElfW(Rela) *relocations = NULL;
    const char *names = NULL;
    size_t bytes = 0;
    for (ElfW(Dyn) *entry = _DYNAMIC; entry->d_tag != DT_NULL; ++entry) {
        if (entry->d_tag == DT_SYMTAB) symbols = (void *)entry->d_un.d_ptr;
        if (entry->d_tag == DT_STRTAB) names = (void *)entry->d_un.d_ptr;
        if (entry->d_tag == DT_JMPREL) relocations = (void *)entry->d_un.d_ptr;
        if (entry->d_tag == DT_PLTRELSZ) bytes = entry->d_un.d_val;
    }
    for (size_t i = 0; i < bytes / sizeof *relocations; ++i)
        if (!strcmp(names + symbols[ELF64_R_SYM(relocations[i].r_info)].st_name, "slow")) return (void *)(_r_debug.r_map->l_addr + relocations[i].r_offset);
    return NULL;
}
int main(void) {
    int pending = 0;
    pthread_t thread;
    if (!slot() || pthread_create(&thread, NULL, first_call, &pending)) return 2;
    usleep(100000);
    *slot() = instead;
    printf("after the change:          %d\n", slow());
    pthread_join(thread, NULL);
    printf("the call that was pending: %d\nafter that call:           %d\n", pending, slow());
}
C
cc -shared -fPIC -O1 -o libslow.so slow.c
cc -O1 -Wl,-z,lazy -Wl,-z,norelro -o main main.c -L. -lslow -lpthread
libraries=$PWD/lib/x86_64-linux-gnu
"$libraries/ld-linux-x86-64.so.2" --library-path "$libraries:$PWD" ./main > seen
printf 'after the change:          2\nthe call that was pending: 1\nafter that call:           1\n' > expected
compare
