/* Matches the call sites of two traces of one program. The traces may be from different builds or versions of the
 * program. From one version to the next, a line can move because code above it changes, a call can become its
 * asynchronous form, and a function can get another name. A trace does not say which of its sites are also in the other
 * trace, so sites are matched in stages, the most certain stage first. A matched site takes no part in later stages,
 * and no site is matched twice. */
#ifndef XFERSPY_ANALYZER_COMMANDS_COMMON_MATCH_SITES_H
#define XFERSPY_ANALYZER_COMMANDS_COMMON_MATCH_SITES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "schema/format/kinds.h"

/* What is known about a call site. The caller owns the texts; a text is NULL if it is not known. */
struct xs_match_place {
    const char *entry_point; /* never NULL */
    enum xs_category category;
    const char *function;
    const char *file; /* last part of the path of the source file; for code without source lines, last part of the path
                         of the module */
    const char *text; /* text of the source line, without the blanks around it */
    uint64_t line;    /* line number; for code without source lines, the address in the module; 0: not known */
    bool is_address;  /* `line` is an address */
};

/* How two call sites were matched. After XS_MATCH_NONE, the order is from the surest to the least sure. The comments
 * say what is equal on both sides. */
enum xs_match_how {
    XS_MATCH_NONE,
    XS_MATCH_TEXT,   /* entry point, function, file and the line's text */
    XS_MATCH_ORDER,  /* entry point, function and file; matched in the order of the lines, because at least one text is
                        not known */
    XS_MATCH_EDITED, /* entry point, function and file; the texts are similar */
    XS_MATCH_CALL,   /* function and file, but another entry point for the same operation; the texts are equal, similar
                        or not known. If nothing but the entry points is known, one entry point is the asynchronous
                        form, or another version, of the other one */
    XS_MATCH_MOVED,  /* entry point and text, but another function, another file, or both */
    XS_MATCH_FILE,   /* function; the files differ, and each file is either not known or has a name that no file of the
                        other side has. Either the entry points are equal, and the texts are similar or not known; or
                        the entry points are for the same operation, and the texts are similar */
    XS_MATCH_ENTRY,  /* entry point; the function and the file of both sites are not known */
    XS_MATCH_HOWS,
};
extern const char *const xs_match_names[XS_MATCH_HOWS]; /* "none", "text", "order", ... */

#define XS_UNMATCHED UINT32_MAX

struct xs_match {
    uint32_t *after_of, *before_of; /* after_of: for each site of before, the index of the matched site of after;
                                       before_of: the reverse. XS_UNMATCHED: the site has no match */
    uint8_t *how;                   /* enum xs_match_how, by index of before */
};

/* Matches the call sites of two sides. Each side can have at most UINT32_MAX - 1 sites. The caller frees `match`. */
void xs_match_places(const struct xs_match_place *before, size_t before_count, const struct xs_match_place *after,
                     size_t after_count, struct xs_match *match);
void xs_match_free(struct xs_match *match);

#endif
