/* Makes notes on what makes two sides hard to compare, one line each: different programs, machines or ways of
 * recording, swapped sides, a trace that occurs twice. The diff is computed in any case. */
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "analyzer/base/memory.h"
#include "analyzer/base/text.h"
#include "analyzer/base/units.h"
#include "analyzer/commands/diff/diff_internal.h"
#include "analyzer/commands/diff/diff_programs.h"

enum { TEXT_COLUMNS = 100, RUN_NOTES = 8 /* RUN_NOTES: largest number of notes about single runs */ };

static void note(struct xs_diff *c, const char *format, ...) __attribute__((format(printf, 2, 3)));
static void note(struct xs_diff *c, const char *format, ...) {
    struct xs_string text = {0};
    va_list arguments;
    va_start(arguments, format);
    xs_string_vformat(&text, format, arguments);
    va_end(arguments);
    if (text.data[text.length - 1] != '?')
        xs_string_add(&text, ".", 1);
    c->notes = xs_realloc(c->notes, (c->note_count + 1) * sizeof *c->notes);
    c->notes[c->note_count++] = text.data;
}

void xs_diff_note_first(struct xs_diff *c, const char *text) {
    note(c, "%s", text);
    char *last = c->notes[c->note_count - 1];
    memmove(c->notes + 1, c->notes, (c->note_count - 1) * sizeof *c->notes);
    c->notes[0] = last;
}

/* Adds a text, cut if it is too long for a line; a note is escaped completely when it is printed. */
static void cut(struct xs_string *text, const char *raw) {
    size_t bytes = strlen(raw), fit = xs_text_fit(raw, TEXT_COLUMNS);
    xs_string_add(text, raw, fit < bytes ? fit : bytes);
    if (fit < bytes)
        xs_string_add(text, "...", 3);
}

/* --- differences between all runs --- */

static void differ(struct xs_diff *c, const char *what, const char *before, const char *after) {
    XS_SCOPED_STRING x = {0}, y = {0};
    if (!strcmp(before, after))
        return;
    cut(&x, *before ? before : "unknown");
    cut(&y, *after ? after : "unknown");
    note(c, "%s differ: %s before, %s after", what, x.data, y.data);
}

/* Notes that numbers differ. A number below `least` is printed as "none". */
static void note_numbers(struct xs_diff *c, const char *what, int64_t least, int64_t before, int64_t after) {
    char x[24] = "none", y[24] = "none";
    if (before >= least)
        snprintf(x, sizeof x, "%" PRId64, before);
    if (after >= least)
        snprintf(y, sizeof y, "%" PRId64, after);
    differ(c, what, x, y);
}

/* Returns the arguments without the program's name, which is compared separately. */
static const char *arguments_of(const struct xs_side_run *run) {
    const char *blank = strchr(run->command, ' ');
    return blank ? blank + 1 : "none";
}

static void note_ways(struct xs_diff *c, const struct xs_side_run *before, const struct xs_side_run *after) {
    XS_SCOPED_STRING x = {0}, y = {0};
    if (before->simulated != after->simulated)
        note(c, "%s ran on the simulated GPU, whose times are invented: only counts and bytes can be compared",
             before->simulated ? "BEFORE" : "AFTER");
    else if (before->transfers || after->transfers)
        differ(c, "GPUs", before->devices, after->devices);
    xs_side_program(&x, before);
    xs_side_program(&y, after);
    differ(c, "Programs", x.data, y.data);
    differ(c, "Arguments", arguments_of(before), arguments_of(after));
    differ(c, "Hosts", before->host, after->host);
    if (before->driver_version && after->driver_version)
        note_numbers(c, "CUDA driver versions", INT64_MIN, before->driver_version, after->driver_version);
    note_numbers(c, "Ranks", 0, before->rank, after->rank);
    if (before->rank >= 0 && after->rank >= 0)
        note_numbers(c, "World sizes", INT64_MIN, before->world_size, after->world_size);
    differ(c, "Fingerprint modes", *before->fingerprint_mode ? before->fingerprint_mode : "unknown",
           *after->fingerprint_mode ? after->fingerprint_mode : "unknown");
    differ(c, "Versions of xferspy that recorded", before->xferspy_version, after->xferspy_version);
}

/* --- single runs --- */

static void note_times(struct xs_diff *c, const char *side, const char *path, const struct xs_side_run *run) {
    note(c, "%s: in %s, %s of %s copies have device times: times on the device are of these alone", side, path,
         XS_COUNT_TEXT(run->timed), XS_COUNT_TEXT(run->timed + run->without_time));
}

static void look_at_run(struct xs_diff *c, const char *side, const struct xs_side_run *run) {
    XS_SCOPED_STRING path = {0};
    cut(&path, run->path);
    if (run->live)
        note(c, "%s: %s is still being written", side, path.data);
    else if (!run->duration_known && strcmp(run->status, "recovered") != 0)
        note(c, "%s: %s does not say how long the run took", side, path.data);
    else if (!run->duration_known)
        note(c, "%s: %s has no end, its process was killed: how long the run took is not known", side, path.data);
    if (*run->repaired)
        note(c, "%s: %s was r%.*s", side, path.data, (int)strlen(run->repaired) - 2, run->repaired + 1);
    if (*run->looked_at)
        note(c,
             run->is_ledger ? "%s: in %s, %s; findings and device times are of that part"
                            : "%s: in %s, %s; the numbers are of that part, but for allocations and the wall time",
             side, path.data, run->looked_at);
    if (*run->windows)
        note(c, "%s: in %s, %s", side, path.data, run->windows);
    if (run->timed && run->without_time)
        note_times(c, side, path.data, run);
    if (*run->bounds)
        note(c, "%s: %.*s", side, (int)strlen(run->bounds) - 1, run->bounds);
    if (!run->transfers)
        note(c, "%s: %s has no transfers", side, path.data);
}

/* Adds a note if the runs of a side are ranks of a job. They are no repeated runs: their differences do not show how
 * much runs vary. */
static void look_at_ranks(struct xs_diff *c, const char *name, const struct xs_side *side) {
    for (size_t r = 1; r < side->run_count; r++) {
        if (side->runs[r].rank == side->runs->rank)
            continue;
        note(c,
             "%s: its traces are of several ranks: the spread is between ranks, and not between runs. Compare rank by "
             "rank",
             name);
        return;
    }
}

static void look_at_runs(struct xs_diff *c) {
    const struct xs_side *sides[] = {c->before, c->after};
    for (int s = 0; s < 2; s++) {
        const struct xs_side *side = sides[s];
        for (size_t r = 0; r < side->run_count && c->note_count < RUN_NOTES; r++)
            look_at_run(c, s ? "AFTER" : "BEFORE", &side->runs[r]);
        look_at_ranks(c, s ? "AFTER" : "BEFORE", side);
        for (size_t r = 1; r < side->run_count; r++) {
            if (!xs_side_is_same_program(side->runs, &side->runs[r]) ||
                strcmp(arguments_of(side->runs), arguments_of(&side->runs[r])) != 0) {
                note(c, "%s: its runs are of different programs or arguments", s ? "AFTER" : "BEFORE");
                break;
            }
        }
    }
}

/* True if two runs are the same run. The inode number of the file is not enough, because it may have been used by
 * another file that was deleted. */
static bool is_same_run(const struct xs_side_run *a, const struct xs_side_run *b) {
    bool file = a->file_number && a->file_number == b->file_number && a->file_device == b->file_device;
    return (file || a->start_unix_ns > 0) && a->start_unix_ns == b->start_unix_ns && a->pid == b->pid &&
           !strcmp(a->host, b->host);
}

static const struct xs_side_run *run_at(const struct xs_diff *c, size_t i) {
    return i < c->before->run_count ? &c->before->runs[i] : &c->after->runs[i - c->before->run_count];
}

static void look_for_the_same(struct xs_diff *c) {
    size_t count = c->before->run_count + c->after->run_count;
    for (size_t i = 0; i < count; i++) {
        for (size_t k = i + 1; k < count; k++) {
            if (!is_same_run(run_at(c, i), run_at(c, k)))
                continue;
            XS_SCOPED_STRING x = {0}, y = {0};
            cut(&x, run_at(c, i)->path);
            cut(&y, run_at(c, k)->path);
            note(c, "%s and %s are the same run", x.data, y.data);
            return; /* one such note is enough */
        }
    }
}

static void look_at_order(struct xs_diff *c) {
    int64_t first_before = INT64_MAX, last_after = 0;
    for (size_t r = 0; r < c->before->run_count; r++)
        if (c->before->runs[r].start_unix_ns < first_before)
            first_before = c->before->runs[r].start_unix_ns;
    for (size_t r = 0; r < c->after->run_count; r++)
        if (c->after->runs[r].start_unix_ns > last_after)
            last_after = c->after->runs[r].start_unix_ns;
    if (first_before > 0 && last_after > 0 && last_after < first_before)
        note(c, "AFTER ran earlier than BEFORE: are they swapped?");
}

/* --- what one side alone knows --- */

static void note_knowledge(struct xs_diff *c, bool folded) {
    const struct xs_side *before = c->before, *after = c->after;
    if (before->lacks_device_times != after->lacks_device_times)
        note(c,
             "%s has no device times, so times on the device and what repairs save are not "
             "compared",
             before->lacks_device_times ? "BEFORE" : "AFTER");
    if (before->lacks_contents != after->lacks_contents)
        note(c, "%s has no fingerprints: findings about contents could not be made there",
             before->lacks_contents ? "BEFORE" : "AFTER");
    if (folded)
        note(c, "One side has no call sites: compared by the driver's entry points alone");
}

void xs_diff_add_notes(struct xs_diff *c, bool folded) {
    look_for_the_same(c);
    look_at_order(c);
    look_at_runs(c);
    note_ways(c, c->before->runs, c->after->runs);
    note_knowledge(c, folded);
}
