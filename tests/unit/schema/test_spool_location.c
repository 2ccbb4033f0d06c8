/* Tests who finds a spool in memory by the pointer beside the trace: only the trace's owner reads it, and it is not
 * touched if its owner is not certain. test_spool_folder.c tests where spools are, test_spool_sweep.c what is left of
 * them. */
#include "killed.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stddef.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "schema/spool/spool_location.h"

static struct xs_trace trace;
static char message[XS_TRACE_MESSAGE_BYTES];

static void expect_warning(const char *words) {
    assert_int_equal(xs_trace_open(path, &trace, message), 0);
    if (!strstr(trace.warning, words))
        fail_msg("the warning is: %s", trace.warning);
    assert_non_null(strstr(trace.warning, memory));
    assert_int_equal(number_of(trace.db, "SELECT count(*) FROM transfer"), 0);
    xs_trace_close(&trace);
}

static void a_spool_in_memory_is_found_and_removed(void **state) {
    (void)state;
    if (!make_killed("t.db", 700, true))
        skip();
    struct stat st;
    assert_int_equal(stat(memory, &st), 0);
    assert_int_equal(st.st_mode & 07777, 0600);
    assert_true(st.st_blocks * 512 < 2 * MIB); /* the part into which the spool may grow takes no memory */
    expect_events(700);
    assert_false(exists(memory));
    assert_false(exists(beside));
    expect_events(700);
}

static void one_that_is_gone_is_named(void **state) {
    (void)state;
    if (!make_killed("t.db", 5, true))
        skip();
    unlink(memory);
    expect_warning("they are lost, because that file is gone");
    expect_warning("they are lost, because that file is gone"); /* every time */
}

static void one_of_a_machine_that_was_restarted_is_named(void **state) {
    (void)state;
    if (!make_killed("t.db", 5, true))
        skip();
    unlink(memory);
    change_pointer(offsetof(struct xs_spool_header, boot_id), "another", 8);
    expect_warning("this machine was restarted since");
    change_pointer(offsetof(struct xs_spool_header, host), "elsewhere", 10);
    assert_int_equal(xs_trace_open(path, &trace, message), 0);
    assert_non_null(strstr(trace.warning, "its process ran on another machine")); /* and may still do so */
    assert_non_null(strstr(trace.warning, memory));
    assert_non_null(strstr(trace.warning, " on elsewhere"));
    assert_int_equal(trace.is_live, 1);
    xs_trace_close(&trace);
}

/* The process was killed before the trace had the spool's number, so no event can be missing. */
static void one_that_was_killed_before_the_first_event_is_whole(void **state) {
    (void)state;
    if (!make_killed("t.db", 0, false))
        skip();
    expect_events(0);
    assert_false(exists(beside));
    unlink(memory); /* which is swept by the next command */
    make_killed("t2.db", 5, false);
    assert_int_equal(xs_trace_open(path, &trace, message), 0);
    assert_non_null(strstr(trace.warning, "damaged")); /* whose events they are is not known */
    xs_trace_close(&trace);
    assert_true(exists(memory));
    unlink(memory);
}

/* A stranger's trace names a spool of this user. The stranger has somehow learned its number. */
static void a_spool_of_another_trace_is_not_taken(void **state) {
    char victim[sizeof memory];
    (void)state;
    if (!make_killed("victim.db", 9, true))
        skip();
    memcpy(victim, memory, sizeof victim);
    size_t bytes;
    unsigned char *pointer = read_all(beside, &bytes);
    make_killed("t.db", 5, true);
    unlink(beside);
    write_all(beside, pointer, bytes);
    chmod(beside, 0600);
    free(pointer);
    assert_int_equal(xs_trace_open(path, &trace, message), 0);
    assert_non_null(strstr(trace.warning, "damaged"));
    assert_int_equal(number_of(trace.db, "SELECT count(*) FROM transfer"), 0);
    xs_trace_close(&trace);
    assert_true(exists(victim));
    unlink(memory);
    path = in_scratch("victim.db");
    expect_events(9);
}

/* The stranger's trace and pointer have the number of a spool of this user. The trace is read in a copy, which belongs
 * to this user and once got the events. */
static void a_strangers_pointer_leads_to_no_spool_of_this_users(void **state) {
    (void)state;
    if (geteuid() != 0 || !make_killed("t.db", 5, true))
        skip();
    static const char *const files[] = {"t.db", "t.db-wal", "t.db-shm", "t.db.spool"};
    for (size_t i = 0; i < sizeof files / sizeof *files; i++)
        assert_int_equal(chown(in_scratch(files[i]), 65534, 65534), 0);
    expect_warning("its last events are not here, but in ");
    expect_warning("; the next command of the trace's owner takes them over");
    assert_true(exists(memory));
    unlink(memory);
}

static void one_that_cannot_be_looked_at_is_not_said_to_be_lost(void **state) {
    char away[sizeof memory + 8];
    (void)state;
    if (!make_killed("t.db", 5, true))
        skip();
    snprintf(away, sizeof away, "%s.away", memory);
    assert_int_equal(rename(memory, away), 0);
    assert_int_equal(symlink(away, memory), 0); /* which is not followed */
    assert_int_equal(xs_trace_open(path, &trace, message), 0);
    assert_int_equal(rename(away, memory), 0);
    assert_non_null(strstr(trace.warning, "that file could not be looked at"));
    xs_trace_close(&trace);
    expect_events(5);
}

static void a_pointer_leads_only_into_known_folders(void **state) {
    (void)state;
    if (!make_killed("t.db", 5, true))
        skip();
    char folder[XS_SPOOL_FOLDER_BYTES] = "/tmp";
    change_pointer(offsetof(struct xs_spool_header, folder), folder, sizeof folder);
    assert_int_equal(xs_trace_open(path, &trace, message), 0);
    assert_non_null(strstr(trace.warning, "not here, but in /tmp/"));
    assert_non_null(strstr(trace.warning, "a command with the XDG_RUNTIME_DIR of the run takes them over"));
    xs_trace_close(&trace);
    assert_true(exists(memory));
    unlink(memory);
}

static void a_pointer_with_a_path_for_a_number_is_damaged(void **state) {
    (void)state;
    if (!make_killed("t.db", 5, true))
        skip();
    char id[XS_SPOOL_ID_BYTES] = "../../../../../../../etc/passwdxx";
    change_pointer(offsetof(struct xs_spool_header, id), id, sizeof id);
    assert_int_equal(xs_trace_open(path, &trace, message), 0);
    assert_non_null(strstr(trace.warning, "damaged"));
    xs_trace_close(&trace);
    unlink(memory);
}

/* The file has the name that is in the pointer, but contains another number, which is the trace's. */
static void a_spool_under_another_number_is_not_taken(void **state) {
    (void)state;
    if (!make_killed("t.db", 5, true))
        skip();
    char id[XS_SPOOL_ID_BYTES] = "0123456789abcdef0123456789abcdef", other[sizeof memory];
    memcpy(other, memory, sizeof other);
    memcpy(strrchr(other, '/') + 1, id, sizeof id - 1);
    assert_int_equal(rename(memory, other), 0);
    change_pointer(offsetof(struct xs_spool_header, id), id, sizeof id);
    assert_int_equal(xs_trace_open(path, &trace, message), 0);
    bool is_there = exists(other);
    unlink(other);
    assert_non_null(strstr(trace.warning, "damaged"));
    assert_int_equal(number_of(trace.db, "SELECT count(*) FROM transfer"), 0);
    xs_trace_close(&trace);
    assert_true(is_there);
}

static void copy_of(const char *from, const char *to) {
    size_t bytes;
    unsigned char *data = read_all(from, &bytes);
    write_all(to, data, bytes);
    chmod(to, 0600);
    free(data);
}

/* A copy of the trace shows the events, and the spool keeps them for the trace. */
static void a_copy_leaves_the_spool_to_the_trace(void **state) {
    (void)state;
    if (!make_killed("t.db", 5, true))
        skip();
    copy_of(path, in_scratch("copy.db"));
    copy_of(in_scratch("t.db-wal"), in_scratch("copy.db-wal"));
    copy_of(beside, in_scratch("copy.db.spool"));
    path = in_scratch("copy.db");
    expect_events(5);
    assert_true(exists(memory));
    assert_false(exists(in_scratch("copy.db.spool")));
    path = in_scratch("t.db");
    expect_events(5);
    assert_false(exists(memory));
}

static void a_renamed_trace_takes_its_spool_along(void **state) {
    (void)state;
    if (!make_killed("t.db", 5, true))
        skip();
    const char *const suffixes[] = {"", "-wal", ".spool"};
    for (size_t i = 0; i < 3; i++) {
        char from[64], to[64];
        snprintf(from, sizeof from, "t.db%s", suffixes[i]);
        snprintf(to, sizeof to, "other.db%s", suffixes[i]);
        assert_int_equal(rename(in_scratch(from), in_scratch(to)), 0);
    }
    path = in_scratch("other.db");
    expect_events(5);
    assert_false(exists(memory));
}

static void *write_on(void *ready) {
    (void)!write(*(int *)ready, "x", 1);
    pause();
    return NULL;
}

/* The first thread of the process is then a zombie, and /proc describes the process by this thread. */
static void a_process_without_its_main_thread_lives(void **state) {
    struct xs_spool_found found;
    int ends[2];
    char byte;
    (void)state;
    path = in_scratch("t.db");
    assert_int_equal(pipe(ends), 0);
    pid_t child = fork();
    if (child == 0) {
        static struct xs_spool spool;
        static struct xs_spool_files files;
        pthread_t thread;
        if (xs_spool_create_for_trace(path, 4 * MIB, 8 * MIB, 1, xs_spool_runtime_dir(), &spool, &files) != 0 ||
            pthread_create(&thread, NULL, write_on, &ends[1]) != 0)
            _exit(1);
        pthread_exit(NULL);
    }
    assert_int_equal(read(ends[0], &byte, 1), 1);
    char stat_path[64], line[256] = "";
    snprintf(stat_path, sizeof stat_path, "/proc/%d/stat", (int)child);
    while (!strstr(line, ") Z")) { /* until the main thread is gone */
        FILE *file = fopen(stat_path, "r");
        assert_non_null(file);
        assert_non_null(fgets(line, sizeof line, file));
        fclose(file);
        sched_yield();
    }
    assert_int_equal(xs_spool_find(path, &found), 0);
    assert_int_equal(xs_spool_writer(xs_spool_found_header(&found), found.files.beside), XS_WRITER_LIVES);
    kill(child, SIGKILL);
    int status;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(xs_spool_writer(xs_spool_found_header(&found), found.files.beside), XS_WRITER_GONE);
    xs_spool_delete(&found.files);
    xs_spool_found_free(&found);
}

/* Any process that may write to a spool can truncate it while it is read. A mapping would then raise SIGBUS. */
static void a_spool_cut_off_while_it_is_read_is_an_error(void **state) {
    struct xs_spool_found found;
    struct xs_store *store;
    (void)state;
    if (!make_killed("t.db", 2000, true))
        skip();
    assert_int_equal(xs_spool_find(path, &found), 0);
    assert_int_equal(truncate(memory, XS_SPOOL_HEADER_BYTES + XS_SPOOL_CHUNK_BYTES), 0);
    assert_int_equal(xs_store_open(path, &store), 0);
    assert_int_equal(xs_store_begin(store), 0);
    assert_int_equal(xs_spool_drain(&found.spool, store, 0, true), XS_ERROR_CORRUPT);
    xs_store_rollback(store);
    assert_int_equal(xs_store_close(store), 0);
    xs_spool_found_free(&found);
    unlink(memory);
}

static void it_grows_without_a_descriptor(void **state) {
    struct xs_spool spool;
    struct xs_spool_files files;
    (void)state;
    assert_int_equal(
        xs_spool_create_for_trace(in_scratch("t.db"), 2 * MIB, 8 * MIB, 1, xs_spool_runtime_dir(), &spool, &files), 0);
    if (!files.memory[0])
        skip();
    close(spool.fd);
    spool.fd = -1;
    assert_int_equal(xs_spool_wanted(&spool), 1);
    int grown = xs_spool_grow_without_file(&spool, 7);
    assert_true(grown == 7 || grown == 0); /* 0: before Linux 5.14 */
    if (grown) {
        struct stat st;
        assert_int_equal(atomic_load(&spool.header->chunk_count), 8);
        assert_int_equal(stat(files.memory, &st), 0);
        assert_true(st.st_blocks * 512 >= 8 * (int64_t)XS_SPOOL_CHUNK_BYTES);
    }
    xs_spool_delete(&files);
    xs_spool_unmap(&spool);
}

/* Guards programs that read every file of a folder (grep, cp). They ran out of memory on zeros when the file had the
 * length of its limit, 2 GiB, from the beginning. The spool can grow without a descriptor, however many chunks it has.
 */
static void its_length_grows_with_its_chunks(void **state) {
    enum { LIMIT = 32768, MORE = 2200, AT_LEAST = 2048, MOST_AHEAD = 257 * MIB };
    struct xs_spool spool;
    struct xs_spool_files files;
    struct stat before, after;
    (void)state;
    assert_int_equal(xs_spool_create_for_trace(in_scratch("t.db"), 2 * MIB, (size_t)LIMIT * XS_SPOOL_CHUNK_BYTES, 16,
                                               xs_spool_runtime_dir(), &spool, &files),
                     0);
    if (!files.memory[0])
        skip();
    assert_int_equal(spool.header->chunk_limit, LIMIT - 1); /* the header takes the space of one chunk */
    assert_int_equal(stat(files.memory, &before), 0);
    assert_true(before.st_size <= MOST_AHEAD + 16 * (off_t)XS_SPOOL_CHUNK_BYTES);
    int grown = xs_spool_grow(&spool, MORE);
    bool has_room = grown == MORE;
    if (has_room) {
        assert_int_equal(stat(files.memory, &after), 0);
        assert_true(after.st_size >= (16 + MORE + AT_LEAST) * (off_t)XS_SPOOL_CHUNK_BYTES);
        assert_true(after.st_size <= MOST_AHEAD + (16 + MORE) * (off_t)XS_SPOOL_CHUNK_BYTES);
    }
    xs_spool_delete(&files);
    xs_spool_unmap(&spool);
    if (!has_room) {
        assert_int_equal(grown, XS_ERROR_FULL);
        skip();
    }
}

/* The spool takes only a small part of the addresses that RLIMIT_AS leaves to the program. */
static void few_addresses_make_a_small_spool(void **state) {
    (void)state;
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
    skip(); /* the sanitizer's shadow memory takes terabytes */
#else
    struct xs_spool spool;
    pid_t child = fork();
    if (child == 0) {
        unsigned long pages = 0;
        FILE *statm = fopen("/proc/self/statm", "r");
        if (!statm || fscanf(statm, "%lu", &pages) != 1)
            _exit(1);
        fclose(statm);
        struct rlimit limit = {(rlim_t)pages * 4096 + 64 * MIB, RLIM_INFINITY};
        setrlimit(RLIMIT_AS, &limit);
        int status = xs_spool_create(in_scratch("s"), (size_t)272 * MIB, 16, &spool);
        limit.rlim_cur = (rlim_t)pages * 4096 + spool.map_bytes + 2 * MIB; /* now there are even fewer addresses */
        setrlimit(RLIMIT_AS, &limit);
        struct xs_spool smaller;
        status = status ? status : xs_spool_create(in_scratch("s2"), (size_t)272 * MIB, 8, &smaller);
        _exit(status != 0 ? 2 : spool.map_bytes > 17 * MIB ? 3 : smaller.map_bytes > 4 * MIB ? 4 : 0);
    }
    int status;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
#endif
}

int main(void) {
    const struct CMUnitTest tests[] = {
        IN_SCRATCH(a_spool_in_memory_is_found_and_removed),
        IN_SCRATCH(one_that_is_gone_is_named),
        IN_SCRATCH(one_of_a_machine_that_was_restarted_is_named),
        IN_SCRATCH(one_that_was_killed_before_the_first_event_is_whole),
        IN_SCRATCH(a_spool_of_another_trace_is_not_taken),
        IN_SCRATCH(a_strangers_pointer_leads_to_no_spool_of_this_users),
        IN_SCRATCH(one_that_cannot_be_looked_at_is_not_said_to_be_lost),
        IN_SCRATCH(a_pointer_leads_only_into_known_folders),
        IN_SCRATCH(a_pointer_with_a_path_for_a_number_is_damaged),
        IN_SCRATCH(a_spool_under_another_number_is_not_taken),
        IN_SCRATCH(a_copy_leaves_the_spool_to_the_trace),
        IN_SCRATCH(a_renamed_trace_takes_its_spool_along),
        IN_SCRATCH(a_process_without_its_main_thread_lives),
        IN_SCRATCH(a_spool_cut_off_while_it_is_read_is_an_error),
        IN_SCRATCH(it_grows_without_a_descriptor),
        IN_SCRATCH(its_length_grows_with_its_chunks),
        IN_SCRATCH(few_addresses_make_a_small_spool),
    };
    have_own_memory();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
