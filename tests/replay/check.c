/* The replay of a run without some of its uploads is as long as a real run without them, within 2 %; and one with
 * nothing changed as long as the run. On random programs on the simulated GPU, with the virtual clock.
 *
 *   replay_check BUILD SEED PROGRAMS [ONLY] [--verbose]
 *
 * For programs 0 to PROGRAMS - 1 of the seed, or ONLY that one: a run under libxferspy.so leaves a trace, runs without
 * libxferspy.so say how long the program takes with all uploads and with random sets of them left out, and the replay
 * of the trace has to say the same. Percentages are of the program without its set-up. The last line has the
 * distribution of all errors. Exit status: 0 as expected; 1 not, with the timeline of the first that is not, and the
 * command that repeats it. */
#include "analyzer/savings/replay/replay.h"

#include <errno.h>
#include <inttypes.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/replay/steps.h"

#ifndef XFERSPY_SANITIZER_RUNTIME
#define XFERSPY_SANITIZER_RUNTIME ""
#endif

enum { SETS = 8, PATH_BYTES = 1024, LEAST_NS = 500000, OWN_VARIABLES = 7 };
static const double allowed = 0.02;

static char build[PATH_BYTES], work[PATH_BYTES / 4] = "/tmp/xferspy-replay.XXXXXX", trace_path[PATH_BYTES / 2];
static uint64_t seed;
static double *errors; /* the errors of all comparisons so far */
static size_t error_count, error_capacity;

static void remove_work(void) {
    unlink(trace_path);
    rmdir(work);
}

static _Noreturn void fail(const char *what, const char *detail) {
    fprintf(stderr, "check: %s: %s\n", what, detail);
    exit(2);
}

/* --- the runs --- */

struct duration {
    int64_t setup_ns, total_ns;
};

static void text(char *out, size_t bytes, const char *format, const char *a, const char *b, const char *c) {
    int length = snprintf(out, bytes, format, a, b, c);
    if (length < 0 || (size_t)length >= bytes)
        fail("too long", format);
}

/* Returns the caller's environment without variables that would disturb the run, and with those that it needs. */
static char **environment_of(char **own) {
    static const char *const without[] = {"XFERSPY_", "LD_PRELOAD=", "LD_LIBRARY_PATH="};
    size_t count = 0, kept = 0;
    while (environ[count])
        count++;
    char **all = calloc(count + OWN_VARIABLES + 1, sizeof *all);
    if (!all)
        fail("memory", strerror(errno));
    for (size_t i = 0; i < count; i++) {
        bool is_kept = true;
        for (size_t k = 0; k < sizeof without / sizeof *without; k++)
            is_kept = is_kept && strncmp(environ[i], without[k], strlen(without[k])) != 0;
        if (is_kept)
            all[kept++] = environ[i];
    }
    memcpy(all + kept, own, OWN_VARIABLES * sizeof *all);
    return all;
}

static pid_t start(char **arguments, char **environment, int *output) {
    int ends[2];
    pid_t child;
    posix_spawn_file_actions_t actions;
    if (pipe(ends) || posix_spawn_file_actions_init(&actions) ||
        posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO) ||
        posix_spawn_file_actions_addclose(&actions, ends[0]))
        fail("pipe", strerror(errno));
    errno = posix_spawn(&child, arguments[0], &actions, NULL, arguments, environment);
    if (errno)
        fail(arguments[0], strerror(errno));
    posix_spawn_file_actions_destroy(&actions);
    close(ends[1]);
    *output = ends[0];
    return child;
}

/* Runs the performing program and gives its output to `read`, line by line. */
static void perform(char **arguments, bool is_recorded, void (*read)(void *data, const char *line), void *data) {
    char program[PATH_BYTES * 2], preload[PATH_BYTES * 4], libraries[PATH_BYTES * 2], output[PATH_BYTES];
    char clock[PATH_BYTES * 2], recorder[PATH_BYTES * 2] = "";
    text(program, sizeof program, "%s%s%s", build, "/tests/replay/program/replay_perform", "");
    text(libraries, sizeof libraries, "%s%s%s", "LD_LIBRARY_PATH=", build, "/sim");
    text(output, sizeof output, "%s%s%s", "XFERSPY_OUTPUT=", trace_path, "");
    text(clock, sizeof clock, "%s%s%s", *XFERSPY_SANITIZER_RUNTIME ? ":" : "", build, "/sim/libxferspy_sim_clock.so");
    if (is_recorded)
        text(recorder, sizeof recorder, ":%s%s%s", build, "/lib/libxferspy.so", "");
    text(preload, sizeof preload, "LD_PRELOAD=%s%s%s", XFERSPY_SANITIZER_RUNTIME, clock, recorder);
    char *own[OWN_VARIABLES] = {preload,
                                libraries,
                                output,
                                "XFERSPY_FINGERPRINT=off",
                                "XFERSPY_QUIET=on",
                                "XFERSPY_STACK=none",
                                "XFERSPY_SPOOL_MIB=2"};
    char **environment = environment_of(own);
    int lines_of, status;
    arguments[0] = program;
    pid_t child = start(arguments, environment, &lines_of);
    FILE *lines = fdopen(lines_of, "r");
    for (char line[256]; lines && fgets(line, sizeof line, lines);)
        read(data, line);
    fclose(lines);
    free(environment);
    if (waitpid(child, &status, 0) != child || !WIFEXITED(status) || WEXITSTATUS(status))
        fail(program, "did not end well");
}

struct durations {
    struct duration items[SETS];
    int count;
};

static void read_duration(void *data, const char *line) {
    struct durations *d = data;
    struct duration one;
    if (d->count == SETS || sscanf(line, "%" SCNd64 " %" SCNd64, &one.setup_ns, &one.total_ns) != 2)
        fail("not a duration", line);
    d->items[d->count++] = one;
}

static void run_sets(uint64_t number, int sets, bool is_recorded, struct durations *out) {
    char numbers[2][24], set[SETS][12];
    char *arguments[SETS + 4] = {NULL, numbers[0], numbers[1]};
    snprintf(numbers[0], sizeof numbers[0], "%" PRIu64, seed);
    snprintf(numbers[1], sizeof numbers[1], "%" PRIu64, number);
    for (int i = 0; i < sets; i++) {
        snprintf(set[i], sizeof set[i], "%d", i);
        arguments[3 + i] = set[i];
    }
    *out = (struct durations){0};
    perform(arguments, is_recorded, read_duration, out);
    if (out->count != sets)
        fail("a run", "said nothing");
}

/* --- the replay --- */

static int64_t replay(const struct xs_model *model, const struct steps *steps, uint64_t dropped, int64_t *returns) {
    const struct xs_call_change drop = {.dropped = true};
    uint32_t *change_of = calloc(model->call_count + 1, sizeof *change_of);
    int step = 0;
    if (!change_of)
        fail("memory", strerror(errno));
    for (uint32_t i = 0; i < model->call_count; i++) {
        if (model->calls[i].kind != XS_MODEL_TRANSFER)
            continue;
        while (step < steps->count && steps->items[step].kind != STEP_UPLOAD &&
               steps->items[step].kind != STEP_DOWNLOAD)
            step++;
        if (step == steps->count)
            fail("the trace", "has more transfers than the program");
        const struct step *s = &steps->items[step++];
        change_of[i] = s->upload >= 0 && (dropped >> s->upload & 1);
    }
    int64_t run = xs_replay_run(model, change_of, &drop, returns);
    free(change_of);
    return run;
}

/* --- what is said --- */

struct real_step {
    int64_t enter_ns, return_ns;
};
struct real_steps {
    struct real_step items[MAX_STEPS];
    int count;
};

static void read_step(void *data, const char *line) {
    struct real_steps *r = data;
    struct real_step *s = &r->items[r->count++];
    if (r->count > MAX_STEPS || sscanf(line, "%" SCNd64 " %" SCNd64, &s->enter_ns, &s->return_ns) != 2)
        fail("not a step", line);
}

/* Prints for each step the times as measured, as replayed, and as in the real run without the dropped uploads. Calls
 * are matched from the end, because the set-up's calls come first. */
static void print_timeline(const struct xs_model *model, const struct steps *steps, uint64_t number, int set) {
    uint64_t dropped = steps_dropped(steps, seed, number, set);
    int64_t *returns = calloc(model->call_count + 1, sizeof *returns);
    struct real_steps real = {.count = 0};
    char numbers[3][24];
    snprintf(numbers[0], sizeof numbers[0], "%" PRIu64, seed);
    snprintf(numbers[1], sizeof numbers[1], "%" PRIu64, number);
    snprintf(numbers[2], sizeof numbers[2], "%d", set);
    perform((char *[]){NULL, "--steps", numbers[0], numbers[1], numbers[2], NULL}, false, read_step, &real);
    if (!returns)
        fail("memory", strerror(errno));
    replay(model, steps, dropped, returns);
    uint32_t call = model->call_count;
    for (int i = 0; i < steps->count; i++)
        call -= steps->items[i].kind != STEP_WORK;
    printf("    all in us  measured: call, operation (w: waited), replayed: return, without them: return\n");
    for (int i = 0; i < steps->count; i++) {
        char what[128], measured[96] = "", replayed[24] = "";
        const struct step *s = &steps->items[i];
        steps_describe(s, what, sizeof what);
        if (s->kind != STEP_WORK) {
            const struct xs_model_call *c = &model->calls[call];
            const struct xs_model_operation *o = c->operations ? &model->operations[c->operation] : NULL;
            snprintf(replayed, sizeof replayed, "%.1f", (double)returns[call] / 1e3);
            snprintf(measured, sizeof measured, "%9.1f %9.1f%c %9.1f %9.1f%c", (double)c->enter_ns / 1e3,
                     (double)c->return_ns / 1e3, c->waited ? 'w' : ' ', o ? (double)o->start_ns / 1e3 : 0,
                     o ? (double)o->end_ns / 1e3 : 0, o && o->waited ? 'w' : ' ');
            call++;
        }
        printf("%4d %-42s %42s %10s %10.1f%s\n", i, measured, replayed,
               s->upload >= 0 && (dropped >> s->upload & 1) ? "dropped" : "", (double)real.items[i].return_ns / 1e3,
               what);
    }
    free(returns);
}

/* Remembers an error; true where it is allowed. */
static bool note(double error) {
    if (error_count == error_capacity) {
        error_capacity = error_capacity ? error_capacity * 2 : 1024;
        errors = realloc(errors, error_capacity * sizeof *errors);
        if (!errors)
            fail("memory", strerror(errno));
    }
    errors[error_count++] = error;
    return error <= allowed;
}

/* Returns the difference as a part of the program without its set-up. If the program has almost nothing left, single
 * microseconds that no measurement shows (such as the time of a call that always had to wait) would be a larger part
 * than in a real program. */
static double part_of(int64_t difference_ns, const struct duration *real) {
    int64_t program_ns = real->total_ns - real->setup_ns;
    return (double)llabs(difference_ns) / (double)(program_ns > LEAST_NS ? program_ns : LEAST_NS);
}

/* --- one program --- */

static bool check_model(const struct xs_model *model, const struct steps *steps, uint64_t number,
                        const struct durations *real, bool is_verbose) {
    bool is_right = true;
    for (int set = 0; set < real->count; set++) {
        uint64_t dropped = steps_dropped(steps, seed, number, set);
        int64_t said = replay(model, steps, dropped, NULL);
        double error = part_of(said - real->items[set].total_ns, &real->items[set]);
        if (set == 0) { /* each call's return, too */
            int64_t run_ns;
            double worst = xs_replay_error(model, &run_ns);
            double identity = part_of((int64_t)(worst * (double)model->run_ns), &real->items[0]);
            error = identity > error ? identity : error;
        }
        bool is_near = note(error);
        if (is_verbose || (!is_near && is_right))
            printf("program %" PRIu64 ", set %d, %d of %d uploads dropped: %.1f us with them, replayed %.1f, real %.1f:"
                   " off by %.2f %%\n",
                   number, set, __builtin_popcountll(dropped), steps->uploads, (double)real->items[0].total_ns / 1e3,
                   (double)said / 1e3, (double)real->items[set].total_ns / 1e3, error * 100);
        if (!is_near && is_right)
            print_timeline(model, steps, number, set);
        is_right = is_right && is_near;
    }
    return is_right;
}

static bool check_program(uint64_t number, bool is_verbose) {
    struct steps steps;
    struct durations recorded, real;
    struct xs_trace trace;
    struct xs_model model;
    char message[XS_TRACE_MESSAGE_BYTES];
    steps_make(&steps, seed, number);
    unlink(trace_path);
    run_sets(number, 1, true, &recorded);
    run_sets(number, steps.uploads ? SETS : 1, false, &real);
    if (memcmp(&recorded.items[0], &real.items[0], sizeof *real.items) != 0)
        fail("the clock", "the recorded run was not as long as the other");
    if (xs_trace_open(trace_path, &trace, message) < 0 || xs_model_read(&model, &trace, NULL, NULL, message, NULL) < 0)
        fail("the trace", message);
    if (model.unmatched)
        fail("the trace", "device records without a call");
    bool is_right = check_model(&model, &steps, number, &real, is_verbose);
    xs_model_free(&model);
    xs_trace_close(&trace);
    return is_right;
}

static int by_size(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

int main(int argc, char **argv) {
    bool is_verbose = argc > 1 && strcmp(argv[argc - 1], "--verbose") == 0;
    int count = argc - is_verbose, wrong = 0;
    if (count != 4 && count != 5) {
        fprintf(stderr, "usage: replay_check BUILD SEED PROGRAMS [ONLY] [--verbose]\n");
        return 2;
    }
    if (!realpath(argv[1], build) || !mkdtemp(work))
        fail(argv[1], strerror(errno));
    text(trace_path, sizeof trace_path, "%s%s%s", work, "/trace.db", "");
    atexit(remove_work);
    seed = strtoull(argv[2], NULL, 10);
    uint64_t programs = strtoull(argv[3], NULL, 10), only = count == 5 ? strtoull(argv[4], NULL, 10) : UINT64_MAX;
    setvbuf(stdout, NULL, _IOLBF, 0);
    for (uint64_t number = 0; number < programs; number++) {
        if (only != UINT64_MAX && number != only)
            continue;
        bool is_right = check_program(number, is_verbose);
        if (!is_right && !wrong++)
            printf("again: %s/tests/replay/replay_check %s %" PRIu64 " %" PRIu64 " %" PRIu64 "\n", build, build, seed,
                   programs, number);
        if (!is_right && !is_verbose)
            break;
    }
    qsort(errors, error_count, sizeof *errors, by_size);
    if (error_count)
        printf("%s seed %" PRIu64 ": %zu comparisons, error median %.3f %%, 90 of 100 up to %.3f %%, 99 up to %.3f %%,"
               " largest %.3f %%; %d programs off\n",
               wrong ? "FAIL" : "PASS", seed, error_count, errors[error_count / 2] * 100,
               errors[error_count * 90 / 100] * 100, errors[error_count * 99 / 100] * 100,
               errors[error_count - 1] * 100, wrong);
    free(errors);
    return wrong != 0;
}
