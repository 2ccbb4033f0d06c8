/* --source: where the text of a line may come from that is not in the trace. One setting for the program, made before
 * the first trace is read. */
#ifndef XFERSPY_ANALYZER_TRACE_SOURCE_OPTION_H
#define XFERSPY_ANALYZER_TRACE_SOURCE_OPTION_H

#include <argp.h>
#include <stdbool.h>

enum xs_source_mode {
    XS_SOURCE_AUTO, /* from this machine's files, where the trace was made by this user here or has the file's
                     * identity */
    XS_SOURCE_OFF,  /* from nowhere, not from the trace either */
    XS_SOURCE_BELOW /* from the files of a folder */
};

struct xs_source_policy {
    enum xs_source_mode mode;
    const char *folder;
    bool own_only; /* in auto an identity in the trace is not enough: what is written is for others to read */
};
const struct xs_source_policy *xs_source_policy(void);

/* For a command whose output is given away without being read before. */
void xs_source_policy_own_only(void);

/* --source, for the argp children of a command that shows text; it takes no input. */
extern const struct argp xs_source_argp;
#define XS_SOURCE_CHILD                                                                                                \
    { &xs_source_argp, 0, NULL, 0 }

#endif
