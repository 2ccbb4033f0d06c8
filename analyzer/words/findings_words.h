/* Findings for people and for programs: what a report leads with, what `explain` lists. Printing only: every number is
 * in struct xs_findings or struct xs_content_coverage. */
#ifndef XFERSPY_ANALYZER_FINDINGS_FINDINGS_WORDS_H
#define XFERSPY_ANALYZER_FINDINGS_FINDINGS_WORDS_H

#include "analyzer/base/json.h"
#include "analyzer/base/out.h"
#include "analyzer/base/text.h"
#include "analyzer/findings/engine/findings.h"
#include "analyzer/totals/summary/content_coverage.h"
#include "analyzer/words/sentences.h"

/* --- savings.c --- */

/* Instances with this verdict, with an estimate of those among the copies that were not checked. */
uint64_t xs_variant_in_all(const struct xs_variant *variant);
/* "about 637 overwritten, about 10 freed"; nothing where there is one verdict. */
void xs_finding_variants(struct xs_string *text, const struct xs_finding *finding);
/* Contents that come again and again, and the room that they need on the device; nothing where that is not known. */
void xs_finding_turns(struct xs_string *text, const struct xs_finding *finding);
/* Why what it saves is a range, in sentences; nothing where it is none. */
void xs_finding_why_range(struct xs_string *text, const struct xs_findings *findings, const struct xs_finding *finding);
/* "484 ms", of a range "up to 484 ms (6.05 ms or more)"; of one that begins with next to nothing "up to 484 ms". */
void xs_saving_text(struct xs_string *text, uint64_t least_ns, uint64_t most_ns);
/* "once 25.0 ms for page-locking (assumed)"; nothing where the repair page-locks nothing. */
void xs_finding_pinning(struct xs_string *text, const struct xs_finding *finding);
/* "checked 132 of 199, 131 of these have it: about 198 of all, 195 to 199 with 95 % certainty"; nothing where all were
 * checked. */
void xs_finding_sample(struct xs_string *text, const struct xs_finding *finding);
/* Where savings are bounds, because a replay of the run is not believed: a sentence that says so. */
void xs_say_bounds(struct xs_string *text, const struct xs_findings *findings);
/* How well the replay fits the run, facts for people. */
void xs_replay_text(const struct xs_findings *findings, struct xs_out *out);
/* {"least_ns": ..., "most_ns": ...}, null where it is not known. */
void xs_saving_json(struct xs_json *json, const char *key, const struct xs_saving *saving);
/* "sample": what of it was checked; null where the finding is not about contents. */
void xs_sample_json(struct xs_json *json, const struct xs_sample *sample);
/* "replay": how well it fits. */
void xs_replay_json(struct xs_json *json, const struct xs_findings *findings);

/* --- the others --- */

/* "noop-upload", "duplicate-upload/freed". The same for every site; static detectors' ids, so nothing to escape. */
void xs_finding_kind(struct xs_string *text, unsigned detector, unsigned verdict);
/* The same with "#2", "#3", ... after all but the first in rank of several sites: what `explain` takes. */
void xs_finding_name(struct xs_string *text, const struct xs_findings *findings, size_t index);

/* The finding of a name or rank number, -1 where there is none, -2 where several are meant. */
long xs_finding_find(const struct xs_findings *findings, const char *name);

/* "782 us on the device, all of it exposed", "10.1 ms in the calls"; of all, where a sample was checked: "about 129 ms
 * on the device (126 ms to 129 ms with 95 % certainty)"; "2.10 ms on the device for the 3 of 10 that have device
 * times". */
void xs_finding_cost(struct xs_string *text, const struct xs_finding *finding);
/* Whether it saves up to something: the least is less than that. */
bool xs_finding_at_most(const struct xs_finding *finding);
/* "saves 782 us, 0.8 % of the run", "saves up to ..."; "" for advice. */
void xs_finding_gain(struct xs_string *text, const struct xs_findings *findings, const struct xs_finding *finding);
/* The same with the least: "saves up to 782 us (25.0 us or more), 0.8 % of the run". */
void xs_finding_gain_between(struct xs_string *text, const struct xs_findings *findings,
                             const struct xs_finding *finding);
/* Whether the cause's finding `i` helps where the first one's repair cannot be made. Not what needs the same repair, as
 * the first or as one that was offered before, nor what is only likely. To be called for each from 0 on, with
 * `*repairs` 0 at first. */
bool xs_cause_offers(const struct xs_findings *findings, const struct xs_cause *cause, size_t i, unsigned *repairs);
/* "checked 132 of 199": of how many copies the contents are known; "" where of all, or it is not about contents. */
void xs_sample_checked(struct xs_string *text, const struct xs_sample *sample);
void xs_finding_checked(struct xs_string *text, const struct xs_finding *finding);
/* How many there are, and of what size, in all. */
struct xs_amount xs_finding_in_all(const struct xs_finding *finding);
/* The ends of the 95 % interval of how many there are; both are the number of those found where that is all. */
uint64_t xs_finding_low(const struct xs_finding *finding);
uint64_t xs_finding_high(const struct xs_finding *finding);
/* The same in words: "9, 72.0 MiB", "about 199, 1.55 GiB" */
void xs_finding_amount(struct xs_string *text, const struct xs_finding *finding);

/* Whether a finding of a list is shown: with `all` every one is, otherwise the first few that count, and fewer of
 * advice. Counts the finding in `*counted` or `*advised`, which begin with 0. */
enum { XS_FINDINGS_SHOWN = 5, XS_ADVICE_SHOWN = 2 };
bool xs_finding_is_shown(bool advice, bool folded, bool all, size_t *counted, size_t *advised);

/* What all repairs save together, and that it is a bound where it is; nothing where nothing is saved. */
void xs_findings_total_line(const struct xs_findings *findings, struct xs_out *out);
/* What is not known of contents and of page migrations, and how many copies could not be checked, as warnings; nothing
 * where all of it is known. */
void xs_findings_unknown_lines(const struct xs_findings *findings, const struct xs_content_coverage *contents,
                               struct xs_out *out);
/* Lines for the section Coverage: contents, arguments, what is undecided, the link model. */
/* The places in native code of the program, and of these those without a line. Of several addresses in one function
 * each is a place. */
uint64_t xs_native_places(const struct xs_sites *sites, uint64_t *without_line);
void xs_findings_link_lines(const struct xs_link_model *link, struct xs_out *out); /* the last of these */
void xs_findings_coverage(const struct xs_findings *findings, const struct xs_content_coverage *contents,
                          struct xs_out *out);

/* Keys "findings", "findings_total", "undecided", "fingerprints", "link_model", "call_sites" of the object that is
 * open. */
void xs_findings_json(const struct xs_findings *findings, const struct xs_content_coverage *contents,
                      struct xs_json *json);
/* The filter and how much passes it, as a sentence; nothing where there is none. Not escaped. */
void xs_filter_sentence(struct xs_string *text, const struct xs_findings *findings);
/* The second half of that sentence: how many transfers pass, and how many instances of findings were left out.
 * `all_rows`: the filter chooses findings only. */
void xs_filter_amounts(struct xs_string *text, bool all_rows, uint64_t transfers, uint64_t passing, uint64_t left_out);
/* "filter": what was asked for and how much passed; null where there was no filter (filter_words.c). */
void xs_filter_json(const struct xs_findings *findings, struct xs_json *json);
/* The keys of one finding, into the object that is open. */
void xs_finding_json(const struct xs_findings *findings, size_t index, struct xs_json *json);
/* What is the same of all findings of a kind: "finding", "id", "verdict", "title", "remedy". */
void xs_kind_json(struct xs_json *json, unsigned detector, unsigned verdict, const char *remedy);
/* "call_site": the user's line of a site, or null. */
void xs_call_site_json(const struct xs_findings *findings, uint32_t site, struct xs_json *json);
/* "link_model". */
void xs_link_json(const struct xs_link_model *link, struct xs_json *json);
void xs_undecided_json(const struct xs_findings *findings, struct xs_json *json);
/* {"device_ns": ..., "exposed_ns": ..., "host_ns": ...}, null where not known. */
void xs_times_json(struct xs_json *json, const char *key, const struct xs_times *times, bool device, bool exposed);

#endif
