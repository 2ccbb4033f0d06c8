/* xferspy completion: prints the script that makes a shell complete xferspy's commands, options and traces. */
#include "analyzer/cli/completion/completion.h"

XS_DECLARE_COMMAND(completion)

static const char doc[] =
    "Prints a script that completes xferspy's commands, options, their values, traces and the names of findings in a "
    "shell. If xferspy was installed from a package, completion is installed already."
    "\v"
    "Examples:\n"
    "  source <(xferspy completion bash)        in ~/.bashrc\n"
    "  source <(xferspy completion zsh)         in ~/.zshrc, after compinit\n"
    "  xferspy completion fish | source         in ~/.config/fish/config.fish\n"
    "\n"
    "Or install it once, for every new shell:\n"
    "  xferspy completion bash \\\n"
    "      -o ~/.local/share/bash-completion/completions/xferspy\n"
    "  xferspy completion zsh -o \"${fpath[1]}/_xferspy\"\n"
    "  xferspy completion fish -o ~/.config/fish/completions/xferspy.fish";

struct arguments {
    struct xs_out_options output;
    const char *shell;
};

static error_t parse(int key, char *argument, struct argp_state *state) {
    struct arguments *arguments = state->input;
    switch (key) {
    case ARGP_KEY_INIT:
        state->child_inputs[0] = &arguments->output;
        return 0;
    case ARGP_KEY_ARG:
        if (state->arg_num)
            argp_error(state, "one shell at a time");
        arguments->shell = argument;
        return 0;
    case ARGP_KEY_NO_ARGS:
        argp_error(state, "for which shell? bash, zsh or fish");
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static const struct argp_child children[] = {XS_OUTPUT_CHILD, {0}};
const struct xs_interface xs_interface_completion = {
    .argp = {.parser = parse, .args_doc = "bash|zsh|fish", .doc = doc, .children = children}};

int xs_command_completion(int argc, char **argv) {
    struct arguments arguments = {0};
    struct xs_out out;
    if (argp_parse(&xs_interface_completion.argp, argc, argv, 0, NULL, &arguments) != 0)
        return XS_EXIT_USAGE;
    if (xs_out_open(&out, &arguments.output) < 0)
        return XS_EXIT_ERROR;
    bool known = xs_completion_print(arguments.shell, out.file);
    if (!known)
        xs_complain("no completion for `%s'; use bash, zsh or fish", arguments.shell);
    if (xs_out_close(&out, known) < 0)
        return XS_EXIT_ERROR;
    return known ? XS_EXIT_OK : XS_EXIT_USAGE;
}
