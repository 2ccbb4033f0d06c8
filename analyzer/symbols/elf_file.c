/* Opens and reads ELF files; see elf_file.h. */
#include "analyzer/symbols/elf_file.h"

#include <elfutils/libdwelf.h>
#include <fcntl.h>
#include <gelf.h>
#include <lzma.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include "analyzer/base/memory.h"

/* The largest unpacked size of .gnu_debugdata, and the most memory for unpacking; real sections have less than 10
 * MB. */
enum { MINI_BYTES = 64 << 20 };

/* Opens a regular file. Checks the type before opening, because some devices react to being opened, and again
 * afterwards. */
static enum xs_binary_status open_regular(const char *path, int *fd) {
    struct stat st;
    if (stat(path, &st) != 0)
        return XS_BINARY_GONE;
    if (!S_ISREG(st.st_mode))
        return XS_BINARY_UNREADABLE;
    *fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    if (*fd < 0)
        return XS_BINARY_UNREADABLE;
    if (fstat(*fd, &st) == 0 && S_ISREG(st.st_mode) && st.st_size > 0)
        return XS_BINARY_READ;
    close(*fd);
    return XS_BINARY_UNREADABLE;
}

enum xs_binary_status xs_elf_open(struct xs_elf_file *file, const char *path, const char *build_id) {
    char found[XS_BUILD_ID_HEX];
    *file = (struct xs_elf_file){0};
    enum xs_binary_status status = open_regular(path, &file->fd);
    if (status != XS_BINARY_READ)
        return status;
    elf_version(EV_CURRENT);
    file->path = xs_strdup(path);
    file->elf = elf_begin(file->fd, ELF_C_READ_MMAP, NULL);
    if (!file->elf || elf_kind(file->elf) != ELF_K_ELF)
        status = XS_BINARY_UNREADABLE;
    else if (build_id && (!xs_elf_build_id(file, found) || strcmp(found, build_id) != 0))
        status = XS_BINARY_CHANGED;
    if (status == XS_BINARY_READ)
        return status;
    elf_end(file->elf);
    close(file->fd);
    free(file->path);
    *file = (struct xs_elf_file){0};
    return status;
}

void xs_elf_close(struct xs_elf_file *file) {
    if (!file->elf)
        return;
    elf_end(file->elf);
    if (file->path)
        close(file->fd);
    free(file->path);
    free(file->memory);
    *file = (struct xs_elf_file){0};
}

bool xs_build_id_hex(const void *bytes, ssize_t count, char id[XS_BUILD_ID_HEX]) {
    static const char digits[] = "0123456789abcdef";
    if (count <= 0 || count > (XS_BUILD_ID_HEX - 1) / 2)
        return false;
    for (ssize_t i = 0; i < count; i++) {
        unsigned char byte = ((const unsigned char *)bytes)[i];
        id[2 * i] = digits[byte >> 4];
        id[2 * i + 1] = digits[byte & 15];
    }
    id[2 * count] = 0;
    return true;
}

bool xs_elf_build_id(const struct xs_elf_file *file, char id[XS_BUILD_ID_HEX]) {
    const void *bytes = NULL;
    ssize_t count = dwelf_elf_gnu_build_id(file->elf, &bytes);
    return xs_build_id_hex(bytes, count, id);
}

static Elf_Scn *find_section(const struct xs_elf_file *file, const char *name) {
    size_t names;
    if (elf_getshdrstrndx(file->elf, &names) != 0)
        return NULL;
    for (Elf_Scn *section = NULL; (section = elf_nextscn(file->elf, section));) {
        GElf_Shdr header;
        const char *found = gelf_getshdr(section, &header) ? elf_strptr(file->elf, names, header.sh_name) : NULL;
        if (found && !strcmp(found, name) && header.sh_type != SHT_NOBITS)
            return section;
    }
    return NULL;
}

bool xs_elf_has_section(const struct xs_elf_file *file, const char *name) { return find_section(file, name) != NULL; }

bool xs_elf_debug_link(const struct xs_elf_file *file, const char **name, uint32_t *crc) {
    GElf_Word value = 0;
    *name = dwelf_elf_gnu_debuglink(file->elf, &value);
    *crc = value;
    return *name && **name && !strchr(*name, '/');
}

bool xs_elf_crc_is(const struct xs_elf_file *file, uint32_t crc) {
    size_t bytes = 0;
    const char *data = elf_rawfile(file->elf, &bytes);
    return data && crc32_z(0, (const unsigned char *)data, bytes) == crc;
}

static void *unpack(const Elf_Data *packed, size_t *bytes) {
    lzma_stream stream = LZMA_STREAM_INIT;
    size_t capacity = (size_t)1 << 20;
    unsigned char *data = NULL;
    lzma_ret result = lzma_stream_decoder(&stream, MINI_BYTES, 0);
    stream.next_in = packed->d_buf;
    stream.avail_in = packed->d_size;
    *bytes = 0;
    while (result == LZMA_OK && capacity <= MINI_BYTES) {
        data = xs_realloc(data, capacity);
        stream.next_out = data + *bytes;
        stream.avail_out = capacity - *bytes;
        result = lzma_code(&stream, LZMA_FINISH);
        *bytes = capacity - stream.avail_out;
        capacity *= 2;
    }
    lzma_end(&stream);
    if (result == LZMA_STREAM_END)
        return data;
    free(data);
    return NULL;
}

bool xs_elf_open_mini(struct xs_elf_file *mini, const struct xs_elf_file *file) {
    *mini = (struct xs_elf_file){.fd = -1};
    Elf_Scn *section = find_section(file, ".gnu_debugdata");
    Elf_Data *packed = section ? elf_rawdata(section, NULL) : NULL;
    size_t bytes = 0;
    mini->memory = packed && packed->d_buf ? unpack(packed, &bytes) : NULL;
    mini->elf = mini->memory ? elf_memory(mini->memory, bytes) : NULL;
    if (mini->elf && elf_kind(mini->elf) == ELF_K_ELF)
        return true;
    elf_end(mini->elf);
    free(mini->memory);
    *mini = (struct xs_elf_file){0};
    return false;
}
