/* Finds the names of programs in command lines. */
#ifndef XFERSPY_ANALYZER_COMMANDS_COMMON_PROGRAM_NAME_H
#define XFERSPY_ANALYZER_COMMANDS_COMMON_PROGRAM_NAME_H

#include <stdbool.h>
#include <stddef.h>

#include "analyzer/base/text.h"

/* A part of a command. */
struct xs_word {
    const char *text;
    size_t bytes;
};

/* Returns the next word at `*rest`, without quotes; its length is 0 at the end. */
struct xs_word xs_word_next(const char **rest);
/* Returns the part after the last slash. */
struct xs_word xs_word_base(struct xs_word word);
bool xs_word_begins(struct xs_word word, const char *with);
bool xs_word_is(struct xs_word word, const char *text);
/* True if the name is that of Python, Perl or another interpreter. */
bool xs_word_is_interpreter(struct xs_word base);
/* Returns the name of the script or module among an interpreter's arguments. Its length is 0 if there is none. */
struct xs_word xs_word_script(const char *arguments);

/* Adds the name of a program: of its executable, or, if that is not known, of its command; for an interpreter the name
 * of its script or module. */
void xs_program_name(struct xs_string *text, const char *executable, const char *command);

#endif
