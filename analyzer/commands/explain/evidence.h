/* Reads what the trace says of a row that a finding names; for `explain`, a handful of rows at a time. */
#ifndef XFERSPY_ANALYZER_COMMANDS_EXPLAIN_EVIDENCE_H
#define XFERSPY_ANALYZER_COMMANDS_EXPLAIN_EVIDENCE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analyzer/base/json.h"
#include "analyzer/findings/engine/findings.h"

/* A column: `text` if it is one, NULL for a number; not known if the trace has NULL. Addresses are texts (0x...). */
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

/* Negative status: the message is set. Free `facts` either way. */
int xs_facts_read(const struct xs_trace *trace, const struct xs_evidence *evidence, struct xs_facts *facts,
                  char *message);
/* Escapes the texts, cuts those that take more columns, and gives kernels their source names. For people; JSON has the
 * texts whole, as in the trace. */
void xs_facts_cut(struct xs_facts *facts, int columns);
void xs_facts_free(struct xs_facts *facts);
void xs_facts_json(const struct xs_facts *facts, struct xs_json *json);

/* Return a text, NULL if not known; a number, or `fallback`. */
const char *xs_fact_text(const struct xs_facts *facts, const char *key);
int64_t xs_fact_number(const struct xs_facts *facts, const char *key, int64_t fallback);
bool xs_fact_known(const struct xs_facts *facts, const char *key);

/* Counts what was called between two moments, on a device if known, and what concerned an allocation. */
struct xs_between {
    bool known;
    int64_t allocation;                                 /* 0: not known, and only launches are counted */
    uint64_t launches, launches_given, launches_unseen; /* given: with a pointer into the allocation */
    uint64_t copies_to, copies_from, memsets;           /* to and from the allocation */
};
/* Counts between the calls of two rows, for the allocation that the first one copies to, or a download copies from.
 * `known` is false where the trace lacks one of the rows. Negative status: the message is set. */
int xs_between_read(const struct xs_trace *trace, const struct xs_facts *now, const struct xs_facts *then,
                    struct xs_between *between, char *message);

#endif
