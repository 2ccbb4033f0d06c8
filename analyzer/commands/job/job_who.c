/* Names some processes of a job in few words. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/base/memory.h"
#include "analyzer/commands/job/job_words.h"
#include "analyzer/words/findings_words.h"

enum { NAMED = 6, NAME_COLUMNS = 60 };

void xs_job_process_name(struct xs_string *text, const struct xs_job *job, size_t process) {
    const struct xs_job_process *p = &job->processes[process];
    xs_string_format(text, "%s", p->is_ranked ? "rank " : "");
    xs_string_add_cut(text, p->label, NAME_COLUMNS);
}

/* Adds consecutive ranks as "0-3". Returns how many processes from `i` on were taken. */
static size_t add_range(struct xs_string *text, const struct xs_job *job, const size_t *processes, size_t count,
                        size_t i) {
    const struct xs_job_process *first = &job->processes[processes[i]], *last = first;
    size_t k = i + 1;
    if (!first->is_ranked) {
        xs_string_add_cut(text, first->label, NAME_COLUMNS);
        return 1;
    }
    for (; k < count; k++) {
        const struct xs_job_process *next = &job->processes[processes[k]];
        if (!next->is_ranked || next->rank != last->rank + 1)
            break;
        last = next;
    }
    xs_string_format(text,
                     k - i == 2  ? "%" PRId64 ", %" PRId64
                     : k - i > 2 ? "%" PRId64 "-%" PRId64
                                 : "%" PRId64,
                     first->rank, last->rank);
    return k - i;
}

static size_t count_ranked(const struct xs_job *job, const size_t *processes, size_t count) {
    size_t ranked = 0;
    for (size_t i = 0; i < count; i++)
        ranked += job->processes[processes[i]].is_ranked;
    return ranked;
}

void xs_job_who(struct xs_string *text, const struct xs_job *job, const size_t *processes, size_t count) {
    size_t ranked = count_ranked(job, processes, count), named = 0;
    if (count == job->process_count && count > 1) {
        xs_string_format(text, "all %zu %s", count, ranked == count ? "ranks" : "processes");
        return;
    }
    if (ranked)
        xs_string_format(text, "rank%s ", ranked == 1 ? "" : "s");
    for (size_t i = 0; i < count; named++) {
        xs_string_format(text, "%s", i ? ", " : "");
        if (named == NAMED) {
            xs_string_format(text, "and %zu more", count - i);
            break;
        }
        i += add_range(text, job, processes, count, i);
    }
    if (count == 1 && job->process_count > 1)
        xs_string_format(text, " only");
}

void xs_job_who_short(struct xs_string *text, const struct xs_job *job, const size_t *processes, size_t count) {
    if (count > 1 && count < job->process_count && !count_ranked(job, processes, count))
        xs_string_format(text, "%zu of %zu processes", count, job->process_count);
    else
        xs_job_who(text, job, processes, count);
}

bool xs_job_who_is(struct xs_string *text, const struct xs_job *job, size_t field) {
    size_t *processes = xs_realloc(NULL, job->process_count * sizeof *processes), count = 0;
    for (size_t i = 0; i < job->process_count; i++)
        if (*(const bool *)((const char *)&job->processes[i] + field))
            processes[count++] = i;
    if (count)
        xs_job_who(text, job, processes, count);
    free(processes);
    return count > 0;
}

void xs_job_filter_sentence(struct xs_string *text, const struct xs_job *job) {
    const struct xs_job_filter *f = &job->filter;
    if (!f->text)
        return;
    xs_string_format(text, "%s", f->text);
    xs_filter_amounts(text, f->all_rows, f->transfers, f->passing, f->left_out);
}
