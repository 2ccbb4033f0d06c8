/* Words findings for people and for programs: what a report leads with, what `explain` lists. Printing only: every
 * number is in struct xs_findings or struct xs_content_coverage. */
#ifndef XFERSPY_ANALYZER_WORDS_FINDINGS_WORDS_H
#define XFERSPY_ANALYZER_WORDS_FINDINGS_WORDS_H

#include "analyzer/base/json.h"
#include "analyzer/base/out.h"
#include "analyzer/base/text.h"
#include "analyzer/savings/causes/diagnosis.h"
#include "analyzer/totals/summary/content_coverage.h"
#include "analyzer/words/sentences.h"

/* --- why_a_range.c --- */

/* Returns the instances with this verdict, with an estimate for the copies that were not checked. */
uint64_t xs_variant_in_all(const struct xs_variant *variant);
/* Writes "about 637 overwritten, about 10 freed"; nothing if there is one verdict. */
void xs_finding_variants(struct xs_string *text, const struct xs_finding *finding);
/* Describes contents that recur, and the room that they need on the device; nothing if that is not known. */
void xs_finding_turns(struct xs_string *text, const struct xs_diagnosed *diagnosed);
/* Says in sentences why the saving is a range; nothing if it is not. */
void xs_finding_why_range(struct xs_string *text, const struct xs_diagnosis *diagnosis,
                          const struct xs_diagnosed *diagnosed);
/* Writes "484 ms", for a range "up to 484 ms (6.05 ms or more)", for one that begins near nothing "up to 484 ms". */
void xs_saving_text(struct xs_string *text, uint64_t least_ns, uint64_t most_ns);
/* Writes "once 25.0 ms for page-locking (assumed)"; nothing if the repair page-locks nothing. */
void xs_finding_pinning(struct xs_string *text, const struct xs_diagnosed *diagnosed);
/* Writes "checked 132 of 199, 131 of these have it: about 198 of all, 195 to 199 with 95 % certainty"; nothing if all
 * were checked. */
void xs_finding_sample(struct xs_string *text, const struct xs_finding *finding);
/* Says in a sentence that savings are bounds, if a replay of the run is not believed. */
void xs_say_bounds(struct xs_string *text, const struct xs_diagnosis *diagnosis);
/* Says how well the replay fits the run, as facts for people. */
void xs_replay_text(const struct xs_diagnosis *diagnosis, struct xs_out *out);
/* Writes an object with "least_ns" and "most_ns"; null if the saving is not known. */
void xs_saving_json(struct xs_json *json, const char *key, const struct xs_saving *saving);
/* Writes "sample": what was checked; null if the finding is not about contents. */
void xs_sample_json(struct xs_json *json, const struct xs_sample *sample);
/* Writes "replay": how well it fits. */
void xs_replay_json(struct xs_json *json, const struct xs_diagnosis *diagnosis);

/* --- the others --- */

/* Writes "noop-upload", "duplicate-upload/freed". Equal for every site; the detectors' ids are static, so nothing needs
 * escaping. */
void xs_finding_kind(struct xs_string *text, unsigned detector, unsigned verdict);
/* Writes the name that `explain` takes: the kind, with "#2", "#3" and so on for all but the first in rank of several
 * sites. */
void xs_finding_name(struct xs_string *text, const struct xs_diagnosis *diagnosis, size_t index);

/* Returns the finding of a name or rank number; -1: none, -2: ambiguous. */
long xs_finding_find(const struct xs_diagnosis *diagnosis, const char *name);

/* Writes "782 us on the device, all of it exposed", "10.1 ms in the calls"; for all copies if a sample was checked:
 * "about 129 ms on the device (126 ms to 129 ms with 95 % certainty)"; "2.10 ms on the device for the 3 of 10 that have
 * device times". */
void xs_finding_cost(struct xs_string *text, const struct xs_finding *finding);
/* Says whether the saving is "up to" a value: its least is lower. */
bool xs_finding_at_most(const struct xs_diagnosed *diagnosed);
/* Writes "saves 782 us, 0.8 % of the run", or with "up to"; "" for advice. */
void xs_finding_gain(struct xs_string *text, const struct xs_findings *findings, const struct xs_diagnosed *diagnosed);
/* Writes the gain with its least: "saves up to 782 us (25.0 us or more), 0.8 % of the run". */
void xs_finding_gain_between(struct xs_string *text, const struct xs_findings *findings,
                             const struct xs_diagnosed *diagnosed);
/* Says whether the cause's finding `i` helps if the first one's repair cannot be made. A finding is not offered if it
 * needs the same repair as the first or as an earlier offer, or if it is only likely. Must be called for each from 0
 * on, with `*repairs` 0 at first. */
bool xs_cause_offers(const struct xs_diagnosis *diagnosis, const struct xs_cause *cause, size_t i, unsigned *repairs);
/* Write "checked 132 of 199": how many copies have known contents; "" if all have, or it is not about contents. */
void xs_sample_checked(struct xs_string *text, const struct xs_sample *sample);
void xs_finding_checked(struct xs_string *text, const struct xs_finding *finding);
/* Returns how many there are, and their size, in all. */
struct xs_amount xs_finding_in_all(const struct xs_finding *finding);
/* Return the ends of the 95 % interval of the number of instances; both are the number found if that is all. */
uint64_t xs_finding_low(const struct xs_finding *finding);
uint64_t xs_finding_high(const struct xs_finding *finding);
/* Writes the amount: "9, 72.0 MiB", "about 199, 1.55 GiB" */
void xs_finding_amount(struct xs_string *text, const struct xs_finding *finding);

/* Says whether a list shows a finding: with `all` every one, otherwise the first few that count, and fewer of advice.
 * Counts the finding in `*counted` or `*advised`, which begin with 0. */
enum { XS_FINDINGS_SHOWN = 5, XS_ADVICE_SHOWN = 2 };
bool xs_finding_is_shown(bool advice, bool folded, bool all, size_t *counted, size_t *advised);

/* Says what all repairs save together, and whether that is a bound; nothing if nothing is saved. */
void xs_findings_total_line(const struct xs_diagnosis *diagnosis, struct xs_out *out);
/* Warns of unknown contents and page migrations, and of copies that could not be checked; nothing if all is known. */
void xs_findings_unknown_lines(const struct xs_diagnosis *diagnosis, const struct xs_content_coverage *contents,
                               struct xs_out *out);
/* These functions give lines for the section Coverage: contents, arguments, what is undecided, the link model. */
/* Returns how many places are in the program's native code, and how many of them have no line. Each address in a
 * function is a place. */
uint64_t xs_native_places(const struct xs_sites *sites, uint64_t *without_line);
void xs_findings_link_lines(const struct xs_link_model *link,
                            struct xs_out *out); /* part of Coverage: its last lines */
void xs_findings_coverage(const struct xs_findings *findings, const struct xs_content_coverage *contents,
                          struct xs_out *out);

/* Writes the keys "findings", "findings_total", "undecided", "fingerprints", "link_model", "call_sites" into the open
 * object. */
void xs_findings_json(const struct xs_diagnosis *diagnosis, const struct xs_content_coverage *contents,
                      struct xs_json *json);
/* Says in a sentence what the filter is and how much passes; nothing without a filter. Not escaped. */
void xs_filter_sentence(struct xs_string *text, const struct xs_findings *findings);
/* Writes the second half of that sentence: how many transfers pass, and how many instances were left out. `all_rows`:
 * the filter chooses findings only. */
void xs_filter_amounts(struct xs_string *text, bool all_rows, uint64_t transfers, uint64_t passing, uint64_t left_out);
/* Writes "filter": what was requested and how much passed; null without a filter (filter_words.c). */
void xs_filter_json(const struct xs_findings *findings, struct xs_json *json);
/* Writes the keys of one finding into the open object. */
void xs_finding_json(const struct xs_diagnosis *diagnosis, size_t index, struct xs_json *json);
/* Writes the keys that all findings of a kind share: "finding", "id", "verdict", "title", "remedy". */
void xs_kind_json(struct xs_json *json, unsigned detector, unsigned verdict, const char *remedy);
/* Writes "call_site": the user's line of a site, or null. */
void xs_call_site_json(const struct xs_findings *findings, uint32_t site, struct xs_json *json);
/* Writes "link_model". */
void xs_link_json(const struct xs_link_model *link, struct xs_json *json);
void xs_undecided_json(const struct xs_findings *findings, struct xs_json *json);
/* Writes an object with "device_ns", "exposed_ns" and "host_ns"; null for what is not known. */
void xs_times_json(struct xs_json *json, const char *key, const struct xs_times *times, bool device, bool exposed);

#endif
