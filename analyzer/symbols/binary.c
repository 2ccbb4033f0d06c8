/* Finds the files of a binary; see binary.h. The paths are those that gdb searches (its manual, "Debugging Information
 * in Separate Files"), below every folder of the debug path. */
#include "analyzer/symbols/binary.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "analyzer/base/text.h"
#include "analyzer/symbols/debug_path.h"

enum { NAME_BYTES = 4096 };

/* Identifies a wanted file: it has this build id or, if that is NULL, this checksum. */
struct wanted {
    const char *build_id;
    const uint32_t *crc;
};

static bool try_file(struct xs_elf_file *file, const struct wanted *wanted, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
static bool try_file(struct xs_elf_file *file, const struct wanted *wanted, const char *format, ...) {
    char name[NAME_BYTES];
    va_list arguments;
    va_start(arguments, format);
    int length = vsnprintf(name, sizeof name, format, arguments);
    va_end(arguments);
    if (length < 0 || length >= NAME_BYTES || xs_elf_open(file, name, wanted->build_id) != XS_BINARY_READ)
        return false;
    if (wanted->build_id || (wanted->crc && xs_elf_crc_is(file, *wanted->crc)))
        return true;
    xs_elf_close(file);
    return false;
}

/* Returns the length of a path's folder with its slash, for %.*s. */
static int folder_length(const char *path) {
    const char *slash = strrchr(path, '/');
    return slash ? (int)(slash - path + 1) : 0;
}

static bool find_by_build_id(struct xs_elf_file *file, const char *build_id) {
    const char *folder;
    bool given;
    for (size_t i = 0; (folder = xs_debug_path_folder(i, &given)); i++)
        if (try_file(file, &(struct wanted){.build_id = build_id}, "%s/.build-id/%.2s/%s.debug", folder, build_id,
                     build_id + 2))
            return true;
    return false;
}

static bool find_by_link(struct xs_elf_file *file, const struct xs_elf_file *binary, const struct wanted *wanted,
                         const char *link) {
    const char *folder, *path = binary->path;
    int length = folder_length(path);
    bool given;
    if (try_file(file, wanted, "%.*s%s", length, path, link) ||
        try_file(file, wanted, "%.*s.debug/%s", length, path, link))
        return true;
    for (size_t i = 0; (folder = xs_debug_path_folder(i, &given)); i++)
        if (try_file(file, wanted, "%s/%.*s%s", folder, length, path, link) ||
            (given && try_file(file, wanted, "%s/%s", folder, link)))
            return true;
    return false;
}

/* Finds a copy of the binary, or its debug file under one of the usual names, in a folder that a person named. */
static bool find_given(struct xs_elf_file *file, const char *path, const char *build_id, const char *ending) {
    const struct wanted wanted = {.build_id = build_id};
    const char *folder;
    bool given;
    for (size_t i = 0; (folder = xs_debug_path_folder(i, &given)) && given; i++)
        if (try_file(file, &wanted, "%s/%s%s", folder, path, ending) ||
            try_file(file, &wanted, "%s/%s%s", folder, path + folder_length(path), ending))
            return true;
    return false;
}

static bool has_debug_info(const struct xs_elf_file *file) {
    return xs_elf_has_section(file, ".debug_info") || xs_elf_has_section(file, ".zdebug_info");
}

/* Finds the separate debug file. A copy of the binary that was not stripped will do, too. */
static void find_debug(struct xs_binary *binary, const char *path, const char *build_id) {
    char own[XS_BUILD_ID_HEX];
    const char *link;
    uint32_t crc;
    if (!build_id && binary->file.elf && xs_elf_build_id(&binary->file, own))
        build_id = own;
    if (build_id && find_by_build_id(&binary->debug, build_id))
        return;
    if (build_id &&
        (find_given(&binary->debug, path, build_id, ".debug") || find_given(&binary->debug, path, build_id, ""))) {
        if (has_debug_info(&binary->debug))
            return;
        xs_elf_close(&binary->debug);
    }
    if (binary->file.elf && xs_elf_debug_link(&binary->file, &link, &crc))
        find_by_link(&binary->debug, &binary->file, &(struct wanted){build_id, &crc}, link);
}

/* True if a text is a build id of hexadecimal digits only. This is checked because the text becomes part of file
 * names. */
static bool is_build_id(const char *text) {
    size_t length = strspn(text, "0123456789abcdef");
    return !text[length] && length >= 4 && length < XS_BUILD_ID_HEX;
}

enum xs_binary_status xs_binary_open(struct xs_binary *binary, const char *path, const char *build_id) {
    *binary = (struct xs_binary){0};
    if (build_id && !is_build_id(build_id))
        build_id = NULL;
    enum xs_binary_status status = xs_elf_open(&binary->file, path, build_id);
    if (status != XS_BINARY_READ && build_id && find_given(&binary->file, path, build_id, ""))
        status = XS_BINARY_READ;
    if (!binary->file.elf || !has_debug_info(&binary->file))
        find_debug(binary, path, build_id);
    if (binary->debug.elf)
        status = XS_BINARY_READ;
    if (binary->file.elf)
        xs_elf_open_mini(&binary->mini, &binary->file);
    return status;
}

void xs_binary_close(struct xs_binary *binary) {
    xs_elf_close(&binary->mini);
    xs_elf_close(&binary->debug);
    xs_elf_close(&binary->file);
}

bool xs_binary_find_alternate(const struct xs_elf_file *debug, const char *name, const char *build_id,
                              struct xs_elf_file *alternate) {
    const struct wanted wanted = {.build_id = build_id};
    const char *folder;
    bool given;
    if (find_by_build_id(alternate, build_id))
        return true;
    if (*name == '/' ? try_file(alternate, &wanted, "%s", name)
                     : try_file(alternate, &wanted, "%.*s%s", folder_length(debug->path), debug->path, name))
        return true;
    for (size_t i = 0; (folder = xs_debug_path_folder(i, &given)); i++)
        if (try_file(alternate, &wanted, "%s/.dwz/%s", folder, xs_base_name(name)))
            return true;
    return false;
}
