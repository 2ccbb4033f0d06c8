/* Makes the columns of labels for fleet files; see fleet_internal.h. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/base/json.h"
#include "analyzer/base/memory.h"
#include "analyzer/commands/fleet_files/fleet_internal.h"

/* Labels that name the cluster and the job; the first one that a trace has counts. The user's own come first. */
static const char *const cluster_keys[] = {"cluster", "slurm_cluster", NULL};
static const char *const job_keys[] = {"job",         "slurm_job_id", "pbs_job_id", "lsf_job_id",
                                       "torchrun_id", "k8s_pod",      NULL};

static const char *first_of(const struct xs_labels *labels, const char *const *keys) {
    for (; *keys; keys++) {
        const char *value = xs_labels_value(labels, *keys);
        if (value && *value)
            return value;
    }
    return NULL;
}

/* True if the label is a column of its own, or differs between the ranks of a job. In the object, it would make the
 * texts of all rows differ, and a text that all rows have takes no room. */
static bool is_column(const struct xs_trace_label *label) {
    static const char *const columns[] = {"host", "rank", "local_rank", "world_size", "gpu"};
    for (size_t i = 0; i < sizeof columns / sizeof *columns; i++)
        if (!label->is_given && !strcmp(label->key, columns[i]))
            return true;
    return false;
}

void xs_fleet_labels_of(struct xs_fleet_labels *of, const struct xs_labels *labels) {
    char *text = NULL;
    size_t bytes = 0, count = 0;
    struct xs_json json = {.file = open_memstream(&text, &bytes), .compact = true};
    if (!json.file)
        xs_out_of_memory();
    xs_json_object(&json, NULL);
    for (size_t i = 0; i < labels->count; i++) {
        if (is_column(&labels->items[i]))
            continue;
        xs_json_text(&json, labels->items[i].key, labels->items[i].value);
        count++;
    }
    xs_json_end(&json, '}');
    fclose(json.file);
    if (bytes && text[bytes - 1] == '\n')
        text[bytes - 1] = '\0';
    *of = (struct xs_fleet_labels){
        .json = count ? text : NULL, .cluster = first_of(labels, cluster_keys), .job = first_of(labels, job_keys)};
    if (!count)
        free(text);
}
