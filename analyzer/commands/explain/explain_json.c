/* `explain` as JSON. Keys are stable, and docs/use/report.md lists them. */
#include "analyzer/commands/explain/evidence.h"
#include "analyzer/commands/explain/explain.h"
#include "analyzer/commands/explain/stacks.h"
#include "analyzer/findings/engine/detector.h"
#include "analyzer/totals/summary/repaired.h"
#include "analyzer/words/findings_words.h"

static int put_evidence(const struct xs_explain *explain, const struct xs_instance *instance, struct xs_json *json,
                        char *message) {
    int status = XS_OK;
    xs_json_array(json, "evidence");
    for (unsigned i = 0; i < instance->evidence_count && status >= 0; i++) {
        const struct xs_evidence *e = &instance->evidence[i];
        struct xs_facts facts;
        status = xs_facts_read(explain->trace, e, &facts, message);
        xs_json_object(json, NULL);
        xs_json_text(json, "kind", xs_evidence_table_names[e->table]);
        xs_json_int(json, "row", e->row);
        xs_json_text(json, "role", e->role);
        xs_facts_json(&facts, json);
        if (xs_fact_known(&facts, "stack_id"))
            xs_stack_json(explain->findings, xs_fact_number(&facts, "stack_id", 0), json);
        if (xs_fact_known(&facts, "nvtx_range_id"))
            xs_range_json(explain->findings, xs_fact_number(&facts, "nvtx_range_id", 0), json);
        xs_json_end(json, '}');
        xs_facts_free(&facts);
    }
    xs_json_end(json, ']');
    return status;
}

/* Writes the first instances, with all that the trace says about their rows. */
static int put_first(const struct xs_explain *explain, const struct xs_finding *f, struct xs_json *json,
                     char *message) {
    int status = XS_OK;
    xs_json_array(json, "first_instances");
    for (size_t i = 0; i < f->first_count && status >= 0; i++) {
        const struct xs_instance *instance = &f->first[i];
        xs_json_object(json, NULL);
        xs_json_int(json, "at_ns", instance->at_ns);
        xs_json_count(json, "transfers", instance->transfers);
        xs_json_count(json, "bytes", instance->bytes);
        xs_times_json(json, "cost", &instance->cost, instance->cost.device_known, instance->cost.exposed_known);
        xs_times_json(json, "removable", &instance->removable, instance->removable.device_known,
                      instance->removable.exposed_known);
        status = put_evidence(explain, instance, json, message);
        xs_json_end(json, '}');
    }
    xs_json_end(json, ']');
    return status;
}

static void put_row(struct xs_json *json, const char *kind_key, const char *row_key, const struct xs_kept *kept,
                    uint32_t row) {
    if (row < kept->evidence_count) {
        xs_json_text(json, kind_key, xs_evidence_table_names[kept->tables[row]]);
        xs_json_int(json, row_key, kept->rows[row]);
    } else {
        xs_json_null(json, kind_key);
        xs_json_null(json, row_key);
    }
}

static void put_kept_ns(struct xs_json *json, const char *key, bool known, uint64_t ns) {
    if (known)
        xs_json_count(json, key, ns);
    else
        xs_json_null(json, key);
}

static void put_instances(const struct xs_explain *explain, struct xs_json *json, const char *key) {
    xs_json_array(json, key);
    for (size_t i = 0; i < explain->kept_count; i++) {
        const struct xs_kept *kept = &explain->kept[i];
        struct xs_string kind = {0};
        if (!xs_explain_wants(explain, kept))
            continue;
        xs_finding_kind(&kind, kept->detector, kept->verdict);
        xs_json_object(json, NULL);
        xs_json_text(json, "finding", kind.data);
        xs_string_free(&kind);
        xs_json_text(json, "site", xs_site_name(explain->findings, kept->site));
        xs_call_site_json(explain->findings, kept->site, json);
        put_row(json, "kind", "row", kept, 0);
        put_row(json, "other_kind", "other_row", kept, 1);
        xs_json_int(json, "at_ns", kept->at_ns);
        xs_json_count(json, "transfers", kept->transfers);
        xs_json_count(json, "bytes", kept->bytes);
        put_kept_ns(json, "device_ns", kept->device_known, kept->device_ns);
        put_kept_ns(json, "exposed_ns", kept->exposed_known, kept->exposed_ns);
        if (kept->modelled)
            xs_json_bool(json, "modelled", true);
        xs_json_count(json, "host_ns", kept->host_ns);
        xs_json_count(json, "gives_back_ns", xs_explain_share_ns(explain, kept));
        xs_json_end(json, '}');
    }
    xs_json_end(json, ']');
}

static int put_one(const struct xs_explain *explain, struct xs_json *json, char *message) {
    int status;
    xs_json_object(json, "explained");
    xs_finding_json(explain->findings, (size_t)explain->chosen, json);
    status = put_first(explain, &explain->findings->items[explain->chosen], json, message);
    if (status >= 0)
        status = xs_stacks_json(explain, json, message);
    if (explain->all)
        put_instances(explain, json, "all_instances"); /* `instances' is their number */
    xs_json_end(json, '}');
    return status;
}

static void put_model(const struct xs_explain *explain, struct xs_json *json) {
    xs_replay_json(json, explain->findings);
    xs_saving_json(json, "together", &explain->findings->together);
    xs_link_json(&explain->findings->link, json);
}

/* Writes the chosen finding, or all. */
static int put_findings(const struct xs_explain *explain, struct xs_json *json, char *message) {
    struct xs_repaired repaired;
    xs_repaired_read(&repaired, explain->trace);
    xs_repaired_json(&repaired, json);
    if (explain->chosen >= 0)
        return put_one(explain, json, message);
    xs_findings_json(explain->findings, &explain->contents, json);
    return XS_OK;
}

int xs_explain_json(const struct xs_explain *explain, enum xs_explain_part part, struct xs_json *json, char *message) {
    int status = XS_OK;
    xs_json_object(json, NULL);
    xs_json_text(json, "format", "xferspy-explain");
    xs_json_int(json, "version", XS_EXPLAIN_JSON_VERSION);
    xs_json_text(json, "trace", explain->trace->path);
    xs_filter_json(explain->findings, json);
    if (part == XS_EXPLAIN_UNDECIDED)
        xs_undecided_json(explain->findings, json);
    else if (part == XS_EXPLAIN_INSTANCES)
        put_instances(explain, json, "instances");
    else if (part == XS_EXPLAIN_MODEL)
        put_model(explain, json);
    else
        status = put_findings(explain, json, message);
    xs_json_end(json, '}');
    return status;
}
