/* Reads the options of schema/options.def from the environment, and checks their values. */
#include "preload/session/options.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "schema/variables.h"

struct option {
    const char *field, *name, *preset, *values;
    enum xs_option_type type;
    size_t offset;
};

static const struct option option_table[] = {
#define XS_OPTION(field, name, type, preset, values, help)                                                             \
    {#field, name, preset, values, XS_OPTION_##type, offsetof(struct xs_options, field)},
#include "schema/options.def"
#undef XS_OPTION
};
#define OPTION_COUNT (sizeof option_table / sizeof option_table[0])

static bool set_option(struct xs_options *options, const struct option *o, const char *text) {
    char *field = (char *)options + o->offset;
    struct xs_option_value value;
    bool good = xs_option_parse(o->type, o->values, text, &value);
    if (o->type == XS_OPTION_PATTERN) { /* compiling it reports its errors (session/redact_session.c) */
        snprintf(field, sizeof options->redact, "%s", text);
        return true;
    }
    if (!good)
        return false;
    switch (o->type) {
    case XS_OPTION_BOOL:
        *(bool *)(void *)field = value.number;
        break;
    case XS_OPTION_INT:
    case XS_OPTION_SHARE:
        *(long *)(void *)field = value.number;
        break;
    default: /* all words are shorter than the field of a CHOICE */
        memcpy(field, value.text, value.bytes);
        field[value.bytes] = '\0';
    }
    return true;
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
                     o->type == XS_OPTION_TEXT ? "too long for a " : "not one of ", o->values,
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

void xs_options_dump(const struct xs_options *options, void (*each)(void *arg, const struct xs_option_shown *option),
                     void *arg) {
    for (size_t i = 0; i < OPTION_COUNT; i++) {
        const struct option *o = &option_table[i];
        const char *field = (const char *)options + o->offset;
        char number[32], variable[64];
        snprintf(variable, sizeof variable, "XFERSPY_%s", o->name);
        struct xs_option_shown value = {o->field, variable, field, o->type == XS_OPTION_TEXT,
                                        o->type == XS_OPTION_PATTERN};
        if (o->type == XS_OPTION_BOOL) {
            value.text = *(const bool *)(const void *)field ? "on" : "off";
        } else if (o->type == XS_OPTION_INT || o->type == XS_OPTION_SHARE) {
            long n = *(const long *)(const void *)field;
            snprintf(number, sizeof number, "%ld", n);
            value.text = o->type == XS_OPTION_SHARE && n == 0 ? "off" : number;
        }
        each(arg, &value);
    }
}
