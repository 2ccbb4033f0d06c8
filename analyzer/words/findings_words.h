/* Describes findings for people and for programs: the findings at the beginning of a report, and the findings that
 * `explain` lists. The functions compute no numbers: they take every number from struct xs_findings or struct
 * xs_content_coverage. */
#ifndef XFERSPY_ANALYZER_WORDS_FINDINGS_WORDS_H
#define XFERSPY_ANALYZER_WORDS_FINDINGS_WORDS_H

#include "analyzer/base/json.h"
#include "analyzer/base/out.h"
#include "analyzer/base/text.h"
#include "analyzer/savings/causes/diagnosis.h"
#include "analyzer/totals/summary/content_coverage.h"
#include "analyzer/words/saving_words.h"

/* --- why_an_interval.c --- */

/* Returns the number of instances with this verdict, including an estimate for the copies that were not checked. */
uint64_t xs_variant_in_all(const struct xs_variant *variant);
/* Writes "about 637 overwritten, about 10 freed"; nothing if all instances have the same verdict. */
void xs_finding_variants(struct xs_string *text, const struct xs_finding *finding);
/* Describes contents that recur, and how much device memory they need; writes nothing if that is not known. */
void xs_finding_turns(struct xs_string *text, const struct xs_diagnosed *diagnosed);
/* Says in sentences why the saving is an interval; writes nothing if it is a single value. */
void xs_finding_why_interval(struct xs_string *text, const struct xs_diagnosis *diagnosis,
                             const struct xs_diagnosed *diagnosed);
/* Writes the key "saves_interval_reasons": the names of the reasons why the saving is an interval; an empty array if
 * the saving is a single value. */
void xs_finding_why_interval_json(struct xs_json *json, const struct xs_diagnosis *diagnosis,
                                  const struct xs_diagnosed *diagnosed);
/* Writes "484 ms", for an interval "up to 484 ms (6.05 ms or more)", for an interval that begins near 0 "up to 484 ms".
 */
void xs_saving_text(struct xs_string *text, uint64_t least_ns, uint64_t most_ns);
/* Writes "once 25.0 ms for page-locking (assumed)"; nothing if the finding's repair does not page-lock memory. */
void xs_finding_pinning(struct xs_string *text, const struct xs_diagnosed *diagnosed);
/* Writes "checked 132 of 199, 131 of these have it: about 198 in all, 195 to 199 with 95 % certainty"; nothing if all
 * copies were checked. */
void xs_finding_sample(struct xs_string *text, const struct xs_finding *finding);
/* Says in a sentence that savings are bounds, if the run could not be replayed, or if the replay differs too much from
 * the run to be trusted. */
void xs_say_bounds(struct xs_string *text, const struct xs_diagnosis *diagnosis);
/* Says how well the replay fits the run, as facts for people to read. */
void xs_replay_text(const struct xs_diagnosis *diagnosis, struct xs_out *out);
/* Writes an object with "least_ns" and "most_ns"; null if the saving is not known. */
void xs_saving_json(struct xs_json *json, const char *key, const struct xs_saving *saving);
/* Writes the key "sample": which copies were checked; null if the finding is not about contents. */
void xs_sample_json(struct xs_json *json, const struct xs_sample *sample);
/* Writes the key "replay": how well the replay fits the run. */
void xs_replay_json(struct xs_json *json, const struct xs_diagnosis *diagnosis);

/* --- other files --- */

/* Writes the kind of a finding: "noop-upload", "duplicate-upload/freed". The kind does not depend on the site. Nothing
 * needs escaping, because the detectors' ids are static. */
void xs_finding_kind(struct xs_string *text, unsigned detector, unsigned verdict);
/* Writes the name that `explain` accepts, which is the finding's kind. If several sites have findings of this kind, the
 * finding that is first in rank has this name, and the names of the other findings end with "#2", "#3" and so on. */
void xs_finding_name(struct xs_string *text, const struct xs_diagnosis *diagnosis, size_t index);

/* Returns the index of the finding with this name or rank number; -1: none, -2: several. */
long xs_finding_find(const struct xs_diagnosis *diagnosis, const char *name);

/* Writes "782 us on the device, all of it exposed", "10.1 ms in the calls"; if only a sample was checked, an estimate
 * for all copies: "about 129 ms on the device (126 ms to 129 ms with 95 % certainty)"; if some copies lack device
 * times: "2.10 ms on the device for the 3 of 10 that have device times". */
void xs_finding_cost(struct xs_string *text, const struct xs_finding *finding);
/* True if the saving is "up to" a value, because the least saving is lower. */
bool xs_finding_at_most(const struct xs_diagnosed *diagnosed);
/* Writes "saves 782 us, 0.8 % of the run", or "saves up to 782 us, ..."; nothing for advice. */
void xs_finding_gain(struct xs_string *text, const struct xs_findings *findings, const struct xs_diagnosed *diagnosed);
/* Writes the gain together with the least saving: "saves up to 782 us (25.0 us or more), 0.8 % of the run". */
void xs_finding_gain_between(struct xs_string *text, const struct xs_findings *findings,
                             const struct xs_diagnosed *diagnosed);
/* True if the cause's finding `i` should be offered for the case that the repair of the cause's first finding cannot be
 * made. A finding is not offered if it saves nothing, if it needs the same repair as the first finding or as an earlier
 * offer, or if its verdict is only likely. The caller must call this function for each finding of the cause in order,
 * from 0 on; `*repairs` must be 0 at the first call. */
bool xs_cause_offers(const struct xs_diagnosis *diagnosis, const struct xs_cause *cause, size_t i, unsigned *repairs);
/* These functions write "checked 132 of 199": how many copies have known contents. They write nothing if all copies
 * have known contents, or if the finding is not about contents. */
void xs_sample_checked(struct xs_string *text, const struct xs_sample *sample);
void xs_finding_checked(struct xs_string *text, const struct xs_finding *finding);
/* Returns the number and the size of all instances, with an estimate for the copies that were not checked. */
struct xs_amount xs_finding_in_all(const struct xs_finding *finding);
/* Scales a time of the found instances to all instances. `instances` is the number of found instances that have such a
 * time. The time is not scaled if some found instances have no such time. */
uint64_t xs_finding_ns_in_all(const struct xs_finding *finding, uint64_t instances, uint64_t ns);
/* These functions return the ends of the 95 % interval of the number of instances; if every copy was checked, both ends
 * are the number of instances that were found. */
uint64_t xs_finding_low(const struct xs_finding *finding);
uint64_t xs_finding_high(const struct xs_finding *finding);
/* Writes the amount of xs_finding_in_all: "9, 72.0 MiB", or "about 199, 1.55 GiB" for an estimate. */
void xs_finding_amount(struct xs_string *text, const struct xs_finding *finding);

/* True if a list shows this finding. If `all` is true, a list shows every finding; otherwise, it shows the first
 * XS_FINDINGS_SHOWN that are neither advice nor folded, and the first XS_ADVICE_SHOWN that are advice. Counts the
 * finding in `*counted` or `*advised`; both must be 0 at the first call. */
enum { XS_FINDINGS_SHOWN = 5, XS_ADVICE_SHOWN = 2 };
bool xs_finding_is_shown(bool advice, bool folded, bool all, size_t *counted, size_t *advised);

/* Says what all repairs save together, and whether that is an upper bound; writes nothing if nothing is saved. */
void xs_findings_total_line(const struct xs_diagnosis *diagnosis, struct xs_out *out);
/* Warns of unknown contents, unknown page migrations, and copies that could not be checked; writes nothing if nothing
 * is unknown. */
void xs_findings_unknown_lines(const struct xs_diagnosis *diagnosis, const struct xs_content_coverage *contents,
                               struct xs_out *out);

/* Returns the number of call sites in the program's native code; `*without_line` is set to the number of those that
 * have no source line. Each address in a function is a call site of its own. */
uint64_t xs_native_places(const struct xs_sites *sites, uint64_t *without_line);

/* xs_findings_coverage prints lines of the section Coverage: about contents, arguments, call sites, undecided cases and
 * the link model. xs_findings_link_lines prints only the lines about the link model. */
void xs_findings_link_lines(const struct xs_link_model *link, struct xs_out *out); /* the last lines of Coverage */
void xs_findings_coverage(const struct xs_findings *findings, const struct xs_content_coverage *contents,
                          struct xs_out *out);

/* Writes the keys "findings", "findings_total", "undecided", "fingerprints", "link_model", "call_sites" into the open
 * object. */
void xs_findings_json(const struct xs_diagnosis *diagnosis, const struct xs_content_coverage *contents,
                      struct xs_json *json);
/* Says in a sentence what the filter is and how many transfers pass it; writes nothing without a filter. The text is
 * not escaped. */
void xs_filter_sentence(struct xs_string *text, const struct xs_findings *findings);
/* Writes the second half of the sentence of xs_filter_sentence: how many transfers pass, and how many instances were
 * left out. If `all_rows` is true, the filter selects only findings, not rows of the trace, and the number of transfers
 * is not written. */
void xs_filter_amounts(struct xs_string *text, bool all_rows, uint64_t transfers, uint64_t passing, uint64_t left_out);
/* Writes the key "filter": the requested filter, and how much passed it; null without a filter (filter_words.c). */
void xs_filter_json(const struct xs_findings *findings, struct xs_json *json);
/* Writes the keys of one finding into the open object. */
void xs_finding_json(const struct xs_diagnosis *diagnosis, size_t index, struct xs_json *json);
/* Writes the keys that all findings of a kind share: "finding", "id", "verdict", "title", "remedy". */
void xs_kind_json(struct xs_json *json, unsigned detector, unsigned verdict, const char *remedy);
/* Writes the key "call_site": the line of the user's program that the site is, or null. */
void xs_call_site_json(const struct xs_findings *findings, uint32_t site, struct xs_json *json);
/* Writes the key "link_model". */
void xs_link_json(const struct xs_link_model *link, struct xs_json *json);
void xs_undecided_json(const struct xs_findings *findings, struct xs_json *json);
/* Writes an object with "device_ns", "exposed_ns" and "host_ns"; null for what is not known. */
void xs_times_json(struct xs_json *json, const char *key, const struct xs_times *times, bool device, bool exposed);

#endif
