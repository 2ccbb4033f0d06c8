/* Makes a trace whose process was killed while its spool lay in memory. */
#include "killed.h"

#include <fcntl.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

const char *path, *beside;
char memory[sizeof((struct xs_spool_files *)0)->memory];

static bool write_text(const char *name, const char *text) {
    int fd = open(name, O_WRONLY | O_CLOEXEC);
    if (fd < 0)
        return false;
    bool done = write(fd, text, strlen(text)) == (ssize_t)strlen(text);
    close(fd);
    return done;
}

/* Only root may mount, or a user in a user namespace, in which the user stays the same. */
static bool mount_own_memory(void) {
    char users[64], groups[64];
    bool is_root = geteuid() == 0;
    snprintf(users, sizeof users, "%u %u 1", geteuid(), geteuid());
    snprintf(groups, sizeof groups, "%u %u 1", getegid(), getegid());
    return unshare(CLONE_NEWNS | (is_root ? 0 : CLONE_NEWUSER)) == 0 &&
           (is_root || (write_text("/proc/self/setgroups", "deny") && write_text("/proc/self/uid_map", users) &&
                        write_text("/proc/self/gid_map", groups))) &&
           mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) == 0 &&
           mount("own", "/dev/shm", "tmpfs", MS_NOSUID | MS_NODEV, "mode=1777") == 0;
}

void have_own_memory(void) {
    int status = -1;
    /* A child tries it first: some machines allow a user namespace and then refuse its users, and a process in such a
     * namespace is nobody. */
    pid_t child = fork();
    if (child == 0)
        _exit(mount_own_memory() ? 0 : 1);
    if (child > 0 && waitpid(child, &status, 0) == child && status == 0)
        (void)mount_own_memory();
}

/* Makes a spool, writes to `to` where it lies, and is killed. */
static void place_and_die(int to, uint64_t events, bool start) {
    struct xs_spool spool;
    struct xs_spool_files files;
    struct xs_store *store;
    if (xs_spool_create_for_trace(path, 4 * MIB, 8 * MIB, 16, xs_spool_runtime_dir(), &spool, &files) != 0 ||
        write(to, files.memory, sizeof files.memory) != (ssize_t)sizeof files.memory ||
        xs_store_create(path, &store) != 0)
        _exit(1);
    if (start) {
        xs_spool_start(&spool, path);
        xs_store_meta_text(store, "spool.id", spool.header->id[0] ? spool.header->id : NULL);
        xs_store_entry_point(store, 1, "cuMemcpyHtoD_v2", XS_CAT_TRANSFER);
    }
    write_and_die(&spool, store, events, 0);
}

bool make_killed(const char *name, uint64_t events, bool start) {
    static char name_of_memory[sizeof((struct xs_spool_files *)0)->memory];
    int ends[2], status;
    path = in_scratch(name);
    static char spool_name[300];
    snprintf(spool_name, sizeof spool_name, "%s.spool", path);
    beside = spool_name;
    assert_int_equal(pipe(ends), 0);
    pid_t child = fork();
    if (child == 0)
        place_and_die(ends[1], events, start);
    close(ends[1]);
    assert_int_equal(read(ends[0], name_of_memory, sizeof name_of_memory), sizeof name_of_memory);
    close(ends[0]);
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFSIGNALED(status));
    snprintf(memory, sizeof memory, "%s", name_of_memory);
    return memory[0] != 0;
}

void expect_events(int64_t events) {
    struct xs_trace trace;
    char message[XS_TRACE_MESSAGE_BYTES];
    int status = xs_trace_open(path, &trace, message);
    assert_string_equal(message, "");
    assert_int_equal(status, 0);
    assert_string_equal(trace.warning, events ? "" : "its process was killed before it recorded anything");
    assert_int_equal(number_of(trace.db, "SELECT count(*) FROM transfer"), events);
    xs_trace_close(&trace);
}

void change_pointer(size_t offset, const void *to, size_t bytes) {
    int fd = open(beside, O_WRONLY);
    assert_int_equal(pwrite(fd, to, bytes, (off_t)offset), bytes);
    close(fd);
}

void make_older(const char *name, int64_t seconds) {
    const struct timespec then = {time(NULL) - seconds, 0}, times[2] = {then, then};
    assert_int_equal(utimensat(AT_FDCWD, name, times, 0), 0);
}
