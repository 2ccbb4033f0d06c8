/* Runs trials: first each plan alone, to check whether it fits a new run; then all plans alternately. See try.h. */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "analyzer/base/memory.h"
#include "analyzer/base/units.h"
#include "analyzer/commands/bench/start.h"
#include "analyzer/commands/try/try.h"
#include "schema/clock.h"
#include "schema/safe_open/private_file.h"

/* --- files --- */

/* Writes the plan of the attempt to its file. False: it failed, and a message was printed. */
static bool write_plan(const struct xs_attempt *attempt, const char *mode) {
    XS_SCOPED_STRING text = {0};
    xs_trial_plan(&text, attempt->trial, mode);
    unlink(attempt->plan);
    int fd = xs_create_private(attempt->plan);
    FILE *file = fd >= 0 ? fdopen(fd, "w") : NULL;
    bool good = file && fwrite(text.data, 1, text.length, file) == text.length;
    if (file)
        good = fclose(file) == 0 && good;
    if (!good)
        xs_complain("%s: %s", attempt->plan, strerror(errno));
    return good;
}

static void prepare(const struct xs_try *t, struct xs_attempt *attempt) {
    enum { SETTINGS = 8 };
    const char *memory = getenv("XFERSPY_REPAIR_MIB");
    XS_SCOPED_STRING repairs = {0};
    size_t n = 0;
    attempt->plan = xs_text_format("%s/%zu.plan", t->folder, (size_t)(attempt - t->attempts));
    attempt->log = xs_text_format("%s/%zu.log", t->folder, (size_t)(attempt - t->attempts));
    xs_trial_repairs(&repairs, attempt->trial);
    attempt->settings = xs_realloc(NULL, SETTINGS * sizeof *attempt->settings);
    attempt->settings[n++] = xs_strdup(t->program->preload);
    attempt->settings[n++] = xs_strdup("XFERSPY_ENABLE=off");
    attempt->settings[n++] = xs_strdup("XFERSPY_QUIET=on");
    attempt->settings[n++] = xs_text_format("XFERSPY_REPAIR=%s", repairs.data);
    attempt->settings[n++] = xs_text_format("XFERSPY_REPAIR_PLAN=%s", attempt->plan);
    attempt->settings[n++] = xs_text_format("XFERSPY_REPAIR_LOG=%s", attempt->log);
    if (memory)
        attempt->settings[n++] = xs_text_format("XFERSPY_REPAIR_MIB=%s", memory);
    attempt->settings[n] = NULL;
}

/* --- running --- */

/* Returns the rest of the time limit in seconds; 0: there is no limit; negative: the limit was reached. */
static double time_left_s(const struct xs_try *t) {
    double limit_s = t->arguments->terms.time_limit_s;
    if (limit_s <= 0)
        return 0;
    double left_s = limit_s - (double)(xs_time_ns(CLOCK_MONOTONIC) - t->began_ns) / 1e9;
    return left_s > 0 ? left_s : -1;
}

/* Runs a bench in the program's folder. False: nothing more may be run; t->end says why. */
static bool run(struct xs_try *t, struct xs_bench_terms *terms, struct xs_bench *bench) {
    int back;
    terms->time_limit_s = time_left_s(t);
    *bench = (struct xs_bench){0};
    if (terms->time_limit_s < 0) {
        t->end = XS_BENCH_OVER_TIME;
        return false;
    }
    if (!xs_program_enter(t->program, &back)) {
        t->end = XS_BENCH_FAILED;
        return false;
    }
    xs_bench_measure(terms, bench);
    xs_program_leave(back);
    t->end = bench->end;
    return bench->end == XS_BENCH_COMPLETE;
}

/* Ends the trial if its log shows that the repair did not do what the plan says. */
static void judge_log(struct xs_trial *trial, const struct xs_repair_log *log, const char *trouble) {
    if (trouble)
        xs_trial_end(trial, XS_TRIAL_FAILED, "%s", trouble);
    else if (log->off.length)
        xs_trial_end(trial, XS_TRIAL_FAILED, "the repair %s", log->off.data);
    else if (log->accessed)
        xs_trial_end(trial, XS_TRIAL_FAILED,
                     "the program accesses memory of downloads that the plan leaves out (%s times), so its output "
                     "counts for nothing",
                     XS_COUNT_TEXT(log->accessed));
    else if (log->unsure)
        xs_trial_end(trial, XS_TRIAL_FAILED,
                     "nobody can say whether the program accesses memory of downloads that the plan leaves out: %s",
                     log->refused.data);
    else if (log->wrong)
        xs_trial_end(trial, XS_TRIAL_FAILED,
                     "%s times the device would have held other bytes than the program uploaded; the program does not "
                     "do the same in each run",
                     XS_COUNT_TEXT(log->wrong));
    else if (log->differs)
        xs_trial_end(
            trial, XS_TRIAL_FAILED,
            "%s calls moved another number of bytes than in the trace; the program does not do the same in each run",
            XS_COUNT_TEXT(log->differs));
}

/* Judges a checking run. If some contents were not compared, the trial ends, because the repair may be wrong. */
static void judge_checked(struct xs_trial *trial, const struct xs_repair_log *log) {
    uint64_t of = xs_trial_left_out(trial);
    if (trial->state == XS_TRIAL_PLANNED && log->checked < of)
        xs_trial_end(trial, XS_TRIAL_CANNOT, "%s of %s copies could not be checked: %s",
                     XS_COUNT_TEXT(of - log->checked), XS_COUNT_TEXT(of),
                     log->refused.length ? log->refused.data : "this run did not make them");
}

/* Runs the program once with the plan in mode verify. False: nothing more may be run. */
static bool check(struct xs_try *t, struct xs_attempt *attempt) {
    struct xs_repair_log log = {0};
    struct xs_bench bench;
    prepare(t, attempt);
    if (!write_plan(attempt, "verify")) {
        t->end = XS_BENCH_FAILED;
        return false;
    }
    if (t->shows)
        fprintf(stderr, "\r\033[Kchecking %s ", attempt->trial->name);
    struct xs_bench_variant variant = {.argv = t->program->argv, .settings = attempt->settings};
    struct xs_bench_terms terms = {.variants = &variant,
                                   .variant_count = 1,
                                   .runs = 1,
                                   .patterns = t->arguments->terms.patterns,
                                   .exit_status = t->arguments->terms.exit_status};
    bool goes_on = run(t, &terms, &bench);
    if (goes_on) {
        const char *trouble = xs_repair_log_take(&log, attempt->log);
        int status = bench.sides[0].status;
        if (trouble && WIFSIGNALED(status))
            xs_trial_end(attempt->trial, XS_TRIAL_FAILED, "with the repair the program ended with signal %d",
                         WTERMSIG(status));
        else if (trouble && WEXITSTATUS(status) != t->arguments->terms.exit_status)
            xs_trial_end(attempt->trial, XS_TRIAL_FAILED,
                         "the program ended with exit status %d, and with no word of its repairs; if a script starts "
                         "it, name that: xferspy try TRACE -- ./SCRIPT",
                         WEXITSTATUS(status));
        else
            judge_log(attempt->trial, &log, trouble);
        judge_checked(attempt->trial, &log);
        if (attempt->trial->state == XS_TRIAL_PLANNED && !write_plan(attempt, "apply")) {
            t->end = XS_BENCH_FAILED;
            goes_on = false;
        }
    }
    xs_repair_log_free(&log);
    xs_bench_free(&bench);
    return goes_on;
}

/* --- alternately --- */

/* Takes the logs of the runs of a round. `all_ran`: all runs of the round were made, so each must have left a log. */
static void take_logs(struct xs_try *t, bool all_ran) {
    for (size_t i = 0; i < t->trials->count; i++) {
        struct xs_attempt *attempt = &t->attempts[i];
        if (attempt->trial->state != XS_TRIAL_PLANNED || (!all_ran && access(attempt->log, F_OK) != 0))
            continue;
        const char *trouble = xs_repair_log_take(&attempt->logged, attempt->log);
        attempt->log_trouble = attempt->log_trouble ? attempt->log_trouble : trouble;
    }
}

/* Runs before each round: takes the logs of the previous round. */
static void on_round(size_t round, size_t rounds, void *context) {
    struct xs_try *t = context;
    if (round)
        take_logs(t, true);
    if (t->shows)
        fprintf(stderr, "\r\033[Kround %zu of %zu ", round + 1, rounds);
}

/* Compares the attempt with the unchanged program. */
static void compare(struct xs_try *t, struct xs_attempt *attempt, const struct xs_bench_terms *terms, size_t variant) {
    struct xs_tried_runs *o = xs_realloc(NULL, sizeof *o);
    static const struct xs_bench_demands none = {.share = -1};
    *o = (struct xs_tried_runs){.sides = {t->bench.sides[0], t->bench.sides[variant]},
                                .variants = {terms->variants[0], terms->variants[variant]},
                                .terms = *terms};
    o->bench = (struct xs_bench){.sides = o->sides,
                                 .side_count = 2,
                                 .rounds = t->bench.rounds,
                                 .exit_status = t->bench.exit_status,
                                 .end = t->bench.end};
    o->terms.variants = o->variants;
    o->terms.side_names[0] = "the program without repairs";
    o->terms.side_names[1] = "the repaired program";
    xs_bench_report_make(&o->terms, &o->bench, &none, &o->report);
    attempt->outcome = o;
    judge_log(attempt->trial, &attempt->logged, attempt->log_trouble);
    XS_SCOPED_STRING failures = {0};
    xs_bench_say_failures(&failures, &o->bench, 1, "with the repair");
    if (attempt->trial->state == XS_TRIAL_PLANNED && failures.length)
        xs_trial_end(attempt->trial, XS_TRIAL_FAILED, "%s", failures.data);
    if (attempt->trial->state == XS_TRIAL_PLANNED && attempt->logged.runs && !attempt->logged.applied)
        xs_trial_end(attempt->trial, XS_TRIAL_CANNOT, "the library repaired none of its calls%s%s",
                     attempt->logged.refused.length ? ": " : "",
                     attempt->logged.refused.length ? attempt->logged.refused.data : "");
    if (attempt->trial->state == XS_TRIAL_PLANNED)
        attempt->trial->state = XS_TRIAL_MEASURED;
}

/* True if the unchanged program fails. Then a message was printed, and nothing is compared. */
static bool fails_by_itself(struct xs_try *t) {
    XS_SCOPED_STRING failures = {0};
    int status;
    xs_bench_say_failures(&failures, &t->bench, 0, "without a repair");
    if (failures.length && xs_bench_failures(&t->bench, 0, &status) && WIFEXITED(status))
        xs_complain("nothing was measured: %s; if it ends so after its work, say it with --status=%d", failures.data,
                    WEXITSTATUS(status));
    else if (failures.length)
        xs_complain("nothing was measured: %s", failures.data);
    return failures.length > 0;
}

static void measure_in_turns(struct xs_try *t) {
    size_t count = 0;
    struct xs_bench_variant *variants = xs_realloc(NULL, (t->trials->count + 1) * sizeof *variants);
    variants[count++] = (struct xs_bench_variant){.argv = t->program->argv};
    for (size_t i = 0; i < t->trials->count; i++)
        if (t->trials->items[i].state == XS_TRIAL_PLANNED)
            variants[count++] =
                (struct xs_bench_variant){.argv = t->program->argv, .settings = t->attempts[i].settings};
    struct xs_bench_terms terms = t->arguments->terms;
    terms.variants = variants;
    terms.variant_count = count;
    terms.progress = on_round;
    terms.context = t;
    run(t, &terms, &t->bench);
    if (t->bench.side_count)
        take_logs(t, t->bench.end == XS_BENCH_COMPLETE);
    if (fails_by_itself(t))
        t->end = XS_BENCH_FAILED;
    else if (t->bench.rounds)
        for (size_t i = 0, variant = 1; i < t->trials->count; i++)
            if (t->trials->items[i].state == XS_TRIAL_PLANNED)
                compare(t, &t->attempts[i], &terms, variant++);
    free(variants);
}

/* --- all of it --- */

/* Checks the demands: the demands on outputs for every trial, the demand on the gain for all repairs together. */
static void judge(struct xs_try *t) {
    const struct xs_bench_demands *demands = &t->arguments->demands;
    for (size_t i = 0; i < t->trials->count; i++) {
        const struct xs_tried_runs *o = t->attempts[i].outcome;
        if (t->trials->items[i].state == XS_TRIAL_FAILED)
            t->failed |= XS_FAULT_OUTPUT & demands->faults;
        else if (o)
            t->failed |= XS_FAULT_OUTPUT & xs_bench_judge(&o->bench, &o->report.pair, demands);
    }
    const struct xs_tried_runs *sum = t->sum < t->trials->count ? t->attempts[t->sum].outcome : NULL;
    if (sum && t->trials->items[t->sum].state == XS_TRIAL_MEASURED)
        t->failed |= xs_bench_judge(&sum->bench, &sum->report.pair, demands);
    else
        t->failed |= (demands->at_least ? XS_FAULT_GAIN : 0U) | (XS_FAULT_UNCLEAR & demands->faults);
}

/* Checks each plan alone. False: nothing more may be run. */
static bool check_all(struct xs_try *t) {
    size_t last = t->trials->count - 1;
    for (size_t i = 0; i < last; i++)
        if (t->trials->items[i].state == XS_TRIAL_PLANNED && !check(t, &t->attempts[i]))
            return false;
    size_t count = xs_trials_put_together(t->trials);
    if (count > 1)
        return check(t, &t->attempts[last]);
    t->trials->items[last].state = XS_TRIAL_CANNOT; /* it is the same as the one trial; no reason is given */
    return count == 1;
}

static size_t find_sum(const struct xs_try *t) {
    size_t last = t->trials->count - 1, found = t->trials->count, count = 0;
    if (t->trials->items[last].state != XS_TRIAL_CANNOT || t->trials->items[last].why)
        return last;
    for (size_t i = 0; i < last; i++)
        if (t->trials->items[i].state == XS_TRIAL_PLANNED) {
            found = i;
            count++;
        }
    return count == 1 ? found : t->trials->count;
}

enum { LONG_NS_PER_S = 1000000000, LONG_S = 60 };

/* Prints how long the command will take; if the output is no terminal, only if that is long. A trace begins with the
 * program's first use of CUDA, so a run takes at least as long as the trace. */
static void say_duration(const struct xs_try *t) {
    const struct xs_bench_terms *terms = &t->arguments->terms;
    uint64_t run_ns = t->reading->diagnosis->findings->recorded.run_ns;
    size_t causes = 0;
    for (size_t i = 0; i + 1 < t->trials->count; i++)
        causes += t->trials->items[i].state == XS_TRIAL_PLANNED;
    size_t planned = causes + (causes > 1); /* the last trial is the one with all repairs */
    size_t runs = planned + (planned + 1) * (terms->runs + terms->warm_up);
    double all_ns = (double)run_ns * (double)runs;
    if (!planned || (!t->shows && all_ns < (double)LONG_S * LONG_NS_PER_S))
        return;
    fprintf(stderr, "This takes at least %s: %zu cause%s, %zu runs of at least %s.\n",
            XS_NS_TEXT(all_ns < 1e18 ? (uint64_t)all_ns : (uint64_t)1e18), causes, causes == 1 ? "" : "s", runs,
            XS_NS_TEXT(run_ns));
}

int xs_try_measure(struct xs_try *t) {
    t->end = XS_BENCH_COMPLETE;
    t->attempts = xs_realloc(NULL, t->trials->count * sizeof *t->attempts);
    for (size_t i = 0; i < t->trials->count; i++)
        t->attempts[i] = (struct xs_attempt){.trial = &t->trials->items[i]};
    t->sum = t->trials->count;
    if (!xs_make_folder(t->folder, sizeof t->folder))
        return XS_EXIT_ERROR;
    say_duration(t);
    bool goes_on = check_all(t), any = false;
    t->sum = find_sum(t);
    for (size_t i = 0; i < t->trials->count; i++)
        any |= t->trials->items[i].state == XS_TRIAL_PLANNED;
    if (goes_on && any)
        measure_in_turns(t);
    if (t->shows)
        fputs("\r\033[K", stderr);
    xs_remove_folder(t->folder);
    if (t->end == XS_BENCH_FAILED)
        return XS_EXIT_ERROR;
    judge(t);
    if (t->end == XS_BENCH_INTERRUPTED || (any && !t->bench.rounds))
        return XS_EXIT_ERROR;
    return t->failed ? XS_EXIT_LIMIT : XS_EXIT_OK;
}

bool xs_try_is_shown(const struct xs_try *t, size_t attempt) {
    return attempt + 1 < t->trials->count || t->sum == attempt;
}

void xs_try_free(struct xs_try *t) {
    for (size_t i = 0; t->attempts && i < t->trials->count; i++) {
        struct xs_attempt *attempt = &t->attempts[i];
        free(attempt->plan);
        free(attempt->log);
        xs_environment_free(attempt->settings);
        xs_repair_log_free(&attempt->logged);
        if (attempt->outcome)
            xs_bench_report_free(&attempt->outcome->report);
        free(attempt->outcome);
    }
    free(t->attempts);
    free(t->identity);
    if (t->bench.sides)
        xs_bench_free(&t->bench);
}
