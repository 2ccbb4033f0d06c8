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
#include "analyzer/cli/help_json.h"
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
    const struct xs_command *command = xs_command_named(word);
    if (!command)
        return unknown_command(word);
    char *full_name = xs_text_format("xferspy %s", word);
    argv[0] = full_name; /* argp shows this name in usage lines and messages */
    int status = xs_option_misspelled(command, argc, argv) ? XS_EXIT_USAGE : command->function(argc, argv);
    free(full_name);
    fflush(stdout); /* the next function may wait for a disk */
    xs_spool_sweep_own();
    return status;
}

static char name[] = "xferspy";

/* `xferspy help [--json] [COMMAND]`: `words` is what follows `help`. */
static int help_on(int count, char **words) {
    static char help[] = "--help";
    bool is_json = count && !strcmp(words[0], "--json");
    const char *word = count > is_json ? words[is_json] : NULL;
    const struct xs_command *command = word ? xs_command_named(word) : NULL;
    char *help_argv[] = {name, help, NULL};
    if (word && !command)
        return unknown_command(word);
    if (is_json)
        xs_help_json(command, stdout);
    else if (word)
        return run_command(word, 2, help_argv);
    else
        argp_help(&xs_main_argp, stdout, ARGP_HELP_SHORT_USAGE | ARGP_HELP_LONG | ARGP_HELP_DOC, name);
    return fflush(stdout) == 0 ? XS_EXIT_OK : XS_EXIT_ERROR;
}

int main(int argc, char **argv) {
    int command = 0;
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
    if (!strcmp(argv[command], "help"))
        return help_on(argc - command - 1, argv + command + 1);
    return run_command(argv[command], argc - command, argv + command);
}
