/* The report as text: why the devices were idle, and whether waits pay. */

#include <stdio.h>
#include <stdlib.h>

#include "analyzer/base/units.h"
#include "analyzer/commands/report/report_internal.h"
#include "analyzer/words/idle_words.h"

enum { MOST_ROWS = 5, LEAST_SHARE = 100 /* rows below this part of the time are left out */ };

/* Prints "Device 0 was idle for 528 us of a step's 905 us (58 %)". */
static void idle_line(const struct xs_diagnosis *diagnosis, const struct xs_idle_device *device, struct xs_out *out) {
    const struct xs_idle *idle = &diagnosis->idle;
    uint64_t steps = diagnosis->idle_steps ? diagnosis->idle_steps : 1;
    uint64_t all_ns = (uint64_t)(idle->end_ns - idle->start_ns);
    char ns[XS_UNIT_BYTES], of[XS_UNIT_BYTES], share[XS_UNIT_BYTES], count[XS_UNIT_BYTES],
        name[40] = "An unknown device";
    if (device->device >= 0)
        snprintf(name, sizeof name, "Device %lld", (long long)device->device);
    if (diagnosis->idle_steps)
        xs_out_line(out, XS_STYLE_PLAIN, "%s was idle for %s of a step's %s (%s), on average over %s steps.", name,
                    xs_format_ns(ns, device->idle_ns / steps), xs_format_ns(of, all_ns / steps),
                    xs_format_share(share, device->idle_ns, all_ns), xs_format_count(count, steps));
    else
        xs_out_line(out, XS_STYLE_PLAIN, "%s was idle for %s of the run's %s (%s).", name,
                    xs_format_ns(ns, device->idle_ns), xs_format_ns(of, all_ns),
                    xs_format_share(share, device->idle_ns, all_ns));
}

/* Prints a row: numbers in right-aligned columns, then a text that is wrapped on a terminal. It is no table, because a
 * table cuts texts that are too long. If the terminal has little room behind the numbers, the text is below them. NULL:
 * the column is left out. */
enum { NUMBERS = 5, COLUMN = 9, LEAST_ROOM = 45, BELOW = 6 };
static void row(struct xs_out *out, const char *const numbers[NUMBERS], const char *text) {
    int at = 1;
    fputs(" ", out->file);
    for (size_t i = 0; i < NUMBERS; i++)
        if (numbers[i])
            at += fprintf(out->file, " %*s", COLUMN - 1, numbers[i]);
    if (out->columns && out->columns - at < LEAST_ROOM) {
        putc('\n', out->file);
        xs_out_indented(out, BELOW, "%s", text);
        return;
    }
    at += fprintf(out->file, "  ");
    xs_out_rest(out, at, at, "%s", text);
}

static void idle_row(const struct xs_diagnosis *diagnosis, const struct xs_idle_row *idle_row, struct xs_out *out) {
    const struct xs_idle *idle = &diagnosis->idle;
    char ns[XS_UNIT_BYTES], share[XS_UNIT_BYTES], step[XS_UNIT_BYTES], times[XS_UNIT_BYTES];
    struct xs_string text = {0};
    xs_idle_say(&text, diagnosis->findings, idle_row);
    if (idle->device_count > 1 && idle_row->device >= 0)
        xs_string_format(&text, " (device %lld)", (long long)idle_row->device);
    const char *numbers[NUMBERS] = {
        xs_format_ns(ns, idle_row->ns), xs_format_share(share, idle_row->ns, (uint64_t)(idle->end_ns - idle->start_ns)),
        diagnosis->idle_steps ? xs_format_ns(step, idle_row->ns / diagnosis->idle_steps) : NULL,
        xs_format_count(times, idle_row->count)};
    row(out, numbers, text.data);
    xs_string_free(&text);
}

void xs_report_idle(const struct xs_report *report, bool all, struct xs_out *out) {
    const struct xs_diagnosis *diagnosis = report->diagnosis;
    const struct xs_idle *idle = &diagnosis->idle;
    uint64_t all_ns = (uint64_t)(idle->end_ns - idle->start_ns);
    size_t shown = 0;
    if (!idle->count) /* no device has recorded work, or was ever idle */
        return;
    xs_out_heading(out, "Where the GPU waited");
    for (size_t i = 0; i < idle->device_count; i++)
        idle_line(diagnosis, &idle->devices[i], out);
    const char *headers[NUMBERS] = {"idle", diagnosis->idle_steps ? "of steps" : "of run",
                                    diagnosis->idle_steps ? "a step" : NULL, "times"};
    while (shown < idle->count && (all || (shown < MOST_ROWS && idle->rows[shown].ns >= all_ns / LEAST_SHARE))) {
        if (!shown)
            row(out, headers, "while the program");
        idle_row(diagnosis, &idle->rows[shown++], out);
    }
    char *word = xs_text_shell_word(report->summary->trace->path);
    if (shown < idle->count)
        xs_out_line(out, XS_STYLE_DIM, "%zu %srow%s: xferspy report --sections=idle %s", idle->count - shown,
                    shown ? "more " : "", idle->count - shown == 1 ? "" : "s", word);
    free(word);
}

static void wait_row(const struct xs_diagnosis *diagnosis, const struct xs_wait_row *wait, struct xs_out *out) {
    char saves[XS_UNIT_BYTES], together[XS_UNIT_BYTES], times[XS_UNIT_BYTES], waited[XS_UNIT_BYTES],
        idle[XS_UNIT_BYTES];
    struct xs_string text = {0};
    bool pays = xs_wait_pays(wait, diagnosis->replay_fit.measured_ns);
    xs_wait_say(&text, diagnosis->findings, wait);
    if (!pays && wait->busy_ns > wait->waited_ns / 2)
        xs_string_format(&text, ": the device is busy for %s of this time",
                         XS_SHARE_TEXT(wait->busy_ns, wait->waited_ns));
    const char *numbers[NUMBERS] = {pays ? xs_format_ns(saves, wait->saves_ns) : "nothing",
                                    xs_format_ns(together, wait->together_ns), xs_format_count(times, wait->count),
                                    xs_format_ns(waited, wait->waited_ns), xs_format_ns(idle, wait->idle_ns)};
    row(out, numbers, text.data);
    xs_string_free(&text);
}

void xs_report_waits(const struct xs_report *report, struct xs_out *out) {
    static const char *const headers[NUMBERS] = {"saves", "together", "times", "waited", "idle"};
    const struct xs_diagnosis *diagnosis = report->diagnosis;
    const struct xs_waits_paid *waits = &diagnosis->waits;
    char count[XS_UNIT_BYTES], ns[XS_UNIT_BYTES];
    if (!waits->count)
        return;
    xs_out_heading(out, "Would it save time not to wait?");
    xs_out_line(
        out, XS_STYLE_PLAIN,
        "The run gets shorter by at most what it saves if the program does not wait in a call, and by what it saves "
        "together if the program does not wait in the calls of the rows above, either. The column idle says "
        "how long the device then had no work.");
    row(out, headers, "without waiting in");
    for (size_t i = 0; i < waits->count; i++)
        wait_row(diagnosis, &waits->rows[i], out);
    if (waits->left_out)
        xs_out_line(out, XS_STYLE_DIM, "%s more place%s waited for %s together; without a replay.",
                    xs_format_count(count, waits->left_out), waits->left_out == 1 ? "" : "s",
                    xs_format_ns(ns, waits->left_out_ns));
}
