/* The kernel writes smaps mapping by mapping while it is read. So reading ends after the last mapping of interest, and
 * the page tables of the mappings above are not walked. */
#include "preload/hostreads/mappings.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LINE_BYTES 512

/* Reads a line; of a longer one, only the beginning. */
static bool next_line(FILE *file, char line[LINE_BYTES]) {
    if (!fgets(line, LINE_BYTES, file))
        return false;
    size_t length = strlen(line);
    if (length && line[length - 1] == '\n') {
        line[length - 1] = 0;
        return true;
    }
    for (int c = 0; c != '\n' && c != EOF;)
        c = fgetc(file);
    return true;
}

/* cudaHostAlloc maps its memory in the same way as mmap does with MAP_SHARED | MAP_ANONYMOUS: the kernel calls this
 * "/dev/zero (deleted)". No file leads there. */
static bool is_anonymous(char sharing, const char *name) {
    if (sharing == 's')
        return !strcmp(name, "/dev/zero (deleted)");
    return !*name || !strcmp(name, "[heap]") || !strncmp(name, "[anon:", 6);
}

/* "7f98ca000000-7f98ce000000 rw-s 00000000 00:01 2052    /dev/zero (deleted)" */
static bool parse_header(const char *line, struct xs_mapping *mapping) {
    unsigned long begin, end, inode;
    char rights[5];
    int name = 0;
    // NOLINTNEXTLINE(cert-err34-c): the kernel writes these numbers
    if (sscanf(line, "%lx-%lx %4s %*x %*x:%*x %lu %n", &begin, &end, rights, &inode, &name) != 4 || !name)
        return false;
    *mapping = (struct xs_mapping){.begin = begin, .end = end, .is_writable = rights[1] == 'w'};
    mapping->is_anonymous = is_anonymous(rights[3], line + name);
    return true;
}

/* Rights, accountable, without reservation, soft-dirty, and with or without huge pages. */
static const char *const ordinary[] = {"rd", "wr", "sh", "mr", "mw", "me", "ms", "ac", "nr", "sd", "hg", "nh"};

static bool is_ordinary(const char *flag) {
    for (size_t i = 0; i < sizeof ordinary / sizeof *ordinary; i++)
        if (!strncmp(flag, ordinary[i], 2))
            return true;
    return false;
}

static unsigned parse_flags(const char *text) {
    unsigned flags = 0;
    for (const char *flag = text; *(flag += strspn(flag, " ")); flag += strcspn(flag, " "))
        if (!strncmp(flag, "sr", 2))
            flags |= XS_MAPPING_SEQUENTIAL;
        else if (!strncmp(flag, "rr", 2))
            flags |= XS_MAPPING_RANDOM;
        else if (!is_ordinary(flag))
            flags |= XS_MAPPING_OTHER;
    return flags;
}

static void add_field(const char *line, struct xs_mapping *mapping) {
    const struct {
        const char *name;
        uint64_t *sum;
    } fields[] = {
        {"Rss:", &mapping->resident_kib},        {"Referenced:", &mapping->referenced_kib},
        {"Shared_Clean:", &mapping->shared_kib}, {"Shared_Dirty:", &mapping->shared_kib},
        {"Swap:", &mapping->swapped_kib},        {"AnonHugePages:", &mapping->huge_kib},
        {"ShmemPmdMapped:", &mapping->huge_kib}, {"FilePmdMapped:", &mapping->huge_kib},
    };
    for (size_t i = 0; i < sizeof fields / sizeof *fields; i++) {
        size_t length = strlen(fields[i].name);
        if (!strncmp(line, fields[i].name, length))
            *fields[i].sum += strtoull(line + length, NULL, 10);
    }
}

bool xs_mappings_walk(uintptr_t until, void (*see)(const struct xs_mapping *mapping, void *context), void *context) {
    FILE *file = fopen("/proc/self/smaps", "re");
    if (!file)
        return false;
    struct xs_mapping mapping = {0};
    char line[LINE_BYTES];
    bool has_flags = true, complete = true; /* VmFlags is the last field of a mapping */
    while (next_line(file, line)) {
        struct xs_mapping next;
        if (parse_header(line, &next)) {
            complete = complete && has_flags;
            if (next.begin >= until)
                break;
            mapping = next;
            has_flags = false;
        } else if (!strncmp(line, "VmFlags:", 8)) {
            mapping.flags = parse_flags(line + 8);
            has_flags = true;
            see(&mapping, context);
            if (mapping.end >= until)
                break;
        } else {
            add_field(line, &mapping);
        }
    }
    complete = complete && has_flags && !ferror(file);
    fclose(file);
    return complete;
}

bool xs_mappings_active(uintptr_t until, void (*see)(uintptr_t begin, uint64_t active, void *context), void *context) {
    FILE *file = fopen("/proc/self/numa_maps", "re");
    if (!file)
        return false;
    char line[LINE_BYTES];
    while (next_line(file, line)) {
        uintptr_t begin = strtoull(line, NULL, 16);
        if (begin >= until)
            break;
        /* The kernel leaves "active" out if all pages are active, and both numbers if there are no pages. */
        const char *active = strstr(line, " active=");
        if (active)
            see(begin, strtoull(active + 8, NULL, 10), context);
        else if (strstr(line, " kernelpagesize_kB="))
            see(begin, UINT64_MAX, context);
    }
    bool complete = !ferror(file);
    fclose(file);
    return complete;
}

bool xs_mappings_glance(struct xs_mappings_glance *glance) {
    *glance = (struct xs_mappings_glance){0};
    FILE *file = fopen("/proc/self/maps", "re");
    if (!file)
        return false;
    char line[LINE_BYTES];
    while (next_line(file, line)) {
        glance->count++;
        glance->have_other_readers |= strstr(line, "[io_uring]") || strstr(line, "/dev/infiniband/");
    }
    bool complete = !ferror(file);
    fclose(file);
    return complete;
}
