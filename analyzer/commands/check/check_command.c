/* xferspy check: compares runs with limits on metrics and findings, for CI, with baselines and suppressions. The
 * exit status is 3 if a limit does not hold. */
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "analyzer/base/memory.h"
#include "analyzer/base/progress.h"
#include "analyzer/commands/check/check.h"
#include "analyzer/commands/check/judge.h"
#include "analyzer/commands/common/command.h"
#include "analyzer/commands/common/reading.h"
#include "analyzer/commands/common/traces.h"
#include "analyzer/findings/engine/detector.h"
#include "analyzer/symbols/debug_path.h"

XS_DECLARE_COMMAND(check)

/* Baselines and suppressions are about findings, so if there is one of them, each finding is judged separately. */
#define DEFAULT_RULES "saved-time:1%"
#define DEFAULT_RULES_OF_FINDINGS "any:1%"
static const double default_tolerance = 0.10;

enum {
    OPTION_FAIL_ON = 0x200,
    OPTION_BASELINE,
    OPTION_TOLERANCE,
    OPTION_WRITE_BASELINE,
    OPTION_CONFIG,
    OPTION_NO_CONFIG,
    OPTION_ALLOW_UNKNOWN,
    OPTION_FORMAT,
    OPTION_JSON,
    OPTION_JUNIT,
    OPTION_SARIF,
    OPTION_SOURCE_ROOT,
    OPTION_RULES,
};
static const struct argp_option check_options[] = {
    {NULL, 0, NULL, 0, "What fails:", 1},
    {"fail-on", OPTION_FAIL_ON, "RULE:LIMIT,...", 0,
     "limits on metrics and findings, used instead of those in the file; may be repeated. If there are "
     "none: " DEFAULT_RULES ", or with a baseline or suppressions " DEFAULT_RULES_OF_FINDINGS,
     1},
    {"baseline", OPTION_BASELINE, "FILE", 0,
     "findings that are in FILE do not make the check fail. FILE was written by --write-baseline, or is another trace",
     1},
    {"tolerance", OPTION_TOLERANCE, "SHARE", 0, "how much a finding in the baseline may grow; 10% if not given", 1},
    {"config", OPTION_CONFIG, "FILE", 0,
     "read rules and suppressions from FILE; may be repeated. If not given: " XS_CHECK_CONFIG_NAME
     " in the current folder, if it exists",
     1},
    {"no-config", OPTION_NO_CONFIG, NULL, 0, "do not look for " XS_CHECK_CONFIG_NAME, 1},
    {"allow-unknown", OPTION_ALLOW_UNKNOWN, "RULE,...", OPTION_ARG_OPTIONAL,
     "do not fail if the trace does not have enough data to decide these rules; without RULE: all rules", 1},
    {NULL, 0, NULL, 0, "What is written:", 2},
    {"format", OPTION_FORMAT, "text|json|junit|sarif|github", 0, "text if not given; github: lines for GitHub Actions",
     2},
    {"json", OPTION_JSON, NULL, 0, XS_HELP_JSON, 2},
    {"junit", OPTION_JUNIT, "FILE", 0, "also write JUnit XML, with one test case for each rule", 2},
    {"sarif", OPTION_SARIF, "FILE", 0, "also write SARIF 2.1.0, which code hosts show beside the lines of the source",
     2},
    {"source-root", OPTION_SOURCE_ROOT, "DIR", 0,
     "write file names as seen from DIR; if not given: the folder that the program ran in", 2},
    {NULL, 0, NULL, 0, "Instead of checking:", 3},
    {"write-baseline", OPTION_WRITE_BASELINE, "FILE", 0,
     "write the findings and metrics of the trace to FILE as a baseline, and end", 3},
    {"rules", OPTION_RULES, NULL, 0, "list the names that rules can have, and end", 3},
    {0}};

static const char doc[] =
    "Checks traces against limits, for CI. " XS_HELP_LIMITS
    " A rule also fails if the trace does not have enough data to decide it; the output then says why. --allow-unknown "
    "accepts that.\v"
    "A rule is NAME:LIMIT. NAME is a metric (`saved-time', `wall-time', ...), a finding (`noop-upload', "
    "`duplicate-upload/freed': all its places together), `any' (every finding, each by itself, by what it saves) or "
    "`sure' (like `any', but with the low end of the interval); --rules lists them. LIMIT is the largest value "
    "allowed: a "
    "count (0; of a finding: its instances), a size (1MiB), a time (20ms), a share of the run (5%), or one of these "
    "added to the baseline's value (+10%, +3, +20ms).\n"
    "\n"
    "In CI, record all contents, so that counts of findings are no estimates.\n"
    "\n"
    "Examples:\n"
    "  xferspy run --fingerprint=all -o run.db -- ./app && xferspy check run.db\n"
    "  xferspy check --fail-on=saved-time:5%,noop-upload:0 run.db\n"
    "  xferspy check --write-baseline=baseline.json run.db\n"
    "  xferspy check --baseline=baseline.json --fail-on=any:0,wall-time:+10% run.db\n"
    "  xferspy check --junit=check.xml --sarif=check.sarif rank*.db\n"
    "  xferspy check runs/ job.db       traces of a folder and a merged file\n"
    "\n"
    "Findings that are in the baseline do not fail, unless they grew by more than the tolerance. Rules can also stand "
    "in a file " XS_CHECK_CONFIG_NAME ".";

enum format { FORMAT_TEXT, FORMAT_JSON, FORMAT_JUNIT, FORMAT_SARIF, FORMAT_GITHUB, FORMATS };
static const char *const format_names[] = {"text", "json", "junit", "sarif", "github", NULL};
static void (*const writers[FORMATS])(const struct xs_check *check, struct xs_out *out) = {
    xs_check_text, xs_check_json, xs_check_junit, xs_check_sarif, xs_check_github};

struct arguments {
    struct xs_traces_arguments traces; /* must be the first member, for xs_parse_traces */
    struct xs_traces named;            /* the traces that the arguments mean */
    bool incomplete;                   /* some of the traces could not be found */
    struct xs_check_config config;     /* the configuration by the options */
    const char *baseline, *junit, *sarif, *source_root, *write_baseline;
    char **configs;
    size_t config_count;
    bool no_config, list;
    enum format format;
};

static void add_config(struct arguments *arguments, char *path) {
    arguments->configs = xs_realloc(arguments->configs, sizeof(char *) * (arguments->config_count + 1));
    arguments->configs[arguments->config_count++] = path;
}

/* Parses options that the file can contain, too. */
static void parse_terms(int key, const char *text, struct arguments *arguments, struct argp_state *state) {
    char message[XS_RULE_MESSAGE_BYTES];
    if (key == OPTION_FAIL_ON && !xs_rules_add(&arguments->config.rules, text, message))
        argp_error(state, "--fail-on: %s", message);
    if (key == OPTION_TOLERANCE && !xs_share_parse(text, &arguments->config.tolerance))
        argp_error(state, "--tolerance=%s: use a share, as in 10%%", text);
    if (key == OPTION_ALLOW_UNKNOWN && !xs_check_config_allow(&arguments->config, text ? text : "all", message))
        argp_error(state, "--allow-unknown: %s", message);
}

static char *help(int key, const char *text, void *input) {
    (void)input;
    return xs_help_with_page(key, text, "use/check.md");
}

static error_t parse(int key, char *argument, struct argp_state *state) {
    struct arguments *arguments = state->input;
    switch (key) {
    case OPTION_FAIL_ON:
    case OPTION_TOLERANCE:
    case OPTION_ALLOW_UNKNOWN:
        parse_terms(key, argument, arguments, state);
        return 0;
    case OPTION_BASELINE:
        arguments->baseline = argument;
        return 0;
    case OPTION_WRITE_BASELINE:
        arguments->write_baseline = argument;
        return 0;
    case OPTION_CONFIG:
        add_config(arguments, argument);
        return 0;
    case OPTION_NO_CONFIG:
        arguments->no_config = true;
        return 0;
    case OPTION_FORMAT:
        arguments->format = (enum format)xs_parse_word("format", argument, format_names, state);
        return 0;
    case OPTION_JSON:
        arguments->format = FORMAT_JSON;
        return 0;
    case OPTION_JUNIT:
        arguments->junit = argument;
        return 0;
    case OPTION_SARIF:
        arguments->sarif = argument;
        return 0;
    case OPTION_SOURCE_ROOT:
        arguments->source_root = realpath(argument, NULL); /* absolute, like the folders in traces; never freed */
        arguments->source_root = arguments->source_root ? arguments->source_root : argument;
        return 0;
    case OPTION_RULES:
        arguments->list = true;
        return 0;
    case ARGP_KEY_NO_ARGS:
        if (!arguments->list)
            argp_error(state, "which trace?");
        return 0;
    case ARGP_KEY_END:
        if (arguments->write_baseline && arguments->traces.count > 1)
            argp_error(state, "a baseline is of one trace");
        if (arguments->write_baseline && arguments->baseline)
            argp_error(state, "--baseline compares and --write-baseline writes: one at a time");
        return 0;
    default:
        return xs_parse_traces(key, argument, state);
    }
}

/* --- other than checking --- */

static int list_rules(const struct xs_out_options *options) {
    static const char *const of_metrics[] = {
        [XS_METRIC_NS] = "time", [XS_METRIC_BYTES] = "size", [XS_METRIC_COUNT] = "count"};
    struct xs_out out;
    if (xs_out_open(&out, options) < 0)
        return XS_EXIT_ERROR;
    fputs("Metrics\n", out.file);
    for (int i = 0; i < XS_METRICS; i++)
        fprintf(out.file, "  %-24s %-5s  %s\n", xs_metric_infos[i].name, of_metrics[xs_metric_infos[i].unit],
                xs_metric_infos[i].title);
    fputs("\nFindings: a count of instances, a size, a time or a share of the run\n", out.file);
    fprintf(out.file, "  %-24s every finding, each by itself, by what it saves\n", "any");
    fprintf(out.file, "  %-24s like `any', but with the low end of the interval\n", "sure");
    for (size_t i = 0; i < xs_detector_count; i++) {
        const struct xs_detector *d = xs_detectors[i];
        fprintf(out.file, "  %-24s %s\n", d->id, d->title);
        for (unsigned v = 0; v < XS_VERDICTS && d->verdicts[v].name; v++)
            fprintf(out.file, "  %s/%s\n", d->id, d->verdicts[v].name);
    }
    return xs_out_close(&out, true) < 0 ? XS_EXIT_ERROR : XS_EXIT_OK;
}

static int write_baseline(const struct arguments *arguments) {
    struct xs_reading reading;
    struct xs_out out;
    struct xs_out_options options = arguments->traces.output;
    options.path = arguments->write_baseline;
    if (arguments->named.count > 1)
        xs_complain("%s: stands for %d traces, and a baseline is of one; name one of them", arguments->traces.traces[0],
                    arguments->named.count);
    if (arguments->named.count != 1 || xs_output_is_trace(&options, &arguments->named) || xs_out_check(&options) < 0)
        return XS_EXIT_ERROR;
    int status = xs_reading_open(arguments->named.names[0], NULL, &reading);
    if (status != XS_EXIT_OK)
        return status;
    if (!xs_baseline_may_be(&reading) || xs_out_open(&out, &options) < 0) {
        status = XS_EXIT_ERROR;
    } else {
        xs_baseline_write(&reading, out.file);
        status = xs_out_close(&out, true) < 0 ? XS_EXIT_ERROR : XS_EXIT_OK;
    }
    xs_reading_close(&reading);
    return status;
}

/* --- terms --- */

static bool read_configs(struct arguments *arguments, struct xs_check_config *config) {
    static char standard[] = XS_CHECK_CONFIG_NAME;
    char message[XS_CHECK_CONFIG_MESSAGE_BYTES];
    if (!arguments->config_count && !arguments->no_config && access(standard, F_OK) == 0)
        add_config(arguments, standard);
    for (size_t i = 0; i < arguments->config_count; i++) {
        if (!xs_check_config_read(config, arguments->configs[i], (int64_t)time(NULL), message)) {
            xs_complain("%s", message);
            return false;
        }
    }
    return true;
}

/* Merges the options with the files. Options have precedence over files. Only files contain suppressions. */
static void merge(struct arguments *arguments, struct xs_check_config *config) {
    struct xs_check_config *given = &arguments->config;
    char message[XS_RULE_MESSAGE_BYTES];
    if (given->rules.count) {
        xs_rules_free(&config->rules);
        free(config->rules_origin);
        config->rules_origin = NULL;
        config->rules = given->rules;
        given->rules = (struct xs_rules){0};
    }
    if (given->tolerance >= 0)
        config->tolerance = given->tolerance;
    else if (config->tolerance < 0)
        config->tolerance = default_tolerance;
    config->allow_unknown |= given->allow_unknown;
    for (size_t i = 0; i < given->allowed_unknown_count; i++)
        xs_check_config_allow(config, given->allowed_unknown[i], message);
}

/* True if every rule has what it needs. False: a rule needs a baseline, but there is none; a message was printed. */
static bool has_what_rules_need(const struct xs_check_config *config, bool baseline) {
    for (size_t i = 0; i < config->rules.count; i++) {
        if (config->rules.items[i].relative && !baseline) {
            xs_complain("%s: is a limit against a baseline; --baseline names one", config->rules.items[i].text);
            return false;
        }
    }
    return true;
}

/* --- checking --- */

static int write_file(const struct xs_check *check, const char *path, enum format format,
                      const struct xs_out_options *options) {
    struct xs_out out;
    struct xs_out_options own = {.path = path, .force = options->force, .color = XS_COLOR_NEVER};
    if (xs_out_open(&out, &own) < 0)
        return XS_EXIT_ERROR;
    writers[format](check, &out);
    return xs_out_close(&out, true) < 0 ? XS_EXIT_ERROR : XS_EXIT_OK;
}

static int write_all(const struct arguments *arguments, const struct xs_check *check) {
    const struct xs_out_options *options = &arguments->traces.output;
    struct xs_out out;
    int status = XS_EXIT_OK;
    if (arguments->junit)
        status = write_file(check, arguments->junit, FORMAT_JUNIT, options);
    if (status == XS_EXIT_OK && arguments->sarif)
        status = write_file(check, arguments->sarif, FORMAT_SARIF, options);
    if (xs_out_open(&out, options) < 0)
        return XS_EXIT_ERROR;
    writers[arguments->format](check, &out);
    return xs_out_close(&out, true) < 0 ? XS_EXIT_ERROR : status;
}

/* Judges every trace that can be read. Unreadable traces are listed in the result, because its reader may not see the
 * exit status. */
static int judge_all(const struct arguments *arguments, struct xs_check *check) {
    int status = arguments->incomplete ? XS_EXIT_ERROR : XS_EXIT_OK;
    struct xs_judged *all = xs_realloc(NULL, sizeof *all * (size_t)arguments->named.count);
    const char **unread = xs_realloc(NULL, sizeof *unread * (size_t)arguments->named.count);
    xs_progress_begin_file(*arguments->named.names, 0);
    for (int i = 0; i < arguments->named.count; i++) {
        struct xs_reading reading;
        xs_progress_range(0, 1, (size_t)i, (size_t)arguments->named.count);
        if (xs_reading_open(arguments->named.names[i], NULL, &reading) != XS_EXIT_OK) {
            status = XS_EXIT_ERROR;
            unread[check->unread_count++] = arguments->named.names[i];
            continue;
        }
        struct xs_judged *judged = &all[check->count++];
        xs_check_judge(&reading, check->terms, judged);
        check->outcome = judged->outcome > check->outcome ? judged->outcome : check->outcome;
        xs_reading_close(&reading);
    }
    xs_progress_end();
    check->judged = all;
    check->unread = unread;
    check->incomplete = status != XS_EXIT_OK;
    return status;
}

static int check_with(const struct arguments *arguments, const struct xs_check_config *config,
                      const char *baseline_path, bool default_rules) {
    struct xs_baseline baseline = {0};
    int status = baseline_path ? xs_baseline_open(baseline_path, &baseline) : XS_EXIT_OK;
    if (status != XS_EXIT_OK)
        return status;
    bool *used = xs_zeroed(config->suppression_count, sizeof *used);
    struct xs_check_terms terms = {
        .config = config, .baseline = baseline_path ? &baseline : NULL, .tolerance = config->tolerance, .used = used};
    struct xs_check check = {.terms = &terms,
                             .baseline_path = baseline_path,
                             .default_rules = default_rules,
                             .source_root = arguments->source_root};
    status = judge_all(arguments, &check);
    if (check.count && write_all(arguments, &check) != XS_EXIT_OK)
        status = XS_EXIT_ERROR;
    if (status == XS_EXIT_OK && check.outcome >= XS_OUTCOME_UNKNOWN)
        status = XS_EXIT_LIMIT;
    for (size_t i = 0; i < check.count; i++)
        xs_judged_free((struct xs_judged *)&check.judged[i]);
    free((void *)check.judged);
    free((void *)check.unread);
    free(used);
    xs_baseline_free(&baseline);
    return status;
}

/* Checks the output files before traces are read, because reading takes long, and a wrong name should be reported at
 * once. */
static bool outputs_are_free(const struct arguments *arguments) {
    const char *const paths[] = {arguments->traces.output.path, arguments->junit, arguments->sarif};
    for (size_t i = 0; i < sizeof paths / sizeof *paths; i++) {
        struct xs_out_options options = {.path = paths[i], .force = arguments->traces.output.force};
        char *name = (char *)(uintptr_t)arguments->baseline;
        struct xs_traces baseline = {.names = &name, .count = name != NULL};
        if (xs_output_is_trace(&options, &arguments->named) || xs_output_is_trace(&options, &baseline) ||
            xs_out_check(&options) < 0)
            return false;
    }
    return true;
}

static int check(struct arguments *arguments) {
    struct xs_check_config config;
    char message[XS_RULE_MESSAGE_BYTES];
    int status = XS_EXIT_USAGE;
    xs_check_config_begin(&config);
    if (read_configs(arguments, &config)) {
        merge(arguments, &config);
        bool default_rules = !config.rules.count;
        const char *baseline = arguments->baseline ? arguments->baseline : config.baseline;
        bool of_findings = baseline || config.suppression_count;
        if (default_rules)
            xs_rules_add(&config.rules, of_findings ? DEFAULT_RULES_OF_FINDINGS : DEFAULT_RULES, message);
        if (has_what_rules_need(&config, baseline != NULL))
            status =
                outputs_are_free(arguments) ? check_with(arguments, &config, baseline, default_rules) : XS_EXIT_ERROR;
    }
    xs_check_config_free(&config);
    return status;
}

static const struct argp_child children[] = {XS_OUTPUT_CHILD, XS_DEBUG_PATH_CHILD, {0}};
const struct xs_interface xs_interface_check = {.argp = {.options = check_options,
                                                         .parser = parse,
                                                         .args_doc = "TRACE...",
                                                         .doc = doc,
                                                         .children = children,
                                                         .help_filter = help}};

int xs_command_check(int argc, char **argv) {
    struct arguments arguments = {0};
    int status;
    xs_check_config_begin(&arguments.config);
    if (argp_parse(&xs_interface_check.argp, argc, argv, 0, NULL, &arguments) != 0)
        return XS_EXIT_USAGE;
    if (!arguments.list)
        arguments.incomplete =
            xs_traces_expand(arguments.traces.traces, arguments.traces.count, &arguments.named) != XS_EXIT_OK;
    if (arguments.list)
        status = list_rules(&arguments.traces.output);
    else if (!arguments.named.count)
        status = XS_EXIT_ERROR; /* a message was printed */
    else if (arguments.write_baseline)
        status = write_baseline(&arguments);
    else
        status = check(&arguments);
    xs_traces_free(&arguments.named);
    xs_check_config_free(&arguments.config);
    free(arguments.configs);
    return status;
}
