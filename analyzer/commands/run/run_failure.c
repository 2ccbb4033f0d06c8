/* xferspy run: prints advice if the program's work failed on the device while CUPTI was attached. CUPTI can make
 * correct programs fail (docs/develop/internals.md, "CUPTI"), and the trace does not show whether it did. */
#include <string.h>

#include "analyzer/base/text.h"
#include "analyzer/commands/common/command.h"
#include "analyzer/commands/run/run.h"
#include "schema/spool/spool_location.h"

/* True if the spool of a killed process has such a failure. The trace is not opened, because that would take over the
 * spool. */
static bool left_failure(const char *path) {
    struct xs_spool_found found;
    if (xs_spool_find(path, &found) != XS_OK)
        return false;
    const struct xs_spool_header *header = xs_spool_found_header(&found);
    bool failed = header && atomic_load(&header->failure.result) > 0 && !strcmp(header->failure.cupti, "attached");
    xs_spool_found_free(&found);
    return failed;
}

static bool failed_with_cupti(const char *path) {
    struct xs_trace trace;
    char message[XS_TRACE_MESSAGE_BYTES], cupti[16];
    if (xs_trace_open(path, &trace, message) < 0)
        return false;
    bool failed = xs_trace_meta_int(&trace, "failure.result", 0) > 0 &&
                  !strcmp(xs_trace_meta_text(&trace, "failure.cupti", cupti, sizeof cupti, ""), "attached");
    xs_trace_close(&trace);
    return failed;
}

void xs_offer_without_cupti(char **argv, const struct xs_run_files *files) {
    bool failed = false;
    for (size_t i = 0; i < files->count && !failed; i++)
        failed =
            xs_run_is_unclosed(files->paths[i]) ? left_failure(files->paths[i]) : failed_with_cupti(files->paths[i]);
    if (!failed)
        return;
    XS_SCOPED_STRING command = {0};
    xs_string_format(&command, "XFERSPY_CUPTI=off xferspy run --");
    for (char **word = argv; *word; word++) {
        xs_string_format(&command, " ");
        xs_string_shell_word(&command, *word);
    }
    xs_complain("the program's work failed on the GPU while CUPTI was attached. This shows whether CUPTI is the cause: "
                "`%s'",
                command.data);
}
