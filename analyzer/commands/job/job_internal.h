/* Between the files that print the report of a job; for nobody else. */
#ifndef XFERSPY_ANALYZER_JOB_JOB_INTERNAL_H
#define XFERSPY_ANALYZER_JOB_JOB_INTERNAL_H

#include "analyzer/commands/job/job_words.h"

/* What may be wrong with the traces, and of which the contents are not known. */
void xs_job_text_warnings(const struct xs_job *job, struct xs_out *out);
/* The section of findings; `all`: not the first few only. */
void xs_job_text_findings(const struct xs_job *job, bool all, struct xs_out *out);
/* The table of processes; `all`: not only those that differ most. */
void xs_job_text_processes(const struct xs_job *job, bool all, struct xs_out *out);

/* The processes that have a finding, as xs_job_who does; `named`: by name also where they have no ranks, else "3 of 17
 * processes". */
void xs_job_finding_who(struct xs_string *text, const struct xs_job *job, const struct xs_job_finding *finding,
                        bool named);

#endif
