/* Parses values of the options; see option_value.h. */
#include "schema/option_value.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* Finds a text in a list whose values are separated by |, without distinction of upper and lower case. */
static bool parse_choice(const char *values, const char *text, struct xs_option_value *value) {
    size_t bytes = strlen(text);
    for (const char *v = values; bytes && v; v = strchr(v, '|') ? strchr(v, '|') + 1 : NULL) {
        if (strcspn(v, "|") != bytes || strncasecmp(v, text, bytes) != 0)
            continue;
        *value = (struct xs_option_value){.text = v, .bytes = bytes};
        return true;
    }
    return false;
}

bool xs_option_is_on(const char *text) {
    struct xs_option_value value;
    return text && parse_choice("on|1|true|yes", text, &value);
}

bool xs_option_is_off(const char *text) {
    struct xs_option_value value;
    return text && parse_choice("off|0|false|no", text, &value);
}

static bool parse_int(const char *values, const char *text, struct xs_option_value *value) {
    const char *dots = strstr(values, "..");
    char *end;
    errno = 0;
    long number = strtol(text, &end, 10);
    *value = (struct xs_option_value){.number = number};
    return end != text && !*end && !errno && number >= strtol(values, NULL, 10) &&
           (!dots || number <= strtol(dots + 2, NULL, 10));
}

bool xs_option_parse(enum xs_option_type type, const char *values, const char *text, struct xs_option_value *value) {
    *value = (struct xs_option_value){0};
    switch (type) {
    case XS_OPTION_BOOL:
        value->number = xs_option_is_on(text);
        return value->number || xs_option_is_off(text);
    case XS_OPTION_CHOICE:
        return parse_choice(values, text, value);
    case XS_OPTION_SHARE:
        return !strcasecmp(text, "off") || parse_int(values, text, value);
    case XS_OPTION_INT:
        return parse_int(values, text, value);
    case XS_OPTION_TEXT:
    case XS_OPTION_PATTERN:
        *value = (struct xs_option_value){.text = text, .bytes = strlen(text)};
        return value->bytes < XS_OPTION_TEXT_BYTES;
    }
    return false;
}
