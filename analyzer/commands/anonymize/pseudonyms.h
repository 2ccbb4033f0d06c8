/* Makes pseudonyms, which replace names. Within a file, equal texts get equal pseudonyms. A pseudonym is not computed
 * from the text, so nobody can check a guess of the text. Only the pseudonym of a known library's name shows which
 * library it is (schema/source/libraries.def). */
#ifndef XFERSPY_ANALYZER_COMMANDS_ANONYMIZE_PSEUDONYMS_H
#define XFERSPY_ANALYZER_COMMANDS_ANONYMIZE_PSEUDONYMS_H

#include <stdbool.h>
#include <stdint.h>

#include "analyzer/base/hash.h"
#include "analyzer/base/interned.h"

/* The kinds of columns, which columns.def explains. Kinds up to CONTENT_HIGH are numbers; the others are texts. */
/* clang-format off */
#define XS_ANONYMOUS_KINDS(X)                                                                                          \
    X(NUMBER) X(ADDRESS) X(MODULE_CODE) X(FRAME_CODE) X(SYMBOL_CODE) X(CONTENT) X(CONTENT_HIGH)                        \
    X(BINARY) X(FILE) X(PYTHON_FILE) X(FUNCTION) X(PYTHON_FUNCTION) X(KERNEL) X(THREAD) X(RANGE) X(DOMAIN) X(NOTE)     \
    X(UUID) X(BUS) X(BUILD_ID) X(COMMAND) X(HOST) X(API) X(APIS) X(HARDWARE) X(WORD) X(FIRST_WORD) X(LIST)
/* clang-format on */
#define XS_ANONYMOUS_ENUM(name) XS_ANONYMOUS_##name,
enum xs_anonymous_kind { XS_ANONYMOUS_KINDS(XS_ANONYMOUS_ENUM) XS_ANONYMOUS_KIND_COUNT };

struct xs_pseudonyms {      /* zeroed: empty */
    struct xs_hash by_text; /* from two hashes of a text and its kind to the pseudonym */
    struct xs_texts texts;
    struct xs_hash range_kinds; /* from hashes of names without their numbers to the number of this kind of name,
                                   counted from 1 */
    uint64_t range_kind_count;
    uint64_t counts[XS_ANONYMOUS_KIND_COUNT];
    uint64_t key[2]; /* a random key for the file */
};

/* Returns the pseudonym of a text of `bytes` bytes and of this kind. It is valid as long as `pseudonyms`. */
const char *xs_pseudonym(struct xs_pseudonyms *pseudonyms, enum xs_anonymous_kind kind, const char *text, size_t bytes);
void xs_pseudonyms_free(struct xs_pseudonyms *pseudonyms);

#endif
