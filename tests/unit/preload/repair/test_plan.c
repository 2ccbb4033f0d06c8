/* Plans: what a file says, and which call a line names. */
#include "unit.h"

#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "preload/repair/repair_plan.h"

static char path[] = "plan-XXXXXX";
static char why[256];

static bool read_plan(const char *text) {
    FILE *to = fopen(path, "w");
    assert_non_null(to);
    assert_true(fputs(text, to) >= 0);
    assert_int_equal(fclose(to), 0);
    *why = '\0';
    return xs_plan_read(path, why);
}

static struct xs_repair_copy copy_at(uint32_t thread, uint64_t ordinal, size_t bytes) {
    return (struct xs_repair_copy){.id = {thread, ordinal}, .bytes = bytes};
}

static bool names(enum xs_repair_id repair, uint32_t thread, uint64_t ordinal, size_t bytes) {
    struct xs_repair_copy copy = copy_at(thread, ordinal, bytes);
    return xs_plan_of_copy(repair, &copy) != NULL;
}

static void single_copies_and_ranges(void **state) {
    (void)state;
    assert_true(read_plan("# made by hand\nxferspy-plan 1\nmode apply\n"
                          "drop-uploads 1 7 64\n\ndrop-uploads 0 13-211 8388608 # a range\ndrop-uploads 0 2 64\n"));
    assert_int_equal(xs_plan_mode, XS_PLAN_APPLY);
    assert_true(names(XS_REPAIR_DROP_UPLOADS, 0, 2, 64));
    assert_false(names(XS_REPAIR_DROP_UPLOADS, 0, 3, 64));
    assert_false(names(XS_REPAIR_DROP_UPLOADS, 0, 12, 8388608));
    assert_true(names(XS_REPAIR_DROP_UPLOADS, 0, 13, 8388608));
    assert_true(names(XS_REPAIR_DROP_UPLOADS, 0, 211, 8388608));
    assert_false(names(XS_REPAIR_DROP_UPLOADS, 0, 212, 8388608));
    assert_true(names(XS_REPAIR_DROP_UPLOADS, 1, 7, 64));
    assert_false(names(XS_REPAIR_DROP_UPLOADS, 2, 7, 64));
    assert_false(names(XS_REPAIR_STAGE, 0, 2, 64));
    assert_int_equal(xs_plan_differences(), 0);
}

static void other_sizes_are_counted(void **state) {
    (void)state;
    uint64_t before = xs_plan_differences();
    assert_true(read_plan("xferspy-plan 1\nmode verify\nstage 0 0-9 4096\n"));
    assert_int_equal(xs_plan_mode, XS_PLAN_VERIFY);
    assert_false(names(XS_REPAIR_STAGE, 0, 5, 4095));
    assert_int_equal(xs_plan_differences(), before + 1);
    assert_false(names(XS_REPAIR_STAGE, 0, 10, 4095));
    assert_int_equal(xs_plan_differences(), before + 1);
}

static void origins(void **state) {
    (void)state;
    unsigned count;
    assert_true(read_plan("xferspy-plan 1\nmode apply\nstay-on-device 0 14 512 from 3 9\n"));
    struct xs_repair_copy copy = copy_at(0, 14, 512);
    const struct xs_plan_line *line = xs_plan_of_copy(XS_REPAIR_STAY_ON_DEVICE, &copy);
    assert_non_null(line);
    assert_true(line->has_from);
    assert_int_equal(line->from.thread, 3);
    assert_int_equal(line->from.ordinal, 9);
    assert_ptr_equal(xs_plan_lines(XS_REPAIR_STAY_ON_DEVICE, &count), line);
    assert_int_equal(count, 1);
}

static void any_call_of_a_size(void **state) {
    (void)state;
    assert_true(read_plan("xferspy-plan 1\nmode apply\nkeep-allocations * * 4096\nkeep-allocations * * 64\n"
                          "stage * * 100\nstage * * 200\nstage 0 3 300\ngather * * *\n"));
    assert_true(xs_plan_has_size(XS_REPAIR_KEEP_ALLOCATIONS, 4096));
    assert_true(xs_plan_has_size(XS_REPAIR_KEEP_ALLOCATIONS, 64));
    assert_false(xs_plan_has_size(XS_REPAIR_KEEP_ALLOCATIONS, 65));
    assert_false(xs_plan_has_size(XS_REPAIR_KEEP_PINNED, 64));
    assert_true(names(XS_REPAIR_STAGE, 9, 1000, 200));
    assert_true(names(XS_REPAIR_STAGE, 0, 3, 300));
    assert_true(names(XS_REPAIR_STAGE, 0, 4, 100));
    assert_false(names(XS_REPAIR_STAGE, 0, 4, 300));
    assert_true(names(XS_REPAIR_GATHER, 5, 5, 5));
}

static void without_a_plan_every_size_is_meant(void **state) {
    (void)state;
    assert_false(xs_plan_read("there/is/no/such/plan", why));
    assert_string_equal(why, "there/is/no/such/plan cannot be opened");
}

static void refuses(const char *text, const char *what) {
    assert_false(read_plan(text));
    assert_non_null(strstr(why, what));
    assert_int_equal(xs_plan_mode, XS_PLAN_ABSENT);
    assert_true(xs_plan_has_size(XS_REPAIR_KEEP_PINNED, 1));
}

static void what_is_no_plan(void **state) {
    (void)state;
    refuses("", "empty");
    refuses("xferspy-plan 2\n", "no plan of this version");
    refuses("drop-uploads 0 1 2\n", "no plan of this version");
    refuses("xferspy-plan 1\ndrop-upload 0 1 2\n", ":2 is no line");
    refuses("xferspy-plan 1\ndrop-uploads 0 1\n", ":2 is no line");
    refuses("xferspy-plan 1\nmode apply\n\ndrop-uploads 0 9-3 2\n", ":4 is no line");
    refuses("xferspy-plan 1\ndrop-uploads -1 1 2\n", ":2 is no line");
    refuses("xferspy-plan 1\ndrop-uploads 0 1- 2\n", ":2 is no line");
    refuses("xferspy-plan 1\ndrop-uploads 4294967296 1 2\n", ":2 is no line");
    refuses("xferspy-plan 1\ndrop-uploads 0 99999999999999999999 2\n", ":2 is no line");
    refuses("xferspy-plan 1\nstay-on-device 0 1 2 from 0 *\n", ":2 is no line");
    refuses("xferspy-plan 1\nstay-on-device 0 1 2 from 0\n", ":2 is no line");
    refuses("xferspy-plan 1\nmode perhaps\n", ":2 is no line");
}

static int make_file(void **state) {
    (void)state;
    int fd = mkstemp(path);
    return fd < 0 || close(fd) != 0;
}

static int remove_file(void **state) {
    (void)state;
    return unlink(path);
}

/* A FIFO that nobody writes to, a device without an end, a folder, and a file that is too large: none holds the
 * program.
 */
static void what_is_no_file(void **state) {
    static const char *const others[] = {"/dev/zero", "/dev/full", ".", "plan-fifo"};
    (void)state;
    unlink("plan-fifo");
    assert_int_equal(mkfifo("plan-fifo", 0600), 0);
    alarm(60); /* it would wait for ever */
    for (size_t i = 0; i < COUNT_OF(others); i++) {
        assert_false(xs_plan_read(others[i], why));
        assert_non_null(strstr(why, "is no regular file"));
    }
    unlink("plan-fifo");
    assert_true(read_plan("xferspy-plan 1\nmode apply\n"));
    assert_int_equal(truncate(path, (64 << 20) + 1), 0);
    assert_false(xs_plan_read(path, why));
    assert_non_null(strstr(why, "has more than 64 MiB"));
    alarm(0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(single_copies_and_ranges),
        cmocka_unit_test(other_sizes_are_counted),
        cmocka_unit_test(origins),
        cmocka_unit_test(any_call_of_a_size),
        cmocka_unit_test(without_a_plan_every_size_is_meant),
        cmocka_unit_test(what_is_no_plan),
        cmocka_unit_test(what_is_no_file),
    };
    return cmocka_run_group_tests(tests, make_file, remove_file);
}
