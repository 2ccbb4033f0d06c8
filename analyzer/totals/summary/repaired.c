/* Reads what the repairs of a run did, and says it in sentences; see repaired.h. */
#include "analyzer/totals/summary/repaired.h"

#include <stdio.h>
#include <string.h>

#include "analyzer/base/units.h"
#include "analyzer/trace/scan.h"
#include "schema/write/store.h"

static const struct {
    const char *name, *what;
} texts[XS_REPAIRS] = {
#define XS_REPAIR(id, symbol, name, what) {name, what},
#include "schema/repairs.def"
#undef XS_REPAIR
};

void xs_repaired_read(struct xs_repaired *r, const struct xs_trace *trace) {
    char asked[8], key[64], status[16];
    *r = (struct xs_repaired){.asked = *xs_trace_meta_text(trace, "option.repair", asked, sizeof asked, "") != '\0',
                              .known = xs_trace_meta_int(trace, "repair.on", -1) >= 0};
    r->ended = !strcmp(xs_trace_meta_text(trace, "status", status, sizeof status, ""), XS_STATUS_COMPLETE);
    for (unsigned i = 0; i < XS_REPAIRS && r->known; i++) {
        snprintf(key, sizeof key, "repair.%s.made", texts[i].name);
        r->of[i].on = xs_trace_meta_int(trace, key, -1) >= 0;
        r->of[i].made = xs_trace_meta_count(trace, key);
        snprintf(key, sizeof key, "repair.%s.bytes", texts[i].name);
        r->of[i].bytes = xs_trace_meta_count(trace, key);
        r->on += r->of[i].on;
        r->made = xs_sum(r->made, r->of[i].made);
    }
}

bool xs_repaired_any(const struct xs_repaired *r) { return r->known ? r->made > 0 || (r->on && !r->ended) : r->asked; }

/* Adds "49, 3.06 GiB". */
static void say_made(struct xs_string *text, const struct xs_repaired *r, unsigned i) {
    if (r->of[i].made)
        xs_string_format(text, "%s%s", r->ended ? "" : "at least ", XS_COUNT_TEXT(r->of[i].made));
    else
        xs_string_format(text, "how many is not known");
    if (r->of[i].bytes)
        xs_string_format(text, ", %s", XS_BYTES_TEXT(r->of[i].bytes));
}

/* True if the repair certainly did nothing. */
static bool is_idle(const struct xs_repaired *r, unsigned i) { return !r->of[i].made && r->ended; }

/* Adds "drop-uploads (uploads left out: 49, 3.06 GiB); nothing was repaired by gather, stage". */
static void say_each(struct xs_string *text, const struct xs_repaired *r) {
    const char *separator = "";
    for (unsigned i = 0; i < XS_REPAIRS; i++) {
        if (!r->of[i].on || is_idle(r, i))
            continue;
        xs_string_format(text, "%s%s (%s: ", separator, texts[i].name, texts[i].what);
        say_made(text, r, i);
        xs_string_format(text, ")");
        separator = ", ";
    }
    const char *after = *separator ? "; " : "";
    separator = "nothing was repaired by ";
    for (unsigned i = 0; i < XS_REPAIRS; i++) {
        if (!r->of[i].on || !is_idle(r, i))
            continue;
        xs_string_format(text, "%s%s%s", after, separator, texts[i].name);
        separator = ", ";
        after = "";
    }
}

static void say_briefly(struct xs_string *text, const struct xs_repaired *r) {
    if (r->on) {
        xs_string_format(text, "recorded with repairs (XFERSPY_REPAIR): ");
        say_each(text, r);
    } else if (r->asked && !r->known) {
        xs_string_format(text, "recorded with repairs (XFERSPY_REPAIR), and what they did is not known");
    }
}

void xs_repaired_say(struct xs_string *text, const struct xs_repaired *r) {
    size_t begin = text->length;
    say_briefly(text, r);
    if (text->length == begin)
        return;
    text->data[begin] = 'R';
    xs_string_format(text, ".");
    if (xs_repaired_any(r))
        xs_string_format(text, " Counts and findings are of the calls that the program made, also of those that a "
                               "repair left out or changed; times are those of the repaired run.");
}

void xs_repaired_json(const struct xs_repaired *r, struct xs_json *json) {
    XS_SCOPED_STRING text = {0};
    xs_repaired_say(&text, r);
    if (!text.length) {
        xs_json_null(json, "repairs");
        return;
    }
    xs_json_object(json, "repairs");
    xs_json_text(json, "text", text.data);
    xs_json_bool(json, "known", r->known);
    xs_json_bool(json, "ended", r->known && r->ended);
    xs_json_array(json, "made");
    for (unsigned i = 0; i < XS_REPAIRS; i++) {
        if (!r->of[i].on)
            continue;
        xs_json_object(json, NULL);
        xs_json_text(json, "name", texts[i].name);
        xs_json_count(json, "count", r->of[i].made);
        xs_json_count(json, "bytes", r->of[i].bytes);
        xs_json_end(json, '}');
    }
    xs_json_end(json, ']');
    xs_json_end(json, '}');
}
