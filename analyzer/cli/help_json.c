/* Writes the help of all commands as JSON; see help_json.h. The lists are those of --help, of completion and of the man
 * pages (interface.h). */
#include "analyzer/cli/help_json.h"

#include <string.h>

#include "analyzer/base/json.h"
#include "analyzer/base/text.h"
#include "analyzer/cli/interface.h"

#define HELP_JSON_VERSION 1

/* The words of "a|b|c", if a text has this form; else null. */
static void put_choices(struct xs_json *json, const char *text) {
    if (!text || xs_argument_kind(text) != XS_ARGUMENT_WORDS) {
        xs_json_null(json, "choices");
        return;
    }
    xs_json_array(json, "choices");
    for (size_t bytes; *text; text += bytes + (text[bytes] == '|')) {
        bytes = strcspn(text, "|");
        xs_json_text_bytes(json, NULL, text, bytes);
    }
    xs_json_end(json, ']');
}

static void put_option(struct xs_json *json, const struct xs_option *option, const char *group) {
    char letter[2] = {option->letter, '\0'};
    xs_json_object(json, NULL);
    xs_json_text(json, "name", option->name);
    xs_json_text(json, "letter", option->letter ? letter : NULL);
    xs_json_text(json, "argument", option->argument);
    xs_json_bool(json, "argument_optional", option->optional);
    put_choices(json, option->argument);
    xs_json_text(json, "group", group);
    xs_json_text(json, "help", option->help);
    xs_json_end(json, '}');
}

static void put_options(struct xs_json *json, const struct xs_interface_list *list) {
    const char *group = NULL;
    int in_group = 0;
    xs_json_array(json, "options");
    for (size_t i = 0; i < list->option_count; i++) {
        const struct xs_option *option = &list->options[i];
        if (option->group != in_group)
            group = NULL;
        in_group = option->group;
        if (xs_option_is_heading(option))
            group = option->help;
        else if (!option->hidden && !option->documentation)
            put_option(json, option, group);
    }
    xs_json_end(json, ']');
}

/* What a command prints as JSON is asked for by --json or by a word of --format. */
static bool writes_json(const struct xs_interface_list *list) {
    for (size_t i = 0; i < list->option_count; i++) {
        const struct xs_option *option = &list->options[i];
        if (option->name && !strcmp(option->name, "json") && !option->hidden)
            return true;
    }
    return false;
}

static void put_arguments(struct xs_json *json, const struct xs_interface_list *list) {
    static const char *const kinds[] = {
        [XS_ARGUMENT_OTHER] = "text",      [XS_ARGUMENT_WORDS] = "word",      [XS_ARGUMENT_FILE] = "file",
        [XS_ARGUMENT_DIR] = "folder",      [XS_ARGUMENT_TRACE] = "trace",     [XS_ARGUMENT_FINDING] = "finding",
        [XS_ARGUMENT_PROGRAM] = "program", [XS_ARGUMENT_COMMAND] = "command",
    };
    xs_json_array(json, "arguments");
    for (size_t i = 0; i < list->argument_count; i++) {
        xs_json_object(json, NULL);
        xs_json_text(json, "name", list->arguments[i].text);
        xs_json_text(json, "kind", kinds[list->arguments[i].kind]);
        xs_json_bool(json, "repeats", list->arguments[i].repeats);
        xs_json_end(json, '}');
    }
    xs_json_end(json, ']');
}

/* A command's text, and what comes after the options; argp separates them by \v. */
static void put_texts(struct xs_json *json, const char *doc) {
    size_t bytes = doc ? strcspn(doc, "\v") : 0;
    xs_json_text_bytes(json, "text", doc ? doc : "", bytes);
    xs_json_text(json, "more", doc && doc[bytes] ? doc + bytes + 1 : NULL);
}

static void put_command(struct xs_json *json, const struct xs_command *command) {
    struct xs_interface_list list;
    xs_interface_read(command, &list);
    xs_json_object(json, NULL);
    xs_json_text(json, "name", command->name);
    xs_json_text(json, "summary", command->summary);
    xs_json_text(json, "usage", command->interface->argp.args_doc);
    put_texts(json, command->interface->argp.doc);
    xs_json_bool(json, "writes_json", writes_json(&list));
    put_arguments(json, &list);
    put_options(json, &list);
    xs_json_end(json, '}');
    xs_interface_free(&list);
}

/* The options of the library: each is a variable of the environment, and an option of `run`. */
static void put_variables(struct xs_json *json) {
    xs_json_array(json, "variables");
#define XS_OPTION(field, variable, type, preset, accepted, text)                                                       \
    xs_json_object(json, NULL);                                                                                        \
    xs_json_text(json, "name", "XFERSPY_" variable);                                                                   \
    xs_json_text(json, "type", #type);                                                                                 \
    xs_json_text(json, "default", preset);                                                                             \
    xs_json_text(json, "accepted", accepted);                                                                          \
    xs_json_end(json, '}');
#include "schema/options.def"
#undef XS_OPTION
    xs_json_end(json, ']');
}

void xs_help_json(const struct xs_command *only, FILE *file) {
    struct xs_json json = {.file = file};
    xs_json_document(&json, "xferspy-help", HELP_JSON_VERSION);
    xs_json_text(&json, "program_version", XFERSPY_VERSION);
    xs_json_array(&json, "commands");
    for (size_t i = 0; i < xs_command_count; i++)
        if (!only || only == &xs_commands[i])
            put_command(&json, &xs_commands[i]);
    xs_json_end(&json, ']');
    put_variables(&json);
    xs_json_end(&json, '}');
}
