/* Tests how rules and suppressions of `xferspy check` are read, and how findings are matched with those of a baseline.
 */
#include "unit.h"

#include "analyzer/base/memory.h"
#include "analyzer/commands/check/config.h"
#include "analyzer/findings/engine/detector.h"
#include "analyzer/totals/summary/metrics.h"

/* --- rules --- */

static struct xs_rule only(const char *text) {
    static struct xs_rules rules;
    char message[XS_RULE_MESSAGE_BYTES];
    xs_rules_free(&rules);
    if (!text)
        return (struct xs_rule){0};
    if (!xs_rules_add(&rules, text, message))
        fail_msg("%s", message);
    assert_int_equal(rules.count, 1);
    return rules.items[0];
}

static void limits(void **state) {
    (void)state;
    struct xs_rule r = only("noop-upload:0");
    assert_int_equal(r.about, XS_RULE_FINDING);
    assert_string_equal(xs_detectors[r.detector]->id, "noop-upload");
    assert_int_equal(r.verdict, -1);
    assert_int_equal(r.unit, XS_METRIC_COUNT);
    assert_int_equal(r.limit, 0);
    r = only(" duplicate-upload/freed:1.5MiB ");
    assert_string_equal(r.text, "duplicate-upload/freed:1.5MiB");
    assert_string_equal(xs_detectors[r.detector]->verdicts[r.verdict].name, "freed");
    assert_int_equal(r.unit, XS_METRIC_BYTES);
    assert_int_equal(r.limit, 1572864);
    r = only("any:2 ms");
    assert_int_equal(r.about, XS_RULE_ANY);
    assert_int_equal(r.unit, XS_METRIC_NS);
    assert_int_equal(r.limit, 2000000);
    r = only("sure:0.5%");
    assert_int_equal(r.about, XS_RULE_SURE);
    assert_true(r.is_share && !r.relative && r.share > 0.00499 && r.share < 0.00501);
    r = only("wall-time:+10%");
    assert_int_equal(r.metric, XS_METRIC_WALL_TIME);
    assert_true(r.is_share && r.relative);
    r = only("transfer-bytes:+4GB");
    assert_true(r.relative && !r.is_share && r.limit == 4000000000);
    assert_int_equal(only("wall-time:0").unit, XS_METRIC_NS); /* nothing needs no unit */
    only(NULL);
}

static void what_is_no_rule(void **state) {
    static const struct {
        const char *text, *message;
    } wrong[] = {
        {"noop-uplaod:0", "did you mean `noop-upload'?"},
        {"duplicate-upload/fred:0", "did you mean `duplicate-upload/freed'?"},
        {"saved-tim:5%", "did you mean `saved-time'?"},
        {"qqqqqqqq:1", "--rules"},
        {"noop-upload/freed:1", "no metric or finding"},
        {"", "is no rule"},
        {"noop-upload", "is no rule"},
        {"noop-upload:", "is no rule"},
        {":5", "is no rule"},
        {"noop-upload:-1", "a limit is"},
        {"noop-upload:0x10", "a limit is"},
        {"noop-upload:1e3", "a limit is"},
        {"noop-upload:inf", "a limit is"},
        {"noop-upload:1.", "a limit is"},
        {"noop-upload:0.5", "a limit is"},
        {"noop-upload:5parsec", "a limit is"},
        {"noop-upload:99999999999999999999", "a limit is"},
        {"wall-time:5%", "of itself"},
        {"wall-time:5", "is a time"},
        {"transfers:5%", "is a count"},
        {"transfers:5ms", "is a count"},
        {"upload-bytes:5ms", "is bytes"},
        {"noop-upload:0,", "is no rule"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        struct xs_rules rules = {0};
        char message[XS_RULE_MESSAGE_BYTES] = "";
        if (xs_rules_add(&rules, wrong[i].text, message) || !strstr(message, wrong[i].message))
            fail_msg("`%s': `%s'", wrong[i].text, message);
        xs_rules_free(&rules);
    }
}

/* --- the file --- */

enum { NOW = 1767225600 }; /* 2026-01-01 */

static bool read_config(struct xs_check_config *config, const char *text, char *message) {
    char folder[] = "/tmp/xferspy-unit.XXXXXX", path[64];
    assert_non_null(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/rules", folder);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fputs(text, file);
    fclose(file);
    xs_check_config_begin(config);
    bool good = xs_check_config_read(config, path, NOW, message);
    unlink(path);
    rmdir(folder);
    return good;
}

static void a_file(void **state) {
    struct xs_check_config config;
    char message[XS_CHECK_CONFIG_MESSAGE_BYTES];
    (void)state;
    if (!read_config(
            &config,
            "# comment\r\nfail-on = noop-upload:0, any:5%\n[check]\n  tolerance=25 %\nbaseline = b.json\n"
            "allow-unknown = unused-upload\nfail-on = wall-time:+3%\n\n[suppress]\nfinding = duplicate-upload\n"
            "function = warm_*\nreason = a = b # c\nuntil = 2025-12-31\n[suppress]\nfile=*.py\nreason=x",
            message))
        fail_msg("%s", message);
    assert_int_equal(config.rules.count, 3);
    assert_true(config.tolerance > 0.2499 && config.tolerance < 0.2501);
    assert_non_null(strstr(config.baseline, "/b.json")); /* beside the file */
    assert_true(xs_check_config_allows(&config, &(struct xs_rule){.text = (char[]){"unused-upload:0"}}));
    assert_false(xs_check_config_allows(&config, &(struct xs_rule){.text = (char[]){"unused-upload/certain:0"}}));
    assert_int_equal(config.suppression_count, 2);
    assert_string_equal(config.suppressions[0].reason, "a = b # c");
    assert_non_null(strstr(config.suppressions[0].origin, "rules:9"));
    assert_false(config.suppressions[0].expired); /* on its last day, somewhere on earth */
    assert_non_null(strstr(config.suppressions[1].origin, "rules:14"));
    xs_check_config_free(&config);
}

static void what_is_no_file(void **state) {
    static const struct {
        const char *text, *message;
    } wrong[] = {
        {"\n[suppress]\nfinding = leak\n", "rules:2: a suppression has to say why"},
        {"[suppress]\nfinding = leak\nreason =\n", "rules:3: reason has no value"},
        {"[suppress]\nreason = all of it\n", "rules:1: this suppression is for everything"},
        {"[suppress]\nfinding = leek\nreason = x\n",
         "rules:2: finding: no metric or finding `leek'; did you mean `leak'?"},
        {"[suppress]\nfinding = wall-time\nreason = x\n", "there is no such finding"},
        {"[suppress]\nfinding = zz*\nreason = x\n", "there is no such finding"},
        {"[suppress]\nfinding = leak\nuntil = 2026-02-30\nreason = x\n", "rules:3: until = 2026-02-30"},
        {"[suppress]\nfinding = leak\nuntil = tomorrow\nreason = x\n", "use a day"},
        {"[suppress]\nfinding = leak\nfinding = pageable\nreason = x\n", "rules:3: finding is given twice"},
        {"[suppress]\nwho = me\nreason = x\n", "has no `who'"},
        {"[other]\n", "rules:1: there is no section [other]"},
        {"fail-on = noop:0\n", "rules:1: no metric or finding"},
        {"limit = 5\n", "there is no `limit'"},
        {"words\n", "rules:1: neither"},
        {"tolerance = 5\n", "use a share"},
        {"allow-unknown = nothing\n", "no metric or finding"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        struct xs_check_config config;
        char message[XS_CHECK_CONFIG_MESSAGE_BYTES] = "";
        if (read_config(&config, wrong[i].text, message) || !strstr(message, wrong[i].message))
            fail_msg("`%s': `%s'", wrong[i].text, message);
        xs_check_config_free(&config);
    }
}

static void expiry(void **state) {
    static const struct {
        const char *day;
        bool expired;
    } days[] = {{"2025-12-30", true}, {"2025-12-31", false}, {"2026-01-01", false}, {"9999-12-31", false}};
    (void)state;
    for (size_t i = 0; i < sizeof days / sizeof *days; i++) {
        struct xs_check_config config;
        char text[128], message[XS_CHECK_CONFIG_MESSAGE_BYTES];
        snprintf(text, sizeof text, "[suppress]\nfinding=leak\nreason=x\nuntil=%s\n", days[i].day);
        assert_true(read_config(&config, text, message));
        assert_int_equal(config.suppressions[0].expired, days[i].expired);
        xs_check_config_free(&config);
    }
}

/* --- matching --- */

static void add(struct xs_check_findings *findings, const char *kind, const char *function, const char *text,
                uint32_t line) {
    const struct xs_match_place place = {
        .entry_point = "cuMemcpyHtoD_v2", .function = function, .file = "train.py", .text = text, .line = line};
    uint32_t site = 0;
    while (site < findings->place_count &&
           (findings->places[site].line != line || *findings->places[site].function != *function))
        site++;
    if (site == findings->place_count)
        xs_check_findings_add_place(findings, &place);
    struct xs_check_finding *f = xs_check_findings_add(findings, site);
    f->kind = xs_strdup(kind);
    for (unsigned d = 0; d < xs_detector_count; d++)
        if (!strcmp(xs_detectors[d]->id, kind))
            f->detector = d;
}

static void the_same_place_in_another_build(void **state) {
    struct xs_check_findings before = {0}, now = {0};
    uint32_t of[6];
    (void)state;
    add(&before, "pageable", "step", "x.to(d)", 10); /* 0 */
    add(&before, "pageable", "step", "x.to(d)", 20); /* 1: the same text */
    add(&before, "pageable", "step", "y.to(d)", 30); /* 2: will be edited */
    add(&before, "pageable", "load", NULL, 7);       /* 3: no source */
    add(&before, "leak", "step", "x.to(d)", 10);     /* 4: another finding, gone */
    add(&now, "pageable", "load", "t.to(d)", 9);     /* the only one there */
    add(&now, "pageable", "step", "z.to(d)", 31);
    add(&now, "pageable", "step", "x.to(d)",
        20); /* at exactly this line, although another line with its text comes first */
    add(&now, "pageable", "step", "x.to(d)", 14);    /* moved */
    add(&now, "noop-upload", "step", "x.to(d)", 14); /* another finding there */
    add(&now, "pageable", "step", "w.to(d)", 50);    /* one more than before */
    xs_check_match(&before, &now, of);
    assert_int_equal(of[0], 3);
    assert_int_equal(of[1], 2);
    assert_int_equal(of[2], 1);
    assert_int_equal(of[3], 0);
    assert_int_equal(of[4], XS_UNMATCHED);
    assert_int_equal(of[5], XS_UNMATCHED);
    assert_true(xs_check_finding_hash(&before.items[0]) == xs_check_finding_hash(&now.items[3]));
    assert_true(xs_check_finding_hash(&before.items[0]) != xs_check_finding_hash(&before.items[4]));
    xs_check_findings_free(&now);
    xs_check_match(&before, &now, of); /* nothing */
    xs_check_findings_free(&before);
}

static void suppressed(void **state) {
    struct xs_check_config config;
    struct xs_check_findings f = {0};
    char message[XS_CHECK_CONFIG_MESSAGE_BYTES];
    (void)state;
    assert_true(read_config(&config,
                            "[suppress]\nfinding=pageable\nreason=old\nuntil=2020-01-01\n[suppress]\nfinding=pageable\n"
                            "function=st?p\nfile=train.*\ntext=x.*\nreason=new\n",
                            message));
    add(&f, "pageable", "step", "x.to(d)", 1);
    add(&f, "pageable", "step", "y.to(d)", 2);
    add(&f, "leak", "step", "x.to(d)", 3);
    assert_int_equal(xs_check_config_suppression(&config, &f.items[0]), 1); /* one that holds before one that expired */
    assert_int_equal(xs_check_config_suppression(&config, &f.items[1]), 0);
    assert_int_equal(xs_check_config_suppression(&config, &f.items[2]), -1);
    xs_check_findings_free(&f);
    xs_check_config_free(&config);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(limits),     cmocka_unit_test(what_is_no_rule),
        cmocka_unit_test(a_file),     cmocka_unit_test(what_is_no_file),
        cmocka_unit_test(expiry),     cmocka_unit_test(the_same_place_in_another_build),
        cmocka_unit_test(suppressed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
