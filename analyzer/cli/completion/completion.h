/* Scripts that complete xferspy's command line: a template for each shell (completion.SHELL.in) with sections that are
 * made of what the commands take. */
#ifndef XFERSPY_ANALYZER_CLI_COMPLETION_COMPLETION_H
#define XFERSPY_ANALYZER_CLI_COMPLETION_COMPLETION_H

#include <stdbool.h>
#include <stdio.h>

#include "analyzer/cli/interface.h"

/* Prints the script for the shell. False: there is none for it. */
bool xs_completion_print(const char *shell, FILE *file);

/* Between the files of this folder. A section is a line @NAME@ of the template. */
void xs_completion_bash(const char *section, FILE *file);
void xs_completion_zsh(const char *section, FILE *file);
void xs_completion_fish(const char *section, FILE *file);

/* Makes "a b c" of "a|b|c". The words must have no character that is special in a shell. */
void xs_completion_words(const char *words, FILE *file);

/* An option's help up to its first semicolon, for a list in which each has one line. `quoted` are the characters that
 * get a backslash; an apostrophe is written as `apostrophe`, for a text in apostrophes. */
void xs_completion_help(const char *help, const char *quoted, const char *apostrophe, FILE *file);

#endif
