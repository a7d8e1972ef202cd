// Asks of a symbol what HIP 5.7 asks tens of millions of times, whether a variable is constant (10), and where a kernel is (22).
#include <stdbool.h>
#include <stdint.h>

int hsa_executable_symbol_get_info(uint64_t symbol, uint32_t attribute, void *value);

int main(void) {
    bool constant = true;
    uint64_t object = 0;
    for (int i = 0; i < 3; ++i)
        if (hsa_executable_symbol_get_info(0x700, 10, &constant) || constant) return 1;
    if (hsa_executable_symbol_get_info(0x700, 22, &object) || object != 1) return 2;
    return 0;
}
