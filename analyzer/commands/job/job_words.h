/* The report of a job, for people and for programs. Printing only: every number is in struct xs_job. */
#ifndef XFERSPY_ANALYZER_JOB_JOB_WORDS_H
#define XFERSPY_ANALYZER_JOB_JOB_WORDS_H

#include "analyzer/base/json.h"
#include "analyzer/base/out.h"
#include "analyzer/base/text.h"
#include "analyzer/commands/job/job.h"
#include "analyzer/trace/site.h"
#include "analyzer/words/sentences.h"

/* Adds "all 4 ranks", "ranks 0-2, 5", "rank 3 only", or names where processes have no rank. `processes` are in
 * order. */
void xs_job_who(struct xs_string *text, const struct xs_job *job, const size_t *processes, size_t count);
/* The same where names would be too long: "3 of 17 processes" of several that have no ranks. */
void xs_job_who_short(struct xs_string *text, const struct xs_job *job, const size_t *processes, size_t count);
/* "rank 3", or its name. */
void xs_job_process_name(struct xs_string *text, const struct xs_job *job, size_t process);

/* The processes for which `is` holds, as above; true where there are any. */
bool xs_job_who_is(struct xs_string *text, const struct xs_job *job, bool (*is)(const struct xs_job_process *));

/* What was asked for and how much of all traces it is; nothing where that is all. Not escaped. */
void xs_job_filter_sentence(struct xs_string *text, const struct xs_job *job);

/* --- job_words.c: what text and Markdown say; `name` adds a process as the format writes it --- */

typedef void xs_job_name_fn(struct xs_string *text, const struct xs_job *job, size_t process);
/* "A job of 4 processes on 2 hosts" */
void xs_job_say_title(struct xs_string *text, const struct xs_job *job);
/* What it saves in each of several processes, a sentence; nothing of advice and where it is the same in all. */
void xs_job_say_spread(struct xs_string *text, const struct xs_job *job, const struct xs_job_finding *finding,
                       xs_job_name_fn *name);
/* What all repairs save, a sentence or two; nothing where that is nothing. */
void xs_job_say_total(struct xs_string *text, const struct xs_job *job, enum xs_say_form form, xs_job_name_fn *name);
/* How many there are, and of what size, over all processes. */
struct xs_amount xs_job_in_all(const struct xs_job_finding *finding);
/* " (checked 132 of 199)", over all processes; nothing where all were. */
void xs_job_say_checked(struct xs_string *text, const struct xs_job_finding *finding);
/* What stands before the most that a process saves: XS_UP_TO where that is a range, "128 to " where processes differ.
 * Returns whether they do. */
bool xs_job_say_bound(struct xs_string *text, const struct xs_job_finding *finding);
/* "saves 128 to 146 ms by process, up to 39 % of the run"; of what is the same in all "saves 146 ms, 39 % of the run".
 */
void xs_job_say_gain(struct xs_string *text, const struct xs_job *job, const struct xs_job_finding *finding);
/* What shares are of: of a process that was recorded in part, where there is one. */
const struct xs_recorded_time *xs_job_recorded(const struct xs_job *job);
/* To read a finding's file by: it is of its home. */
struct xs_sites xs_job_sites(const struct xs_job *job, const struct xs_job_finding *finding);

/* `all`: every finding and every process. */
void xs_job_text(const struct xs_job *job, bool all, struct xs_out *out);

/* For a pull request's comment or an issue, in GitHub's Markdown. Text of the traces is in code spans and blocks. */
void xs_job_markdown(const struct xs_job *job, bool all, struct xs_out *out);

/* Key "job" of the object that is open. */
void xs_job_json(const struct xs_job *job, struct xs_json *json);

/* Whether its repair saves nothing in any process: then it is no cause, and no list counts it. */
bool xs_job_saves_nothing(const struct xs_job_finding *finding);

#endif
