/* This library calls back through its own frame. Each of its builds has another frame at the same address. */
#include <string.h>

__attribute__((visibility("default"))) void call_back(void (*f)(void *), void *arg);

void call_back(void (*f)(void *), void *arg) {
#if defined(LIBRARY_a)
    char memory[40];
#elif defined(LIBRARY_b)
    char memory[4000];
#else
    char memory[400];
#endif
    __asm__ volatile("" : : "r"(memory) : "memory");
    f(arg);
    __asm__ volatile("" : : "r"(memory) : "memory");
}
