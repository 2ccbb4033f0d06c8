/* Tests the sentences about a wait: what it waited for, and why it saves nothing not to wait. */
#include "unit.h"

#include "analyzer/words/wait_words.h"

#define MS UINT64_C(1000000)

static struct xs_findings findings;

static void says_work(const struct xs_wait_row *row, const char *expected) {
    XS_SCOPED_STRING text = {0};
    xs_wait_say_work(&text, &findings, row);
    assert_string_equal(text.data, expected);
}

/* Many pieces of work may each be small. The largest of them is said all the same. */
static void the_largest_work_is_said(void **state) {
    static char name[] = "step";
    (void)state;
    struct xs_wait_row row = {.work_ns = 100 * MS, .work_count = 2};
    row.work[0] = (struct xs_waited_work){.kind = XS_WAITED_KERNEL, .name = name, .ns = 5 * MS};
    row.work[1] = (struct xs_waited_work){.kind = XS_WAITED_EARLIER, .ns = 4 * MS};
    says_work(&row, "the kernel step (5.0 %)");
    row.work[0].ns = 50 * MS;
    row.work[1].ns = 20 * MS;
    says_work(&row, "the kernel step (50 %) and earlier work (20 %)");
    row.work[0].ns = 99 * MS;
    row.work_count = 1;
    says_work(&row, "the kernel step");
}

static void says_why(size_t devices, uint64_t busy_ns, const char *expected) {
    struct xs_idle_device of[2] = {{.busy_ns = 300 * MS, .idle_ns = 700 * MS}, {.idle_ns = 1000 * MS}};
    struct xs_diagnosis diagnosis = {.findings = &findings, .replay_fit = {.measured_ns = 1000 * MS}};
    diagnosis.idle = (struct xs_idle){.end_ns = 1000 * MS, .ns = 1000 * MS, .devices = of, .device_count = devices};
    struct xs_wait_row row = {.waited_ns = 100 * MS, .busy_ns = busy_ns};
    XS_SCOPED_STRING text = {0};
    xs_wait_say_why_nothing(&text, &diagnosis, &row);
    assert_string_equal(text.data, expected);
}

/* A device that was idle for most of the wait is no reason for a wait to save nothing. */
static void why_a_wait_saves_nothing(void **state) {
    (void)state;
    for (size_t devices = 1; devices <= 2; devices++)
        says_why(devices, 80 * MS, "the device is busy 80 % of this time");
    says_why(1, 3 * MS, "it would wait elsewhere; the device is busy 30 % of the run");
    says_why(2, 3 * MS, "it would wait elsewhere");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_largest_work_is_said),
        cmocka_unit_test(why_a_wait_saves_nothing),
    };
    return cmocka_run_group_tests_name("words_of_waits", tests, NULL, NULL);
}
