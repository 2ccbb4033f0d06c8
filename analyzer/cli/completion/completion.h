/* Prints scripts that complete xferspy's command line. For each shell there is a template (completion.SHELL.in). Its
 * sections are generated from the options and arguments of the commands. */
#ifndef XFERSPY_ANALYZER_CLI_COMPLETION_COMPLETION_H
#define XFERSPY_ANALYZER_CLI_COMPLETION_COMPLETION_H

#include <stdbool.h>
#include <stdio.h>

#include "analyzer/cli/interface.h"

/* Prints the script for the shell. False: there is no script for this shell. */
bool xs_completion_print(const char *shell, FILE *file);

/* Only the files of this folder call these functions. Each function prints a section of the script. In the template, a
 * line @NAME@ marks the section; `section` is NAME. */
void xs_completion_bash(const char *section, FILE *file);
void xs_completion_zsh(const char *section, FILE *file);
void xs_completion_fish(const char *section, FILE *file);

/* Prints the names of the commands, with blanks between them. */
void xs_completion_commands(FILE *file);

/* Prints "a|b|c" as "a b c". The words must not contain characters that are special in a shell. */
void xs_completion_words(const char *words, FILE *file);

/* Prints an option's help up to its first semicolon, for a list with one line per option. Writes a backslash before
 * each character that is in `quoted`, and `apostrophe` for each apostrophe, because the text is inside apostrophes. */
void xs_completion_help(const char *help, const char *quoted, const char *apostrophe, FILE *file);

#endif
