/* Finds the row of a call site in the totals by call site, in which the largest row is the first. The page refers to a
 * site by the index of this row. The number of a site in struct xs_sites is a different number. */
#ifndef XFERSPY_ANALYZER_COMMANDS_HTML_SITES_H
#define XFERSPY_ANALYZER_COMMANDS_HTML_SITES_H

#include "analyzer/base/json.h"
#include "analyzer/base/text.h"
#include "analyzer/savings/causes/diagnosis.h"
#include "analyzer/totals/summary/summary_by.h"
#include "analyzer/trace/site.h"

enum { XS_HTML_SITES_SHOWN = 300 };

struct xs_html_sites {
    struct xs_sites *sites; /* owned by the findings */
    const struct xs_by *by;
    struct xs_hash by_number; /* maps a site's number in struct xs_sites to the index of its row + 2; 1: not shown */
    struct xs_hash by_row;    /* maps a frame and an entry point to the index of the row + 1 */
    struct xs_hash sampled;   /* maps a site's number and a number from 0 to the index of a finding at this site that is
                                 an estimate, because only some of its copies were checked */
    uint64_t saves_ns[XS_HTML_SITES_SHOWN + 1]; /* for each row, the saving of the causes at the row's site; the last
                                                   entry is for all rows that are not shown */
};

void xs_html_sites_begin(struct xs_html_sites *sites, const struct xs_diagnosis *diagnosis, const struct xs_by *by);
void xs_html_sites_end(struct xs_html_sites *sites);

/* Returns the index of the row for a call; -1: not shown. Stores the site's number in `*number`. */
int32_t xs_html_site_index(struct xs_html_sites *sites, int64_t entry_point, int64_t stack, uint32_t *number);

/* Returns the address of the index of the site's finding `i` of those that are estimates; NULL: there is none. */
const uint64_t *xs_html_sites_sampled(const struct xs_html_sites *sites, uint32_t number, uint64_t i);

/* Writes "sites": [...] into the open object, and "sites_left_out": the totals of all other sites. */
void xs_html_sites_json(const struct xs_html_sites *sites, struct xs_json *json);

/* Writes a text and frees it. An empty text is written as null; in an array, it is left out. */
void xs_html_words_json(struct xs_json *json, const char *key, struct xs_string *text);

/* Writes the keys "label", a description of the source line for people, and "source", the text of the line. A value
 * that is not known is null. */
void xs_html_place_json(const struct xs_sites *sites, const struct xs_frame *frame, struct xs_json *json);

#endif
