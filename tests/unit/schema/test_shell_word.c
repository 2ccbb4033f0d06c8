/* Tests names in commands: a shell reads the word as the name again. */
#include "support.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "schema/shell_word.h"

static char word[256];

static const char *quoted(const char *name) {
    size_t length = xs_shell_word(word, sizeof word, name);
    assert_int_equal(length, strlen(word));
    return word;
}

static void names_without_need_stay(void **state) {
    static const char *const plain[] = {
        "run.db", "/tmp/a-b_c/run.2.db", "job.db:3", "s\xc3\xa4ge.db", "xferspy-app.42.db", "a=b", "a+b@c%d,e"};
    (void)state;
    for (size_t i = 0; i < sizeof plain / sizeof *plain; i++)
        assert_string_equal(quoted(plain[i]), plain[i]);
}

static void others_are_quoted(void **state) {
    (void)state;
    assert_string_equal(quoted("my run.db"), "'my run.db'");
    assert_string_equal(quoted("it's"), "'it'\\''s'");
    assert_string_equal(quoted("noop-upload#2"), "'noop-upload#2'");
    assert_string_equal(quoted("~/run.db"), "'~/run.db'");
    assert_string_equal(quoted(""), "''");
}

/* Output shows a new line as \n. A word in single quotes would then be the name of another file. */
static void what_output_changes_is_written_as_it_is_shown(void **state) {
    (void)state;
    assert_string_equal(quoted("a\nb.db"), "$'a\\nb.db'");
    assert_string_equal(quoted("it's\ta\\b"), "$'it\\'s\\ta\\\\b'");
    assert_string_equal(quoted("\x1b[31m"), "$'\\033[31m'");
    assert_string_equal(quoted("a\xff"), "$'a\\377'");
    assert_string_equal(quoted("\xe2\x80\xaetxt"), "$'\\342\\200\\256txt'"); /* reverses what follows it */
}

static void expect_read(const char *shell, const char *name) {
    char command[1024], again[512], read[256] = "";
    xs_shell_word(again, sizeof again, quoted(name)); /* the word is an argument of `eval` */
    snprintf(command, sizeof command, "exec %s -c 'eval \"printf %%s $1\"' %s %s", shell, shell, again);
    FILE *output = popen(command, "r"); // NOLINT(cert-env33-c): the shell is what is tested
    assert_non_null(output);
    read[fread(read, 1, sizeof read - 1, output)] = '\0';
    assert_int_equal(pclose(output), 0);
    assert_string_equal(read, name);
}

static void bash_reads_the_name(void **state) {
    static const char *const names[] = {"a b",       "it's",      "a\nb",     "\n",          "a\tb\\n", "a'\nb'",
                                        "\x1b[0m$x", "a\xff\x37", "\x7f\x30", "`id`\n$(id)", "%s\n%d"};
    (void)state;
    if (access("/bin/bash", X_OK) != 0)
        skip();
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        expect_read("/bin/bash", names[i]);
}

/* A real shell reads the word. */
static void a_shell_reads_the_name(void **state) {
    static const char *const names[] = {"a b",     "it's", "'",  "$HOME", "`id`",  "a\\b", "a\"b", "a*?[b]",
                                        "a;b&c|d", "!x",   "#a", "~",     "{a,b}", "a(b)", "<>"};
    (void)state;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        char command[512], read[256] = "";
        snprintf(command, sizeof command, "printf %%s %s", quoted(names[i]));
        FILE *shell = popen(command, "r"); // NOLINT(cert-env33-c): the shell is what is tested
        assert_non_null(shell);
        read[fread(read, 1, sizeof read - 1, shell)] = '\0';
        assert_int_equal(pclose(shell), 0);
        assert_string_equal(read, names[i]);
    }
}

static void buffer_has_an_end(void **state) {
    char small[8];
    (void)state;
    assert_int_equal(xs_shell_word(small, sizeof small, "a longer name"), strlen("'a longer name'"));
    assert_string_equal(small, "'a long");
    assert_int_equal(xs_shell_word(NULL, 0, "it's"), strlen("'it'\\''s'"));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names_without_need_stay),
        cmocka_unit_test(others_are_quoted),
        cmocka_unit_test(what_output_changes_is_written_as_it_is_shown),
        cmocka_unit_test(bash_reads_the_name),
        cmocka_unit_test(a_shell_reads_the_name),
        cmocka_unit_test(buffer_has_an_end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
