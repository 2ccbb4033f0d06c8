/* The setting of --source; see source_option.h. */
#include "analyzer/trace/source_option.h"

#include <stddef.h>
#include <string.h>

static struct xs_source_policy policy;

const struct xs_source_policy *xs_source_policy(void) { return &policy; }

void xs_source_policy_own_only(void) { policy.own_only = true; }

enum { OPTION_SOURCE = 0x2100 };
static const struct argp_option options[] = {
    {"source", OPTION_SOURCE, "DIR", 0,
     "read the text of lines that is missing in the trace from the files below DIR; `auto' (the default): from the "
     "files of this machine, if you recorded the trace here; `off': show no text",
     8},
    {0}};

static error_t parse(int key, char *argument, struct argp_state *state) {
    if (key != OPTION_SOURCE)
        return ARGP_ERR_UNKNOWN;
    policy.mode = !strcmp(argument, "auto")  ? XS_SOURCE_AUTO
                  : !strcmp(argument, "off") ? XS_SOURCE_OFF
                                             : XS_SOURCE_BELOW;
    policy.folder = policy.mode == XS_SOURCE_BELOW ? argument : NULL;
    if (!*argument)
        argp_error(state, "--source: use auto, off or a folder");
    return 0;
}
const struct argp xs_source_argp = {.options = options, .parser = parse};
