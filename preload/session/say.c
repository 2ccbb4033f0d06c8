/* Prints lines on the stderr that the process had when the session started. */
#include "preload/session/say.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "preload/core/alternate_stack.h"
#include "schema/utf8.h"

static struct stat stderr_at_start; /* st_ino 0: not known */
static bool is_quiet;

void xs_say_start(void) {
    if (fstat(STDERR_FILENO, &stderr_at_start) != 0)
        memset(&stderr_at_start, 0, sizeof stderr_at_start);
}

void xs_say_quietly(bool quiet) { is_quiet = quiet; }

/* Writes the line with SIGPIPE and SIGTTOU blocked, because the write could raise them, and they would end or stop the
 * program. Removes a SIGPIPE of this write, but not one that was already pending. */
static void write_quietly(const char *line, size_t bytes) {
    sigset_t ours, before, pending;
    sigemptyset(&ours);
    sigaddset(&ours, SIGPIPE);
    sigaddset(&ours, SIGTTOU);
    sigpending(&pending);
    pthread_sigmask(SIG_BLOCK, &ours, &before);
    struct pollfd ready = {.fd = STDERR_FILENO, .events = POLLOUT};
    ssize_t n =
        poll(&ready, 1, 0) == 1 && (ready.revents & (POLLOUT | POLLERR)) ? write(STDERR_FILENO, line, bytes) : 0;
    if (n < 0 && errno == EPIPE && !sigismember(&pending, SIGPIPE)) {
        sigdelset(&ours, SIGTTOU);
        sigtimedwait(&ours, NULL, &(struct timespec){0, 0});
    }
    pthread_sigmask(SIG_SETMASK, &before, NULL);
}

/* Makes a single line, in which control characters are escaped, because the text may contain the program's name or a
 * value of the environment. */
static size_t make_line(char *line, size_t bytes, const char *text) {
    size_t n = (size_t)snprintf(line, bytes, "xferspy: "), left = strlen(text), used;
    char escape[XS_UTF8_ESCAPE_BYTES];
    for (; left > 0; text += used, left -= used) {
        size_t length = xs_utf8_escape(escape, text, left, &used);
        const char *from = length ? escape : text;
        length = length ? length : used;
        if (n + length + 1 > bytes)
            break;
        memcpy(line + n, from, length);
        n += length;
    }
    line[n++] = '\n';
    return n;
}

static void say(void *arg) {
    const char *text = arg;
    struct stat now;
    char line[4096];
    int saved_errno = errno;
    if (!is_quiet && fstat(STDERR_FILENO, &now) == 0 && now.st_dev == stderr_at_start.st_dev &&
        now.st_ino == stderr_at_start.st_ino)
        write_quietly(line, make_line(line, sizeof line, text));
    errno = saved_errno;
}

void xs_say(const char *text) { xs_on_scratch_or_here(say, (void *)(uintptr_t)text); }

struct complaint {
    const char *format;
    va_list args;
};

static void complain(void *arg) {
    struct complaint *complaint = arg;
    char text[1024];
    vsnprintf(text, sizeof text, complaint->format, complaint->args);
    xs_say(text);
}

void xs_complain(bool *once, const char *format, ...) {
    struct complaint complaint = {.format = format};
    if (__atomic_exchange_n(once, true, __ATOMIC_RELAXED))
        return;
    va_start(complaint.args, format);
    xs_on_scratch_or_here(complain, &complaint);
    va_end(complaint.args);
}
