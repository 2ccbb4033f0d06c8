/* Matches the call sites of two traces of one program in different builds or versions: lines move when code above them
 * changes, a call becomes its asynchronous form, a function gets another name. No trace says which site is which, so
 * matching goes in stages, the most certain first. A matched site takes no part in later stages, and no site is matched
 * twice. */
#ifndef XFERSPY_ANALYZER_COMMANDS_COMMON_MATCH_H
#define XFERSPY_ANALYZER_COMMANDS_COMMON_MATCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "schema/format/kinds.h"

/* What is known of a call site. Texts are the caller's, NULL if not known. */
struct xs_match_place {
    const char *entry_point; /* never NULL */
    enum xs_category category;
    const char *function;
    const char *file; /* last part of the file's name; for code without lines, of its module's name */
    const char *text; /* the source line, without the blanks around it */
    uint64_t line;    /* for code without lines the address in the module; 0: not known */
    bool is_address;  /* `line` is an address */
};

/* Ordered from the surest to the least sure. */
enum xs_match_how {
    XS_MATCH_NONE,
    XS_MATCH_TEXT,   /* entry point, function, file and the line's text */
    XS_MATCH_ORDER,  /* entry point, function and file, in the order of the lines; not both texts are known */
    XS_MATCH_EDITED, /* entry point, function and file; the texts are alike */
    XS_MATCH_CALL, /* function and file, but another entry point for the same thing; texts the same, alike or not known.
                      If neither has anything else known: the asynchronous form, or another version, of an entry point
                    */
    XS_MATCH_MOVED, /* entry point and text, but another function or file */
    XS_MATCH_FILE,  /* function of a file that only one side has; texts alike or not known */
    XS_MATCH_ENTRY, /* entry point alone: nothing else is known of either */
    XS_MATCH_HOWS,
};
extern const char *const xs_match_names[XS_MATCH_HOWS]; /* "none", "text", "order", ... */

#define XS_UNMATCHED UINT32_MAX

struct xs_match {
    uint32_t *after_of, *before_of; /* by index: index of the other side, or XS_UNMATCHED */
    uint8_t *how;                   /* enum xs_match_how, by index of before */
};

/* Matches at most UINT32_MAX - 1 places a side. To be freed. */
void xs_match_places(const struct xs_match_place *before, size_t before_count, const struct xs_match_place *after,
                     size_t after_count, struct xs_match *match);
void xs_match_free(struct xs_match *match);

#endif
