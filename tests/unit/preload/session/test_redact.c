/* Tests what XFERSPY_REDACT hides of a command line and of values, and that no pattern costs the program much time or
 * memory. */
#include "unit.h"

#include <dlfcn.h>
#include <locale.h>
#include <stdio.h>

#include "preload/core/glibc_dlsym.h"
#include "preload/session/redact_session.h"

void *xs_real_dlsym(void *handle, const char *name) { return dlsym(handle, name); }

/* A library with regular expressions of its own, as there are several, stands before the C library. It would hide
 * nothing. */
int regcomp(regex_t *compiled, const char *pattern, int flags) {
    (void)compiled;
    (void)pattern;
    (void)flags;
    return 0;
}
int regexec(const regex_t *restrict compiled, const char *restrict text, size_t groups,
            regmatch_t found[restrict groups], int flags) {
    (void)compiled;
    (void)text;
    (void)groups;
    (void)found;
    (void)flags;
    return REG_NOMATCH;
}

static char out[4096];

/* The command of some words, separated by blanks. */
static const char *command(const char *words) {
    char line[2048];
    size_t length = strlen(words) + 1;
    memcpy(line, words, length);
    for (size_t i = 0; i < length; i++)
        line[i] = line[i] == ' ' ? '\0' : line[i];
    size_t written = xs_redact_command(out, sizeof out, line, length, false, "app");
    assert_int_equal(written, strlen(out));
    return out;
}

static const char *hidden_by(const char *pattern, const char *words) {
    assert_null(xs_redact_start(pattern));
    return command(words);
}

static void without_a_pattern(void **state) {
    (void)state;
    assert_null(xs_redact_start(""));
    assert_false(xs_redact_hides("TOKEN", "token"));
    assert_string_equal(command("./app --token abc"), "./app --token abc");
    char line[] = "./app\0two words\0it's\0";
    xs_redact_command(out, sizeof out, line, sizeof line, false, "app");
    assert_string_equal(out, "./app 'two words' 'it'\\''s' ''");
}

static void an_argument(void **state) {
    (void)state;
    assert_string_equal(hidden_by("token", "./app a mytoken b"), "./app a [hidden] b");
    assert_string_equal(hidden_by("TOKEN", "./app MyToken=abc"), "./app [hidden]");
    assert_string_equal(hidden_by("^sk-[a-z]{4}$", "./app sk-abcd sk-abcde"), "./app [hidden] sk-abcde");
    assert_string_equal(hidden_by("a|b", "./x c b a"), "./x c [hidden] [hidden]");
    assert_string_equal(hidden_by("none", "./app a b"), "./app a b");
}

static void a_name_and_its_value(void **state) {
    (void)state;
    assert_string_equal(hidden_by("token", "./app --token abc d"), "./app --token [hidden] d");
    assert_string_equal(hidden_by("token", "./app --api-token=abc d"), "./app --api-token=[hidden] d");
    assert_string_equal(hidden_by("^--token$", "./app --token=abc d"), "./app --token=[hidden] d");
    assert_string_equal(hidden_by("abc", "./app --token=abc d"), "./app [hidden] d");
    /* what follows a name is hidden whatever it looks like, and is a name for its part */
    assert_string_equal(hidden_by("token", "./app --token --other x"), "./app --token [hidden] x");
    assert_string_equal(hidden_by("token|key", "./app --token --key abc x"), "./app --token [hidden] [hidden] x");
    assert_string_equal(hidden_by("token", "./app --token"), "./app --token");
}

/* Nothing tells where the name ends: -pSECRET is one argument with both. */
static void a_letter_and_its_value(void **state) {
    (void)state;
    assert_string_equal(hidden_by("secret", "./app -pSECRET x y"), "./app -p[hidden] [hidden] y");
    assert_string_equal(hidden_by("secret", "./app -pSECRET= x"), "./app -p[hidden] x");
    assert_string_equal(hidden_by("secret", "./app -Dsecret=abc x"), "./app -D[hidden] x");
    assert_string_equal(hidden_by("^-p$", "./app -p abc x"), "./app -p [hidden] x");
    assert_string_equal(hidden_by("\xc3\xa9", "./app -\xc3\xa9 x"), "./app -[hidden] [hidden]");
}

static void a_dot_hides_everything(void **state) {
    (void)state;
    assert_string_equal(hidden_by(".", "./x a --b c --d=e -fg - -- h"),
                        "app [hidden] --b [hidden] --d=[hidden] -f[hidden] [hidden] [hidden] [hidden]");
    /* bytes that are no text, and the end of a line */
    assert_non_null(setlocale(LC_ALL, "C.UTF-8"));
    assert_string_equal(hidden_by(".", "./x \xff\xfe \xc3 \n"), "app [hidden] [hidden] [hidden]");
    setlocale(LC_ALL, "C");
    assert_true(xs_redact_hides(NULL, "\xff"));
}

/* A program that changed its title has anything there. */
static void the_first_word(void **state) {
    (void)state;
    assert_string_equal(hidden_by("app", "/opt/app-1 app"), "app [hidden]");
    assert_string_equal(hidden_by("token", "./app"), "./app");
    char title[] = "worker: --token abc";
    assert_null(xs_redact_start("token"));
    xs_redact_command(out, sizeof out, title, sizeof title, false, "python3.11");
    assert_string_equal(out, "python3.11");
}

/* The end that is missing may be what the pattern needs. */
static void a_word_that_was_cut_off(void **state) {
    (void)state;
    char line[] = "./app\0plain\0sk-123";
    assert_null(xs_redact_start("sk-[0-9]{6}"));
    xs_redact_command(out, sizeof out, line, sizeof line - 1, true, "app");
    assert_string_equal(out, "./app plain [hidden]");
    char option[] = "./app\0--key=sk-123";
    xs_redact_command(out, sizeof out, option, sizeof option - 1, true, "app");
    assert_string_equal(out, "./app [hidden]");
    assert_null(xs_redact_start(""));
    char again[] = "./app\0plain\0sk-123";
    xs_redact_command(out, sizeof out, again, sizeof again - 1, true, "app");
    assert_string_equal(out, "./app plain sk-123");
}

static void output_is_bounded(void **state) {
    (void)state;
    for (size_t bytes = 1; bytes < 40; bytes++) {
        char line[] = "./app\0it's a word\0--token=abc\0-ptoken\0token", small[64];
        memset(small, '#', sizeof small);
        assert_null(xs_redact_start("token"));
        size_t n = xs_redact_command(small, bytes, line, sizeof line, false, "app");
        assert_true(n < bytes);
        assert_int_equal(strlen(small), n);
        assert_int_equal(small[bytes], '#');
    }
}

static void values(void **state) {
    (void)state;
    assert_null(xs_redact_start("token|^7$"));
    assert_true(xs_redact_hides("MY_TOKEN", "abc"));
    assert_true(xs_redact_hides("OUTPUT", "token.db"));
    assert_true(xs_redact_hides("RANK", "7"));
    assert_true(xs_redact_hides(NULL, "a token"));
    assert_false(xs_redact_hides("RANK", "77"));
    assert_false(xs_redact_hides("MY_TOKEN", ""));
}

/* Whatever is wrong, everything is hidden, and what is said of it has nothing of the pattern. */
static void what_is_not_accepted_hides_everything(void **state) {
    static char longer[1200], groups[400];
    static const char *const bad[] = {"(hunter2",
                                      "[hunter2",
                                      "*hunter2{2",
                                      "a{2,1}",
                                      "hunter2\\",
                                      "(a)\\1",
                                      "((a{255}){255}){255}",
                                      "a{32767}{9}",
                                      "a{99999999999999999999}",
                                      "(a{9999})*",
                                      longer,
                                      groups};
    (void)state;
    memset(longer, 'x', sizeof longer - 1);
    memset(groups, '(', 150);
    memset(groups + 150, ')', 150);
    for (size_t i = 0; i < COUNT_OF(bad); i++) {
        const char *why = xs_redact_start(bad[i]);
        assert_non_null(why);
        assert_null(strstr(why ? why : "", "hunter2"));
        assert_true(xs_redact_hides("A", "b"));
        assert_string_equal(command("./app --a b --c=d -e"), "app [hidden] [hidden] [hidden] [hidden]");
    }
}

static void common_patterns_are_accepted(void **state) {
    static const char *const good[] = {"token|secret|passw(or)?d|(api|access)[-_]?key",
                                       "(AKIA[A-Z0-9]{16}|gh[pousr]_[A-Za-z0-9]{36,255}|xox[abp]-[0-9a-z-]{10,72})",
                                       "eyJ[A-Za-z0-9_-]{10,}\\.[A-Za-z0-9_-]{10,}", "([0-9a-f]{4}-){4}[0-9a-f]{12}"};
    (void)state;
    for (size_t i = 0; i < COUNT_OF(good); i++) {
        const char *why = xs_redact_start(good[i]);
        if (why)
            fail_msg("%s %s", good[i], why);
    }
    assert_string_equal(command("x 12345678 0000-1111-2222-3333-0123456789ab"), "x 12345678 [hidden]");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(without_a_pattern),
        cmocka_unit_test(an_argument),
        cmocka_unit_test(a_name_and_its_value),
        cmocka_unit_test(a_letter_and_its_value),
        cmocka_unit_test(a_dot_hides_everything),
        cmocka_unit_test(the_first_word),
        cmocka_unit_test(a_word_that_was_cut_off),
        cmocka_unit_test(output_is_bounded),
        cmocka_unit_test(values),
        cmocka_unit_test(what_is_not_accepted_hides_everything),
        cmocka_unit_test(common_patterns_are_accepted),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
