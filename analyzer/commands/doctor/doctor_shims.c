/* Finds preloaded libraries, other than libxferspy.so, that intercept calls of the driver: libraries that export
 * functions of libcuda. Libraries for sharing a GPU between containers do this. */
#include <elf.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "analyzer/base/memory.h"
#include "analyzer/base/text.h"
#include "analyzer/commands/doctor/doctor.h"

/* Known shims, by their file names. */
static const struct {
    const char *file, *what;
} known[] = {
    {"libvgpu.so", "HAMi-core"},
    {"libnvshare.so", "nvshare"},
    {"libgemhook.so", "Gemini of KubeShare"},
    {"libcuda-control.so", "vCUDA of gpu-manager"},
    {"libvgpu-control.so", "vgpu-manager"},
};

static const char *known_as(const char *file) {
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (!strncmp(file, known[i].file, strlen(known[i].file)))
            return known[i].what;
    return NULL;
}

/* Returns a part of a file in memory; NULL: the file does not have all of it. */
static const void *part(const void *file, uint64_t file_bytes, uint64_t offset, uint64_t bytes) {
    return offset <= file_bytes && bytes <= file_bytes - offset ? (const char *)file + offset : NULL;
}

static bool is_driver_function(const char *name, uint64_t room) {
    return room > 3 && name[0] == 'c' && name[1] == 'u' && name[2] >= 'A' && name[2] <= 'Z';
}

/* Returns how many functions of the driver a 64-bit shared library defines in its table of dynamic symbols. All offsets
 * in the file are checked. */
static unsigned count_in(const void *file, uint64_t bytes) {
    const Elf64_Ehdr *header = part(file, bytes, 0, sizeof *header);
    if (!header || memcmp(header->e_ident, ELFMAG, SELFMAG) != 0 || header->e_ident[EI_CLASS] != ELFCLASS64 ||
        header->e_shentsize != sizeof(Elf64_Shdr) || header->e_shoff % 8)
        return 0;
    const Elf64_Shdr *sections = part(file, bytes, header->e_shoff, header->e_shnum * sizeof *sections);
    unsigned count = 0;
    for (unsigned i = 0; sections && i < header->e_shnum; i++) {
        const Elf64_Shdr *s = &sections[i];
        if (s->sh_type != SHT_DYNSYM || s->sh_link >= header->e_shnum || s->sh_offset % 8)
            continue;
        const Elf64_Shdr *strings = &sections[s->sh_link];
        const char *names = part(file, bytes, strings->sh_offset, strings->sh_size);
        const Elf64_Sym *symbols = part(file, bytes, s->sh_offset, s->sh_size);
        for (uint64_t k = 0; names && symbols && k < s->sh_size / sizeof *symbols; k++)
            count += symbols[k].st_shndx != SHN_UNDEF && ELF64_ST_TYPE(symbols[k].st_info) == STT_FUNC &&
                     symbols[k].st_name < strings->sh_size &&
                     is_driver_function(names + symbols[k].st_name, strings->sh_size - symbols[k].st_name);
    }
    return count;
}

static unsigned driver_functions_of(const char *path) {
    struct stat st;
    unsigned count = 0;
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (fd >= 0 && fstat(fd, &st) == 0 && S_ISREG(st.st_mode) && st.st_size > 0) {
        void *file = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
        if (file != MAP_FAILED) {
            count = count_in(file, (uint64_t)st.st_size);
            munmap(file, (size_t)st.st_size);
        }
    }
    if (fd >= 0)
        close(fd);
    return count;
}

/* Counts the functions of a library. A name without a slash is searched in the usual folders, as the loader does. */
static unsigned functions_of_name(const char *root, const char *name) {
    static const char usual[] = "/lib64:/usr/lib64:/lib:/usr/lib:/lib/x86_64-linux-gnu:/usr/lib/x86_64-linux-gnu:"
                                "/lib/aarch64-linux-gnu:/usr/lib/aarch64-linux-gnu:/usr/local/lib";
    const char *variable = getenv("LD_LIBRARY_PATH");
    XS_SCOPED_STRING folders = {0}, path = {0};
    unsigned count = 0;
    if (strchr(name, '/')) {
        xs_string_format(&path, "%s%s", *name == '/' ? root : "", name);
        count = driver_functions_of(path.data);
    } else {
        xs_string_format(&folders, "%s%s%s", variable ? variable : "", variable ? ":" : "", usual);
        char *next = NULL;
        for (char *f = strtok_r(folders.data, ":", &next); f && !count; f = strtok_r(NULL, ":", &next)) {
            xs_string_free(&path);
            xs_string_format(&path, "%s%s/%s", *f == '/' ? root : "", f, name);
            count = driver_functions_of(path.data);
        }
    }
    return count;
}

static void look_at(struct xs_doctor_results *results, const char *root, const char *name, const char *where) {
    const char *file = xs_base_name(name), *what = known_as(file);
    if (!strncmp(file, "libxferspy.so", strlen("libxferspy.so")))
        return;
    unsigned count = functions_of_name(root, name);
    if (!count && !what)
        return;
    xs_doctor_add(results, XS_DOCTOR_NOTE, "shims", XS_DOCTOR_WITHOUT_IT,
                  "%s (%s)%s%s%s stands before the driver, too%s; `xferspy run' puts libxferspy.so first, so calls are "
                  "recorded as the program made them, with the time that this library takes in them",
                  name, where, what ? ", known as " : "", what ? what : "", what ? "," : "",
                  count ? "" : ", but its file was not found");
}

static void look_at_list(struct xs_doctor_results *results, const char *root, const char *list, const char *where) {
    char *next = NULL, *names = xs_strdup(list);
    for (char *name = strtok_r(names, ": \t\n", &next); name; name = strtok_r(NULL, ": \t\n", &next))
        look_at(results, root, name, where);
    free(names);
}

void xs_doctor_shims(struct xs_doctor_results *results, const char *root) {
    const char *preload = getenv("LD_PRELOAD");
    char list[4096], *path = xs_text_format("%s/etc/ld.so.preload", root);
    if (preload)
        look_at_list(results, root, preload, "LD_PRELOAD");
    FILE *file = fopen(path, "re");
    size_t n = file ? fread(list, 1, sizeof list - 1, file) : 0;
    list[n] = '\0';
    look_at_list(results, root, list, "/etc/ld.so.preload");
    if (file)
        fclose(file);
    free(path);
}
