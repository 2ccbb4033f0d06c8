/* Helps programs that control themselves as `xferspy start` and the other commands do: by the socket of the library in
 * the folder that XFERSPY_CONTROL names. */
#ifndef XFERSPY_E2E_CONTROL_H
#define XFERSPY_E2E_CONTROL_H

#include <glob.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>

#include "asked.h"

static char control_reply[16384];

/* Writes the path of this process's socket; false: there is none. */
static inline bool control_path(struct sockaddr_un *address) {
    char pattern[sizeof address->sun_path + 32];
    glob_t found;
    snprintf(pattern, sizeof pattern, "%s/%ld-*.control", getenv("XFERSPY_CONTROL"), (long)getpid());
    bool is_there = glob(pattern, 0, NULL, &found) == 0;
    *address = (struct sockaddr_un){.sun_family = AF_UNIX};
    if (is_there)
        snprintf(address->sun_path, sizeof address->sun_path, "%s", found.gl_pathv[0]);
    globfree(&found);
    return is_there;
}

/* Returns a connection to the library in this process. Its thread makes the socket a moment after the session began. */
static inline int control_connect(void) {
    struct sockaddr_un address;
    const struct timespec pause = {0, 1000000};
    for (int i = 0; !control_path(&address); i++) {
        REQUIRE(i < 60000);
        nanosleep(&pause, NULL);
    }
    int fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
    REQUIRE(fd >= 0 && connect(fd, (struct sockaddr *)&address, sizeof address) == 0);
    return fd;
}

/* Sends a request, and requires an answer that begins with `answer`. The bare run does nothing. */
static inline void control_ask(const char *request, const char *answer) {
    if (!asked_is_profiled())
        return;
    int fd = control_connect();
    REQUIRE(send(fd, request, strlen(request), 0) == (ssize_t)strlen(request));
    ssize_t bytes = recv(fd, control_reply, sizeof control_reply - 1, 0);
    REQUIRE(bytes > 0);
    control_reply[bytes] = '\0';
    if (strncmp(control_reply, answer, strlen(answer)) != 0)
        fprintf(stderr, "%s: %s\n", request, control_reply);
    REQUIRE(strncmp(control_reply, answer, strlen(answer)) == 0);
    close(fd);
}

/* Requires that the last answer contains the text. */
static inline void control_says(const char *text) {
    if (asked_is_profiled() && !strstr(control_reply, text))
        fprintf(stderr, "%s is not in: %s\n", text, control_reply);
    REQUIRE(!asked_is_profiled() || strstr(control_reply, text));
}

#endif
