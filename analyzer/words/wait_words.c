/* Writes waits in words and as JSON; see wait_words.h. */
#include "analyzer/words/wait_words.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/base/units.h"
#include "analyzer/symbols/symbols.h"
#include "analyzer/words/idle_words.h"
#include "analyzer/words/unread_words.h"

enum {
    TOO_SHORT = 1000, /* waits below this part of the run cannot save anything worth a change */
    BUSY_PERCENT = 90 /* from this share of the time on, a device is called busy */
};

/* --- what the waits waited for --- */

/* Writes "at::native::reduce_kernel" for "void at::native::reduce_kernel<512, 1, ...>". */
static void say_kernel(struct xs_string *text, const char *name) {
    enum { COLUMNS = 60 };
    char readable[4096], *kept = readable;
    unsigned depth = 0;
    const char *from = xs_demangle(name, readable, sizeof readable);
    if (from != readable) {
        xs_string_add_cut(text, from, COLUMNS);
        return;
    }
    for (from += strncmp(from, "void ", 5) ? 0 : 5; *from; from++) {
        depth += *from == '<';
        if (!depth)
            *kept++ = *from;
        depth -= depth && *from == '>';
    }
    *kept = '\0';
    xs_string_add_cut(text, readable, COLUMNS);
}

static void say_work(struct xs_string *text, const struct xs_findings *findings, const struct xs_wait_row *row,
                     const struct xs_waited_work *work) {
    static const char *const said[] = {
        [XS_WAITED_KERNEL] = "a kernel", [XS_WAITED_GRAPH] = "a launched graph", [XS_WAITED_COPY] = "a copy",
        [XS_WAITED_MEMSET] = "a memset", [XS_WAITED_OWN] = "its own work",       [XS_WAITED_EARLIER] = "earlier work"};
    if (work->name) {
        xs_string_format(text, "the kernel ");
        say_kernel(text, work->name);
    } else if (work->copy.known) {
        xs_idle_call_say(text, findings, &work->copy);
    } else if (work->kind == XS_WAITED_OWN && row->call.kind == XS_MODEL_TRANSFER) {
        xs_string_format(text, "its own copy");
    } else {
        xs_string_format(text, "%s", said[work->kind]);
    }
}

void xs_wait_say_work(struct xs_string *text, const struct xs_findings *findings, const struct xs_wait_row *row) {
    enum { MOST_SAID = 2, LEAST_SHARE = 10, ALMOST_ALL = 95 /* in percent */ };
    size_t count = 0;
    while (count < row->work_count && count < MOST_SAID &&
           (!count || row->work[count].ns >= row->work_ns / 100 * LEAST_SHARE)) /* the largest is always said */
        count++;
    for (size_t i = 0; i < count; i++) {
        xs_string_format(text, i ? " and " : "");
        say_work(text, findings, row, &row->work[i]);
        if (row->work[i].ns < row->work_ns / 100 * ALMOST_ALL)
            xs_string_format(text, " (%s)", XS_SHARE_TEXT(row->work[i].ns, row->work_ns));
    }
}

/* --- whether it pays not to wait --- */

void xs_wait_say_why_nothing(struct xs_string *text, const struct xs_diagnosis *diagnosis,
                             const struct xs_wait_row *row) {
    const struct xs_idle *idle = &diagnosis->idle;
    const struct xs_idle_device *device = idle->device_count == 1 ? &idle->devices[0] : NULL;
    uint64_t span_ns = idle->ns, run_ns = diagnosis->replay_fit.measured_ns;
    const char *of = diagnosis->idle_steps ? "the step" : "the run";
    bool is_busy = device && device->busy_ns >= span_ns / 100 * BUSY_PERCENT;
    if (row->waited_ns < run_ns / TOO_SHORT)
        xs_string_format(text, "the waits take %s of the run", XS_SHARE_TEXT(row->waited_ns, run_ns));
    else if (is_busy)
        xs_string_format(text, "the device is busy %s of %s", XS_SHARE_TEXT(device->busy_ns, span_ns), of);
    else if (row->busy_ns > row->waited_ns / 2)
        xs_string_format(text, "the device is busy %s of this time", XS_SHARE_TEXT(row->busy_ns, row->waited_ns));
    else if (!device)
        xs_string_format(text, "it would wait elsewhere");
    else
        xs_string_format(text, "it would wait elsewhere; the device is busy %s of %s",
                         XS_SHARE_TEXT(device->busy_ns, span_ns), of);
}

const char *xs_wait_times_a_step(char buffer[static 16], const struct xs_diagnosis *diagnosis,
                                 const struct xs_wait_row *row) {
    enum { LEAST_SHARE = 10 };
    size_t steps = diagnosis->findings->steps.count;
    bool is_known = steps && row->count >= steps / LEAST_SHARE;
    double times = is_known ? (double)row->count / (double)steps : 0;
    buffer[0] = '\0';
    if (is_known)
        snprintf(buffer, 16, "%.*f", times < 9.995 ? 2 : times < 99.95 ? 1 : 0, times);
    return buffer;
}

/* --- JSON --- */

void xs_wait_numbers_json(struct xs_json *json, const struct xs_wait_row *row) {
    xs_json_count(json, "times", row->count);
    xs_json_count(json, "waited_ns", row->waited_ns);
    xs_json_count(json, "busy_ns", row->busy_ns);
    xs_json_count(json, "idle_ns", row->idle_ns);
    xs_json_count(json, "saves_ns", row->saves_ns);
    xs_json_count(json, "together_ns", row->together_ns);
}

static void put_work(struct xs_json *json, const struct xs_findings *findings, const struct xs_waited_work *work) {
    static const char *const kinds[XS_WAITED_KINDS] = {"kernel", "graph", "copy", "memset", "own", "earlier"};
    xs_json_object(json, NULL);
    xs_json_text(json, "kind", kinds[work->kind]);
    xs_json_text(json, "kernel", work->name);
    xs_idle_call_json(json, "call", findings, &work->copy);
    xs_json_count(json, "ns", work->ns);
    xs_json_end(json, '}');
}

void xs_waits_json(struct xs_json *json, const struct xs_diagnosis *diagnosis) {
    const struct xs_waits_paid *waits = &diagnosis->waits;
    if (!waits->rows) {
        xs_json_null(json, "waits");
        return;
    }
    xs_json_array(json, "waits");
    for (size_t i = 0; i < waits->count; i++) {
        const struct xs_wait_row *row = &waits->rows[i];
        xs_json_object(json, NULL);
        xs_idle_call_json(json, "call", diagnosis->findings, &row->call);
        xs_wait_numbers_json(json, row);
        xs_json_bool(json, "pays", xs_wait_pays(row, diagnosis->replay_fit.measured_ns));
        xs_unread_json(json, &row->unread);
        xs_json_array(json, "waited_for");
        for (size_t k = 0; k < row->work_count; k++)
            put_work(json, diagnosis->findings, &row->work[k]);
        xs_json_end(json, ']');
        xs_json_end(json, '}');
    }
    xs_json_end(json, ']');
}
