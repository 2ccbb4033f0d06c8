/* A program without CUDA in a sandbox that allows it next to nothing, from before xferspy's constructor runs to the end
 * of the process: without a session xferspy makes no system call of its own.
 *
 * link: strict_filter
 * only: unsanitized
 * stdout: data ok
 * traces: 0
 * exit: 5
 */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

extern int strict_filter_is_on;

int main(void) {
    static const char text[] = "data ok\n";
    if (!strict_filter_is_on)
        exit(77);
    return write(STDOUT_FILENO, text, strlen(text)) == (ssize_t)strlen(text) ? 5 : 1; /* with exit handlers */
}
