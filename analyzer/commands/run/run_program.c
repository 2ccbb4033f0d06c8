/* Finds the program that xferspy run starts and the library, and starts the program with the library preloaded. */
#include <dlfcn.h>
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

#include "analyzer/base/memory.h"
#include "analyzer/base/text.h"
#include "analyzer/commands/common/installation.h"
#include "analyzer/commands/run/run.h"

char *xs_find_library(char **tried) {
    static const char *const places[] = {
        "",
        "/../lib",
        "/../lib64",
        "/../lib/xferspy",
        "/../preload",
#ifdef XFERSPY_LIBDIR
        XFERSPY_LIBDIR /* the folder of the installation, if it is none of the folders above */
#endif
    };
    const char *given = getenv("XFERSPY_LIBRARY");
    *tried = NULL;
    if (given && *given) {
        char *real = realpath(given, NULL);
        *tried = real ? NULL : xs_text_format("XFERSPY_LIBRARY=%s", given);
        return real;
    }
    char *own = xs_own_folder();
    struct xs_string list = {0};
    for (size_t i = 0; own && i < sizeof places / sizeof *places; i++) {
        char *path = xs_text_format("%s%s/libxferspy.so", own, places[i]), *real = realpath(path, NULL);
        xs_string_format(&list, "%s%s", i == 0 ? own : i == 1 ? " and from there " : ", ", places[i] + (i > 0));
        free(path);
        if (real) {
            xs_string_free(&list);
            free(own);
            return real;
        }
    }
    free(own);
    *tried = list.data ? list.data : xs_strdup("nowhere: /proc/self/exe cannot be read");
    return NULL;
}

char *xs_find_program(const char *name) {
    struct stat st;
    if (strchr(name, '/'))
        return xs_strdup(name);
    const char *path = getenv("PATH");
    for (const char *entry = path ? path : "/bin:/usr/bin"; entry;
         entry = strchr(entry, ':') ? strchr(entry, ':') + 1 : NULL) {
        struct xs_string file = {0};
        size_t bytes = strcspn(entry, ":");
        xs_string_add(&file, bytes ? entry : ".", bytes ? bytes : 1);
        xs_string_format(&file, "/%s", name);
        if (stat(file.data, &st) == 0 && S_ISREG(st.st_mode) && access(file.data, X_OK) == 0)
            return file.data;
        xs_string_free(&file);
    }
    return NULL;
}

/* Returns the kind of a file by its ELF header: 1: dynamic; 0: static; -1: no 64-bit ELF file for this machine; -2: no
 * ELF file. */
static int elf_kind(const char *path) {
    union {
        Elf64_Ehdr header;
        unsigned char ident[EI_NIDENT];
    } file;
    int fd = open(path, O_RDONLY | O_CLOEXEC), kind = -2;
    if (fd < 0)
        return kind;
    ssize_t length = read(fd, &file, sizeof file);
    if (length >= EI_NIDENT && !memcmp(file.ident, ELFMAG, SELFMAG)) {
        kind = -1;
#if defined(__x86_64__)
        const Elf64_Half machine = EM_X86_64;
#elif defined(__aarch64__)
        const Elf64_Half machine = EM_AARCH64;
#else
        const Elf64_Half machine = file.header.e_machine;
#endif
        if (length == (ssize_t)sizeof file.header && file.ident[EI_CLASS] == ELFCLASS64 &&
            file.header.e_machine == machine) {
            kind = 0;
            for (unsigned i = 0; i < file.header.e_phnum && file.header.e_phentsize == sizeof(Elf64_Phdr); i++) {
                Elf64_Phdr segment;
                off_t at = (off_t)(file.header.e_phoff + (Elf64_Off)i * sizeof segment);
                if (pread(fd, &segment, sizeof segment, at) != (ssize_t)sizeof segment)
                    break;
                kind |= segment.p_type == PT_INTERP;
            }
        }
    }
    close(fd);
    return kind;
}

bool xs_warn_about_program(const char *path) {
    struct stat st;
    int kind = elf_kind(path);
    if (kind == 0)
        xs_complain("%s is statically linked: LD_PRELOAD has no effect on it, there will be no trace", path);
    else if (kind == -1)
        xs_complain("%s is for another kind of machine than libxferspy.so: there will be no trace", path);
    else if (stat(path, &st) == 0 && geteuid() != 0 &&
             ((st.st_mode & (S_ISUID | S_ISGID)) || getxattr(path, "security.capability", NULL, 0) > 0))
        xs_complain("%s runs with raised privileges: the loader ignores LD_PRELOAD, there will be no trace", path);
    else
        return false;
    return true;
}

/* True if the traces' folder is not writable; prints a message then. */
static bool cannot_write(void) {
    XS_SCOPED char *folder = xs_output_folder();
    bool cannot = access(folder, W_OK | X_OK) != 0;
    if (cannot)
        xs_complain("no trace: " XS_NO_WAY_INTO, folder, strerror(errno));
    return cannot;
}

void xs_say_no_trace(const char *program) {
    if (cannot_write())
        return;
    void *driver = dlopen("libcuda.so.1", RTLD_LAZY | RTLD_LOCAL);
    if (!driver) {
        xs_complain("no trace: libcuda.so.1 cannot be loaded here, and without the driver no program can use CUDA; "
                    "`xferspy doctor' says more");
        return;
    }
    dlclose(driver);
    xs_complain("no trace: %s and what it started made no CUDA call on a GPU that libxferspy.so could see, unless a "
                "line above says another reason",
                program);
    xs_complain("not seen are programs that are statically linked, that run with raised privileges (sudo), or that are "
                "started without the variables of this one (env -i, containers, other machines); `xferspy doctor' says "
                "whether capture works here");
}

int xs_set_preload(const char *library) {
    const char *before = getenv("LD_PRELOAD");
    if (strpbrk(library, " :\t\n")) {
        xs_complain(XS_CANNOT_PRELOAD, library);
        return -1;
    }
    XS_SCOPED char *value = xs_text_format("%s%s%s", library, before && *before ? ":" : "", before ? before : "");
    int status = setenv("LD_PRELOAD", value, 1);
    /* NVTX finds the library by this variable, and reports the program's ranges to it. If another tool has set the
     * variable, its value is kept. */
    status |= setenv("NVTX_INJECTION64_PATH", library, 0);
    if (status != 0)
        xs_out_of_memory();
    return 0;
}

void xs_complain_cannot_start(const char *name, int error) {
    xs_complain("%s: %s", name, error == ENOENT && !strchr(name, '/') ? "command not found" : strerror(error));
}

int xs_exec_program(char **argv) {
    execvp(argv[0], argv);
    int error = errno;
    xs_complain_cannot_start(argv[0], error);
    return error == ENOENT || error == ENOTDIR ? XS_EXIT_NOT_FOUND : XS_EXIT_NOT_EXECUTABLE;
}
