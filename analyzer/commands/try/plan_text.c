/* Writes a plan as text for the library; see docs/use/repairs.md, "The plan". */
#include <inttypes.h>

#include "analyzer/commands/try/trials.h"

#define PLAN_VERSION 1

/* Returns how many lines, from this one on, are about consecutive calls that copy the same number of bytes. */
static uint32_t run_of(const struct xs_trial *trial, size_t first) {
    const struct xs_try_line *line = &trial->lines[first];
    uint32_t length = 1;
    while (first + length < trial->line_count) {
        const struct xs_try_line *next = line + length;
        if (line->is_any || line->has_from || next->is_any || next->has_from || next->repair != line->repair ||
            next->thread != line->thread || next->ordinal != line->ordinal + length || next->bytes != line->bytes)
            break;
        length++;
    }
    return length;
}

void xs_trial_plan(struct xs_string *text, const struct xs_trial *trial, const char *mode) {
    xs_string_format(text, "xferspy-plan %d\nmode %s\n", PLAN_VERSION, mode);
    for (size_t i = 0, length; i < trial->line_count; i += length) {
        const struct xs_try_line *line = &trial->lines[i];
        length = run_of(trial, i);
        xs_string_format(text, "%s ", xs_try_repair_names[line->repair]);
        if (line->is_any)
            xs_string_format(text, "* *");
        else if (length > 1)
            xs_string_format(text, "%" PRIu32 " %" PRIu32 "-%zu", line->thread, line->ordinal,
                             line->ordinal + length - 1);
        else
            xs_string_format(text, "%" PRIu32 " %" PRIu32, line->thread, line->ordinal);
        xs_string_format(text, " %" PRIu64, line->bytes);
        if (line->has_from)
            xs_string_format(text, " from %" PRIu32 " %" PRIu32, line->from_thread, line->from_ordinal);
        xs_string_format(text, "\n");
    }
}

void xs_trial_repairs(struct xs_string *text, const struct xs_trial *trial) {
    bool named[XS_TRY_NONE] = {false};
    for (size_t i = 0; i < trial->line_count; i++)
        named[trial->lines[i].repair] = true;
    for (size_t i = 0; i < XS_TRY_NONE; i++)
        if (named[i])
            xs_string_format(text, "%s%s", text->length ? "," : "", xs_try_repair_names[i]);
}
