/* Finds the names of programs in commands; see program_name.h. */
#include "analyzer/commands/common/program_name.h"

#include <string.h>

struct xs_word xs_word_next(const char **rest) {
    static const char between[] = " \t\n'\"";
    const char *text = *rest + strspn(*rest, between);
    struct xs_word word = {text, strcspn(text, between)};
    *rest = text + word.bytes;
    return word;
}

struct xs_word xs_word_base(struct xs_word word) {
    const char *slash = word.bytes ? memrchr(word.text, '/', word.bytes) : NULL;
    size_t start = slash ? (size_t)(slash + 1 - word.text) : 0;
    return (struct xs_word){word.text + start, word.bytes - start};
}

bool xs_word_begins(struct xs_word word, const char *with) {
    size_t bytes = strlen(with);
    return word.bytes >= bytes && !memcmp(word.text, with, bytes);
}

bool xs_word_is(struct xs_word word, const char *text) {
    return word.bytes == strlen(text) && xs_word_begins(word, text);
}

bool xs_word_is_interpreter(struct xs_word base) {
    static const char *const names[] = {"python", "pypy", "ipython", "perl", "ruby", "julia", "node"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (xs_word_begins(base, names[i]))
            return true;
    return false;
}

struct xs_word xs_word_script(const char *arguments) {
    struct xs_word word = xs_word_next(&arguments);
    while (word.bytes && *word.text == '-' && !xs_word_is(word, "-m") && !xs_word_is(word, "-c")) {
        if (xs_word_is(word, "-X") || xs_word_is(word, "-W")) /* these options have a separate argument */
            xs_word_next(&arguments);
        word = xs_word_next(&arguments);
    }
    if (xs_word_is(word, "-c") || !word.bytes)
        return (struct xs_word){word.text, 0};
    return xs_word_base(xs_word_is(word, "-m") ? xs_word_next(&arguments) : word);
}

void xs_program_name(struct xs_string *text, const char *executable, const char *command) {
    const char *arguments = command;
    struct xs_word first = xs_word_next(&arguments);
    struct xs_word name = xs_word_base(*executable ? (struct xs_word){executable, strlen(executable)} : first);
    struct xs_word script = xs_word_is_interpreter(name) ? xs_word_script(arguments) : name;
    xs_string_add(text, script.bytes ? script.text : name.text, script.bytes ? script.bytes : name.bytes);
}
