/* Where a spool lies: in a folder of memory that is certain to be this user's alone and has room, else beside the
 * trace. */
#include "support.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "schema/spool/spool_place.h"

enum { MIB = 1 << 20 };

static void without_room_it_lies_beside_the_trace(void **state) {
    (void)state;
    struct xs_spool spool;
    struct xs_spool_files files;
    const char *path = in_scratch("t.db");
    assert_int_equal(xs_spool_place(path, SIZE_MAX / 2, 8 * MIB, 1, xs_spool_runtime_dir(), &spool, &files), 0);
    assert_string_equal(files.memory, "");
    assert_true(exists(in_scratch("t.db.spool")));
    assert_string_equal(spool.header->id, "");
    xs_spool_unmap(&spool);
    assert_int_equal(xs_spool_place(path, 4 * MIB, 8 * MIB, 1, xs_spool_runtime_dir(), &spool, &files),
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
            mount("small", "/dev/shm", "tmpfs", 0, "size=16m") != 0) {
            _exit(77);
        }
        unsetenv("XDG_RUNTIME_DIR");
        bool beside_it =
            xs_spool_place(in_scratch("a.db"), 4 * MIB, 8 * MIB, 1, xs_spool_runtime_dir(), &spool, &files) == 0 &&
            files.memory[0] == 0;
        bool in_memory =
            xs_spool_place(in_scratch("b.db"), 1 * MIB, 8 * MIB, 1, xs_spool_runtime_dir(), &spool, &files) == 0 &&
            files.memory[0] != 0;
        /* It may become larger than there is room for, but does not. */
        int refused = xs_spool_grow(&spool, 120), grown = xs_spool_grow_without_file(&spool, 120);
        _exit(!beside_it ? 1 : !in_memory ? 2 : refused != XS_ERROR_FULL ? 3 : grown != 0 ? 4 : 0);
    }
    int status;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status));
    if (WEXITSTATUS(status) == 77) {
        skip();
    }
    assert_int_equal(WEXITSTATUS(status), 0);
}

static bool leave(const char *name, off_t bytes) {
    int fd = open(name, O_CREAT | O_RDWR, 0600);
    bool done = fd >= 0 && fallocate(fd, 0, 0, bytes) == 0;
    close(fd);
    return done;
}

/* Whether a spool would lie in memory now. */
static bool lies_in_memory(const char *name) {
    struct xs_spool spool;
    struct xs_spool_files files;
    if (xs_spool_place(in_scratch(name), 4 * MIB, 8 * MIB, 1, xs_spool_runtime_dir(), &spool, &files) != 0) {
        _exit(99);
    }
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
            mount("shm", "/dev/shm", "tmpfs", 0, "size=256m,mode=1777") != 0) {
            _exit(77);
        }
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
    int status;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status));
    if (WEXITSTATUS(status) == 77) {
        skip();
    }
    assert_int_equal(WEXITSTATUS(status), 0);
}

/* All users can write to /dev/shm, and so can make this user's folder before he does. */
static void a_folder_that_another_user_made_is_not_used(void **state) {
    static const char folder[] = "/dev/shm/xferspy-0";
    (void)state;
    pid_t child = fork();
    if (child == 0) {
        if (geteuid() != 0 || unshare(CLONE_NEWNS) != 0 || mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) != 0 ||
            mount("shm", "/dev/shm", "tmpfs", 0, "size=1g,mode=1777") != 0) {
            _exit(77);
        }
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
        /* Whoever can write to the folder above can rename this one and put another in its place. */
        failed |= chmod("/dev/shm", 0777) != 0 || lies_in_memory("e.db") ? 16 : 0;
        _exit(failed);
    }
    int status;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status));
    if (WEXITSTATUS(status) == 77) {
        skip();
    }
    assert_int_equal(WEXITSTATUS(status), 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        IN_SCRATCH(without_room_it_lies_beside_the_trace),
        IN_SCRATCH(a_small_tmpfs_is_not_used),
        IN_SCRATCH(what_others_left_is_bounded),
        IN_SCRATCH(a_folder_that_another_user_made_is_not_used),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
