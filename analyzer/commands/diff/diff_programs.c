/* Finds the names of programs in commands; see diff_programs.h. */
#include "analyzer/commands/diff/diff_programs.h"

#include <ctype.h>
#include <string.h>

#include "analyzer/commands/common/program_name.h"

enum { COMMAND_BYTES = 60 };

static struct xs_word name_of(const struct xs_side_run *run) {
    const char *name = *run->executable ? run->executable : run->command;
    return xs_word_base((struct xs_word){name, *run->executable ? strlen(name) : strcspn(name, " ")});
}

void xs_side_program(struct xs_string *text, const struct xs_side_run *run) {
    struct xs_word name = name_of(run);
    xs_string_add(text, name.text, name.bytes);
}

bool xs_side_is_same_program(const struct xs_side_run *a, const struct xs_side_run *b) {
    struct xs_word x = name_of(a), y = name_of(b);
    return x.bytes == y.bytes && !memcmp(x.text, y.text, x.bytes);
}

/* Returns the program's name; for an interpreter, the name of its script or module, if there is one. */
static struct xs_word script_of(const struct xs_side_run *run) {
    const char *arguments = run->command;
    struct xs_word name = name_of(run);
    xs_word_next(&arguments);
    struct xs_word script = xs_word_is_interpreter(name) ? xs_word_script(arguments) : name;
    return script.bytes ? script : name;
}

bool xs_diff_names_differ(const struct xs_diff *c) {
    struct xs_word x = script_of(c->before->runs), y = script_of(c->after->runs);
    size_t common = 0, shorter = x.bytes < y.bytes ? x.bytes : y.bytes;
    while (common < shorter && x.text[common] == y.text[common])
        common++;
    return 2 * common < shorter; /* the names of a program and its next version often have the same beginning */
}

/* True if a program starts others that its command does not name. */
static bool is_shell(struct xs_word base) {
    static const char *const names[] = {"sh", "bash", "dash", "zsh", "ksh", "fish", "make"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (xs_word_is(base, names[i]))
            return true;
    return base.bytes > 3 && !memcmp(base.text + base.bytes - 3, ".sh", 3);
}

/* Returns the name of a trace's program; for an interpreter, the name of the script or module. Its length is 0 if it is
 * not known. */
static struct xs_word program_of(const char *command) {
    const char *rest = command;
    struct xs_word base = xs_word_base(xs_word_next(&rest));
    static const char anonymous[] = "program_";
    if (xs_word_begins(base, anonymous) && base.bytes > sizeof anonymous - 1 && isdigit((unsigned char)base.text[8]))
        return (struct xs_word){base.text, 0};
    if (!xs_word_is_interpreter(base))
        return base;
    return xs_word_script(rest);
}

/* Returns a name without its extension: "train" for "train.py". */
static struct xs_word stem_of(struct xs_word word) {
    static const char *const ends[] = {".py", ".pl", ".rb", ".jl", ".js", ".exe"};
    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++) {
        size_t bytes = strlen(ends[i]);
        if (word.bytes > bytes && !memcmp(word.text + word.bytes - bytes, ends[i], bytes))
            return (struct xs_word){word.text, word.bytes - bytes};
    }
    return word;
}

/* True if two names are versions of one program, like train, train.old, train_v2 and old-train. */
static bool is_version(struct xs_word a, struct xs_word b) {
    struct xs_word small = a.bytes < b.bytes ? a : b, large = a.bytes < b.bytes ? b : a;
    size_t more = large.bytes - small.bytes;
    if (!small.bytes)
        return false;
    if (!memcmp(large.text, small.text, small.bytes) && (!more || !isalnum((unsigned char)large.text[small.bytes])))
        return true;
    return more && !memcmp(large.text + more, small.text, small.bytes) && !isalnum((unsigned char)large.text[more - 1]);
}

static bool names_program(const char *command, struct xs_word program) {
    const char *rest = command;
    struct xs_word stem = stem_of(program);
    for (struct xs_word word = xs_word_next(&rest); word.bytes; word = xs_word_next(&rest)) {
        struct xs_word base = xs_word_base(word), of_word = stem_of(base);
        /* a script is not a version of a program that has no such extension */
        if ((of_word.bytes == base.bytes) == (stem.bytes == program.bytes) && is_version(of_word, stem))
            return true;
    }
    return false;
}

static bool can_be(const char *command, const struct xs_side *side) {
    const char *rest = command;
    struct xs_word first = xs_word_base(xs_word_next(&rest));
    for (size_t r = 0; r < side->run_count; r++) {
        struct xs_word program = program_of(side->runs[r].command);
        struct xs_word executable =
            xs_word_base((struct xs_word){side->runs[r].executable, strlen(side->runs[r].executable)});
        if (!first.bytes || is_shell(first) || !program.bytes || names_program(command, program) ||
            (!xs_word_is_interpreter(executable) && names_program(command, executable)))
            return true;
    }
    return false;
}

static void add_two(struct xs_string *text, const char *one, const char *other) {
    const char *const both[] = {one, other};
    for (size_t i = 0; i < 2; i++) {
        bool same = i && !strcmp(one, other);
        size_t bytes = strlen(both[i]), fit = xs_text_fit(both[i], COMMAND_BYTES);
        if (!same)
            xs_string_format(text, "%s\"%.*s%s\"", i ? " and " : "", (int)fit, both[i], fit < bytes ? "..." : "");
    }
}

bool xs_diff_bench_is_of_others(const char *path, const struct xs_bench_times *bench, const struct xs_side *before,
                                const struct xs_side *after, struct xs_string *why) {
    for (size_t i = 0; i < 2; i++) {
        const char *command = bench->commands[i].data;
        if (!command || can_be(command, before) || can_be(command, after))
            return false;
    }
    xs_string_format(why, "%s is of ", path);
    add_two(why, bench->commands[0].data, bench->commands[1].data);
    xs_string_format(why, ", and the traces are of ");
    add_two(why, before->runs->command, after->runs->command);
    xs_string_format(why, ": its times are left out, because they are of other programs");
    return true;
}
