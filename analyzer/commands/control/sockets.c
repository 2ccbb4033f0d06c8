/* Finds processes and talks to them; see sockets.h. */
#include "analyzer/commands/control/sockets.h"

#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "analyzer/base/grow.h"
#include "analyzer/base/memory.h"
#include "analyzer/base/text.h"
#include "analyzer/commands/common/process.h"
#include "schema/clock.h"
#include "schema/spool/spool_location.h"

/* A process answers at once, or, if the request changes what is recorded, when CUPTI has been attached or detached and
 * the trace has been written: three seconds in the worst case. */
#define PATIENCE_NS UINT64_C(5000000000)
#define SHM "/dev/shm"
#define NO_ANSWER "it ended, or does not answer this user"

/* ---- connecting ---- */

/* True if the process at the other end belongs to the owner of the socket's file, so that nobody can answer for
 * somebody else's process. Sets `pid` to the process if it is visible from here. */
static bool is_its_owner(int fd, uid_t owner, int64_t *pid) {
    struct ucred peer = {0};
    socklen_t bytes = sizeof peer;
    if (getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &bytes) != 0 || peer.uid != owner)
        return false;
    if (peer.pid > 0)
        *pid = peer.pid;
    return true;
}

/* True if the library's threads in this process have got more seccomp filters since the socket was made. Of a process
 * in another namespace, that is not known. */
static bool is_in_sandbox(struct xs_control_name name) {
    XS_SCOPED char *folder = xs_text_format("/proc/%ld/task", (long)name.pid);
    DIR *threads = opendir(folder);
    bool is = false;
    // cppcheck-suppress readdirCalled ; the stream is this function's own
    for (struct dirent *entry; threads && !is && (entry = readdir(threads));) {
        static const char own[] = "Name:\txferspy\n";
        size_t bytes;
        if (*entry->d_name == '.')
            continue;
        XS_SCOPED char *file = xs_text_format("task/%s/status", entry->d_name);
        XS_SCOPED char *status = xs_process_file(name.pid, file, &bytes);
        is = status && strncmp(status, own, sizeof own - 1) == 0 && xs_control_filters(status) > name.filters;
    }
    if (threads)
        closedir(threads);
    return is;
}

static void append(struct xs_controlled_list *list, const struct xs_controlled *one) {
    xs_grow(&list->items, list->count, &list->capacity, sizeof *list->items);
    list->items[list->count++] = *one;
}

/* Adds the process of a socket to the list. A socket that nobody listens at is deleted if it is this user's. */
static void add(struct xs_controlled_list *list, const char *folder, const char *name) {
    const struct xs_control_name parts = xs_control_read_name(name);
    struct xs_controlled found = {.pid = parts.pid, .fd = -1};
    struct sockaddr_un address;
    struct stat st;
    int n = snprintf(found.path, sizeof found.path, "%s/%s", folder, name);
    for (size_t i = 0; i < list->count; i++)
        if (strcmp(list->items[i].path, found.path) == 0)
            return; /* the folder was named twice */
    if (!found.pid || n < 0 || n >= (int)sizeof found.path || lstat(found.path, &st) != 0 || !S_ISSOCK(st.st_mode))
        return;
    if (is_in_sandbox(parts)) {
        found.problem = "it has gone into a sandbox (seccomp), which could end it if it answered";
        append(list, &found);
        return;
    }
    int fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    socklen_t bytes = xs_control_address(found.path, &address);
    if (fd >= 0 && connect(fd, (struct sockaddr *)&address, bytes) == 0 && is_its_owner(fd, st.st_uid, &found.pid)) {
        found.fd = fd;
    } else {
        int error = errno;
        if (fd >= 0)
            close(fd);
        if (error == ECONNREFUSED && st.st_uid == geteuid())
            (void)unlink(found.path);
        if (error != EAGAIN) /* too many commands ask this process now */
            return;
        found.problem = "too many commands ask it now";
    }
    append(list, &found);
}

static void add_folder(struct xs_controlled_list *list, const char *folder) {
    DIR *entries = opendir(folder);
    // cppcheck-suppress readdirCalled ; the stream is this function's own
    for (struct dirent *entry; entries && (entry = readdir(entries));)
        add(list, folder, entry->d_name);
    if (entries)
        closedir(entries);
}

/* Adds the sockets in the folders of a user for files in memory. */
static void add_user(struct xs_controlled_list *list, uid_t uid) {
    char folders[XS_SPOOL_FOLDERS][XS_SPOOL_FOLDER_BYTES];
    size_t count = xs_spool_folders_of(uid, folders);
    for (size_t i = 0; i < count; i++)
        add_folder(list, folders[i]);
}

/* Adds the sockets of all other users, for root. */
static void add_other_users(struct xs_controlled_list *list) {
    static const char prefix[] = "xferspy-";
    DIR *entries = geteuid() == 0 ? opendir(SHM) : NULL;
    // cppcheck-suppress readdirCalled ; the stream is this function's own
    for (struct dirent *entry; entries && (entry = readdir(entries));) {
        const char *digits = entry->d_name + sizeof prefix - 1;
        if (strncmp(entry->d_name, prefix, sizeof prefix - 1) != 0 || !*digits || digits[strspn(digits, "0123456789")])
            continue;
        unsigned long uid = strtoul(digits, NULL, 10);
        if (uid != 0 && uid < UINT32_MAX)
            add_user(list, (uid_t)uid);
    }
    if (entries)
        closedir(entries);
}

/* ---- messages ---- */

static void fail(struct xs_controlled *one, const char *problem) {
    one->problem = problem;
    if (one->fd >= 0)
        close(one->fd);
    one->fd = -1;
}

static void receive(struct xs_controlled *one) {
    char line[XS_CONTROL_LINE_BYTES];
    ssize_t bytes = recv(one->fd, line, sizeof line, MSG_DONTWAIT);
    if (bytes <= 0 || !xs_control_read_reply(line, (size_t)bytes, &one->reply)) {
        fail(one, bytes <= 0 ? NO_ANSWER : "its answer is damaged");
        return;
    }
    one->is_answered = true;
    if (*one->reply.refused)
        one->problem = one->reply.refused;
    close(one->fd);
    one->fd = -1;
}

static size_t waiting(const struct xs_controlled_list *list, struct pollfd *polled) {
    size_t count = 0;
    for (size_t i = 0; i < list->count; i++) {
        polled[i] = (struct pollfd){.fd = list->items[i].fd, .events = POLLIN};
        count += list->items[i].fd >= 0;
    }
    return count;
}

void xs_control_exchange(struct xs_controlled_list *list, const struct xs_control_request *request) {
    char line[XS_CONTROL_LINE_BYTES];
    size_t bytes = xs_control_write_request(request, line);
    XS_SCOPED struct pollfd *polled = xs_realloc(NULL, (list->count + 1) * sizeof *polled);
    for (size_t i = 0; i < list->count; i++)
        if (list->items[i].fd >= 0 && send(list->items[i].fd, line, bytes, MSG_NOSIGNAL) != (ssize_t)bytes)
            fail(&list->items[i], NO_ANSWER);
    uint64_t now_ns = xs_monotonic_ns(), until_ns = now_ns + PATIENCE_NS;
    while (waiting(list, polled) && now_ns < until_ns) {
        poll(polled, list->count, (int)((until_ns - now_ns) / 1000000) + 1);
        for (size_t i = 0; i < list->count; i++)
            if (polled[i].fd >= 0 && polled[i].revents)
                receive(&list->items[i]);
        now_ns = xs_monotonic_ns();
    }
    for (size_t i = 0; i < list->count; i++)
        if (list->items[i].fd >= 0)
            fail(&list->items[i], "it does not answer; is it stopped?");
}

/* ---- choosing ---- */

static void drop(struct xs_controlled_list *list, size_t i) {
    if (list->items[i].fd >= 0)
        close(list->items[i].fd);
    list->items[i] = list->items[--list->count];
}

/* True if `ancestor` started the process, or started one of the processes from which it descends. */
static bool descends_from(int64_t pid, int64_t ancestor) {
    for (int depth = 0; pid > 1 && depth < 4096; depth++) {
        pid = xs_process_parent(pid);
        if (pid == ancestor)
            return true;
    }
    return false;
}

/* Marks the processes that a number means. */
static bool mark(const struct xs_controlled_list *list, int64_t pid, bool *is_meant) {
    bool any = false;
    for (size_t i = 0; i < list->count; i++)
        if (list->items[i].pid == pid)
            any = is_meant[i] = true;
    for (size_t i = 0; i < list->count && !any; i++)
        if (descends_from(list->items[i].pid, pid))
            for (size_t k = i; k < list->count; k++)
                any |= is_meant[k] |= descends_from(list->items[k].pid, pid);
    return any;
}

static void keep_processes(const struct xs_control_wanted *wanted, struct xs_controlled_list *list) {
    XS_SCOPED bool *is_meant = xs_realloc(NULL, (list->count + 1) * sizeof *is_meant);
    memset(is_meant, 0, (list->count + 1) * sizeof *is_meant);
    for (size_t i = 0; i < wanted->count; i++)
        if (!mark(list, wanted->pids[i], is_meant) && !list->missing)
            list->missing = wanted->pids[i];
    for (size_t i = list->count; i-- > 0;)
        if (!is_meant[i])
            drop(list, i);
}

static bool is_below(const char *path, const char *folder) {
    size_t bytes = strlen(folder);
    return strncmp(path, folder, bytes) == 0 && path[bytes] == '/';
}

/* Keeps the processes whose trace or socket lies in the folder. Their status is asked for to learn their traces, and
 * they are connected to once more. */
static void keep_job(const char *job, struct xs_controlled_list *list) {
    char folder[PATH_MAX];
    struct xs_controlled_list kept = {0};
    if (!realpath(job, folder)) {
        while (list->count)
            drop(list, list->count - 1);
        return;
    }
    xs_control_exchange(list, &(struct xs_control_request){.verb = XS_CONTROL_STATUS});
    for (size_t i = 0; i < list->count; i++) {
        const struct xs_controlled *one = &list->items[i];
        char *name = xs_strdup(one->path);
        char *slash = strrchr(name, '/');
        *slash = '\0';
        if (is_below(one->path, folder) || (one->is_answered && is_below(one->reply.trace, folder)))
            add(&kept, name, slash + 1);
        free(name);
    }
    xs_control_list_free(list);
    *list = kept;
}

static int by_pid(const void *a, const void *b) {
    const struct xs_controlled *x = a, *y = b;
    return x->pid != y->pid ? (x->pid > y->pid ? 1 : -1) : strcmp(x->path, y->path);
}

void xs_control_find(const struct xs_control_wanted *wanted, struct xs_controlled_list *list) {
    const char *named = getenv("XFERSPY_CONTROL");
    char folder[PATH_MAX];
    *list = (struct xs_controlled_list){0};
    add_user(list, geteuid());
    add_other_users(list);
    if (named && *named && realpath(named, folder))
        add_folder(list, folder);
    if (wanted->job && realpath(wanted->job, folder))
        add_folder(list, folder);
    if (wanted->job)
        keep_job(wanted->job, list);
    else if (!wanted->all)
        keep_processes(wanted, list);
    if (list->count)
        qsort(list->items, list->count, sizeof *list->items, by_pid);
}

void xs_control_list_free(struct xs_controlled_list *list) {
    for (size_t i = 0; i < list->count; i++)
        if (list->items[i].fd >= 0)
            close(list->items[i].fd);
    free(list->items);
    *list = (struct xs_controlled_list){0};
}
