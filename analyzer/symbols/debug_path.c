/* Keeps the list of folders with debug information; see debug_path.h. */
#include "analyzer/symbols/debug_path.h"

#include <stdlib.h>
#include <string.h>

#include "analyzer/base/memory.h"
#include "analyzer/base/unknown_variables.h"

static char **folders;
static size_t folder_count;
static bool environment_read;

/* Adds folders, separated by colons; empty names are ignored. */
static void add(const char *list) {
    while (*list) {
        size_t length = strcspn(list, ":");
        if (length) {
            folders = xs_realloc(folders, (folder_count + 1) * sizeof *folders);
            folders[folder_count++] = xs_strndup(list, length);
        }
        list += length + (list[length] == ':');
    }
}

const char *xs_debug_path_folder(size_t i, bool *given) {
    if (!environment_read) {
        const char *list = getenv("XFERSPY_DEBUG_PATH");
        environment_read = true;
        if (list)
            add(list);
        else
            xs_warn_about_debug_path();
    }
    *given = i < folder_count;
    return i < folder_count ? folders[i] : i == folder_count ? "/usr/lib/debug" : NULL;
}

enum { OPTION_DEBUG_PATH = 0x2000 };
static const struct argp_option options[] = {
    {"debug-path", OPTION_DEBUG_PATH, "DIR", 0,
     "also look for binaries and debug information in DIR. Several folders: with colons between them, or by repeating "
     "the option. The same as XFERSPY_DEBUG_PATH",
     8},
    {0}};

static error_t parse(int key, char *argument, struct argp_state *state) {
    (void)state;
    if (key != OPTION_DEBUG_PATH)
        return ARGP_ERR_UNKNOWN;
    add(argument);
    return 0;
}
const struct argp xs_debug_path_argp = {.options = options, .parser = parse};
