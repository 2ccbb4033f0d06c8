/* Says what the time of the run was spent on, for people and for programs: as a line, a bar, or a JSON object. */
#ifndef XFERSPY_ANALYZER_WORDS_WHERE_WORDS_H
#define XFERSPY_ANALYZER_WORDS_WHERE_WORDS_H

#include "analyzer/base/json.h"
#include "analyzer/base/text.h"
#include "analyzer/totals/summary/summary_where.h"

/* Writes the parts of the run's time, the largest first: "the program itself 61 %, waiting for kernels 22 %, copying 17
 * %". Writes nothing if the parts are not known. If `with_letters` is true, each part begins with the letter that
 * stands for it in the bar, for example "c copying 17 %". */
void xs_where_say(struct xs_string *text, const struct xs_where *where, bool with_letters);

/* Writes a bar of `columns` letters in brackets, for example "[ppppppppwwwwcc]". Each part of the run's time has its
 * own letter, which stands in the bar as often as the part's share requires. Writes nothing if the parts are not
 * known. */
void xs_where_bar(struct xs_string *text, const struct xs_where *where, unsigned columns);

/* Writes the key "where" into the open object. The value is null if the parts are not known. */
void xs_where_json(const struct xs_where *where, struct xs_json *json);

#endif
