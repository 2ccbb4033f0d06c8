/* Defines the program xferspy: finds the command and calls its function. */
#include <argp.h>
#include <locale.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/base/memory.h"
#include "analyzer/base/text.h"
#include "analyzer/cli/commands.h"
#include "analyzer/cli/misspelled.h"
#include "schema/spool/spool_location.h"
#include "schema/write/store.h"

static void print_version(FILE *stream, struct argp_state *state) {
    (void)state;
    fprintf(stream, "xferspy %s (trace schema %d)\n", XFERSPY_VERSION, xs_schema_version);
}

static int unknown_command(const char *word) {
    const struct xs_command *near = xs_command_suggest(word);
    if (near)
        xs_complain("no command `%s'; did you mean `%s'?", word, near->name);
    else
        xs_complain("no command `%s'; `xferspy --help' lists them", word);
    return XS_EXIT_USAGE;
}

static int run_command(const char *word, int argc, char **argv) {
    for (size_t i = 0; i < xs_command_count; i++) {
        if (strcmp(word, xs_commands[i].name) != 0)
            continue;
        char *name = xs_text_format("xferspy %s", word);
        argv[0] = name; /* argp shows this name in usage lines and messages */
        int status =
            xs_option_misspelled(&xs_commands[i], argc, argv) ? XS_EXIT_USAGE : xs_commands[i].function(argc, argv);
        free(name);
        fflush(stdout); /* the next function may wait for a disk */
        xs_spool_sweep_own();
        return status;
    }
    return unknown_command(word);
}

int main(int argc, char **argv) {
    int command = 0;
    static char name[] = "xferspy", help[] = "--help";
    setlocale(LC_CTYPE, ""); /* UTF-8 or not; numbers stay as in C */
    argp_err_exit_status = XS_EXIT_USAGE;
    if (argc > 0)
        argv[0] = name;
    argp_program_version_hook = print_version;
    if (xs_option_misspelled(NULL, argc, argv))
        return XS_EXIT_USAGE;
    if (argp_parse(&xs_main_argp, argc, argv, ARGP_IN_ORDER, NULL, &command) != 0)
        return XS_EXIT_USAGE;
    argp_program_version_hook = NULL; /* only the program has a version, not each command */
    if (!command) {
        argp_help(&xs_main_argp, stderr, ARGP_HELP_STD_HELP, name);
        return XS_EXIT_USAGE;
    }
    if (!strcmp(argv[command], "help")) {
        if (command + 1 >= argc) {
            argp_help(&xs_main_argp, stdout, ARGP_HELP_SHORT_USAGE | ARGP_HELP_LONG | ARGP_HELP_DOC, name);
            return XS_EXIT_OK;
        }
        char *help_argv[] = {name, help, NULL};
        return run_command(argv[command + 1], 2, help_argv);
    }
    return run_command(argv[command], argc - command, argv + command);
}
