/* Writes the parts of findings in GitHub's Markdown that the report of a trace and the report of a job share. */
#ifndef XFERSPY_ANALYZER_WORDS_FINDINGS_MARKDOWN_H
#define XFERSPY_ANALYZER_WORDS_FINDINGS_MARKDOWN_H

#include "analyzer/base/out.h"
#include "analyzer/base/text.h"
#include "analyzer/savings/causes/diagnosis.h"
#include "analyzer/trace/callsites.h"
#include "analyzer/trace/site.h"
#include "analyzer/words/saving_words.h"

/* Writes `file.cu:42`, followed by " in `function` (`entry point`)" if `with_function` is true. If `frame` is NULL,
 * writes the entry point only. */
void xs_markdown_place(struct xs_string *text, const struct xs_sites *sites, const struct xs_frame *frame,
                       const char *entry_point, bool with_function);

/* Writes a paragraph of "Filter: " and the text `filter` as code; nothing if `filter` is "" or NULL. */
void xs_markdown_filter(struct xs_out *out, const char *filter);

/* Collects lines that the text report also has. Call xs_markdown_lines_begin, print the lines into `lines->out`, and
 * then call xs_markdown_lines_block, which prints the lines as a block, or xs_markdown_lines_folded, which prints them
 * as a folded block. Both functions print nothing if there are no lines. */
struct xs_markdown_lines {
    struct xs_out out;
    char *text;
    size_t bytes;
};
void xs_markdown_lines_begin(struct xs_markdown_lines *lines);
void xs_markdown_lines_block(struct xs_markdown_lines *lines, struct xs_out *out);
void xs_markdown_lines_folded(struct xs_markdown_lines *lines, const char *summary, struct xs_out *out);

/* Writes the heading of the table of causes. `share_is_of` is the text of xs_share_is_of. If `of_a_job` is true, the
 * table has a column for the processes. */
void xs_markdown_causes_head(struct xs_out *out, const char *share_is_of, bool of_a_job);
struct xs_markdown_cause {
    size_t number;
    const char *name, *bound; /* bound: "" or XS_UP_TO */
    bool advice;
    const struct xs_saving *saves; /* NULL: `bound` and `saves_ns` are printed */
    uint64_t saves_ns, recorded_ns;
    struct xs_amount amount;
    const char *who, *place; /* both are in Markdown; `who` is NULL if the report is not about a job */
};
void xs_markdown_cause_row(struct xs_out *out, const struct xs_markdown_cause *cause);

#endif
