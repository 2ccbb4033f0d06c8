/* What the trace says of one row that a finding names: read for `explain`, for a handful of rows at a time. */
#ifndef XFERSPY_ANALYZER_EXPLAIN_EVIDENCE_H
#define XFERSPY_ANALYZER_EXPLAIN_EVIDENCE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analyzer/base/json.h"
#include "analyzer/findings/engine/findings.h"

/* A column: `text` where it is one, NULL for a number; not known where the trace has NULL. Addresses are texts
 * (0x...). */
struct xs_fact {
    const char *key; /* static; units in the name */
    char *text;
    int64_t number;
    bool known;
};

enum { XS_FACTS = 40 };
struct xs_facts {
    struct xs_fact items[XS_FACTS];
    size_t count;
    bool found; /* the trace has the row */
};

/* Negative status: the message is set. `facts` is to be freed either way. */
int xs_facts_read(const struct xs_trace *trace, const struct xs_evidence *evidence, struct xs_facts *facts,
                  char *message);
/* Escapes the texts, and cuts those that take more columns; kernels' names become those of the source. For people; JSON
 * has them whole, as the trace does. */
void xs_facts_cut(struct xs_facts *facts, int columns);
void xs_facts_free(struct xs_facts *facts);
void xs_facts_json(const struct xs_facts *facts, struct xs_json *json);

/* NULL where it is not known; a number, or `fallback`. */
const char *xs_fact_text(const struct xs_facts *facts, const char *key);
int64_t xs_fact_number(const struct xs_facts *facts, const char *key, int64_t fallback);
bool xs_fact_known(const struct xs_facts *facts, const char *key);

/* What was called between two moments, on a device where that is known, and what of it concerned an allocation. */
struct xs_between {
    uint64_t launches, launches_given, launches_unseen; /* given: a pointer into the allocation */
    uint64_t copies_to, copies_from, memsets;           /* of the allocation */
};
int xs_between_read(const struct xs_trace *trace, int64_t from_ns, int64_t to_ns, int64_t device, int64_t allocation,
                    struct xs_between *between, char *message);

#endif
