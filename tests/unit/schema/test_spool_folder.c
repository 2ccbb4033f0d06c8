/* Where a spool lies: in a folder of memory that is certain to be this user's alone and has room, else beside the
 * trace. */
#include "support.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/capability.h>
#include <sched.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "schema/error.h"
#include "schema/spool/spool_location.h"

enum { MIB = 1 << 20 };

static void without_room_it_lies_beside_the_trace(void **state) {
    (void)state;
    struct xs_spool spool;
    struct xs_spool_files files;
    const char *path = in_scratch("t.db");
    assert_int_equal(xs_spool_locate(path, SIZE_MAX / 2, 8 * MIB, 1, xs_spool_runtime_dir(), &spool, &files), 0);
    assert_string_equal(files.memory, "");
    assert_true(exists(in_scratch("t.db.spool")));
    assert_string_equal(spool.header->id, "");
    xs_spool_unmap(&spool);
    assert_int_equal(xs_spool_locate(path, 4 * MIB, 8 * MIB, 1, xs_spool_runtime_dir(), &spool, &files),
                     XS_ERROR_SYSTEM);
    assert_int_equal(errno, EEXIST);
}

/* A small /dev/shm, such as a container has, is left to the program. */
static void a_small_tmpfs_is_not_used(void **state) {
    (void)state;
    struct xs_spool spool;
    struct xs_spool_files files;
    pid_t child = fork();
    if (child == 0) {
        if (geteuid() != 0 || unshare(CLONE_NEWNS) != 0 || mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) != 0 ||
            mount("small", "/dev/shm", "tmpfs", 0, "size=16m") != 0)
            _exit(77);
        unsetenv("XDG_RUNTIME_DIR");
        bool beside_it =
            xs_spool_locate(in_scratch("a.db"), 4 * MIB, 8 * MIB, 1, xs_spool_runtime_dir(), &spool, &files) == 0 &&
            files.memory[0] == 0;
        bool in_memory =
            xs_spool_locate(in_scratch("b.db"), 1 * MIB, 8 * MIB, 1, xs_spool_runtime_dir(), &spool, &files) == 0 &&
            files.memory[0] != 0;
        /* The spool may become larger than there is room for, but it does not. */
        int refused = xs_spool_grow(&spool, 120), grown = xs_spool_grow_without_file(&spool, 120);
        _exit(!beside_it ? 1 : !in_memory ? 2 : refused != XS_ERROR_FULL ? 3 : grown != 0 ? 4 : 0);
    }
    expect_child(child);
}

static bool leave(const char *name, off_t bytes) {
    int fd = open(name, O_CREAT | O_RDWR, 0600);
    bool done = fd >= 0 && fallocate(fd, 0, 0, bytes) == 0;
    close(fd);
    return done;
}

/* Returns whether a spool would be in memory now. */
static bool lies_in_memory(const char *name) {
    struct xs_spool spool;
    struct xs_spool_files files;
    if (xs_spool_locate(in_scratch(name), 4 * MIB, 8 * MIB, 1, xs_spool_runtime_dir(), &spool, &files) != 0)
        _exit(99);
    bool in_memory = files.memory[0] != 0;
    xs_spool_delete(&files);
    xs_spool_unmap(&spool);
    return in_memory;
}

/* Jobs that are killed again and again do not fill the tmpfs. */
static void what_others_left_is_bounded(void **state) {
    (void)state;
    pid_t child = fork();
    if (child == 0) {
        if (geteuid() != 0 || unshare(CLONE_NEWNS) != 0 || mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) != 0 ||
            mount("shm", "/dev/shm", "tmpfs", 0, "size=256m,mode=1777") != 0)
            _exit(77);
        unsetenv("XDG_RUNTIME_DIR");
        bool first = lies_in_memory("a.db");
        bool left = leave("/dev/shm/xferspy-0/1.spool", 60 * MIB);
        bool fits = lies_in_memory("b.db"); /* 60 + 4 MiB are a quarter */
        left = left && leave("/dev/shm/xferspy-0/2.spool", 1 * MIB);
        bool too_much = lies_in_memory("c.db");
        left = left && leave("/dev/shm/xferspy-0/1.spool", 100 * MIB) && truncate("/dev/shm/xferspy-0/1.spool", 0) == 0;
        bool again = lies_in_memory("d.db");
        left = left && leave("/dev/shm/others", 100 * MIB); /* no spool of this user's */
        _exit(!first ? 1 : !left ? 2 : !fits ? 3 : too_much ? 4 : !again ? 5 : !lies_in_memory("e.db") ? 6 : 0);
    }
    expect_child(child);
}

/* In a tmpfs with less than eight times of what a spool doubles by, each new thread still gets a chunk. */
static int take_for_threads(void) {
    struct xs_spool spool;
    struct xs_spool_files files;
    if (geteuid() != 0 || unshare(CLONE_NEWNS) != 0 || mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) != 0 ||
        mount("small", "/dev/shm", "tmpfs", 0, "size=16m,mode=1777") != 0)
        return 77;
    unsetenv("XDG_RUNTIME_DIR");
    if (xs_spool_locate(in_scratch("t.db"), 1 * MIB, 14 * MIB, 16, "", &spool, &files) != 0 || !files.memory[0] ||
        !leave("/dev/shm/others", 8 * MIB))
        return 1;
    unsigned hint = 0;
    for (uint32_t thread = 1; thread <= 12; thread++)
        if (!xs_spool_take(&spool, &hint, thread, 1, "thread"))
            return 2;
    for (unsigned i = 0; i < 6; i++) /* half of the chunks wait to be taken over: that is load */
        xs_chunk_finish(&spool, xs_spool_chunk(&spool, i));
    if (xs_spool_grow(&spool, 16) != XS_ERROR_FULL || xs_spool_grow_without_file(&spool, 16) != 0)
        return 3;
    for (unsigned i = 0; i < 6; i++)
        atomic_store(&xs_spool_chunk(&spool, i)->header.state, XS_CHUNK_ACTIVE);
    atomic_store(&spool.full, 0);
    if (xs_spool_grow(&spool, 32) != 16)
        return 4;
    for (uint32_t thread = 13; thread <= 32; thread++)
        if (!xs_spool_take(&spool, &hint, thread, 1, "thread"))
            return 5;
    int without = xs_spool_grow_without_file(&spool, 16); /* 0: before Linux 5.14 */
    if (without != 16 && without != 0)
        return 6;
    while (xs_spool_take(&spool, &hint, 33, 1, "thread")) {
    }
    if (!leave("/dev/shm/rest", 3 * MIB)) /* nearly all that is left */
        return 7;
    (void)!leave("/dev/shm/last", 1 * MIB);
    return xs_spool_grow(&spool, 16) != XS_ERROR_FULL || xs_spool_grow_without_file(&spool, 16) != 0 ? 8 : 0;
}

static void a_thread_gets_a_chunk_while_there_is_memory(void **state) {
    (void)state;
    pid_t child = fork();
    if (child == 0)
        _exit(take_for_threads());
    expect_child(child);
}

/* Where it cannot be asked how much is free, as under a changed root, there is none. */
static void what_cannot_be_asked_has_no_room(void **state) {
    struct xs_spool spool;
    struct xs_spool_files files;
    (void)state;
    const char *path = in_scratch("t.db");
    assert_int_equal(xs_spool_locate(path, 4 * MIB, 8 * MIB, 1, xs_spool_runtime_dir(), &spool, &files), 0);
    if (!files.memory[0])
        skip();
    snprintf(spool.header->folder, sizeof spool.header->folder, "/nonexistent");
    int grown = xs_spool_grow(&spool, 4), without = xs_spool_grow_without_file(&spool, 4);
    xs_spool_delete(&files);
    xs_spool_unmap(&spool);
    assert_int_equal(grown, XS_ERROR_FULL);
    assert_int_equal(without, 0);
}

/* The application became another user meanwhile, who may not delete anything in the folder. */
static int finish_as_another(const struct xs_spool_files *files, struct xs_spool *spool) {
    struct stat st;
    unsigned hint = 0;
    struct xs_chunk *chunk = xs_spool_take(spool, &hint, 1, 1, "thread");
    if (!chunk || setresuid(65534, 65534, 65534) != 0)
        return 77;
    xs_spool_finish(spool, files);
    if (fstat(spool->fd, &st) != 0 || st.st_nlink != 1)
        return 1;
    /* 15 chunks have a page each left, and one is the thread's. */
    if (st.st_blocks * 512 > (int64_t)(XS_SPOOL_HEADER_BYTES + 15 * 4096 + XS_SPOOL_CHUNK_BYTES))
        return 2;
    memset(chunk->events, 1, XS_SPOOL_CHUNK_EVENTS * sizeof chunk->events[0]);
    return xs_spool_take(spool, &hint, 2, 1, "late") ? 3 : 0;
}

static void another_user_gives_the_memory_back(void **state) {
    struct xs_spool spool;
    struct xs_spool_files files;
    int status;
    (void)state;
    if (geteuid() != 0)
        skip();
    const char *path = in_scratch("t.db");
    assert_int_equal(xs_spool_locate(path, 4 * MIB, 8 * MIB, 16, xs_spool_runtime_dir(), &spool, &files), 0);
    madvise(spool.header, spool.map_bytes, MADV_DOFORK);
    pid_t child = files.memory[0] ? fork() : -1;
    if (child == 0)
        _exit(finish_as_another(&files, &spool));
    int rc = child > 0 ? waitpid(child, &status, 0) : -1;
    xs_spool_delete(&files);
    xs_spool_unmap(&spool);
    if (rc < 0 || !WIFEXITED(status) || WEXITSTATUS(status) == 77)
        skip();
    assert_int_equal(WEXITSTATUS(status), 0);
}

#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
/* Returns whether the spool is in memory, and takes no more of it than its chunks need. */
static bool is_small(const struct xs_spool *spool, const struct xs_spool_files *files) {
    struct stat st;
    return stat(files->memory, &st) == 0 && st.st_size > 60 * MIB &&
           st.st_blocks * 512 <= (int64_t)(atomic_load(&spool->header->chunk_count) + 1) * XS_SPOOL_CHUNK_BYTES;
}

static int lock_all(const char *path) {
    struct xs_spool spool;
    struct xs_spool_files files;
    struct rlimit limit = {RLIM_INFINITY, RLIM_INFINITY};
    setrlimit(RLIMIT_MEMLOCK, &limit);
    if (xs_spool_locate(path, 4 * MIB, 64 * MIB, 16, xs_spool_runtime_dir(), &spool, &files) != 0)
        return 1;
    if (files.memory[0] == 0 || mlockall(MCL_CURRENT) != 0) {
        xs_spool_delete(&files);
        return 77;
    }
    int failed = is_small(&spool, &files) ? 0 : 2;
    failed |= xs_spool_grow(&spool, 16) == 16 && is_small(&spool, &files) ? 0 : 4;
    memset(xs_spool_chunk(&spool, 31), 1, XS_SPOOL_CHUNK_BYTES);
    failed |= mlockall(MCL_CURRENT) == 0 && is_small(&spool, &files) ? 0 : 8;
    xs_spool_delete(&files);
    return failed;
}

#endif

/* The application locks all its memory, which reads every page that may be read. */
static void locking_all_memory_fills_no_spool(void **state) {
    (void)state;
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
    skip(); /* its shadow takes terabytes */
#else
    pid_t child = fork();
    if (child == 0)
        _exit(lock_all(in_scratch("t.db")));
    expect_child(child);
#endif
}

#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
/* Everything that is mapped from now on is locked, and there may be little of it. */
static int lock_future(const char *path) {
    struct xs_spool spool;
    struct __user_cap_header_struct header = {_LINUX_CAPABILITY_VERSION_3, 0};
    struct __user_cap_data_struct none[2] = {{0}};
    struct rlimit limit = {4 * MIB, 4 * MIB};
    if (setrlimit(RLIMIT_MEMLOCK, &limit) != 0 || syscall(SYS_capset, &header, none) != 0 || mlockall(MCL_FUTURE) != 0)
        return 77;
    int status = xs_spool_create(path, 64 * MIB, 16, &spool);
    return status ? 1 : spool.map_bytes > 4 * MIB ? 2 : spool.map_bytes < 1 * MIB ? 3 : 0;
}
#endif

static void where_little_may_be_locked_it_is_small(void **state) {
    (void)state;
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
    skip();
#else
    pid_t child = fork();
    if (child == 0)
        _exit(lock_future(in_scratch("s")));
    expect_child(child);
#endif
}

/* All users can write to /dev/shm, and so can make this user's folder before he does. */
static void a_folder_that_another_user_made_is_not_used(void **state) {
    static const char folder[] = "/dev/shm/xferspy-0";
    (void)state;
    pid_t child = fork();
    if (child == 0) {
        if (geteuid() != 0 || unshare(CLONE_NEWNS) != 0 || mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) != 0 ||
            mount("shm", "/dev/shm", "tmpfs", 0, "size=1g,mode=1777") != 0)
            _exit(77);
        unsetenv("XDG_RUNTIME_DIR");
        int failed = 0;
        failed |= mkdir(folder, 0700) != 0 || chown(folder, 65534, 65534) != 0 || lies_in_memory("a.db") ? 1 : 0;
        failed |= rmdir(folder) != 0 || mkdir("/dev/shm/other", 0700) != 0 || symlink("other", folder) != 0 ||
                          lies_in_memory("b.db")
                      ? 2
                      : 0;
        failed |= unlink(folder) != 0 || mkdir(folder, 0700) != 0 || chmod(folder, 0777) != 0 || lies_in_memory("c.db")
                      ? 4
                      : 0;
        failed |= chmod(folder, 0700) != 0 || !lies_in_memory("d.db") ? 8 : 0;
        /* A user who can write to the folder above can rename this folder and put another one in its place. */
        failed |= chmod("/dev/shm", 0777) != 0 || lies_in_memory("e.db") ? 16 : 0;
        _exit(failed);
    }
    expect_child(child);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        IN_SCRATCH(without_room_it_lies_beside_the_trace),
        IN_SCRATCH(a_small_tmpfs_is_not_used),
        IN_SCRATCH(what_others_left_is_bounded),
        IN_SCRATCH(locking_all_memory_fills_no_spool),
        IN_SCRATCH(where_little_may_be_locked_it_is_small),
        IN_SCRATCH(a_thread_gets_a_chunk_while_there_is_memory),
        IN_SCRATCH(what_cannot_be_asked_has_no_room),
        IN_SCRATCH(another_user_gives_the_memory_back),
        IN_SCRATCH(a_folder_that_another_user_made_is_not_used),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
