/* Describes the copies that were not checked and are not similar to any checked copy, so that nothing can be estimated
 * for them (struct xs_unchecked). The words say how many copies they are, how long they took, and how they can be
 * checked. */
#ifndef XFERSPY_ANALYZER_WORDS_UNCHECKED_H
#define XFERSPY_ANALYZER_WORDS_UNCHECKED_H

#include "analyzer/base/text.h"
#include "analyzer/savings/causes/diagnosis.h"

/* Returns the sums over all sites. A copy that may be an instance for several detectors counts once. `without[d]`
 * excludes detector d; NULL excludes none. */
struct xs_unchecked xs_unchecked_total(const struct xs_findings *findings, const bool *without);

/* Writes "19 downloads (1.19 GiB, 400 ms": the caller closes the bracket. */
void xs_unchecked_copies(struct xs_string *text, const struct xs_unchecked *unchecked);

/* What can be done about copies that could not be checked. */
#define XS_UNCHECKED_REMEDY                                                                                            \
    "xferspy run --fingerprint=all -- PROGRAM checks every copy; the program runs slower, and small copies take "      \
    "longer."

/* Says how many copies were not checked, and what to do. Writes this only if no finding saves time, or if the copies
 * took at least one hundredth of the recorded time; otherwise writes nothing. */
void xs_say_unchecked(struct xs_string *text, const struct xs_diagnosis *diagnosis);

/* True if no finding saves time, but copies that were not checked could be findings. */
bool xs_nothing_found_is_unsure(const struct xs_diagnosis *diagnosis);

#endif
