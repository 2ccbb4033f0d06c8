/* Finds out whether the process that writes a spool still runs. */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "schema/small_file.h"
#include "schema/spool/spool.h"

#define BOOT_ID "/proc/sys/kernel/random/boot_id"

/* Reads the first line of a small file without its newline; "": it cannot be read. */
static void read_line(const char *path, char *line, size_t bytes) {
    xs_read_small_file(path, line, bytes);
    line[strcspn(line, "\n")] = 0;
}

static uint64_t namespace_of(const char *kind) {
    struct stat st;
    char path[32];
    snprintf(path, sizeof path, "/proc/self/ns/%s", kind);
    return stat(path, &st) == 0 ? (uint64_t)st.st_ino : 0;
}

static void node_name(char *name, size_t bytes) {
    struct utsname system;
    if (uname(&system) != 0)
        system.nodename[0] = 0;
    snprintf(name, bytes, "%.*s", (int)bytes - 1, system.nodename);
}

void xs_spool_sign(struct xs_spool_header *header) {
    header->pid = (int32_t)getpid();
    header->pid_namespace = namespace_of("pid");
    header->mount_namespace = namespace_of("mnt");
    read_line(BOOT_ID, header->boot_id, sizeof header->boot_id);
    node_name(header->host, sizeof header->host);
}

bool xs_spool_same_boot(const struct xs_spool_header *header) {
    char boot_id[sizeof header->boot_id];
    read_line(BOOT_ID, boot_id, sizeof boot_id);
    return strcmp(boot_id, header->boot_id) == 0;
}

bool xs_spool_same_mounts(const struct xs_spool_header *header) {
    return header->mount_namespace == namespace_of("mnt");
}

/* Returns 1 if /proc/PID/maps has the file, 0 if not, and -1 if it cannot be read. */
static int process_maps_file(const struct xs_spool_header *header, const char *path) {
    struct stat st;
    /* The name of a spool in memory is unique everywhere, and is in the list even after the file was deleted. */
    bool by_name = header->id[0] != 0;
    if (!by_name && stat(path, &st) != 0)
        return -1;
    char maps_path[40];
    snprintf(maps_path, sizeof maps_path, "/proc/%d/maps", (int)header->pid);
    FILE *maps = fopen(maps_path, "re");
    if (!maps)
        return -1;
    int found = 0, lines = 0;
    char line[4096 + 128];
    bool line_start = true;
    while (!found && fgets(line, sizeof line, maps)) {
        unsigned long inode;
        if (line_start) {
            lines++;
            /* The device is ignored, because for btrfs and overlayfs it differs from the device that stat gives. */
            if (sscanf(line, "%*x-%*x %*s %*x %*x:%*x %lu", &inode) == 1) {
                found = by_name ? strstr(line, header->id) != NULL
                                : inode == (unsigned long)st.st_ino && strstr(line, ".spool") != NULL;
            }
        }
        line_start = strchr(line, '\n') != NULL;
    }
    fclose(maps);
    return lines == 0 ? -1 : found; /* a zombie's list is empty */
}

/* True if the process has other threads. A program may end its main thread and continue with others. The process is no
 * zombie then, but its main thread is one, and has no maps. */
static bool has_other_threads(int32_t pid) {
    struct stat st;
    char path[40];
    snprintf(path, sizeof path, "/proc/%d/task", (int)pid);
    return stat(path, &st) == 0 && st.st_nlink > 3; /* links: itself, its parent, and one for each thread */
}

static bool is_zombie(int32_t pid) {
    char path[40], line[256];
    snprintf(path, sizeof path, "/proc/%d/stat", (int)pid);
    read_line(path, line, sizeof line);
    const char *name_end = strrchr(line, ')');
    return name_end && (strncmp(name_end, ") Z", 3) == 0 || strncmp(name_end, ") X", 3) == 0) &&
           !has_other_threads(pid);
}

enum xs_writer xs_spool_writer(const struct xs_spool_header *header, const char *path) {
    char host[sizeof header->host];
    node_name(host, sizeof host);
    if (!xs_spool_same_boot(header)) {
        /* The machine has rebooted, or the file system is shared with another machine, where the job may still run. */
        return strcmp(host, header->host) == 0 ? XS_WRITER_GONE : XS_WRITER_UNKNOWN;
    }
    if (header->pid_namespace != namespace_of("pid"))
        return XS_WRITER_ELSEWHERE;
    if (header->pid <= 0 || (kill(header->pid, 0) != 0 && errno == ESRCH) || is_zombie(header->pid))
        return XS_WRITER_GONE;
    return process_maps_file(header, path) == 0 ? XS_WRITER_GONE : XS_WRITER_LIVES;
}
