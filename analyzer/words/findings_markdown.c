/* Writes findings in Markdown; see findings_markdown.h. */
#include "analyzer/words/findings_markdown.h"

#include <stdlib.h>
#include <string.h>

#include "analyzer/base/markdown.h"
#include "analyzer/base/memory.h"
#include "analyzer/base/units.h"
#include "analyzer/words/place.h"
#include "analyzer/words/saving_words.h"

enum { LINE_COLUMNS = 120 };

void xs_markdown_place(struct xs_string *text, const struct xs_sites *sites, const struct xs_frame *frame,
                       const char *entry_point, bool with_function) {
    XS_SCOPED_STRING place = {0};
    if (!frame) {
        xs_markdown_code(text, entry_point);
        return;
    }
    if (frame->file)
        xs_place_line(&place, frame, sites->cwd);
    else
        xs_place_text(&place, sites, frame);
    xs_markdown_code(text, place.data);
    if (!with_function)
        return;
    if (frame->file && frame->function) {
        xs_string_format(text, " in ");
        xs_markdown_code(text, frame->function);
    }
    if (frame->file && frame->through) {
        XS_SCOPED_STRING through = {0};
        xs_place_through(&through, sites, frame);
        xs_string_format(text, ", through ");
        xs_markdown_code(text, through.data + strlen(", through "));
    }
    xs_string_format(text, " (");
    xs_markdown_code(text, entry_point);
    xs_string_format(text, ")");
}

void xs_markdown_filter(struct xs_out *out, const char *filter) {
    XS_SCOPED_STRING text = {0};
    if (!filter || !*filter)
        return;
    xs_markdown_code(&text, filter);
    fprintf(out->file, "\nFilter: %s\n", text.data);
}

void xs_markdown_lines_begin(struct xs_markdown_lines *lines) {
    *lines = (struct xs_markdown_lines){0};
    lines->out =
        (struct xs_out){.file = open_memstream(&lines->text, &lines->bytes), .utf8 = true, .columns = LINE_COLUMNS};
    if (!lines->out.file)
        xs_out_of_memory();
}

static void end_lines(struct xs_markdown_lines *lines) {
    if (fclose(lines->out.file) != 0)
        xs_out_of_memory();
}

void xs_markdown_lines_block(struct xs_markdown_lines *lines, struct xs_out *out) {
    end_lines(lines);
    fputs(*lines->text ? "\n" : "", out->file);
    xs_markdown_block(out, lines->text);
    free(lines->text);
}

void xs_markdown_lines_folded(struct xs_markdown_lines *lines, const char *summary, struct xs_out *out) {
    end_lines(lines);
    xs_markdown_folded(out, summary, lines->text);
    free(lines->text);
}

void xs_markdown_causes_head(struct xs_out *out, const char *share_is_of, bool of_a_job) {
    fprintf(out->file, "\n| # | cause | saves | %s | count | size |%s where |\n|--:|:--|--:|--:|--:|--:|%s:--|\n",
            share_is_of, of_a_job ? " in |" : "", of_a_job ? ":--|" : "");
}

void xs_markdown_cause_row(struct xs_out *out, const struct xs_markdown_cause *f) {
    XS_SCOPED_STRING saves = {0}, count = {0};
    xs_say_count(&count, &f->amount);
    const char *share = XS_SHARE_TEXT(f->saves_ns, f->recorded_ns);
    if (f->saves && !f->advice)
        xs_say_saving(&saves, f->saves);
    else
        xs_string_format(&saves, "%s%s", f->bound, f->advice ? "advice" : XS_NS_TEXT(f->saves_ns));
    fprintf(out->file, "| %zu | %s | %s | %s | %s | %s | %s%s%s |\n", f->number, f->name, saves.data,
            f->advice ? "" : share, count.data, f->amount.bytes ? XS_BYTES_TEXT(f->amount.bytes) : "",
            f->who ? f->who : "", f->who ? " | " : "", f->place);
}
