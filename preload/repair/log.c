/* Reports on the repairs: lines for the user, and JSON for `xferspy try`. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "preload/repair/repair_hooks_internal.h"
#include "preload/repair/repair_plan.h"

#define WRONG_RESULTS "the program's results may be wrong: it may have read what was not downloaded"

/* Writes the JSON object of one repair. Reasons are constant texts of the library, so nothing has to be escaped. */
static void write_one(FILE *to, unsigned i) {
    struct xs_tally *t = &xs_repair_tallies[i];
    const char *separator = "";
    if (t->off) {
        fprintf(to, "{\"name\":\"%s\",\"off\":\"%s\"}", xs_repair_rows[i].name, t->off);
        return;
    }
    fprintf(to, "{\"name\":\"%s\",\"applied\":%" PRIu64 ",\"bytes\":%" PRIu64, xs_repair_rows[i].name, t->applied,
            t->bytes);
    if (xs_plan_mode == XS_PLAN_VERIFY)
        fprintf(to, ",\"checked\":%" PRIu64, t->checked);
    if (xs_repairs_on[i]->is_for_trials)
        fprintf(to, ",\"accessed\":%" PRIu64 ",\"unsure\":%" PRIu64, t->accessed, t->unsure);
    fprintf(to, ",\"wrong\":%" PRIu64 ",\"refused\":{", t->wrong);
    for (unsigned k = 0; k < XS_REFUSALS && t->refusals[k].reason; k++) {
        fprintf(to, "%s\"%s\":%" PRIu64, separator, t->refusals[k].reason, t->refusals[k].count);
        separator = ",";
    }
    fprintf(to, "}}");
}

void xs_repair_write_log(const char *path) {
    static const char *const modes[] = {"null", "\"apply\"", "\"verify\""};
    static char made[4300], second[4300];
    const char *separator = "";
    struct stat st;
    if (!path[0] || (stat(path, &st) == 0 && !S_ISREG(st.st_mode))) /* no file beside /dev/null either */
        return;
    snprintf(made, sizeof made, "%s.tmp-%d", path, (int)getpid());
    FILE *to = fopen(made, "wxe");
    if (!to)
        return;
    fprintf(to, "{\"version\":1,\"plan\":%s,\"differs_from_plan\":%" PRIu64 ",\"repairs\":[", modes[xs_plan_mode],
            xs_plan_differences());
    for (unsigned i = 0; i < XS_REPAIR_COUNT; i++) {
        if (xs_repairs_on[i] || xs_repair_tallies[i].off) {
            fprintf(to, "%s", separator);
            write_one(to, i);
            separator = ",";
        }
    }
    fprintf(to, "]}\n");
    /* All processes of the program have the same path. The second process writes to another name, so that a reader of
     * the log sees that there was more than one. */
    if (!(ferror(to) | fclose(to)) && link(made, path) != 0 && errno == EEXIST) {
        snprintf(second, sizeof second, "%s.2", path);
        link(made, second);
    }
    unlink(made);
}

void xs_repair_say(void (*say)(const char *message)) {
    char idle[400] = "nothing to repair for";
    size_t idle_bytes = strlen(idle);
    const char *separator = " ";
    for (unsigned i = 0; i < XS_REPAIR_COUNT; i++) {
        if (!xs_repairs_on[i])
            continue;
        struct xs_tally *t = &xs_repair_tallies[i];
        char text[400];
        uint64_t refused = 0;
        for (unsigned k = 0; k < XS_REFUSALS; k++)
            refused += t->refusals[k].count;
        if (!t->applied && !refused) {
            snprintf(idle + idle_bytes, sizeof idle - idle_bytes, "%s%s", separator, xs_repair_rows[i].name);
            idle_bytes = strlen(idle);
            separator = ", ";
            continue;
        }
        int n = snprintf(text, sizeof text, "%s: %" PRIu64 " %s, %.1f MiB", xs_repair_rows[i].name, t->applied,
                         xs_repair_rows[i].what, (double)t->bytes / 1048576);
        if (refused) {
            snprintf(text + n, sizeof text - (size_t)n, "; %" PRIu64 " not repaired, the first because of: %s", refused,
                     t->refusals[0].reason);
        }
        say(text);
        if (t->accessed || t->unsure)
            say(WRONG_RESULTS);
    }
    if (*separator == ',')
        say(idle);
}
