/* Declarations shared by the files that print the report of a job. No other file includes this header. */
#ifndef XFERSPY_ANALYZER_COMMANDS_JOB_JOB_INTERNAL_H
#define XFERSPY_ANALYZER_COMMANDS_JOB_JOB_INTERNAL_H

#include "analyzer/commands/job/job_words.h"

/* Prints warnings: what may be wrong with the traces, and which traces have no contents. */
void xs_job_text_warnings(const struct xs_job *job, struct xs_out *out);
/* Prints the section of findings; without `all`, only the first few. */
void xs_job_text_findings(const struct xs_job *job, bool all, struct xs_out *out);
/* Prints the table of processes; without `all`, only the processes that differ most. */
void xs_job_text_processes(const struct xs_job *job, bool all, struct xs_out *out);

/* Adds the names of the processes that have a finding, as xs_job_who does. Without `named`, adds "3 of 17 processes" if
 * the processes have no ranks. */
void xs_job_finding_who(struct xs_string *text, const struct xs_job *job, const struct xs_job_finding *finding,
                        bool named);

#endif
