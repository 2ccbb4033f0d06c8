/* Writes numbers as people read them; see units.h. */
#include "analyzer/base/units.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

/* Writes three significant digits, and `more` further ones. `value` must be below 1000, or below 1024 for binary
 * units. */
static void some_digits(char *buffer, double value, const char *unit, int more) {
    int decimals = value < 9.995 ? 2 : value < 99.95 ? 1 : 0;
    snprintf(buffer, XS_UNIT_BYTES, "%.*f %s", decimals + more, value, unit);
}

static void three_digits(char *buffer, double value, const char *unit) { some_digits(buffer, value, unit, 0); }

/* Divides by `step` as long as the value is at least `most` and there is a larger unit. Returns the unit's number. */
static unsigned scale(double *value, double step, double most, unsigned units) {
    unsigned unit = 0;
    for (; *value >= most && unit + 1 < units; unit++)
        *value /= step;
    return unit;
}

char *xs_format_count(char *buffer, uint64_t count) {
    char digits[24];
    int length = snprintf(digits, sizeof digits, "%" PRIu64, count);
    char *to = buffer;
    for (int i = 0; i < length; i++) {
        if (i && (length - i) % 3 == 0)
            *to++ = ',';
        *to++ = digits[i];
    }
    *to = '\0';
    return buffer;
}

char *xs_format_bytes(char *buffer, uint64_t bytes) {
    static const char *const units[] = {"B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
    if (bytes < 1024) {
        snprintf(buffer, XS_UNIT_BYTES, "%d B", (int)bytes);
        return buffer;
    }
    double value = (double)bytes;
    unsigned unit = scale(&value, 1024, 1023.5, sizeof units / sizeof *units);
    three_digits(buffer, value, units[unit]);
    return buffer;
}

static char *format_ns(char *buffer, uint64_t ns, int more) {
    static const char *const units[] = {"ns", "us", "ms", "s"};
    if (ns >= UINT64_C(120000000000)) {
        uint64_t s = (ns + 500000000) / 1000000000;
        if (s < 3600)
            snprintf(buffer, XS_UNIT_BYTES, "%" PRIu64 " min %02" PRIu64 " s", s / 60, s % 60);
        else
            snprintf(buffer, XS_UNIT_BYTES, "%" PRIu64 " h %02" PRIu64 " min", s / 3600, s / 60 % 60);
        return buffer;
    }
    if (ns < 1000) {
        snprintf(buffer, XS_UNIT_BYTES, "%d ns", (int)ns);
        return buffer;
    }
    double value = (double)ns;
    unsigned unit = scale(&value, 1000, 999.5, sizeof units / sizeof *units);
    some_digits(buffer, value, units[unit], more);
    return buffer;
}

char *xs_format_ns(char *buffer, uint64_t ns) { return format_ns(buffer, ns, 0); }

void xs_format_two_ns(char *a, uint64_t a_ns, char *b, uint64_t b_ns) {
    enum { MORE = 3 };
    for (int more = 0; more <= MORE; more++) {
        format_ns(a, a_ns, more);
        format_ns(b, b_ns, more);
        if (a_ns == b_ns || strcmp(a, b) != 0)
            return;
    }
}

char *xs_format_rate(char *buffer, uint64_t bytes, uint64_t ns) {
    static const char *const units[] = {"B/s", "kB/s", "MB/s", "GB/s", "TB/s", "PB/s"};
    buffer[0] = '\0';
    if (!ns)
        return buffer;
    double value = (double)bytes / (double)ns * 1e9;
    unsigned unit = scale(&value, 1000, 999.5, sizeof units / sizeof *units);
    if (value >= 999.5) /* the trace is damaged: no link is that fast */
        strcpy(buffer, "> 1 EB/s");
    else
        three_digits(buffer, value, units[unit]);
    return buffer;
}

char *xs_format_share(char *buffer, uint64_t part, uint64_t whole) {
    buffer[0] = '\0';
    if (!whole)
        return buffer;
    double percent = (double)part / (double)whole * 100;
    if (!part)
        strcpy(buffer, "0 %");
    else if (percent < 0.1)
        strcpy(buffer, "<0.1 %");
    else if (percent >= 99999.5)
        strcpy(buffer, ">99999 %");
    else
        snprintf(buffer, XS_UNIT_BYTES, "%.*f %%", percent < 9.95 ? 1 : 0, percent);
    return buffer;
}

char *xs_format_unix_ns(char *buffer, int64_t unix_ns) {
    time_t seconds = (time_t)(unix_ns / 1000000000);
    struct tm tm;
    buffer[0] = '\0';
    if (unix_ns > 0 && gmtime_r(&seconds, &tm))
        strftime(buffer, XS_UNIT_BYTES, "%Y-%m-%d %H:%M:%S UTC", &tm);
    return buffer;
}
