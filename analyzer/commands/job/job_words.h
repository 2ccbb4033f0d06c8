/* Prints the report of a job, for people and for programs. The functions only print: every number is in struct xs_job.
 */
#ifndef XFERSPY_ANALYZER_COMMANDS_JOB_JOB_WORDS_H
#define XFERSPY_ANALYZER_COMMANDS_JOB_JOB_WORDS_H

#include "analyzer/base/json.h"
#include "analyzer/base/out.h"
#include "analyzer/base/text.h"
#include "analyzer/commands/job/job.h"
#include "analyzer/trace/site.h"
#include "analyzer/words/saving_words.h"

/* Adds "all 4 ranks", "ranks 0-2, 5", "rank 3 only", or the names of processes if they have no rank. `processes` must
 * be sorted. */
void xs_job_who(struct xs_string *text, const struct xs_job *job, const size_t *processes, size_t count);
/* Adds the same text as xs_job_who; if the names would be too long, adds "3 of 17 processes" instead. */
void xs_job_who_short(struct xs_string *text, const struct xs_job *job, const size_t *processes, size_t count);
/* Adds "rank 3", or the process's name. */
void xs_job_process_name(struct xs_string *text, const struct xs_job *job, size_t process);

/* Adds the processes in which a bool is true, as xs_job_who does. `field` is the bool's offset in struct
 * xs_job_process. False: there are none. */
bool xs_job_who_is(struct xs_string *text, const struct xs_job *job, size_t field);

/* Adds a sentence on the filter and on how much of all traces passed it; nothing if there was no filter. The text is
 * not escaped. */
void xs_job_filter_sentence(struct xs_string *text, const struct xs_job *job);

/* --- job_words.c: sentences that text and Markdown share; `name` adds the name of a process in the style of the format
 * --- */

typedef void xs_job_name_fn(struct xs_string *text, const struct xs_job *job, size_t process);
/* Adds "A job of 4 processes on 2 hosts". */
void xs_job_say_title(struct xs_string *text, const struct xs_job *job);
/* Adds a sentence on how much the repair saves in the processes if the savings differ; nothing for advice. */
void xs_job_say_spread(struct xs_string *text, const struct xs_job *job, const struct xs_job_finding *finding,
                       xs_job_name_fn *name);
/* Adds one or two sentences on how much all repairs save; nothing if they save nothing. */
void xs_job_say_total(struct xs_string *text, const struct xs_job *job, enum xs_say_form form, xs_job_name_fn *name);
/* Returns how many copies the finding has, and their size, over all processes. */
struct xs_amount xs_job_in_all(const struct xs_job_finding *finding);
/* Adds " (checked 132 of 199)", summed over all processes; nothing if all copies were checked. */
void xs_job_say_checked(struct xs_string *text, const struct xs_job_finding *finding);
/* Adds the text that precedes the largest saving of a process: XS_UP_TO if this saving is an interval, then "128 to "
 * if the savings of processes differ. Returns true if they differ. Adds nothing for advice, and returns false. */
bool xs_job_say_bound(struct xs_string *text, const struct xs_job_finding *finding);
/* Adds "saves 128 to 146 ms by process, up to 39 % of the run", or "saves 146 ms, 39 % of the run" if the saving is the
 * same in all processes. */
void xs_job_say_gain(struct xs_string *text, const struct xs_job *job, const struct xs_job_finding *finding);
/* Returns the time that shares refer to. If only a part of the run of some process was recorded, this is the recorded
 * time of such a process. */
const struct xs_recorded_time *xs_job_recorded(const struct xs_job *job);
/* Returns a struct with which a finding's source file can be read. The path of this file is relative to the folder of
 * the finding's `home` process. */
struct xs_sites xs_job_sites(const struct xs_job *job, const struct xs_job_finding *finding);

/* Prints the report as text. If `all` is true, prints every finding and every process. */
void xs_job_text(const struct xs_job *job, bool all, struct xs_out *out);

/* Prints the report as GitHub's Markdown, for a pull request or an issue. All text of the traces is in code spans and
 * blocks. */
void xs_job_markdown(const struct xs_job *job, bool all, struct xs_out *out);

/* Writes the key "job" into the open object. */
void xs_job_json(const struct xs_job *job, struct xs_json *json);

/* True if the finding is not advice, and it is known that its repair saves nothing in any of the processes. Such a
 * finding is not a cause, and no list counts it. */
bool xs_job_saves_nothing(const struct xs_job_finding *finding);

/* --- only the files of this folder call the functions below --- */

/* Prints warnings: what may be wrong with the traces, and which traces have no contents. */
void xs_job_text_warnings(const struct xs_job *job, struct xs_out *out);
/* Prints the section of findings. If `all` is false, prints only the first few findings. */
void xs_job_text_findings(const struct xs_job *job, bool all, struct xs_out *out);
/* Prints the table of processes. If `all` is false, prints only the processes that differ most. */
void xs_job_text_processes(const struct xs_job *job, bool all, struct xs_out *out);

/* Adds the names of the processes that have a finding, as xs_job_who does. If `named` is false and the processes have
 * no ranks, adds "3 of 17 processes". */
void xs_job_finding_who(struct xs_string *text, const struct xs_job *job, const struct xs_job_finding *finding,
                        bool named);

#endif
