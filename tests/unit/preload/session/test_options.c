/* Tests the options: what the table promises for every type, and what the user is told about wrong values. */
#include "unit.h"

#include <ctype.h>
#include <stdio.h>

#include "preload/session/options.h"

enum type { BOOL, CHOICE, INT, SHARE, TEXT, PATTERN };
static const struct row {
    const char *field, *name, *preset, *values;
    enum type type;
} rows[] = {
#define XS_OPTION(field, name, type, preset, values, help) {#field, name, preset, values, type},
#include "schema/options.def"
#undef XS_OPTION
};

static struct xs_options options;
static unsigned message_count;
static char last_message[1024];

static void complain(const char *message) {
    message_count++;
    snprintf(last_message, sizeof last_message, "%s", message);
}

static void load(void) {
    message_count = 0;
    *last_message = '\0';
    xs_options_load(&options, complain);
}

struct wanted {
    const char *field;
    char value[XS_OPTION_TEXT_BYTES];
    unsigned seen;
};

static void compare(void *arg, const struct xs_option_shown *option) {
    struct wanted *w = arg;
    if (strcmp(option->field, w->field) == 0) {
        snprintf(w->value, sizeof w->value, "%s", option->text);
        w->seen++;
    }
}

/* Returns the effective value of a row, as the trace's meta gets it. */
static const char *effective(const struct row *row) {
    static struct wanted w;
    w = (struct wanted){.field = row->field};
    xs_options_dump(&options, compare, &w);
    assert_int_equal(w.seen, 1);
    return w.value;
}

static void set(const struct row *row, const char *value) {
    char variable[64];
    snprintf(variable, sizeof variable, "XFERSPY_%s", row->name);
    assert_int_equal(setenv(variable, value, 1), 0);
}

static int no_environment(void **state) {
    (void)state;
    return clearenv();
}

static void accepts(const struct row *row, const char *value, const char *expected) {
    no_environment(NULL);
    set(row, value);
    load();
    assert_string_equal(last_message, "");
    assert_string_equal(effective(row), expected);
}

/* Requires one message that names the variable and the default. */
static void refuses(const struct row *row, const char *value) {
    char variable[64];
    no_environment(NULL);
    set(row, value);
    load();
    assert_int_equal(message_count, 1);
    snprintf(variable, sizeof variable, "XFERSPY_%s", row->name);
    assert_non_null(strstr(last_message, variable));
    assert_null(strchr(last_message, '\n'));
    assert_string_equal(effective(row), row->preset);
}

static void defaults_without_environment(void **state) {
    (void)state;
    load();
    assert_int_equal(message_count, 0);
    for (size_t i = 0; i < COUNT_OF(rows); i++)
        assert_string_equal(effective(&rows[i]), rows[i].preset);
}

/* This also holds without an environment, which is what clearenv leaves. */
static void nobody_to_complain_to(void **state) {
    (void)state;
    xs_options_load(&options, NULL);
    setenv("XFERSPY_NO_SUCH_OPTION", "1", 1);
    setenv("XFERSPY_QUIET", "perhaps", 1);
    xs_options_load(&options, NULL);
    assert_false(options.quiet);
}

/* The variable is the field in capitals: `xferspy run` and the documentation rely on it. */
static void names_follow_fields(void **state) {
    (void)state;
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        assert_int_equal(strlen(rows[i].name), strlen(rows[i].field));
        for (size_t c = 0; rows[i].name[c]; c++)
            assert_int_equal(rows[i].name[c], toupper((unsigned char)rows[i].field[c]));
        for (size_t other = 0; other < i; other++)
            assert_string_not_equal(rows[i].name, rows[other].name);
    }
}

static void bool_values(void **state) {
    static const char *const yes[] = {"on", "1", "true", "yes", "ON", "True"};
    static const char *const no[] = {"off", "0", "false", "no", "OFF", "No"};
    static const char *const bad[] = {"", "2", "o", "onn", " on", "on ", "enabled"};
    (void)state;
    for (size_t r = 0; r < COUNT_OF(rows); r++) {
        for (size_t i = 0; rows[r].type == BOOL && i < COUNT_OF(yes); i++) {
            accepts(&rows[r], yes[i], "on");
            accepts(&rows[r], no[i], "off");
        }
        for (size_t i = 0; rows[r].type == BOOL && i < COUNT_OF(bad); i++)
            refuses(&rows[r], bad[i]);
    }
}

static void choice_values(void **state) {
    (void)state;
    for (size_t r = 0; r < COUNT_OF(rows); r++) {
        char values[256], capitals[64], prefix[64], *rest = values;
        if (rows[r].type != CHOICE)
            continue;
        snprintf(values, sizeof values, "%s", rows[r].values);
        for (char *value; (value = strsep(&rest, "|"));) {
            accepts(&rows[r], value, value);
            snprintf(capitals, sizeof capitals, "%s", value);
            for (char *c = capitals; *c; c++)
                *c = (char)toupper((unsigned char)*c);
            accepts(&rows[r], capitals, value);
            snprintf(prefix, sizeof prefix, "%.*s", (int)strlen(value) - 1, value);
            refuses(&rows[r], prefix);
        }
        refuses(&rows[r], "");
        refuses(&rows[r], "|");
        refuses(&rows[r], "no such choice");
        refuses(&rows[r], rows[r].values); /* "auto|off" is the list, not one of it */
    }
}

static void int_values(void **state) {
    (void)state;
    for (size_t r = 0; r < COUNT_OF(rows); r++) {
        long least, most;
        char text[64];
        if (rows[r].type != INT && rows[r].type != SHARE)
            continue;
        if (rows[r].type == SHARE) {
            accepts(&rows[r], "off", "off");
            accepts(&rows[r], "OFF", "off");
        }
        assert_int_equal(sscanf(rows[r].values, "%ld..%ld", &least, &most), 2);
        snprintf(text, sizeof text, "%ld", least);
        accepts(&rows[r], text, text);
        snprintf(text, sizeof text, "%ld", most);
        accepts(&rows[r], text, text);
        snprintf(text, sizeof text, "%ld", least - 1);
        refuses(&rows[r], text);
        snprintf(text, sizeof text, "%ld", most + 1);
        refuses(&rows[r], text);
        refuses(&rows[r], "");
        refuses(&rows[r], "many");
        refuses(&rows[r], "16MiB");
        refuses(&rows[r], "16.0");
        refuses(&rows[r], "99999999999999999999999");
        refuses(&rows[r], "-99999999999999999999999");
    }
}

static void text_values(void **state) {
    char text[XS_OPTION_TEXT_BYTES + 1];
    (void)state;
    for (size_t r = 0; r < COUNT_OF(rows); r++) {
        if (rows[r].type != TEXT)
            continue;
        accepts(&rows[r], "", "");
        accepts(&rows[r], " a=b %q{X} \"quoted\" \xc3\xa9", " a=b %q{X} \"quoted\" \xc3\xa9");
        memset(text, 'x', sizeof text);
        text[XS_OPTION_TEXT_BYTES - 1] = '\0';
        accepts(&rows[r], text, text);
        text[XS_OPTION_TEXT_BYTES - 1] = 'x';
        text[XS_OPTION_TEXT_BYTES] = '\0';
        refuses(&rows[r], text);
    }
}

/* Nobody may see the pattern, and a part of it would be another pattern. redact.c says what is wrong with it. */
static void pattern_values(void **state) {
    static char text[XS_OPTION_TEXT_BYTES + 100];
    (void)state;
    memset(text, 'x', sizeof text - 1);
    for (size_t r = 0; r < COUNT_OF(rows); r++) {
        if (rows[r].type != PATTERN)
            continue;
        accepts(&rows[r], "", "");
        accepts(&rows[r], "(token|^sk-)[a-z]*", "(token|^sk-)[a-z]*");
        accepts(&rows[r], "(", "(");
        no_environment(NULL);
        set(&rows[r], text);
        load();
        assert_int_equal(message_count, 0);
        assert_int_equal(strlen(options.redact), XS_OPTION_TEXT_BYTES);
    }
}

struct kinds {
    unsigned free, secret;
};

static void count_kinds(void *arg, const struct xs_option_shown *option) {
    struct kinds *kinds = arg;
    const char *name = option->variable + strlen("XFERSPY_");
    kinds->free += option->is_free;
    kinds->secret += option->is_secret;
    assert_memory_equal(option->variable, "XFERSPY_", strlen("XFERSPY_"));
    static const char *const free_ones[] = {"CONTROL", "GUARD", "OUTPUT", "LABELS",      "CUPTI_LIBRARY",
                                            "WINDOW",  "STEP",  "REPAIR", "REPAIR_PLAN", "REPAIR_LOG"};
    bool is_free = false;
    for (size_t i = 0; i < COUNT_OF(free_ones); i++)
        is_free |= strcmp(name, free_ones[i]) == 0;
    assert_int_equal(option->is_free, is_free);
    assert_int_equal(option->is_secret, strcmp(name, "REDACT") == 0);
}

static void the_dump_says_what_may_be_hidden(void **state) {
    struct kinds kinds = {0};
    (void)state;
    load();
    xs_options_dump(&options, count_kinds, &kinds);
    assert_int_equal(kinds.free, 10);
    assert_int_equal(kinds.secret, 1);
}

static void unknown_variable_is_named(void **state) {
    (void)state;
    setenv("XFERSPY_OUPUT", "a.db", 1);
    load();
    assert_int_equal(message_count, 1);
    assert_non_null(strstr(last_message, "XFERSPY_OUPUT is not an option; did you mean XFERSPY_OUTPUT?"));
    assert_null(strstr(last_message, "a.db"));
}

/* `xferspy run` has reported it, and passes on a list of what it reported. */
static void what_was_said_is_not_said_again(void **state) {
    (void)state;
    setenv("XFERSPY_OUPUT", "a.db", 1);
    setenv("XFERSPY_QUIT", "on", 1);
    setenv("XFERSPY_WARNED", "XFERSPY_OUP,XFERSPY_OUPUT,", 1);
    load();
    assert_int_equal(message_count, 1);
    assert_non_null(strstr(last_message, "XFERSPY_QUIT is not an option; did you mean XFERSPY_QUIET?"));
}

/* The variables of the commands are no options of the library, but they are no mistakes either. */
static void variable_of_a_command_is_meant(void **state) {
    (void)state;
    setenv("XFERSPY_DEBUG_PTH", "dir", 1);
    load();
    assert_int_equal(message_count, 1);
    assert_non_null(strstr(last_message, "did you mean XFERSPY_DEBUG_PATH?"));
}

/* Neither the beginning of an option's name nor a longer name is the option; names are in capitals. */
static void similar_names_are_not_the_option(void **state) {
    static const char *const similar[] = {"XFERSPY_QUIE", "XFERSPY_QUIETER", "XFERSPY_quiet", "XFERSPY_",
                                          "XFERSPY_LIB"};
    (void)state;
    for (size_t i = 0; i < COUNT_OF(similar); i++) {
        no_environment(NULL);
        setenv(similar[i], "on", 1);
        load();
        assert_int_equal(message_count, 1);
        assert_false(options.quiet);
    }
}

static void each_mistake_gets_its_line(void **state) {
    (void)state;
    setenv("XFERSPY_FIRST", "1", 1);
    setenv("XFERSPY_SECOND", "1", 1);
    setenv("XFERSPY_QUIET", "maybe", 1);
    setenv("XFERSPY_KERNELS", "off", 1);
    load();
    assert_int_equal(message_count, 3);
    assert_false(options.kernels);
}

static void variables_of_others_are_ignored(void **state) {
    static const char *const others[] = {"XFERSPY_SIM_DEVICES", "XFERSPY_TEST_GPU", "XFERSPY_LIBRARY", "XFERSPY",
                                         "xferspy_quiet",       "MY_XFERSPY_QUIET"};
    (void)state;
    for (size_t i = 0; i < COUNT_OF(others); i++)
        setenv(others[i], "on", 1);
    load();
    assert_string_equal(last_message, "");
    assert_false(options.quiet);
}

static void value_of_any_length_fits_a_message(void **state) {
    static char text[100000] = "XFERSPY_";
    (void)state;
    memset(text + 8, 'x', sizeof text - 9);
    for (size_t r = 0; r < COUNT_OF(rows); r++)
        if (rows[r].type != PATTERN)
            refuses(&rows[r], text + 8);
    no_environment(NULL);
    setenv(text, "1", 1);
    load();
    assert_int_equal(message_count, 1);
}

/* The texts that the trace has of the options give the same options again. */
static void as_variable(void *arg, const struct xs_option_shown *option) {
    (void)arg;
    for (size_t r = 0; r < COUNT_OF(rows); r++) {
        if (strcmp(rows[r].field, option->field) == 0) {
            set(&rows[r], option->text);
            return;
        }
    }
    fail_msg("%s is no option", option->field);
}

static void dump_and_load_again(void **state) {
    (void)state;
    setenv("XFERSPY_ENABLE", "no", 1);
    setenv("XFERSPY_OUTPUT", "traces/%h/%e.%p.db", 1);
    setenv("XFERSPY_CUPTI", "OFF", 1);
    setenv("XFERSPY_QUIET", "YES", 1);
    setenv("XFERSPY_SPOOL_MIB", "0064", 1);
    load();
    assert_int_equal(message_count, 0);
    struct xs_options first = options;
    no_environment(NULL);
    xs_options_dump(&first, as_variable, NULL);
    load();
    assert_int_equal(message_count, 0);
    assert_false(options.enable);
    assert_true(options.quiet);
    assert_int_equal(options.spool_mib, 64);
    assert_string_equal(options.cupti, "off");
    assert_string_equal(options.output, first.output);
    for (size_t r = 0; r < COUNT_OF(rows); r++) {
        char value[XS_OPTION_TEXT_BYTES];
        struct xs_options again = options;
        snprintf(value, sizeof value, "%s", effective(&rows[r]));
        options = first;
        assert_string_equal(effective(&rows[r]), value);
        options = again;
    }
}

#define TEST(name) cmocka_unit_test_setup(name, no_environment)
int main(void) {
    const struct CMUnitTest tests[] = {
        TEST(defaults_without_environment),
        TEST(nobody_to_complain_to),
        TEST(names_follow_fields),
        TEST(bool_values),
        TEST(choice_values),
        TEST(int_values),
        TEST(text_values),
        TEST(pattern_values),
        TEST(the_dump_says_what_may_be_hidden),
        TEST(unknown_variable_is_named),
        TEST(what_was_said_is_not_said_again),
        TEST(variable_of_a_command_is_meant),
        TEST(similar_names_are_not_the_option),
        TEST(each_mistake_gets_its_line),
        TEST(variables_of_others_are_ignored),
        TEST(value_of_any_length_fits_a_message),
        TEST(dump_and_load_again),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
