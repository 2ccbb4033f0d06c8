/* Makes pseudonyms, which replace names. Within a file, equal texts of one kind get equal pseudonyms. Harmless parts
 * are kept, such as the names of known libraries (schema/source/libraries.def) and of CUDA's functions, and known
 * extensions of files. The rest of a pseudonym is not computed from the text, so nobody can check a guess of the text.
 */
#ifndef XFERSPY_ANALYZER_COMMANDS_ANONYMIZE_PSEUDONYMS_H
#define XFERSPY_ANALYZER_COMMANDS_ANONYMIZE_PSEUDONYMS_H

#include <stdbool.h>
#include <stdint.h>

#include "analyzer/base/hash.h"
#include "analyzer/base/interned.h"

/* Each kind of column (columns.def explains the kinds) has a word, which stands before the number in its pseudonyms.
 * Kinds up to CONTENT_HIGH are numbers; the others are texts. */
/* clang-format off */
#define XS_ANONYMOUS_KINDS(X)                                                                                          \
    X(NUMBER, "") X(ADDRESS, "") X(MODULE_CODE, "") X(FRAME_CODE, "") X(SYMBOL_CODE, "") X(CONTENT, "")                \
    X(CONTENT_HIGH, "") X(BINARY, "binary") X(FILE, "file") X(PYTHON_FILE, "file") X(FUNCTION, "function")             \
    X(PYTHON_FUNCTION, "pyfunction") X(KERNEL, "kernel") X(THREAD, "thread") X(RANGE, "range") X(DOMAIN, "domain")     \
    X(NOTE, "(text removed)") X(UUID, "uuid") X(BUS, "bus") X(BUILD_ID, "") X(COMMAND, "program") X(HOST, "host")      \
    X(API, "call") X(APIS, "calls") X(HARDWARE, "model") X(WORD, "word") X(FIRST_WORD, "system") X(LIST, "list")
/* clang-format on */
#define XS_ANONYMOUS_ENUM(name, word) XS_ANONYMOUS_##name,
enum xs_anonymous_kind { XS_ANONYMOUS_KINDS(XS_ANONYMOUS_ENUM) XS_ANONYMOUS_KIND_COUNT };

struct xs_pseudonyms {      /* zeroed: empty */
    struct xs_hash by_text; /* the key is two hashes of a text and its kind; the value is the pseudonym */
    struct xs_texts texts;
    struct xs_hash range_kinds; /* the key is two hashes of the name of a range, in which each number is replaced by #;
                                   the value is the number of this name, counted from 1 */
    uint64_t range_kind_count;
    uint64_t counts[XS_ANONYMOUS_KIND_COUNT];
    uint64_t key[2]; /* a random key of the hashes, made for each file */
};

/* Returns the pseudonym of a text of `bytes` bytes and of the kind `kind`. The result is valid as long as `pseudonyms`
 * exists. */
const char *xs_pseudonym(struct xs_pseudonyms *pseudonyms, enum xs_anonymous_kind kind, const char *text, size_t bytes);
void xs_pseudonyms_free(struct xs_pseudonyms *pseudonyms);

#endif
