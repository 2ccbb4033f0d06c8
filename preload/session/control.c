/* Waits for requests of commands, and answers them; see control.h. */
#define _GNU_SOURCE
#include "preload/session/control.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "preload/core/asked_window.h"
#include "preload/core/call_windows.h"
#include "preload/core/notes.h"
#include "preload/core/own_thread.h"
#include "preload/core/state.h"
#include "preload/cupti/cupti.h"
#include "preload/session/complete.h"
#include "preload/session/drain.h"
#include "preload/session/own_descriptors.h"
#include "preload/session/say.h"
#include "schema/control/address.h"
#include "schema/control/message.h"
#include "schema/option_value.h"
#include "schema/spool/spool_location.h"

#define BACKLOG 16
#define REQUEST_PATIENCE_NS UINT64_C(1000000000)
#define SWITCH_PATIENCE_NS UINT64_C(300000000) /* for CUPTI to be attached or detached */
#define SWITCH_LOOK_NS 1000000

static bool wanted, sleeps;
static char path[XS_CONTROL_PATH_BYTES];
static char while_made[XS_CONTROL_PATH_BYTES +
                       sizeof XS_CONTROL_UNFINISHED]; /* the socket's name until it can be connected to */
static _Atomic bool is_there;                         /* the socket has its name */
static uint64_t until_ns;                             /* recording stops by itself at this time; 0: it does not */

/* The functions of the C library for sockets are not used, because a ThreadSanitizer in the program replaces them, and
 * this thread's descriptors are not those of the program (descriptor_calls.c). */
static int open_socket(void) { return (int)syscall(SYS_socket, AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0); }

/* ---- the place of the socket ---- */

/* Writes the folder as an absolute path, because the program may change its working folder. Returns NULL, or why no
 * command can reach this process. */
static const char *find_folder(const char *asked, char folder[PATH_MAX]) {
    struct stat st;
    if (!*asked || xs_option_is_on(asked)) {
        return xs_spool_own_folder(xs_spool_runtime_dir(), folder)
                   ? NULL
                   : "neither /dev/shm nor XDG_RUNTIME_DIR is a safe tmpfs; set XFERSPY_CONTROL to a folder";
    }
    bool is_folder = realpath(asked, folder) && stat(folder, &st) == 0 && S_ISDIR(st.st_mode);
    return is_folder && access(folder, W_OK | X_OK) == 0
               ? NULL
               : "XFERSPY_CONTROL is neither on nor off, nor a folder that this process may write to";
}

static unsigned seccomp_filters(void) {
    char status[4096];
    int fd = open("/proc/thread-self/status", O_RDONLY | O_CLOEXEC);
    ssize_t bytes = fd >= 0 ? read(fd, status, sizeof status - 1) : 0;
    if (fd >= 0)
        close(fd);
    status[bytes > 0 ? bytes : 0] = '\0';
    return xs_control_filters(status);
}

void xs_control_prepare(const struct xs_options *options) {
    static bool said;
    char folder[PATH_MAX] = "";
    sleeps = !options->start;
    wanted = *options->control ? !xs_option_is_off(options->control) : sleeps;
    if (!wanted)
        return;
    const char *why = find_folder(options->control, folder);
    if (!why && !xs_control_make_name(path, folder, (struct xs_control_name){getpid(), seccomp_filters()}))
        why = "the path of a folder for sockets may have 75 bytes at most (XFERSPY_CONTROL)";
    if (why)
        xs_complain(&said, "no command can reach this process: %s", why);
    snprintf(while_made, sizeof while_made, "%s" XS_CONTROL_UNFINISHED, path);
    wanted = !why;
}

/* Makes the socket under another name first. A command deletes a socket to which it cannot connect, and must not find
 * this one before it listens. */
static int listen_at_path(void) {
    struct sockaddr_un address;
    int fd = open_socket();
    if (fd < 0)
        return -1;
    socklen_t bytes = xs_control_address(while_made, &address);
    if (syscall(SYS_bind, fd, &address, bytes) == 0 && chmod(while_made, 0600) == 0 &&
        syscall(SYS_listen, fd, BACKLOG) == 0 && rename(while_made, path) == 0)
        return fd;
    int saved = errno;
    (void)unlink(while_made);
    close(fd);
    errno = saved;
    return -1;
}

void xs_control_end(void) {
    if (atomic_exchange(&is_there, false))
        (void)unlink(path);
}

/* ---- what a request does ---- */

static enum xs_control_times device_times(void) {
    if (!xs_cupti_has_times())
        return XS_CONTROL_TIMES_NONE;
    if (xs_cupti_is_attached())
        return XS_CONTROL_TIMES_ON;
    return sleeps && xs_asked_window_is_open(XS_WINDOW_BY_CONTROL) ? XS_CONTROL_TIMES_COMING : XS_CONTROL_TIMES_OFF;
}

/* Waits a short time until the flusher has attached or detached CUPTI, so that most answers already show the new
 * state. */
static void await_switch(bool is_on) {
    const struct timespec pause = {0, SWITCH_LOOK_NS};
    uint64_t deadline = xs_monotonic_ns() + SWITCH_PATIENCE_NS;
    while (xs_cupti_has_times() && xs_cupti_is_attached() != is_on && atomic_load(&xs_state) == XS_STATE_ACTIVE &&
           xs_monotonic_ns() < deadline)
        syscall(SYS_nanosleep, &pause, NULL);
}

static void change(bool is_on, uint64_t for_ns) {
    until_ns = is_on && for_ns ? xs_monotonic_ns() + for_ns : 0;
    xs_asked_control_change(is_on);
    await_switch(is_on);
}

static const char *act(const struct xs_control_request *request) {
    if (atomic_load(&xs_state) != XS_STATE_ACTIVE)
        return "this process does not record any more";
    switch (request->verb) {
    case XS_CONTROL_STATUS:
        return NULL;
    case XS_CONTROL_SNAPSHOT:
        return xs_make_complete();
    case XS_CONTROL_START:
    case XS_CONTROL_STOP:
        break;
    }
    if (!sleeps)
        return "this process records from its start to its end; only one that began with XFERSPY_START=off can be "
               "started and stopped";
    change(request->verb == XS_CONTROL_START, request->for_ns);
    return request->verb == XS_CONTROL_STOP ? xs_make_complete() : NULL;
}

static void describe(struct xs_control_reply *reply) {
    struct xs_outside_windows windows = xs_outside_windows();
    uint64_t now_ns = xs_monotonic_ns();
    reply->pid = getpid();
    reply->is_changeable = sleeps;
    reply->is_recording = !sleeps || xs_asked_window_is_open(XS_WINDOW_BY_CONTROL);
    reply->device_times = device_times();
    reply->events = xs_drain_events();
    reply->windows = windows.count;
    reply->recorded_ns = windows.recorded_ns;
    reply->left_ns = until_ns > now_ns ? until_ns - now_ns : 0;
    snprintf(reply->program, sizeof reply->program, "%s", program_invocation_short_name);
    snprintf(reply->trace, sizeof reply->trace, "%s", xs_drain_path());
}

static bool is_from_this_user(int fd) {
    struct ucred peer = {0};
    socklen_t bytes = sizeof peer;
    return syscall(SYS_getsockopt, fd, SOL_SOCKET, SO_PEERCRED, &peer, &bytes) == 0 &&
           xs_control_is_permitted(peer.uid, geteuid());
}

static bool is_ready(int fd, uint64_t ns) {
    struct pollfd one = {.fd = fd, .events = POLLIN};
    struct timespec left = {(time_t)(ns / 1000000000), (long)(ns % 1000000000)};
    return syscall(SYS_ppoll, &one, 1, ns == UINT64_MAX ? NULL : &left, NULL, 0) > 0;
}

/* A socket of this type keeps the messages apart. A command that sends nothing holds up other commands for a second. */
static void serve(int fd) {
    static char line[XS_CONTROL_LINE_BYTES];
    static struct xs_control_reply reply;
    struct xs_control_request request;
    reply = (struct xs_control_reply){.refused = ""};
    if (!is_from_this_user(fd) || !is_ready(fd, REQUEST_PATIENCE_NS))
        return;
    ssize_t bytes = syscall(SYS_recvfrom, fd, line, sizeof line, MSG_DONTWAIT, NULL, NULL);
    if (bytes <= 0)
        return;
    const char *why = xs_control_read_request(line, (size_t)bytes, &request);
    why = why ? why : act(&request);
    if (why)
        snprintf(reply.refused, sizeof reply.refused, "%s", why);
    else
        describe(&reply);
    (void)syscall(SYS_sendto, fd, line, xs_control_write_reply(&reply, line), MSG_DONTWAIT | MSG_NOSIGNAL, NULL, 0);
}

/* Returns the time until the window closes by itself; UINT64_MAX: it does not. */
static uint64_t left_ns(void) {
    uint64_t now_ns = xs_monotonic_ns();
    if (!until_ns)
        return UINT64_MAX;
    return until_ns > now_ns ? until_ns - now_ns : 0;
}

static void listener_main(void) {
    xs_own_thread_stand_back();
    xs_own_descriptors();
    int listener = listen_at_path();
    if (listener < 0) {
        xs_note("control", "no command can reach this process: %s: %s", path, strerror(errno));
        return;
    }
    atomic_store(&is_there, true);
    while (atomic_load(&xs_state) == XS_STATE_ACTIVE) {
        bool is_asked = is_ready(listener, left_ns());
        if (left_ns() == 0) {
            change(false, 0);
            (void)xs_make_complete();
        }
        int fd = is_asked ? (int)syscall(SYS_accept4, listener, NULL, NULL, SOCK_CLOEXEC) : -1;
        if (fd < 0)
            continue;
        serve(fd);
        close(fd);
    }
    xs_control_end();
    close(listener);
}

void xs_control_start(void) {
    if (wanted)
        (void)xs_own_thread(listener_main);
}
