/* Says what the time of the run was spent on, for people and for programs: as a line, a bar, or a JSON object. */
#ifndef XFERSPY_ANALYZER_WORDS_WHERE_WORDS_H
#define XFERSPY_ANALYZER_WORDS_WHERE_WORDS_H

#include "analyzer/base/json.h"
#include "analyzer/base/text.h"
#include "analyzer/totals/summary/summary_where.h"

/* Writes "the program itself 61 %, waiting for kernels 22 %, copying 17 %", largest first; nothing if the parts are not
 * known. `with_letters`: each part begins with its letter in the bar, "c copying 17 %". */
void xs_where_say(struct xs_string *text, const struct xs_where *where, bool with_letters);

/* Writes a bar of `columns` columns, in which each part has a letter: "[ppppppppwwwwcc]"; nothing if the parts are not
 * known. */
void xs_where_bar(struct xs_string *text, const struct xs_where *where, unsigned columns);

/* Writes the key "where" into the open object; null if the parts are not known. */
void xs_where_json(const struct xs_where *where, struct xs_json *json);

#endif
