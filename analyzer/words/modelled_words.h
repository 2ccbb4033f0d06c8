/* The sentences on device times that are modelled, for every output that shows device times. */
#ifndef XFERSPY_ANALYZER_SUMMARY_MODELLED_WORDS_H
#define XFERSPY_ANALYZER_SUMMARY_MODELLED_WORDS_H

#include "analyzer/base/json.h"
#include "analyzer/base/text.h"
#include "analyzer/totals/summary/summary.h"
#include "analyzer/trace/windows/device_windows.h"

/* Whether there is a rest that is modelled. Not where they were recorded throughout, nor where the calls of the windows
 * alone were recorded and each has its own. */
bool xs_modelled_any(const struct xs_summary *summary);

/* When device times were recorded, and that the rest is modelled, as a sentence without its capital and its full stop.
 * Nothing where there is no rest. */
void xs_modelled_say(struct xs_string *text, const struct xs_summary *summary);

/* How far the device times may be off, one sentence; nothing where nothing can be said of it. */
void xs_modelled_say_sums(struct xs_string *text, const struct xs_summary *summary);

/* In what interval a sum of device times lies, of which a part is modelled: of kernels, or of copies. False: there were
 * too few windows to say it, or calls of the trace are gone (summary->thinned). Where nothing of it is modelled, both
 * are the value. */
bool xs_modelled_bounds(const struct xs_summary *summary, bool kernels, uint64_t value_ns, uint64_t *least_ns,
                        uint64_t *most_ns);

/* The same as the object `device_windows`; nothing where device times were recorded throughout. */
void xs_modelled_json(struct xs_json *json, const struct xs_summary *summary);

#endif
