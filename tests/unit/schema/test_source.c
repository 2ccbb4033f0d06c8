/* Source files that a trace names: which are read at all. Each rule has a file that breaks it alone. */
#include "support.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <sched.h>
#include <sys/inotify.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

#include "schema/source/source_file.h"

#define TEXT "first\n\tsecond\nthird"
static const struct timespec old[2] = {{.tv_sec = 1000}, {.tv_sec = 1000}};
#define OLD_NS (INT64_C(1000) * 1000000000)

/* --- which files are read --- */

static char *make_file(const char *name, const char *text, size_t bytes) {
    char *path = strdup(in_scratch(name));
    write_all(path, text, bytes);
    assert_int_equal(utimensat(AT_FDCWD, path, old, 0), 0);
    return path;
}

static void expect(const char *path, int64_t not_after_ns, enum xs_source_status expected) {
    struct xs_source_file file;
    assert_int_equal(xs_source_file_read(path, not_after_ns, &file), expected);
    if (expected != XS_SOURCE_READ)
        assert_null(file.text);
    xs_source_file_free(&file);
}

static void plain_text_is_read(void **state) {
    (void)state;
    struct xs_source_file file, again;
    char *path = make_file("plain", TEXT, strlen(TEXT)), link_path[PATH_MAX];
    assert_int_equal(xs_source_file_read(path, OLD_NS, &file), XS_SOURCE_READ);
    assert_string_equal(file.text, TEXT);
    assert_int_equal(file.identity.bytes, strlen(TEXT));
    assert_int_equal(file.identity.mtime_ns, OLD_NS);
    snprintf(link_path, sizeof link_path, "%s", in_scratch("link"));
    assert_int_equal(symlink(path, link_path), 0); /* the user's own detour */
    assert_int_equal(xs_source_file_read(link_path, OLD_NS, &again), XS_SOURCE_READ);
    assert_string_equal(again.text, TEXT);
    xs_source_file_free(&again);
    xs_source_file_free(&file);
    free(path);
}

static void files_that_are_not_read(void **state) {
    (void)state;
    char *path = make_file("changed", TEXT, strlen(TEXT)), *huge = make_file("huge", "", 0);
    char *binary = make_file("binary", "text\0more", 9);
    expect(path, OLD_NS - 1, XS_SOURCE_CHANGED);
    expect(path, INT64_MIN, XS_SOURCE_CHANGED);
    expect(in_scratch("none"), INT64_MAX, XS_SOURCE_GONE);
    expect("plain", INT64_MAX, XS_SOURCE_GONE); /* relative: to what? */
    expect("", INT64_MAX, XS_SOURCE_GONE);
    expect(binary, INT64_MAX, XS_SOURCE_REFUSED);
    assert_int_equal(truncate(huge, XS_SOURCE_FILE_BYTES + 1), 0);
    expect(huge, INT64_MAX, XS_SOURCE_TOO_LARGE);
    assert_int_equal(mkfifo(in_scratch("fifo"), 0600), 0);
    expect(in_scratch("fifo"), INT64_MAX, XS_SOURCE_REFUSED);
    expect("/", INT64_MAX, XS_SOURCE_REFUSED);
    expect("/dev/zero", INT64_MAX, XS_SOURCE_REFUSED);
    expect("/proc/self/status", INT64_MAX, XS_SOURCE_REFUSED);
    expect("/sys/kernel/notes", INT64_MAX, XS_SOURCE_REFUSED);
    char link_path[PATH_MAX];
    snprintf(link_path, sizeof link_path, "%s", in_scratch("to_proc"));
    assert_int_equal(symlink("/proc/self/status", link_path), 0);
    expect(link_path, INT64_MAX, XS_SOURCE_REFUSED);
    free(path);
    free(huge);
    free(binary);
}

/* Opening alone already does something to some devices: what is no regular file is looked at only. */
static void what_is_no_file_is_not_opened(void **state) {
    (void)state;
    struct inotify_event event;
    char fifo[PATH_MAX];
    snprintf(fifo, sizeof fifo, "%s", in_scratch("fifo"));
    assert_int_equal(mkfifo(fifo, 0600), 0);
    int watch = inotify_init1(IN_NONBLOCK);
    assert_true(inotify_add_watch(watch, fifo, IN_OPEN) >= 0);
    expect(fifo, INT64_MAX, XS_SOURCE_REFUSED);
    assert_int_equal(read(watch, &event, sizeof event), -1);
    assert_int_equal(errno, EAGAIN);
    close(open(fifo, O_RDONLY | O_NONBLOCK)); /* the watch works */
    assert_int_equal(read(watch, &event, sizeof event), sizeof event);
    close(watch);
}

static bool looks_regular;

/* Takes the place of the C library's, to let something be put in a file's place between looking and opening. */
int lstat(const char *path, struct stat *st) {
    int result = fstatat(AT_FDCWD, path, st, AT_SYMLINK_NOFOLLOW);
    if (looks_regular)
        st->st_mode = S_IFREG | 0600;
    return result;
}

static void what_was_put_in_a_files_place_is_not_read(void **state) {
    (void)state;
    char fifo[PATH_MAX];
    snprintf(fifo, sizeof fifo, "%s", in_scratch("fifo"));
    assert_int_equal(mkfifo(fifo, 0600), 0);
    looks_regular = true;
    expect(fifo, INT64_MAX, XS_SOURCE_REFUSED);
    looks_regular = false;
}

/* Files of the kernel's file systems are refused, wherever they are mounted. */
static void proc_under_another_name_is_not_read(void **state) {
    (void)state;
    char folder[PATH_MAX], name[PATH_MAX];
    snprintf(folder, sizeof folder, "%s", in_scratch("p"));
    snprintf(name, sizeof name, "%s", in_scratch("p/version"));
    assert_int_equal(mkdir(folder, 0700), 0);
    pid_t child = fork();
    if (child == 0) {
        if (geteuid() != 0 || unshare(CLONE_NEWNS) != 0 || mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) != 0 ||
            mount("/proc", folder, NULL, MS_BIND, NULL) != 0)
            _exit(77);
        struct xs_source_file file;
        _exit(xs_source_file_read(name, INT64_MAX, &file) == XS_SOURCE_REFUSED ? 0 : 1);
    }
    expect_child(child);
}

/* A file of root that all can read, such as a system's header, is read. Only root can make a file of another user
 * here. */
static void files_of_others(void **state) {
    (void)state;
    expect("/etc/passwd", INT64_MAX, XS_SOURCE_READ);
    if (geteuid() != 0)
        return;
    char *path = make_file("foreign", TEXT, strlen(TEXT));
    assert_int_equal(chown(path, 65534, 65534), 0);
    assert_int_equal(chmod(path, 0644), 0);
    expect(path, INT64_MAX, XS_SOURCE_REFUSED);
    free(path);
    /* root's own file is refused if another user reads */
    path = make_file("private", TEXT, strlen(TEXT));
    assert_int_equal(chmod(in_scratch(""), 0755), 0);
    assert_int_equal(chmod(path, 0640), 0);
    assert_int_equal(setegid(0), 0);
    assert_int_equal(seteuid(65534), 0);
    struct xs_source_file file;
    enum xs_source_status status = xs_source_file_read(path, INT64_MAX, &file);
    assert_int_equal(seteuid(0), 0);
    assert_int_equal(status, XS_SOURCE_REFUSED);
    free(path);
}

static void lines_are_found(void **state) {
    (void)state;
    struct xs_source_file file;
    char *path = make_file("lines", TEXT "\n", strlen(TEXT) + 1);
    size_t at = 0, bytes = 0;
    uint32_t at_line = 1;
    assert_int_equal(xs_source_file_read(path, INT64_MAX, &file), XS_SOURCE_READ);
    static const char *const expected[] = {"third", "first", "\tsecond", "third"};
    static const uint32_t numbers[] = {3, 1, 2, 3};
    for (size_t i = 0; i < 4; i++) {
        const char *line = xs_source_file_line(&file, numbers[i], &at, &at_line, &bytes);
        assert_non_null(line);
        assert_int_equal(bytes, strlen(expected[i]));
        assert_memory_equal(line, expected[i], bytes);
    }
    assert_null(xs_source_file_line(&file, 4, &at, &at_line, &bytes));
    assert_null(xs_source_file_line(&file, UINT32_MAX, &at, &at_line, &bytes));
    assert_non_null(xs_source_file_line(&file, 2, &at, &at_line, &bytes));
    xs_source_file_free(&file);
    free(path);
    char *text = malloc(3 * XS_SOURCE_LINE_BYTES);
    memset(text, 'x', 3 * XS_SOURCE_LINE_BYTES);
    path = make_file("long", text, 3 * XS_SOURCE_LINE_BYTES);
    at = 0;
    at_line = 1;
    assert_int_equal(xs_source_file_read(path, INT64_MAX, &file), XS_SOURCE_READ);
    assert_non_null(xs_source_file_line(&file, 1, &at, &at_line, &bytes));
    assert_int_equal(bytes, XS_SOURCE_LINE_BYTES);
    xs_source_file_free(&file);
    free(text);
    free(path);
}

/* --- which lines are wanted, and their rows --- */

static char wanted[256];
static int calls_left;

static bool note_line(void *data, const char *file, uint32_t line) {
    assert_ptr_equal(data, wanted);
    if (file)
        snprintf(wanted + strlen(wanted), sizeof wanted - strlen(wanted), "%s:%u ", file, line);
    return --calls_left > 0;
}

static void the_users_line_of_each_stack_is_wanted(void **state) {
    (void)state;
    struct xs_store *store;
    sqlite3 *db;
    const char *path = in_scratch("t.db");
    assert_int_equal(xs_store_create(path, &store), 0);
    assert_int_equal(sqlite3_open(path, &db), SQLITE_OK);
    assert_int_equal(
        sqlite3_exec(
            db,
            "INSERT INTO python_code VALUES (1,'/app/a.py','f',1),(2,'/usr/lib/python3.11/threading.py','g',1),"
            "(3,'/v/site-packages/torch/nn.py','h',1);"
            "INSERT INTO stack(id,native_frames,python_frames,is_cut) VALUES (1,1,3,0),(2,1,2,0),(3,1,2,0),(4,1,2,0),"
            "(0,0,1,0),(5,0,1,0);" /* samples */
            "INSERT INTO stack_frame (id,stack,depth,address) VALUES (4096,1,0,99);"
            "INSERT INTO stack_frame (id,stack,depth,code,line) VALUES (6144,1,0,3,7),(6145,1,1,1,12),"
            "(6146,1,2,1,30),(10240,2,0,1,0),(10241,2,1,1,31),(14336,3,0,2,5),(14337,3,1,9,6),"
            "(18432,4,0,1,-5),(18433,4,1,1,99999999999),(2048,0,0,1,70),(22528,5,0,1,71)",
            NULL, NULL, NULL),
        SQLITE_OK);
    sqlite3_close(db);
    *wanted = 0;
    calls_left = 100;
    assert_int_equal(xs_store_python_lines(store, note_line, wanted), 0);
    assert_string_equal(wanted, "/app/a.py:12 /app/a.py:31 /app/a.py:70 /app/a.py:71 ");
    *wanted = 0;
    calls_left = 1; /* the time is over at the first row, which is of no interest */
    assert_int_equal(xs_store_python_lines(store, note_line, wanted), 0);
    assert_string_equal(wanted, "");
    struct xs_source_identity identity = {10, 20};
    int64_t id = 0;
    assert_int_equal(xs_store_source_file(store, "/app/a.py", &identity, &id), 0);
    assert_int_equal(xs_store_source_line(store, id, 12, "text and more", 4), 0);
    char value[7]; /* "running" does not fit */
    assert_true(xs_store_meta_read(store, "status", (char[16]){0}, 16));
    assert_false(xs_store_meta_read(store, "status", value, sizeof value));
    assert_false(xs_store_meta_read(store, "none", value, sizeof value));
    assert_int_equal(xs_store_close(store), 0);
    assert_string_equal(rows_of_file(path, "SELECT * FROM source_file"), "1|/app/a.py|10|20");
    assert_string_equal(rows_of_file(path, "SELECT * FROM source_line"), "1|1|12|text");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        IN_SCRATCH(plain_text_is_read),
        IN_SCRATCH(files_that_are_not_read),
        IN_SCRATCH(what_is_no_file_is_not_opened),
        IN_SCRATCH(what_was_put_in_a_files_place_is_not_read),
        IN_SCRATCH(proc_under_another_name_is_not_read),
        IN_SCRATCH(files_of_others),
        IN_SCRATCH(lines_are_found),
        IN_SCRATCH(the_users_line_of_each_stack_is_wanted),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
