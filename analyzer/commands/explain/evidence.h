/* Reads the columns of a row that a finding names. `explain` uses these functions for a few rows at a time. */
#ifndef XFERSPY_ANALYZER_COMMANDS_EXPLAIN_EVIDENCE_H
#define XFERSPY_ANALYZER_COMMANDS_EXPLAIN_EVIDENCE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analyzer/base/json.h"
#include "analyzer/findings/engine/findings.h"

/* The value of a column. `text` is NULL if the value is a number. `known` is false if the column is NULL. Addresses are
 * texts (0x...). */
struct xs_fact {
    char key[24]; /* the name says the unit */
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

/* Reads the row that `evidence` names into `facts`, which must be freed in any case. Negative status: the message is
 * set. */
int xs_facts_read(const struct xs_trace *trace, const struct xs_evidence *evidence, struct xs_facts *facts,
                  char *message);
/* Prepares the texts for people: escapes them, cuts texts that need more than `columns` columns, and replaces the names
 * of kernels by their names in the source. JSON is written without this function, because it has the complete texts of
 * the trace. */
void xs_facts_cut(struct xs_facts *facts, int columns);
void xs_facts_free(struct xs_facts *facts);
void xs_facts_json(const struct xs_facts *facts, struct xs_json *json);

/* These functions return the value of a column. If it is not known, _text returns NULL, and _number returns `fallback`.
 */
const char *xs_fact_text(const struct xs_facts *facts, const char *key);
int64_t xs_fact_number(const struct xs_facts *facts, const char *key, int64_t fallback);
bool xs_fact_known(const struct xs_facts *facts, const char *key);

/* Numbers of calls between two times: launches (on a device, if the device is known), and copies and memsets of an
 * allocation. */
struct xs_between {
    bool known;
    int64_t allocation;                                 /* 0: not known; then only launches are counted */
    uint64_t launches, launches_given, launches_unseen; /* given: with a pointer into the allocation as an argument;
                                                           unseen: whose arguments are not known */
    uint64_t copies_to, copies_from, memsets;           /* copies into and out of the allocation, and memsets of it */
};
/* Counts the calls between the calls of the rows `now` and `then`. The allocation is the one that `now` copies to, or,
 * if `now` is not an upload, the one that it copies from. `known` is false if one of the rows is not in the trace.
 * Negative status: the message is set. */
int xs_between_read(const struct xs_trace *trace, const struct xs_facts *now, const struct xs_facts *then,
                    struct xs_between *between, char *message);

#endif
