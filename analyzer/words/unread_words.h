/* Says in words and as JSON how many downloads of a finding, or of a place that waits, nobody read. */
#ifndef XFERSPY_ANALYZER_WORDS_UNREAD_WORDS_H
#define XFERSPY_ANALYZER_WORDS_UNREAD_WORDS_H

#include "analyzer/base/json.h"
#include "analyzer/base/text.h"
#include "analyzer/findings/engine/findings.h"

/* Writes a sentence, and what follows for the finding's repair: "Nobody read the 12 downloads that were watched: both
 * ways go." Writes nothing if somebody read each of them, or if none was watched. */
void xs_say_unread(struct xs_string *text, const struct xs_findings *findings, const struct xs_finding *finding);

/* Writes the same of the copies that a place waits for, as a clause: "nobody read the 12 downloads that were watched,
 * so they and the waits can go". */
void xs_say_unread_wait(struct xs_string *text, const struct xs_unread *unread);

/* Writes the key "downloads_read" if at least one download was watched; else nothing. */
void xs_unread_json(struct xs_json *json, const struct xs_unread *unread);

#endif
