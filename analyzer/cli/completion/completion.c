/* Fills the templates; see completion.h. */
#include "analyzer/cli/completion/completion.h"

#include <string.h>

#include "bash_template.h"
#include "fish_template.h"
#include "zsh_template.h"

static const struct shell {
    const char *name, *template;
    void (*section)(const char *section, FILE *file);
} shells[] = {{"bash", bash_template, xs_completion_bash},
              {"zsh", zsh_template, xs_completion_zsh},
              {"fish", fish_template, xs_completion_fish}};

void xs_completion_commands(FILE *file) {
    for (size_t i = 0; i < xs_command_count; i++)
        fprintf(file, "%s%s", i ? " " : "", xs_commands[i].name);
}

void xs_completion_words(const char *words, FILE *file) {
    for (; *words; words++)
        putc(*words == '|' ? ' ' : *words, file);
}

void xs_completion_help(const char *help, const char *quoted, const char *apostrophe, FILE *file) {
    const char *end = help ? strstr(help, "; ") : NULL;
    for (const char *c = help; c && *c && c != end; c++) {
        if (*c == '\'') {
            fputs(apostrophe, file);
            continue;
        }
        if (strchr(quoted, *c))
            putc('\\', file);
        putc(*c, file);
    }
}

bool xs_completion_print(const char *shell, FILE *file) {
    const struct shell *found = NULL;
    for (size_t i = 0; i < sizeof shells / sizeof *shells; i++)
        if (!strcmp(shells[i].name, shell))
            found = &shells[i];
    if (!found)
        return false;
    for (const char *line = found->template; *line;) {
        size_t length = strcspn(line, "\n");
        if (length > 2 && line[0] == '@' && line[length - 1] == '@') {
            char name[32];
            snprintf(name, sizeof name, "%.*s", (int)length - 2, line + 1);
            found->section(name, file);
        } else {
            fprintf(file, "%.*s\n", (int)length, line);
        }
        line += length + (line[length] == '\n');
    }
    return true;
}
