/* Reads the options of schema/options.def from the environment, and checks their values. */
#include "preload/session/options.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "schema/variables.h"

enum option_type { BOOL, CHOICE, INT, SHARE, TEXT, PATTERN };

struct option {
    const char *field, *name, *preset, *values;
    enum option_type type;
    size_t offset;
};

static const struct option option_table[] = {
#define XS_OPTION(field, name, type, preset, values, help)                                                             \
    {#field, name, preset, values, type, offsetof(struct xs_options, field)},
#include "schema/options.def"
#undef XS_OPTION
};
#define OPTION_COUNT (sizeof option_table / sizeof option_table[0])

static bool parse_bool(const char *text, bool *value) {
    static const char *const yes[] = {"on", "1", "true", "yes"}, *const no[] = {"off", "0", "false", "no"};
    for (size_t i = 0; i < 4; i++) {
        if (strcasecmp(text, yes[i]) == 0 || strcasecmp(text, no[i]) == 0) {
            *value = strcasecmp(text, yes[i]) == 0;
            return true;
        }
    }
    return false;
}

static bool parse_choice(const char *text, const char *values, char *value, size_t bytes) {
    size_t n = strlen(text);
    for (const char *v = values; n > 0 && !strchr(text, '|') && v; v = strchr(v, '|') ? strchr(v, '|') + 1 : NULL) {
        if (strncasecmp(v, text, n) == 0 && (v[n] == '|' || v[n] == '\0') && n < bytes) {
            memcpy(value, v, n);
            value[n] = '\0';
            return true;
        }
    }
    return false;
}

static bool parse_int(const char *text, const char *values, long *value) {
    char *end;
    errno = 0;
    long v = strtol(text, &end, 10);
    if (end == text || *end != '\0' || errno != 0)
        return false;
    const char *dots = strstr(values, "..");
    if (v < strtol(values, NULL, 10) || (dots && v > strtol(dots + 2, NULL, 10)))
        return false;
    *value = v;
    return true;
}

static bool parse_share(const char *text, const char *values, long *value) {
    if (strcasecmp(text, "off") == 0) {
        *value = 0;
        return true;
    }
    return parse_int(text, values, value);
}

static bool set_option(struct xs_options *options, const struct option *o, const char *text) {
    char *field = (char *)options + o->offset;
    switch (o->type) {
    case BOOL:
        return parse_bool(text, (bool *)(void *)field);
    case CHOICE:
        return parse_choice(text, o->values, field, sizeof options->cupti);
    case INT:
        return parse_int(text, o->values, (long *)(void *)field);
    case SHARE:
        return parse_share(text, o->values, (long *)(void *)field);
    case TEXT:
        if (strlen(text) >= XS_OPTION_TEXT_BYTES)
            return false;
        strcpy(field, text);
        return true;
    case PATTERN: /* compiling it reports its errors (session/redact.c) */
        snprintf(field, sizeof options->redact, "%s", text);
        return true;
    }
    return false;
}

static const struct option *find_option(const char *name, size_t n) {
    for (size_t i = 0; i < OPTION_COUNT; i++)
        if (strlen(option_table[i].name) == n && strncmp(option_table[i].name, name, n) == 0)
            return &option_table[i];
    return NULL;
}

extern char **environ;

void xs_options_load(struct xs_options *options, void (*complain)(const char *message)) {
    memset(options, 0, sizeof *options);
    for (size_t i = 0; i < OPTION_COUNT; i++)
        set_option(options, &option_table[i], option_table[i].preset);
    const char *warned = getenv(XS_VARIABLES_WARNED);
    for (char **v = environ; v && *v; v++) {
        const char *equals = strchr(*v, '=');
        if (strncmp(*v, "XFERSPY_", 8) != 0 || !equals)
            continue;
        char message[512];
        const char *name = *v + 8;
        const struct option *o = find_option(name, (size_t)(equals - name));
        if (o && set_option(options, o, equals + 1))
            continue;
        if (o) {
            snprintf(message, sizeof message, "XFERSPY_%s=%.200s is %s%s; using %s", o->name, equals + 1,
                     o->type == TEXT ? "too long for a " : "not one of ", o->values,
                     *o->preset ? o->preset : "the default");
        } else if (xs_variable_is_unknown(*v) && !xs_variable_was_said(*v, warned)) {
            xs_variable_say(*v, message, sizeof message);
        } else {
            continue;
        }
        if (complain)
            complain(message);
    }
}

void xs_options_dump(const struct xs_options *options, void (*each)(void *arg, const struct xs_option_value *option),
                     void *arg) {
    for (size_t i = 0; i < OPTION_COUNT; i++) {
        const struct option *o = &option_table[i];
        const char *field = (const char *)options + o->offset;
        char number[32], variable[64];
        snprintf(variable, sizeof variable, "XFERSPY_%s", o->name);
        struct xs_option_value value = {o->field, variable, field, o->type == TEXT, o->type == PATTERN};
        if (o->type == BOOL) {
            value.text = *(const bool *)(const void *)field ? "on" : "off";
        } else if (o->type == INT || o->type == SHARE) {
            long n = *(const long *)(const void *)field;
            snprintf(number, sizeof number, "%ld", n);
            value.text = o->type == SHARE && n == 0 ? "off" : number;
        }
        each(arg, &value);
    }
}
