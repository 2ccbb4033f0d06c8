/* Finds unknown variables; see variables.h. */
#include "schema/variables.h"

#include <stdio.h>
#include <string.h>

#include "schema/spelling.h"

#define PREFIX "XFERSPY_"
enum { PREFIX_BYTES = sizeof PREFIX - 1 };

static const char *const names[] = {
#define XS_OPTION(field, name, type, preset, values, help) name,
#include "schema/options.def"
#undef XS_OPTION
    /* for the commands */
    "LIBRARY", "DEBUG_PATH", "FLEET_DIR"};
enum { NAMES = sizeof names / sizeof *names };

/* Prefixes of the variables of the simulated GPU and of the tests. Any name that begins with one of them counts as
 * known. */
static const char *const others[] = {"SIM_", "TEST_"};

static size_t name_bytes(const char *entry) { return strcspn(entry + PREFIX_BYTES, "="); }

bool xs_variable_is_unknown(const char *entry) {
    if (strncmp(entry, PREFIX, PREFIX_BYTES) != 0 || !strchr(entry, '=') ||
        strncmp(entry, XS_VARIABLES_WARNED "=", sizeof XS_VARIABLES_WARNED) == 0)
        return false;
    const char *name = entry + PREFIX_BYTES;
    size_t bytes = name_bytes(entry);
    for (size_t i = 0; i < NAMES; i++)
        if (strlen(names[i]) == bytes && strncmp(names[i], name, bytes) == 0)
            return false;
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        if (strncmp(others[i], name, strlen(others[i])) == 0)
            return false;
    return true;
}

bool xs_variable_was_said(const char *entry, const char *warned) {
    size_t bytes = strcspn(entry, "=");
    for (const char *at = warned; at && *at; at += strcspn(at, ","), at += *at == ',')
        if (strcspn(at, ",") == bytes && strncmp(at, entry, bytes) == 0)
            return true;
    return false;
}

const char *xs_variable_meant(const char *entry) {
    struct xs_nearest nearest;
    xs_nearest_begin(&nearest, entry + PREFIX_BYTES, name_bytes(entry));
    for (size_t i = 0; i < NAMES; i++)
        xs_nearest_try(&nearest, names[i]);
    const char *meant = xs_nearest_name(&nearest);
    for (size_t i = 0; i < NAMES && meant; i++)
        if (strcmp(names[i], meant) == 0)
            return names[i];
    return NULL;
}

void xs_variable_say(const char *entry, char *message, size_t bytes) {
    const char *meant = xs_variable_meant(entry);
    snprintf(message, bytes, "%.*s is not an option; %s%s%s", (int)strcspn(entry, "="), entry,
             meant ? "did you mean " PREFIX : "see docs/use/options.md or `xferspy run --help`", meant ? meant : "",
             meant ? "?" : "");
}
