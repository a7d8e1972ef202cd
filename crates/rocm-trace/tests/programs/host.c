// Loads the library that its argument names (plugin.c's), uses it and unloads it, three times. Linked with it, uses it once.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdio.h>
#include <sys/mman.h>

#ifdef LINKED
int plugin(void);

int main(void) { return printf("%d\n", plugin()) < 0; }
#else
int main(int count, char **words) {
    (void)count;
    for (int round = 0; round < 3; ++round) {
        void *library = dlopen(words[1], RTLD_NOW | RTLD_LOCAL);
        if (!library) return puts(dlerror()), 1;
        int (*plugin)(void) = (int (*)(void))dlsym(library, "plugin");
        printf("%d: %d\n", round, plugin());
        fflush(stdout);
        dlclose(library);
        // So that it cannot be loaded to where it was.
        mmap(NULL, 5 * 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    }
    return 0;
}
#endif
