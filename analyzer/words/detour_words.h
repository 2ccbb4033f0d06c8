/* Describes detours in words and as JSON. In a detour, data is downloaded, changed by the host and uploaded again
 * (causes/detours.h). */
#ifndef XFERSPY_ANALYZER_WORDS_DETOUR_WORDS_H
#define XFERSPY_ANALYZER_WORDS_DETOUR_WORDS_H

#include "analyzer/base/json.h"
#include "analyzer/base/text.h"
#include "analyzer/savings/causes/diagnosis.h"

/* Returns the detour that the finding's copies are part of; NULL: none. */
const struct xs_detour *xs_detour_of(const struct xs_diagnosis *diagnosis, const struct xs_diagnosed *diagnosed);

/* True if the finding's own repair saves the whole detour, as the repair of host-work does. */
bool xs_detour_is_repaired(const struct xs_diagnosis *diagnosis, const struct xs_diagnosed *diagnosed);

/* Writes, in sentences, what the host does between the two copies, and what is saved if the device does it. Writes
 * nothing if there is no detour. The text is escaped. */
void xs_say_detour(struct xs_string *text, const struct xs_diagnosis *diagnosis, const struct xs_diagnosed *diagnosed);
/* Each of these functions writes one of the two sentences of xs_say_detour. The sentence of xs_say_detour_work contains
 * text of the trace. The sentence of xs_say_detour_gain contains no such text, and it is not written if the finding's
 * own repair saves the whole detour. */
void xs_say_detour_work(struct xs_string *text, const struct xs_diagnosis *diagnosis,
                        const struct xs_diagnosed *diagnosed);
void xs_say_detour_gain(struct xs_string *text, const struct xs_diagnosis *diagnosis,
                        const struct xs_diagnosed *diagnosed);

/* Writes the key "detour" if there is a detour; else nothing. */
void xs_detour_json(struct xs_json *json, const struct xs_diagnosis *diagnosis, const struct xs_diagnosed *diagnosed);

#endif
