/* Writes steps in words and as JSON; see steps_words.h. */
#include "analyzer/words/steps_words.h"

#include "analyzer/base/units.h"
#include "analyzer/words/place.h"

enum { RANGE_COLUMNS = 80, LITTLE = 100 /* a time below this part of a step is not mentioned */ };

/* Adds "300 ms, with 12 transfers, 1.20 GiB", or "300 ms (120 ms of it recorded), with ..." if the calls between two
 * ranges were left out. */
static void say_sums(struct xs_string *text, const struct xs_step_sums *sums) {
    xs_string_format(text, "%s", XS_NS_TEXT(sums->ns));
    if (sums->recorded_ns < sums->ns - sums->ns / LITTLE)
        xs_string_format(text, " (%s of it recorded)", XS_NS_TEXT(sums->recorded_ns));
    xs_string_format(text, ", with %s transfer%s", sums->transfers ? XS_COUNT_TEXT(sums->transfers) : "no",
                     sums->transfers == 1 ? "" : "s");
    if (sums->bytes)
        xs_string_format(text, ", %s", XS_BYTES_TEXT(sums->bytes));
}

void xs_steps_say_mark(struct xs_string *text, const struct xs_findings *findings) {
    const struct xs_steps *steps = &findings->steps;
    if (!steps->count)
        return;
    if (steps->mark == XS_STEP_RANGE) {
        bool has_name = *steps->range; /* an anonymized copy has no name */
        xs_string_format(text, "Each step begins with the NVTX range %s", has_name ? "\"" : "that was named");
        xs_string_add_cut(text, steps->range, RANGE_COLUMNS);
        xs_string_format(text, "%s", has_name ? "\"" : "");
    } else {
        xs_string_format(text, steps->mark == XS_STEP_WAIT ? "Each step ends with the wait "
                                                           : "Each step begins with the copy ");
        xs_place_of_site(text, findings, steps->site);
    }
    if (steps->of)
        xs_string_format(text, "; the trace has the times of the first %s of %s steps", XS_COUNT_TEXT(steps->count),
                         XS_COUNT_TEXT(steps->of));
}

static void say(struct xs_string *text, const struct xs_findings *findings) {
    const struct xs_steps *steps = &findings->steps;
    say_sums(text, &steps->median);
    xs_string_format(text, " (medians of %s steps; standard deviation of their times: %s). ",
                     XS_COUNT_TEXT(steps->count - steps->warm_up),
                     XS_SHARE_TEXT((uint64_t)(steps->spread * 10000 + 0.5), 10000));
    xs_steps_say_mark(text, findings);
}

void xs_steps_say(struct xs_string *text, const struct xs_findings *findings) {
    if (findings->steps.count && !findings->selection)
        say(text, findings);
}

void xs_steps_say_warm_up(struct xs_string *text, const struct xs_findings *findings) {
    const struct xs_steps *steps = &findings->steps;
    if (!steps->warm_up || findings->selection)
        return;
    if (steps->warm_up == 1)
        xs_string_format(text, "the first step took ");
    else
        xs_string_format(text, "the first %s steps took ", XS_COUNT_TEXT(steps->warm_up));
    say_sums(text, &steps->warm);
}

static void put_sums(struct xs_json *json, const struct xs_step_sums *sums) {
    xs_json_count(json, "ns", sums->ns);
    xs_json_count(json, "recorded_ns", sums->recorded_ns);
    xs_json_count(json, "transfers", sums->transfers);
    xs_json_count(json, "bytes", sums->bytes);
    xs_json_end(json, '}');
}

void xs_steps_json(struct xs_json *json, const struct xs_findings *findings) {
    const struct xs_steps *steps = &findings->steps;
    bool of_range = steps->mark == XS_STEP_RANGE;
    if (!steps->count) {
        xs_json_null(json, "steps");
        return;
    }
    XS_SCOPED_STRING text = {0};
    say(&text, findings);
    xs_json_object(json, "steps");
    xs_json_text(json, "text", text.data);
    xs_json_text(json, "mark", xs_step_mark_names[steps->mark]);
    xs_json_text(json, "nvtx_range", steps->range);
    xs_json_text(json, "site", of_range ? NULL : xs_site_name(findings, steps->site));
    xs_place_json_object(json, of_range ? NULL : xs_site_frame(findings, steps->site), false);
    xs_json_count(json, "count", steps->count);
    xs_json_count(json, "count_of_run", steps->of ? steps->of : steps->count);
    xs_json_int(json, "begin_ns", steps->items[0].begin_ns);
    xs_json_int(json, "end_ns", steps->items[steps->count].begin_ns);
    xs_json_number(json, "spread", steps->spread);
    xs_json_object(json, "median");
    put_sums(json, &steps->median);
    xs_json_object(json, "warm_up");
    xs_json_count(json, "count", steps->warm_up);
    put_sums(json, &steps->warm);
    xs_json_end(json, '}');
}
