/* Defines the options and arguments of xferspy itself. They are not in main.c, so that completion and man pages can use
 * them, too. */
#include "analyzer/cli/commands.h"

static const struct argp_option main_options[] = {
    {NULL, 0, NULL, 0, "Commands:", 1},
#define XS_COMMAND(name, arguments, summary) {#name " " arguments, 0, NULL, OPTION_DOC | OPTION_NO_USAGE, summary, 2},
#include "analyzer/cli/commands.def"
#undef XS_COMMAND
    {"help [--json] COMMAND", 0, NULL, OPTION_DOC | OPTION_NO_USAGE, XS_HELP_OF_HELP, 3},
    {0}};

static const char main_doc[] =
    "Finds wasted copies between CPU and GPU: which line makes them, how to repair it, and how "
    "much time that saves. The program needs no rebuild."
    "\v"
    "Start here:\n"
    "  xferspy doctor                    will it work on this machine?\n"
    "  xferspy run --report -- ./app     run a program, then show its report\n"
    "  LD_PRELOAD=libxferspy.so ./app    the same without xferspy: writes a trace\n"
    "  xferspy report xferspy-*.db       read the traces again\n"
    "\n"
    "Data goes to standard output, messages to standard error. Exit status: 0 success, 1 error, 2 wrong usage, 3 a "
    "limit of `check', `bench' or `try' that does not hold; `run' ends with the program's own status.";

/* Stops parsing at the first word, which is the command. */
static error_t parse_main(int key, char *argument, struct argp_state *state) {
    int *command = state->input;
    (void)argument;
    if (key != ARGP_KEY_ARG)
        return ARGP_ERR_UNKNOWN;
    *command = state->next - 1;
    state->next = state->argc;
    return 0;
}
const struct argp xs_main_argp = {
    .options = main_options, .parser = parse_main, .args_doc = "COMMAND [ARGUMENTS]", .doc = main_doc};
