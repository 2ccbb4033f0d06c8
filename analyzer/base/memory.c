/* Allocates memory, and ends the program if there is none; see memory.h. */
#include "analyzer/base/memory.h"

#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void xs_out_of_memory(void) {
    fputs("xferspy: out of memory\n", stderr);
    exit(EXIT_FAILURE);
}

void *xs_realloc(void *memory, size_t bytes) {
    void *block = realloc(memory, bytes ? bytes : 1);
    if (!block)
        xs_out_of_memory();
    return block;
}

void *xs_zeroed(size_t count, size_t bytes) {
    void *block = calloc(count ? count : 1, bytes);
    if (!block)
        xs_out_of_memory();
    return block;
}

char *xs_strdup(const char *text) { return xs_strndup(text, strlen(text)); }

char *xs_strndup(const char *text, size_t bytes) {
    char *copy = memcpy(xs_realloc(NULL, bytes + 1), text, bytes);
    copy[bytes] = '\0';
    return copy;
}

void xs_free_scoped(void *pointer) {
    void *memory;
    memcpy(&memory, pointer, sizeof memory); /* any pointer type */
    free(memory);
}

void xs_memory_for_many_traces(void) { (void)mallopt(M_MMAP_THRESHOLD, 1 << 20); }
