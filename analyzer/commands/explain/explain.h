/* Prints the results of `xferspy explain`: all findings, or one finding with the rows that prove it, or instances, or
 * undecided cases. */
#ifndef XFERSPY_ANALYZER_COMMANDS_EXPLAIN_EXPLAIN_H
#define XFERSPY_ANALYZER_COMMANDS_EXPLAIN_EXPLAIN_H

#include "analyzer/base/hash.h"
#include "analyzer/base/json.h"
#include "analyzer/base/out.h"
#include "analyzer/savings/causes/diagnosis.h"
#include "analyzer/totals/summary/content_coverage.h"
#include "schema/read/trace.h"

#define XS_EXPLAIN_JSON_VERSION 1

/* An instance, stored in few bytes, because --all and --instances keep every instance until the analysis has ended. */
struct xs_listed_instance {
    uint32_t detector, verdict, site, evidence_count;
    int64_t at_ns;
    uint64_t transfers, bytes, claims_ns, device_ns, exposed_ns, host_ns;
    int64_t rows[XS_EVIDENCE_ROWS];
    uint8_t tables[XS_EVIDENCE_ROWS]; /* enum xs_evidence_table */
    bool device_known, exposed_known, modelled;
};

/* The row that an instance is about, stored in even fewer bytes. If the stacks of a finding are requested, the row of
 * every instance is kept. */
struct xs_seen {
    uint32_t what; /* table, verdict and detector, as xs_seen_what packs them */
    uint32_t site;
    int64_t row;
};
static inline uint32_t xs_seen_what(unsigned table, unsigned verdict, unsigned detector) {
    return table << 28 | (verdict & 0xff) << 20 | (detector & 0xfffff);
}

struct xs_explain {
    const struct xs_trace *trace;
    const struct xs_diagnosis *diagnosis;
    struct xs_content_coverage contents;
    const struct xs_listed_instance *kept; /* in the order in which they were decided */
    size_t kept_count;
    struct xs_hash finding_of;  /* maps an instance's kind and site to its finding's index + 1; set if instances are
                                   kept */
    const struct xs_seen *seen; /* set if a finding was requested */
    size_t seen_count;
    long chosen;     /* index of the requested finding; -1: all */
    bool all;        /* print every instance of the finding, or, in the list, every finding */
    bool full_stack; /* print the frames of libraries, too */
};

/* True if an instance belongs to the chosen finding. */
bool xs_explain_wants(const struct xs_explain *explain, const struct xs_listed_instance *kept);

/* Returns the instance's share of its finding's saving. */
uint64_t xs_explain_share_ns(const struct xs_explain *explain, const struct xs_listed_instance *kept);

/* Prints a warning if the run was repaired; else nothing. */
void xs_explain_repaired(const struct xs_explain *explain, struct xs_out *out);

/* These functions print text. xs_explain_one reads the trace again; negative status: the message is set. */
void xs_explain_list(const struct xs_explain *explain, struct xs_out *out);
int xs_explain_one(const struct xs_explain *explain, struct xs_out *out, char *message);

/* These functions print a table, or, if `tsv` is true, TSV with a header line. */
void xs_explain_rows(const struct xs_explain *explain, struct xs_out *out);
void xs_explain_instances(const struct xs_explain *explain, bool tsv, struct xs_out *out);
void xs_explain_undecided(const struct xs_explain *explain, bool tsv, struct xs_out *out);

/* Writes an object with "format": "xferspy-explain", "version": 1, "trace" and the keys that belong to `part`. */
enum xs_explain_part { XS_EXPLAIN_FINDINGS, XS_EXPLAIN_INSTANCES, XS_EXPLAIN_UNDECIDED, XS_EXPLAIN_MODEL };
int xs_explain_json(const struct xs_explain *explain, enum xs_explain_part part, struct xs_json *json, char *message);

#endif
