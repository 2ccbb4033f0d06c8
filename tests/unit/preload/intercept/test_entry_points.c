/* Compares the entry-point table with itself, and with the driver that the toolkit's headers describe. */
#include "unit.h"

#include <dlfcn.h>
#include <stdio.h>

#include "preload/driver/driver_api.h"
#include "schema/format/entry_traits.h"
#include "schema/format/event.h"
#include "schema/format/kinds.h"

enum default_stream { XS_LEGACY, XS_PER_THREAD };

static const struct row {
    const char *name;
    enum default_stream stream;
    enum xs_category category;
    const char *rest; /* the other columns as text */
} rows[] = {
#define XS_ENTRY(symbol, category, default_stream, ...) {#symbol, default_stream, XS_CAT_##category, #__VA_ARGS__},
#include "preload/driver/entry_points.def"
#undef XS_ENTRY
};

static const char *const categories[] = {
#define NAME(n, id, name) [n] = name,
    XS_CATEGORIES(NAME)
#undef NAME
};

static const struct row *find(const char *name) {
    for (size_t i = 0; i < COUNT_OF(rows); i++)
        if (strcmp(rows[i].name, name) == 0)
            return &rows[i];
    return NULL;
}

static bool ends_with(const char *text, const char *end) {
    size_t n = strlen(text), m = strlen(end);
    return n > m && strcmp(text + n - m, end) == 0;
}

static void names_are_unique(void **state) {
    (void)state;
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        assert_ptr_equal(find(rows[i].name), &rows[i]);
        assert_memory_equal(rows[i].name, "cu", 2);
    }
}

static void categories_have_names(void **state) {
    (void)state;
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        assert_true(rows[i].category < COUNT_OF(categories));
        assert_non_null(categories[rows[i].category]);
    }
    for (size_t i = 0; i < COUNT_OF(categories); i++)
        assert_non_null(categories[i]); /* numbered without gaps */
}

/* The suffix decides what a null stream means, and both variants belong to one family. */
static void per_thread_rows_have_a_plain_one(void **state) {
    (void)state;
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        bool suffix = ends_with(rows[i].name, "_ptds") || ends_with(rows[i].name, "_ptsz");
        assert_int_equal(rows[i].stream == XS_PER_THREAD, suffix);
        if (suffix) {
            char plain[128];
            snprintf(plain, sizeof plain, "%.*s", (int)strlen(rows[i].name) - 5, rows[i].name);
            assert_non_null(find(plain));
            assert_int_equal(find(plain)->category, rows[i].category);
            assert_int_equal(xs_entry_traits(plain), xs_entry_traits(rows[i].name));
        }
    }
}

/* A prefix in the table of traits is a mistake if it fits other functions, or none. */
static void traits_fit_the_rows(void **state) {
    static const struct {
        unsigned traits;
        enum xs_category category;
    } expected[] = {{XS_TRAIT_UPLOADS, XS_CAT_TRANSFER},
                    {XS_TRAIT_DOWNLOADS, XS_CAT_TRANSFER},
                    {XS_TRAIT_RECORDS_EVENT, XS_CAT_SYNC},
                    {XS_TRAIT_ORDERS_STREAMS | XS_TRAIT_WAITS_FOR_EVENT, XS_CAT_SYNC},
                    {XS_TRAIT_ORDERS_STREAMS, XS_CAT_STREAM_MEMOP},
                    {XS_TRAIT_ORDERS_STREAMS | XS_TRAIT_WRITES_VALUE, XS_CAT_STREAM_MEMOP},
                    {XS_TRAIT_ORDERS_STREAMS | XS_TRAIT_READS_VALUE, XS_CAT_STREAM_MEMOP},
                    {XS_TRAIT_PREFETCHES, XS_CAT_MANAGED},
                    {XS_TRAIT_DECOMPRESSES, XS_CAT_MANAGED},
                    {XS_TRAIT_SHARES_MEMORY, XS_CAT_LOOKUP},
                    {XS_TRAIT_CREATES_CONTEXT, XS_CAT_CONTEXT},
                    {XS_TRAIT_DESTROYS_CONTEXT, XS_CAT_CONTEXT},
                    {XS_TRAIT_RETAINS_PRIMARY, XS_CAT_CONTEXT},
                    {XS_TRAIT_RELEASES_PRIMARY, XS_CAT_CONTEXT},
                    {XS_TRAIT_RESETS_PRIMARY, XS_CAT_CONTEXT},
                    {XS_TRAIT_LOADS_CODE, XS_CAT_LOAD},
                    {XS_TRAIT_CREATES_STREAM, XS_CAT_STREAM},
                    {XS_TRAIT_DESTROYS_STREAM, XS_CAT_STREAM}};
    bool found[COUNT_OF(expected)] = {false};
    (void)state;
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        unsigned traits = xs_entry_traits(rows[i].name);
        size_t k = 0;
        while (traits && k < COUNT_OF(expected) &&
               (expected[k].traits != traits || expected[k].category != rows[i].category))
            k++;
        if (k == COUNT_OF(expected))
            fail_msg("%s has traits of another category", rows[i].name);
        found[k] |= traits != 0;
        bool is_memop = rows[i].category == XS_CAT_STREAM_MEMOP,
             is_shared = strstr(rows[i].rest, "xs_fingerprint_never_holds");
        if (is_memop != ((traits & XS_TRAIT_ORDERS_STREAMS) && rows[i].category != XS_CAT_SYNC) ||
            is_shared != !!(traits & XS_TRAIT_SHARES_MEMORY))
            fail_msg("%s lacks a trait, or has one too many", rows[i].name);
    }
    for (size_t k = 0; k < COUNT_OF(expected); k++)
        assert_true(found[k]);
    assert_int_equal(xs_entry_traits("cudaEventRecord_ptsz"), XS_TRAIT_RECORDS_EVENT); /* of an imported trace */
    assert_int_equal(xs_entry_traits(XS_ENTRY_UNKNOWN_NAME), XS_TRAIT_DOES_ANYTHING);
    assert_int_equal(xs_entry_traits("EventRecord"), 0);
}

/* libxferspy.so finds rows by address in a table of 2048 places with 16-bit row numbers (real.c). */
static void rows_fit_the_address_table(void **state) {
    (void)state;
    assert_true(COUNT_OF(rows) <= 2048 / 2);
}

static void *stub;
static int load_stub(void **state) {
    (void)state;
    stub = *STUB_LIBCUDA ? dlopen(STUB_LIBCUDA, RTLD_LAZY | RTLD_LOCAL) : NULL;
    return 0;
}

/* True for functions of a driver newer than the toolkit, which the fake driver cannot have. */
static bool is_newer(const char *name) {
#define NAMES(symbol, params) #symbol, #symbol "_ptsz",
    static const char *const newer[] = {XS_NEWER_API(NAMES) NULL};
#undef NAMES
    for (size_t i = 0; newer[i]; i++)
        if (strcmp(newer[i], name) == 0)
            return true;
    return false;
}

static void driver_has_every_row(void **state) {
    unsigned missing = 0;
    (void)state;
    if (!stub)
        skip();
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        if (!dlsym(stub, rows[i].name) && !is_newer(rows[i].name)) {
            print_error("the driver has no %s\n", rows[i].name);
            missing++;
        }
    }
    assert_int_equal(missing, 0);
}

/* If the sibling of a row is missing, it depends on how an application was compiled whether the call is seen. */
static void driver_has_no_other_variant(void **state) {
    static const char *const versions[] = {"_v2", "_v3", "_v4", "_v5", "_v6"};
    static const char *const streams[] = {"", "_ptds", "_ptsz"};
    unsigned missing = 0;
    (void)state;
    if (!stub)
        skip();
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        char base[128], name[160];
        snprintf(base, sizeof base, "%s", rows[i].name);
        for (size_t s = 1; s < COUNT_OF(streams); s++)
            base[strlen(base) - (ends_with(base, streams[s]) ? 5 : 0)] = '\0';
        for (size_t s = 0; s < COUNT_OF(streams); s++) {
            for (size_t v = 0; v <= COUNT_OF(versions); v++) {
                snprintf(name, sizeof name, "%s%s%s", base, v ? versions[v - 1] : "", streams[s]);
                if (v && base[strlen(base) - 3] == '_')
                    continue; /* has its version; an older one is another ABI, listed in docs/rules/coverage.md */
                if (dlsym(stub, name) && !find(name)) {
                    print_error("%s has a row, %s has none\n", rows[i].name, name);
                    missing++;
                }
            }
        }
    }
    assert_int_equal(missing, 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names_are_unique),
        cmocka_unit_test(categories_have_names),
        cmocka_unit_test(per_thread_rows_have_a_plain_one),
        cmocka_unit_test(traits_fit_the_rows),
        cmocka_unit_test(rows_fit_the_address_table),
        cmocka_unit_test(driver_has_every_row),
        cmocka_unit_test(driver_has_no_other_variant),
    };
    return cmocka_run_group_tests(tests, load_stub, NULL);
}
