/* Words that the printers of `xferspy fleet` share; see fleet.h. */
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "analyzer/base/text.h"
#include "analyzer/base/units.h"
#include "analyzer/commands/fleet/fleet.h"

void xs_fleet_day_text(char text[static 24], int64_t us) {
    time_t seconds = (time_t)(us / 1000000 - (us % 1000000 < 0));
    struct tm day;
    text[0] = '\0';
    if (gmtime_r(&seconds, &day) && day.tm_year >= -1900 && day.tm_year <= 8099)
        snprintf(text, 24, "%04d-%02d-%02d", day.tm_year + 1900, day.tm_mon + 1, day.tm_mday);
}

const char *xs_fleet_by_header(const struct xs_fleet_question *question) {
    static const char *const headers[] = {
        [XS_FLEET_BY_PLACE] = "place", [XS_FLEET_BY_FINDING] = "finding", [XS_FLEET_BY_PROGRAM] = "program",
        [XS_FLEET_BY_DAY] = "day",     [XS_FLEET_BY_HOST] = "host",       [XS_FLEET_BY_JOB] = "job",
        [XS_FLEET_BY_GPU] = "GPU",     [XS_FLEET_BY_CLUSTER] = "cluster", [XS_FLEET_BY_LABEL] = "label"};
    return question->by == XS_FLEET_BY_LABEL ? question->label : headers[question->by];
}

void xs_fleet_row_name(struct xs_string *text, const struct xs_fleet_row *row) {
    const char *name = row->finding && row->place ? row->place : row->name;
    xs_string_format(text, "%s", name ? name : "?");
}

void xs_fleet_gpu_time(struct xs_string *text, uint64_t ns) {
    const double hour_ns = 3.6e12;
    double hours = (double)ns / hour_ns;
    if (hours < 1)
        xs_string_format(text, "%s", XS_NS_TEXT(ns));
    else if (hours < 1000)
        xs_string_format(text, "%.*f h", hours < 10 ? 2 : hours < 100 ? 1 : 0, hours);
    else
        xs_string_format(text, "%s h", XS_COUNT_TEXT((uint64_t)(hours + 0.5)));
}

void xs_fleet_change_text(struct xs_string *text, const struct xs_fleet_row *row) {
    enum { COMMIT_DIGITS = 10 };
    if (!row->is_new && !row->is_gone)
        return;
    xs_string_format(text, row->is_new ? "new" : "gone");
    if (row->changed_commit)
        xs_string_format(text, " since %.*s", COMMIT_DIGITS, row->changed_commit);
}
