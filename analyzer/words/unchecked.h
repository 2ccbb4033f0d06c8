/* Words the copies that no sample stands for (struct xs_unchecked): how many, how long they took, and how to have them
 * checked. */
#ifndef XFERSPY_ANALYZER_WORDS_UNCHECKED_H
#define XFERSPY_ANALYZER_WORDS_UNCHECKED_H

#include "analyzer/base/text.h"
#include "analyzer/savings/causes/diagnosis.h"

/* Sums up all sites. A copy that several detectors may be true of counts once. `without` (by detector number) excludes
 * detectors; NULL: none. */
struct xs_unchecked xs_unchecked_total(const struct xs_findings *findings, const bool *without);

/* Writes "19 downloads (1.19 GiB, 400 ms": the bracket is left open. */
void xs_unchecked_copies(struct xs_string *text, const struct xs_unchecked *unchecked);

/* What can be done about copies that could not be checked. */
#define XS_UNCHECKED_REMEDY                                                                                            \
    "xferspy run --fingerprint=all -- PROGRAM checks every copy; the program runs slower, and small copies take "      \
    "longer."

/* Says how many were not checked, and what to do, if that matters: nothing was found, or they took at least one
 * hundredth of the time recorded. Else nothing. */
void xs_say_unchecked(struct xs_string *text, const struct xs_diagnosis *diagnosis);

/* Says whether nothing was found, though there may be something. */
bool xs_nothing_found_is_unsure(const struct xs_diagnosis *diagnosis);

#endif
