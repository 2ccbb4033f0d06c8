/* Tests control from outside: the messages, whatever bytes come, the names of sockets, and who may control whom. */
#include "support.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "schema/control/address.h"
#include "schema/control/message.h"

static char line[XS_CONTROL_LINE_BYTES];
static struct xs_control_reply reply;

static const char *why(const char *text, struct xs_control_request *request) {
    return xs_control_read_request(text, strlen(text), request);
}

static void requests_come_back(void **state) {
    struct xs_control_request request;
    (void)state;
    for (unsigned verb = 0; xs_control_verbs[verb]; verb++) {
        const struct xs_control_request sent = {.verb = (enum xs_control_verb)verb};
        size_t bytes = xs_control_write_request(&sent, line);
        assert_string_equal(line, xs_control_verbs[verb]);
        assert_null(xs_control_read_request(line, bytes, &request));
        assert_int_equal(request.verb, verb);
        assert_int_equal(request.for_ns, 0);
    }
    const struct xs_control_request sent = {.verb = XS_CONTROL_START, .for_ns = UINT64_C(10000000000)};
    size_t bytes = xs_control_write_request(&sent, line);
    assert_string_equal(line, "start\tfor_ns=10000000000");
    assert_null(xs_control_read_request(line, bytes, &request));
    assert_int_equal(request.for_ns, sent.for_ns);
}

static void other_requests_are_refused(void **state) {
    static const char *const wrong[] = {"",
                                        "\t",
                                        "starts",
                                        "START",
                                        "start ",
                                        "start\t",
                                        "start\tfor_ns",
                                        "start\tfor_ns=",
                                        "start\tfor_ns=0",
                                        "start\tfor_ns=-1",
                                        "start\tfor_ns=1s",
                                        "start\tfor_ns= 1",
                                        "start\tfor_ns=99999999999999999999",
                                        "start\tfor_ns=1\tfingerprint=all",
                                        "stop\tfor_ns=1"};
    struct xs_control_request request;
    (void)state;
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        assert_non_null(why(wrong[i], &request));
    assert_non_null(xs_control_read_request("stop\0", 5, &request));
    memset(line, 's', sizeof line);
    assert_non_null(xs_control_read_request(line, sizeof line, &request));
}

static void replies_come_back(void **state) {
    static struct xs_control_reply sent = {.pid = 4242,
                                           .is_recording = true,
                                           .is_changeable = true,
                                           .device_times = XS_CONTROL_TIMES_COMING,
                                           .events = 120,
                                           .windows = 3,
                                           .recorded_ns = 1500,
                                           .left_ns = 7,
                                           .program = "tab\there",
                                           .trace = "/tmp/new\nline 100%41\x7f s\xc3\xa4ge.db"};
    (void)state;
    size_t bytes = xs_control_write_reply(&sent, line);
    assert_null(strpbrk(line, "\n\x7f"));
    assert_true(xs_control_read_reply(line, bytes, &reply));
    assert_memory_equal(&reply.pid, &sent.pid,
                        offsetof(struct xs_control_reply, program) - offsetof(struct xs_control_reply, pid));
    assert_string_equal(reply.program, sent.program);
    assert_string_equal(reply.trace, sent.trace);
    assert_string_equal(reply.refused, "");
}

static void refusals_come_back(void **state) {
    static struct xs_control_reply sent = {.refused = "not\tnow"};
    (void)state;
    assert_true(xs_control_read_reply(line, xs_control_write_reply(&sent, line), &reply));
    assert_string_equal(reply.refused, "not\tnow");
    assert_true(xs_control_read_reply("no", 2, &reply));
    assert_true(*reply.refused);
}

/* The longest trace path whose every byte is escaped does not fit into a line: it is cut, and nothing is written beside
 * the line. */
static void long_values_are_cut(void **state) {
    static struct xs_control_reply sent = {.pid = 1};
    (void)state;
    memset(sent.trace, '\n', sizeof sent.trace - 1);
    memset(sent.program, '%', sizeof sent.program - 1);
    char *exact = malloc(XS_CONTROL_LINE_BYTES); /* AddressSanitizer watches its end */
    assert_non_null(exact);
    size_t bytes = xs_control_write_reply(&sent, exact);
    assert_true(bytes < XS_CONTROL_LINE_BYTES);
    assert_true(xs_control_read_reply(exact, bytes, &reply));
    assert_string_equal(reply.program, sent.program);
    assert_memory_equal(reply.trace, sent.trace, strlen(reply.trace));
    free(exact);
}

/* The other side may be newer or damaged. */
static void odd_replies(void **state) {
    static const char odd[] = "ok\tpid=7\tnew=1\tevents=many\tdevice_times=sometimes\ttrace=a%4\tleft_ns=5";
    (void)state;
    assert_true(xs_control_read_reply(odd, sizeof odd - 1, &reply));
    assert_int_equal(reply.pid, 7);
    assert_int_equal(reply.events, 0);
    assert_int_equal(reply.device_times, XS_CONTROL_TIMES_NONE);
    assert_string_equal(reply.trace, "a%4");
    assert_int_equal(reply.left_ns, 5);
    assert_false(xs_control_read_reply("", 0, &reply));
    assert_false(xs_control_read_reply("okay", 4, &reply));
    assert_false(xs_control_read_reply("ok\0", 3, &reply));
}

/* Any bytes can come from a socket. What is read stays within its bounds (AddressSanitizer), and what is accepted is
 * valid. */
static void random_bytes(void **state) {
    static const char letters[] = "okstarp=\t%4f\n0123456789_n\xff";
    struct xs_control_request request;
    unsigned random = 1;
    (void)state;
    for (int i = 0; i < 20000; i++) {
        char text[48];
        size_t bytes = (random = random * 1103515245 + 12345) / 65536 % sizeof text;
        for (size_t k = 0; k < bytes; k++)
            text[k] = letters[(random = random * 1103515245 + 12345) / 65536 % (sizeof letters - 1)];
        if (bytes > 6 && i % 2)
            memcpy(text, i % 4 == 1 ? "ok\t" : "start\t", i % 4 == 1 ? 3 : 6);
        const char *refused = xs_control_read_request(text, bytes, &request);
        assert_true(refused || request.verb <= XS_CONTROL_SNAPSHOT);
        if (xs_control_read_reply(text, bytes, &reply))
            assert_true(reply.device_times <= XS_CONTROL_TIMES_ON && strlen(reply.trace) < sizeof reply.trace);
    }
}

static void names_of_sockets(void **state) {
    char path[XS_CONTROL_PATH_BYTES], other[XS_CONTROL_PATH_BYTES], folder[XS_CONTROL_PATH_BYTES];
    static const char *const no_names[] = {"",
                                           "4242",
                                           "4242-0123abcd.control~",
                                           "4242-0123abcd",
                                           "4242-0123abc.control",
                                           "4242-0123abcde.control",
                                           "4242-0123ABCD.control",
                                           "-4242-0123abcd.control",
                                           "04242-0123abcd.control",
                                           "99999999999-0123abcd.control",
                                           "0123456789abcdef0123456789abcdef.spool"};
    (void)state;
    assert_true(xs_control_name(path, "/dev/shm/xferspy-1000", 4242));
    assert_true(xs_control_name(other, "/dev/shm/xferspy-1000", 4242));
    assert_string_not_equal(path, other);
    assert_memory_equal(path, "/dev/shm/xferspy-1000/4242-", 27);
    assert_int_equal(xs_control_pid_of(strrchr(path, '/') + 1), 4242);
    for (size_t i = 0; i < sizeof no_names / sizeof *no_names; i++)
        assert_int_equal(xs_control_pid_of(no_names[i]), 0);
    memset(folder, 'x', sizeof folder);
    folder[80] = '\0';
    assert_true(xs_control_name(path, folder, 1234567));
    folder[80] = 'x';
    folder[sizeof folder - 1] = '\0';
    assert_false(xs_control_name(path, folder, 1));
}

static void only_the_user_and_root(void **state) {
    (void)state;
    assert_true(xs_control_is_permitted(1000, 1000));
    assert_true(xs_control_is_permitted(0, 1000));
    assert_true(xs_control_is_permitted(0, 0));
    assert_false(xs_control_is_permitted(1001, 1000));
    assert_false(xs_control_is_permitted(1000, 0));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(requests_come_back),     cmocka_unit_test(other_requests_are_refused),
        cmocka_unit_test(replies_come_back),      cmocka_unit_test(refusals_come_back),
        cmocka_unit_test(long_values_are_cut),    cmocka_unit_test(odd_replies),
        cmocka_unit_test(random_bytes),           cmocka_unit_test(names_of_sockets),
        cmocka_unit_test(only_the_user_and_root),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
