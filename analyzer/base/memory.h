/* These functions allocate memory for a command line program: if memory runs out, the program ends with one line and
 * status 1. */
#ifndef XFERSPY_ANALYZER_BASE_MEMORY_H
#define XFERSPY_ANALYZER_BASE_MEMORY_H

#include <stddef.h>

_Noreturn void xs_out_of_memory(void);
void *xs_realloc(void *memory, size_t bytes); /* memory NULL: a new block; bytes 0 counts as 1 */
void *xs_zeroed(size_t count, size_t bytes);  /* a new block for `count` items of `bytes` bytes, all 0 */
char *xs_strdup(const char *text);
char *xs_strndup(const char *text, size_t bytes); /* copies `bytes` bytes of the text and adds a NUL */

/* Declares a pointer whose memory is freed at the end of its block, on every way out of it. The pointer must have an
 * initial value, and its memory must not be given away. */
#define XS_SCOPED __attribute__((cleanup(xs_free_scoped)))
void xs_free_scoped(void *pointer); /* `pointer`: the address of a pointer of any type */

/* A command calls this function before it reads many traces one after another. From then on, every block of 1 MiB or
 * more goes back to the system when it is freed. Otherwise glibc would take the large blocks of the second trace from
 * the heap, where they leave gaps, and the process would hold a third more memory than one trace needs. */
void xs_memory_for_many_traces(void);

#endif
