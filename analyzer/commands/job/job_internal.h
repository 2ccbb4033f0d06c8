/* Shared by the files that print the report of a job; no other file includes this. */
#ifndef XFERSPY_ANALYZER_COMMANDS_JOB_JOB_INTERNAL_H
#define XFERSPY_ANALYZER_COMMANDS_JOB_JOB_INTERNAL_H

#include "analyzer/commands/job/job_words.h"

/* Prints what may be wrong with the traces, and in which of them contents are not known. */
void xs_job_text_warnings(const struct xs_job *job, struct xs_out *out);
/* Prints the section of findings; without `all` the first few only. */
void xs_job_text_findings(const struct xs_job *job, bool all, struct xs_out *out);
/* Prints the table of processes; without `all` only those that differ most. */
void xs_job_text_processes(const struct xs_job *job, bool all, struct xs_out *out);

/* Adds the processes that have a finding, as xs_job_who does; without `named`, processes without ranks are "3 of 17
 * processes". */
void xs_job_finding_who(struct xs_string *text, const struct xs_job *job, const struct xs_job_finding *finding,
                        bool named);

#endif
