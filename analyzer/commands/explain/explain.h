/* What `xferspy explain` prints: all findings, one with its evidence, instances, what is undecided. */
#ifndef XFERSPY_ANALYZER_EXPLAIN_EXPLAIN_H
#define XFERSPY_ANALYZER_EXPLAIN_EXPLAIN_H

#include "analyzer/base/hash.h"
#include "analyzer/base/json.h"
#include "analyzer/base/out.h"
#include "analyzer/findings/engine/findings.h"
#include "analyzer/totals/summary/content_coverage.h"
#include "schema/read/trace.h"

#define XS_EXPLAIN_JSON_VERSION 1

/* Words of the list, for it and for the help: what is saved cannot be added up. */
#define XS_WHAT_IS_INSTEAD "`instead of N': saves this if number N cannot be repaired"
#define XS_WHAT_IS_PART "`part of N': counted in what number N saves"
#define XS_WHAT_IS_ADVICE "`advice': saves nothing by itself"

/* An instance in few bytes: --all and --instances keep every one until the analysis has ended. */
struct xs_kept {
    uint32_t detector, verdict, site, evidence_count;
    int64_t at_ns;
    uint64_t transfers, bytes, claims_ns, device_ns, exposed_ns, host_ns;
    int64_t rows[XS_EVIDENCE_ROWS];
    uint8_t tables[XS_EVIDENCE_ROWS]; /* enum xs_evidence_table */
    bool device_known, exposed_known, modelled;
};

/* The row that an instance is about, in even fewer bytes. It is kept of every instance if the stacks of a finding are
 * asked for. */
struct xs_seen {
    uint32_t what; /* table, verdict and detector: xs_seen_what */
    uint32_t site;
    int64_t row;
};
static inline uint32_t xs_seen_what(unsigned table, unsigned verdict, unsigned detector) {
    return table << 28 | (verdict & 0xff) << 20 | (detector & 0xfffff);
}

struct xs_explain {
    const struct xs_trace *trace;
    const struct xs_findings *findings;
    struct xs_content_coverage contents;
    const struct xs_kept *kept; /* in the order in which they were decided */
    size_t kept_count;
    struct xs_hash finding_of;  /* what an instance is of, to the finding's index + 1; where there are kept ones */
    const struct xs_seen *seen; /* where a finding was asked for */
    size_t seen_count;
    long chosen;     /* index of the one finding that was asked for, -1: all */
    bool all;        /* every instance of it; in the list, every finding */
    bool full_stack; /* frames of libraries, too */
};

/* Whether an instance is of the chosen finding. */
bool xs_explain_wants(const struct xs_explain *explain, const struct xs_kept *kept);

/* What falls to it of what its finding saves. */
uint64_t xs_explain_share_ns(const struct xs_explain *explain, const struct xs_kept *kept);

/* That the run was repaired, a warning; nothing where it was not. */
void xs_explain_repaired(const struct xs_explain *explain, struct xs_out *out);

/* As text. _one reads the trace once more: a negative status sets the message. */
void xs_explain_list(const struct xs_explain *explain, struct xs_out *out);
int xs_explain_one(const struct xs_explain *explain, struct xs_out *out, char *message);

/* As a table, or as TSV with a header line (`tsv`). */
void xs_explain_rows(const struct xs_explain *explain, struct xs_out *out);
void xs_explain_instances(const struct xs_explain *explain, bool tsv, struct xs_out *out);
void xs_explain_undecided(const struct xs_explain *explain, bool tsv, struct xs_out *out);

/* {"format": "xferspy-explain", "version": 1, "trace": ..., ...} */
enum xs_explain_part { XS_EXPLAIN_FINDINGS, XS_EXPLAIN_INSTANCES, XS_EXPLAIN_UNDECIDED, XS_EXPLAIN_MODEL };
int xs_explain_json(const struct xs_explain *explain, enum xs_explain_part part, struct xs_json *json, char *message);

#endif
