/* Tests that each row of the table of detectors is complete: the words that every output takes from it, and the
 * functions that the engine calls. */
#include "played.h"

#include <ctype.h>

static const char *const rows[] = {
#define XS_DETECTOR(name) #name,
#include "analyzer/findings/detectors/detectors.def"
#undef XS_DETECTOR
};

/* True for "Drop it." and "Drop it, or call f()." */
static bool is_sentence(const char *text) {
    size_t length = text ? strlen(text) : 0;
    return length > 2 && isupper((unsigned char)text[0]) && text[length - 1] == '.' && !strchr(text, '\n');
}

/* True for "uploads of the same bytes to the same address again", which is printed after "noop-upload: ", and with a
 * capital letter by SARIF. */
static bool is_title(const char *text) {
    size_t length = text ? strlen(text) : 0;
    return length > 2 && islower((unsigned char)text[0]) && text[length - 1] != '.' && !strchr(text, '\n');
}

static void expect(bool holds, const struct xs_detector *detector, const char *what) {
    if (!holds)
        fail_msg("%s: %s", detector->id, what);
}

/* Pages, tests and generated lists are found by the id. */
static void ids_are_the_names_of_the_rows(void **state) {
    (void)state;
    assert_int_equal(xs_detector_count, sizeof rows / sizeof *rows);
    for (size_t i = 0; i < xs_detector_count; i++) {
        char id[64];
        size_t length = strlen(rows[i]);
        assert_true(length < sizeof id);
        for (size_t k = 0; k <= length; k++)
            id[k] = (char)(rows[i][k] == '_' ? '-' : rows[i][k]);
        assert_string_equal(xs_detectors[i]->id, id);
        for (size_t k = 0; k < i; k++)
            assert_string_not_equal(xs_detectors[k]->id, id);
    }
}

static void words_are_there(void **state) {
    (void)state;
    for (size_t i = 0; i < xs_detector_count; i++) {
        const struct xs_detector *d = xs_detectors[i];
        expect(is_title(d->title), d, "the title is a few words, in lower case, without a full stop");
        expect(is_sentence(d->definition), d, "the definition is a sentence");
        expect(is_sentence(d->remedy), d, "the remedy is a sentence");
        for (unsigned v = 0; v < XS_VERDICTS; v++)
            expect(!d->verdicts[v].remedy || is_sentence(d->verdicts[v].remedy), d, "a verdict's remedy is a sentence");
    }
}

static void verdicts_are_told_apart(void **state) {
    (void)state;
    for (size_t i = 0; i < xs_detector_count; i++) {
        const struct xs_detector *d = xs_detectors[i];
        unsigned count = 0;
        while (count < XS_VERDICTS && d->verdicts[count].name)
            count++;
        for (unsigned v = 0; v < XS_VERDICTS; v++) {
            expect(v < count || (!d->verdicts[v].name && !d->verdicts[v].remedy), d, "there is a gap in the verdicts");
            for (unsigned k = 0; v < count && k < v; k++)
                expect(strcmp(d->verdicts[k].name, d->verdicts[v].name) != 0, d, "two verdicts have one name");
        }
        /* A detector without verdicts is unsure as a whole by the first bit. */
        expect(d->unsure_verdicts >> (count ? count : 1) == 0, d, "a verdict that is not there is unsure");
    }
}

static void the_engine_has_what_it_calls(void **state) {
    (void)state;
    for (size_t i = 0; i < xs_detector_count; i++) {
        const struct xs_detector *d = xs_detectors[i];
        expect(d->on_event != NULL, d, "on_event is missing");
        expect((d->wants & (XS_WANT(XS_ON_COUNT) - 1)) != 0, d, "it wants no event");
        expect((d->wants & ~(XS_WANT(XS_ON_COUNT) - 1) & ~XS_WANT_NOT_RUN) == 0, d,
               "it wants an event that is not there");
        expect((d->needs & ~(unsigned)(XS_NEEDS_CONTENTS | XS_NEEDS_DEVICE_RECORDS | XS_NEEDS_HOST_READS)) == 0, d,
               "it needs what is not there");
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ids_are_the_names_of_the_rows),
        cmocka_unit_test(words_are_there),
        cmocka_unit_test(verdicts_are_told_apart),
        cmocka_unit_test(the_engine_has_what_it_calls),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
