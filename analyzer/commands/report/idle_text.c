/* Prints a part of the report: why the devices were idle, and whether waits pay. */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/base/units.h"
#include "analyzer/commands/report/report_internal.h"
#include "analyzer/findings/engine/detector.h"
#include "analyzer/words/idle_words.h"
#include "analyzer/words/saving_words.h"
#include "analyzer/words/unread_words.h"
#include "analyzer/words/wait_words.h"

enum { MOST_ROWS = 5, LEAST_SHARE = 100 /* rows below this part of the time are left out */ };

/* Writes ": the program's own code 20 %, inside a call 11 %", the largest part first, without small ones. */
static void say_reasons(struct xs_string *text, const struct xs_idle *idle, int64_t device, uint64_t all_ns) {
    static const char *const labels[XS_IDLE_REASONS] = {
        "no call yet",       "inside a call",      "the program's own code",
        "giving small work", "work already given", "no more work"};
    uint64_t parts[XS_IDLE_REASONS] = {0};
    for (size_t i = 0; i < idle->count; i++)
        if (idle->rows[i].device == device)
            parts[idle->rows[i].reason] += idle->rows[i].ns;
    for (;;) {
        unsigned largest = 0;
        for (unsigned i = 1; i < XS_IDLE_REASONS; i++)
            largest = parts[i] > parts[largest] ? i : largest;
        if (parts[largest] < all_ns / LEAST_SHARE || !parts[largest])
            return;
        xs_string_format(text, "%s %s %s", text->length ? "," : ":", labels[largest],
                         XS_SHARE_TEXT(parts[largest], all_ns));
        parts[largest] = 0;
    }
}

/* Prints "Device 0 was idle for 528 us of a step's 905 us (58 %): inside a call 30 %, the program's own code 28 %". */
static void idle_line(const struct xs_diagnosis *diagnosis, const struct xs_idle_device *device, struct xs_out *out) {
    const struct xs_idle *idle = &diagnosis->idle;
    bool in_part = diagnosis->findings->recorded.in_part;
    uint64_t steps = diagnosis->idle_steps ? diagnosis->idle_steps : 1;
    uint64_t all_ns = idle->ns;
    char ns[XS_UNIT_BYTES], of[XS_UNIT_BYTES], share[XS_UNIT_BYTES], count[XS_UNIT_BYTES],
        name[40] = "An unknown device";
    XS_SCOPED_STRING reasons = {0};
    if (device->device >= 0)
        snprintf(name, sizeof name, "Device %lld", (long long)device->device);
    say_reasons(&reasons, idle, device->device, all_ns);
    const char *parts = reasons.data ? reasons.data : "";
    if (diagnosis->idle_steps)
        xs_out_line(out, XS_STYLE_PLAIN, "%s was idle for %s of a step's %s (%s), on average over %s steps%s.", name,
                    xs_format_ns(ns, device->idle_ns / steps), xs_format_ns(of, all_ns / steps),
                    xs_format_share(share, device->idle_ns, all_ns), xs_format_count(count, steps), parts);
    else
        xs_out_line(out, XS_STYLE_PLAIN, "%s was idle for %s of %s %s%s (%s)%s.", name,
                    xs_format_ns(ns, device->idle_ns), in_part ? "the" : "the run's", xs_format_ns(of, all_ns),
                    in_part ? " recorded" : "", xs_format_share(share, device->idle_ns, all_ns), parts);
}

/* Prints a row: numbers in right-aligned columns, then a text that is wrapped on a terminal. It is no table, because a
 * table cuts texts that are too long. If the terminal has little room behind the numbers, the text is below them. NULL:
 * the column is left out. */
enum { NUMBERS = 6, COLUMN = 9, LEAST_ROOM = 45, BELOW = 6 };
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
    xs_idle_say(&text, diagnosis->findings, idle_row, diagnosis->idle_steps);
    if (idle->device_count > 1 && idle_row->device >= 0)
        xs_string_format(&text, " (device %lld)", (long long)idle_row->device);
    const char *numbers[NUMBERS] = {xs_format_ns(ns, idle_row->ns), xs_format_share(share, idle_row->ns, idle->ns),
                                    diagnosis->idle_steps ? xs_format_ns(step, idle_row->ns / diagnosis->idle_steps)
                                                          : NULL,
                                    xs_format_count(times, idle_row->count)};
    row(out, numbers, text.data);
    xs_string_free(&text);
}

/* True if one of the causes is a wait. */
static bool is_wait_among_causes(const struct xs_diagnosis *diagnosis) {
    static const char *const names[] = {"scalar-readback", "blocking-readback", "blocking-upload", "host-work",
                                        "immediate-sync",  "needless-wait",     "shared-stream"};
    for (size_t i = 0; i < diagnosis->cause_count; i++)
        for (size_t k = 0; k < sizeof names / sizeof *names && !diagnosis->causes[i].folded; k++)
            if (!strcmp(xs_detectors[diagnosis->items[i].finding->detector]->id, names[k]))
                return true;
    return false;
}

/* Prints what the run saves without its longest wait, if that is known and not small, and a wait is among the causes.
 */
static void first_wait(const struct xs_report *report, struct xs_out *out) {
    const struct xs_diagnosis *diagnosis = report->diagnosis;
    const struct xs_wait_row *wait = diagnosis->waits.count ? &diagnosis->waits.rows[0] : NULL;
    char saves[XS_UNIT_BYTES], times[XS_UNIT_BYTES], a_step[16];
    if (!wait || wait->saves_ns < diagnosis->replay_fit.measured_ns / LEAST_SHARE || !is_wait_among_causes(diagnosis))
        return;
    XS_SCOPED_STRING text = {0};
    XS_SCOPED char *word = xs_text_shell_word(report->summary->trace->path);
    xs_idle_call_say(&text, diagnosis->findings, &wait->call);
    xs_string_format(&text, ", the run saves up to %s: %s time%s", xs_format_ns(saves, wait->saves_ns),
                     xs_format_count(times, wait->count), wait->count == 1 ? "" : "s");
    if (*xs_wait_times_a_step(a_step, diagnosis, wait))
        xs_string_format(&text, ", %s a step", a_step);
    xs_string_format(&text, ", %s in all", XS_NS_TEXT(wait->waited_ns));
    if (wait->idle_ns)
        xs_string_format(&text, "; the device was then idle for %s", XS_NS_TEXT(wait->idle_ns));
    xs_out_line(out, XS_STYLE_PLAIN, "Without waiting in %s. All waits: xferspy report --sections=waits %s", text.data,
                word);
}

void xs_report_idle(const struct xs_report *report, bool all, struct xs_out *out) {
    const struct xs_diagnosis *diagnosis = report->diagnosis;
    const struct xs_idle *idle = &diagnosis->idle;
    uint64_t all_ns = idle->ns;
    size_t shown = 0;
    if (!idle->count) /* no device has recorded work, or was ever idle */
        return;
    xs_out_heading(out, "Where the GPU waited");
    for (size_t i = 0; i < idle->device_count; i++)
        idle_line(diagnosis, &idle->devices[i], out);
    const char *headers[NUMBERS] = {
        "idle", diagnosis->idle_steps ? "of steps" : xs_share_column(&diagnosis->findings->recorded),
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
    if (!(xs_report_sections(report) & XS_SECTION_BIT(WAITS)))
        first_wait(report, out);
}

static void wait_row(const struct xs_diagnosis *diagnosis, const struct xs_wait_row *wait, bool has_steps,
                     struct xs_out *out) {
    char saves[XS_UNIT_BYTES], together[XS_UNIT_BYTES], times[XS_UNIT_BYTES], waited[XS_UNIT_BYTES],
        idle[XS_UNIT_BYTES], a_step[16];
    XS_SCOPED_STRING text = {0}, unread = {0};
    bool pays = xs_wait_pays(wait, diagnosis->replay_fit.measured_ns);
    xs_idle_call_say(&text, diagnosis->findings, &wait->call);
    if (wait->work_count) {
        xs_string_format(&text, ", for ");
        xs_wait_say_work(&text, diagnosis->findings, wait);
    }
    if (!pays) {
        xs_string_format(&text, ": ");
        xs_wait_say_why_nothing(&text, diagnosis, wait);
    }
    xs_say_unread_wait(&unread, &wait->unread);
    if (unread.length)
        xs_string_format(&text, "; %s", unread.data);
    xs_wait_times_a_step(a_step, diagnosis, wait);
    const char *numbers[NUMBERS] = {pays ? xs_format_ns(saves, wait->saves_ns) : "nothing",
                                    xs_format_ns(together, wait->together_ns),
                                    xs_format_count(times, wait->count),
                                    has_steps ? a_step : NULL,
                                    xs_format_ns(waited, wait->waited_ns),
                                    xs_format_ns(idle, wait->idle_ns)};
    row(out, numbers, text.data);
}

void xs_report_waits(const struct xs_report *report, struct xs_out *out) {
    const struct xs_diagnosis *diagnosis = report->diagnosis;
    const struct xs_waits_paid *waits = &diagnosis->waits;
    bool has_steps = diagnosis->findings->steps.count > 0;
    const char *const headers[NUMBERS] = {"saves", "together", "times", has_steps ? "a step" : NULL, "waited", "idle"};
    char count[XS_UNIT_BYTES], ns[XS_UNIT_BYTES];
    xs_out_heading(out, "Would it save time not to wait?");
    if (!waits->count) {
        xs_out_line(out, XS_STYLE_PLAIN,
                    waits->rows ? "No call waited for the GPU."
                                : "It is not known, because the run could not be replayed.");
        return;
    }
    xs_out_line(
        out, XS_STYLE_PLAIN,
        "The run gets shorter by at most what it saves if the program does not wait in a call, and by what it saves "
        "together if the program does not wait in the calls of the rows above, either. The column idle says "
        "how long the device then had no work.");
    row(out, headers, "without waiting in");
    for (size_t i = 0; i < waits->count; i++)
        wait_row(diagnosis, &waits->rows[i], has_steps, out);
    if (waits->left_out)
        xs_out_line(out, XS_STYLE_DIM, "%s more place%s waited for %s together; without a replay.",
                    xs_format_count(count, waits->left_out), waits->left_out == 1 ? "" : "s",
                    xs_format_ns(ns, waits->left_out_ns));
}
