// A variable whose value the compiler cannot know: it makes a kernel of the function, which has to run before others.
global int value;

__attribute__((constructor)) void set(void) {
    __asm__ volatile("s_nop 0");
    value = 5;
}

kernel void get(global int *out) {
    out[0] = value;
}
