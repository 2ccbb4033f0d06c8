/* Reads the labels of a trace for fleet files; see fleet_internal.h. */
#include <sqlite3.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/base/json.h"
#include "analyzer/base/text.h"
#include "analyzer/commands/fleet_files/fleet_internal.h"
#include "schema/rows_read.h"

/* Labels that name the cluster and the job; the first one that a trace has counts. The user's own come first. */
static const char *const cluster_keys[] = {"cluster", "slurm_cluster", NULL};
static const char *const job_keys[] = {"job",         "slurm_job_id", "pbs_job_id", "lsf_job_id",
                                       "torchrun_id", "k8s_pod",      NULL};

static void take(const char *const *keys, const char *key, const char *value, size_t *best, char **text) {
    size_t i = 0;
    while (keys[i] && strcmp(keys[i], key) != 0)
        i++;
    if (!keys[i] || !*value || (*text && i >= *best))
        return;
    free(*text);
    *text = xs_strdup(value);
    *best = i;
}

void xs_fleet_labels_read(struct xs_fleet_labels *labels, const struct xs_trace *trace) {
    static const char prefix[] = "label.";
    char *text = NULL;
    size_t bytes = 0, best_cluster = 0, best_job = 0, count = 0;
    sqlite3_stmt *statement = NULL;
    struct xs_json json = {.file = open_memstream(&text, &bytes), .compact = true};
    *labels = (struct xs_fleet_labels){0};
    if (!json.file)
        xs_out_of_memory();
    xs_json_object(&json, NULL);
    sqlite3_prepare_v2(trace->db, "SELECT key, value FROM meta WHERE key >= 'label.' AND key < 'label/' ORDER BY key",
                       -1, &statement, NULL);
    while (statement && sqlite3_step(statement) == SQLITE_ROW) {
        const char *key = (const char *)sqlite3_column_text(statement, 0);
        const char *value = (const char *)sqlite3_column_text(statement, 1);
        xs_row_read();
        if (!key || !value || strlen(key) < sizeof prefix)
            continue;
        key += sizeof prefix - 1;
        xs_json_text(&json, key, value);
        take(cluster_keys, key, value, &best_cluster, &labels->cluster);
        take(job_keys, key, value, &best_job, &labels->job);
        count++;
    }
    sqlite3_finalize(statement);
    xs_json_end(&json, '}');
    fclose(json.file);
    if (bytes && text[bytes - 1] == '\n')
        text[bytes - 1] = '\0';
    labels->json = count ? text : NULL;
    if (!count)
        free(text);
}

void xs_fleet_labels_free(struct xs_fleet_labels *labels) {
    free(labels->json);
    free(labels->cluster);
    free(labels->job);
}
