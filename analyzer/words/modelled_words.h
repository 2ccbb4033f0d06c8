/* Words the modelled device times, for every output that shows device times. */
#ifndef XFERSPY_ANALYZER_WORDS_MODELLED_WORDS_H
#define XFERSPY_ANALYZER_WORDS_MODELLED_WORDS_H

#include "analyzer/base/json.h"
#include "analyzer/base/text.h"
#include "analyzer/totals/summary/summary.h"
#include "analyzer/trace/windows/device_windows.h"

/* Says whether some device times are modelled. False if they were recorded throughout, or if only the calls of the
 * windows were recorded and each has its own. */
bool xs_modelled_any(const struct xs_summary *summary);

/* Says when device times were recorded, and that the rest is modelled: in a sentence, or in a clause that goes on with
 * one, without the capital and the full stop. Nothing if nothing is modelled. */
enum xs_modelled_form { XS_MODELLED_SENTENCE, XS_MODELLED_CLAUSE };
void xs_modelled_say(struct xs_string *text, const struct xs_summary *summary, enum xs_modelled_form form);

/* Says in one sentence how far the device times may be off; nothing if that is not known. */
void xs_modelled_say_sums(struct xs_string *text, const struct xs_summary *summary);

/* Computes the interval of a partly modelled sum of device times: of kernels, or of copies. False: too few windows, or
 * the trace was thinned (summary->thinned). If nothing of it is modelled, both ends are the value. */
bool xs_modelled_bounds(const struct xs_summary *summary, bool kernels, uint64_t value_ns, uint64_t *least_ns,
                        uint64_t *most_ns);

/* Writes the object `device_windows`; nothing if device times were recorded throughout. */
void xs_modelled_json(struct xs_json *json, const struct xs_summary *summary);

#endif
