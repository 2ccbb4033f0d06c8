/* Says which device times are modelled, for every output that shows device times. */
#ifndef XFERSPY_ANALYZER_WORDS_MODELLED_WORDS_H
#define XFERSPY_ANALYZER_WORDS_MODELLED_WORDS_H

#include "analyzer/base/json.h"
#include "analyzer/base/text.h"
#include "analyzer/totals/summary/summary.h"
#include "analyzer/trace/windows/device_windows.h"

/* True if some device times are modelled. False if device times were recorded during the whole run, or if only parts of
 * the run were recorded and all device times in these parts were recorded. */
bool xs_modelled_any(const struct xs_summary *summary);

/* Says when device times were recorded, and that the rest is modelled. XS_MODELLED_SENTENCE writes a sentence;
 * XS_MODELLED_CLAUSE writes the same words without the capital letter and the full stop. Writes nothing if nothing is
 * modelled. */
enum xs_modelled_form { XS_MODELLED_SENTENCE, XS_MODELLED_CLAUSE };
void xs_modelled_say(struct xs_string *text, const struct xs_summary *summary, enum xs_modelled_form form);

/* Says in one sentence how far the sums of device times may differ from the true ones; writes nothing if that is not
 * known. */
void xs_modelled_say_sums(struct xs_string *text, const struct xs_summary *summary);

/* Computes the interval of a partly modelled sum of device times: of kernels if `kernels` is true, else of copies.
 * Returns false if there are too few windows, or if the trace was thinned (summary->thinned). If no part of the sum is
 * modelled, both ends are `value_ns`. */
bool xs_modelled_bounds(const struct xs_summary *summary, bool kernels, uint64_t value_ns, uint64_t *least_ns,
                        uint64_t *most_ns);

/* Writes the object `device_windows`; nothing if device times were recorded during the whole run. */
void xs_modelled_json(struct xs_json *json, const struct xs_summary *summary);

#endif
