/* Compiles and matches the pattern of XFERSPY_REDACT; see redact.h. */
#include "schema/redact.h"

#include <ctype.h>
#include <locale.h>
#include <stdlib.h>
#include <string.h>

/* Sets the thread's locale to the C locale, in which a dot matches any byte. In other locales a dot does not match
 * bytes that are invalid text, so a name with such bytes would not be hidden. */
static locale_t enter_c_locale(void) {
    locale_t c = newlocale(LC_ALL_MASK, "C", (locale_t)0); /* static in glibc, nothing to free */
    return c ? uselocale(c) : (locale_t)0;
}

static void leave_c_locale(locale_t before) {
    if (before)
        uselocale(before);
}

/* Returns the largest number of repetitions in an interval; `interval` points to the text after the opening brace. */
static unsigned long most_of(const char *interval) {
    unsigned long most = 1;
    for (const char *p = interval; isdigit((unsigned char)*p) || *p == ',';) {
        char *end;
        unsigned long n = strtoul(p, &end, 10);
        most = n > most ? n : most;
        p = *end == ',' ? end + 1 : end;
    }
    return most;
}

/* Returns the reason if a pattern would cost too much, else NULL. glibc's regcomp expands repetitions and recurses for
 * groups, so ((a{255}){255}){255} would take all memory, and ten thousand parentheses would overflow the stack.
 * Everything that looks like an interval or a group is counted. */
static const char *too_costly(const char *pattern) {
    enum { GROUPS = 64, STATES = 8192 };
    unsigned long groups = 0, states = strlen(pattern), times = 1;
    for (const char *p = pattern; *p; p++) {
        groups += *p == '(';
        if (*p == '\\' && p[1] >= '1' && p[1] <= '9')
            return "refers back to a group, which extended regular expressions do not do";
        if (*p == '{' && p > pattern) {
            unsigned long most = most_of(p + 1);
            if (most > STATES)
                return "repeats too much";
            states += strchr(")}*+?", p[-1]) ? 0 : most;
            times *= strchr(")}*+?", p[-1]) && most ? most : 1;
        }
        if (states * times > STATES)
            return "repeats too much";
    }
    return groups > GROUPS ? "has too many groups" : NULL;
}

const char *xs_redact_compile(const struct xs_redact_functions *functions, const char *pattern, regex_t *compiled) {
    if (strlen(pattern) >= XS_REDACT_BYTES)
        return "is longer than 1023 bytes";
    const char *why = too_costly(pattern);
    if (!why) {
        locale_t before = enter_c_locale();
        why = functions->compile(compiled, pattern, REG_EXTENDED | REG_ICASE | REG_NOSUB) == 0
                  ? NULL
                  : "is no extended regular expression";
        leave_c_locale(before);
    }
    return why;
}

bool xs_redact_matches(const struct xs_redact_functions *functions, const regex_t *compiled, const char *text) {
    locale_t before = enter_c_locale();
    bool matches = functions->match(compiled, text, 0, NULL, 0) != REG_NOMATCH;
    leave_c_locale(before);
    return matches;
}
