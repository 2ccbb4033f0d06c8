/* Warns about unknown environment variables; see unknown_variables.h. */
#include "analyzer/base/unknown_variables.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "analyzer/base/memory.h"
#include "analyzer/base/out.h"
#include "analyzer/base/text.h"
#include "schema/variables.h"

static void say(const char *entry) {
    char message[512];
    xs_variable_say(entry, message, sizeof message);
    xs_complain("%s", message);
}

void xs_warn_about_variables(void) {
    const char *before = getenv(XS_VARIABLES_WARNED);
    XS_SCOPED_STRING warned = {0};
    for (char **entry = environ; entry && *entry; entry++) {
        if (!xs_variable_is_unknown(*entry) || xs_variable_was_said(*entry, before))
            continue;
        say(*entry);
        xs_string_format(&warned, "%.*s,", (int)strcspn(*entry, "="), *entry);
    }
    if (warned.length) {
        xs_string_format(&warned, "%s", before ? before : "");
        if (setenv(XS_VARIABLES_WARNED, warned.data, 1) != 0)
            xs_out_of_memory();
    }
}

void xs_warn_about_debug_path(void) {
    const char *warned = getenv(XS_VARIABLES_WARNED);
    for (char **entry = environ; entry && *entry; entry++) {
        const char *meant = xs_variable_is_unknown(*entry) ? xs_variable_meant(*entry) : NULL;
        if (meant && !strcmp(meant, "DEBUG_PATH") && !xs_variable_was_said(*entry, warned))
            say(*entry);
    }
}
