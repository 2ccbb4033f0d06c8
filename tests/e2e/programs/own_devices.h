/* Gives a process a /dev with the devices that a test needs, whatever devices the machine has. */
#ifndef E2E_OWN_DEVICES_H
#define E2E_OWN_DEVICES_H

#ifndef _GNU_SOURCE
#error "the file that includes this defines _GNU_SOURCE"
#endif
#include <dirent.h>
#include <fcntl.h>
#include <sched.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

#include "check.h"

static inline void e2e_write_map(const char *path, const char *text) {
    int fd = open(path, O_WRONLY);
    if (fd < 0 || write(fd, text, strlen(text)) < 0)
        exit(E2E_SKIP);
    close(fd);
}

/* Gives the process its own mounts. Root needs no user namespace for this. Other users need one; if they may not have
 * one, the test is skipped. */
static inline void e2e_unshare_mounts(void) {
    char map[64];
    unsigned user = geteuid(), group = getegid();
    if (unshare(CLONE_NEWNS) != 0) {
        if (unshare(CLONE_NEWUSER | CLONE_NEWNS) != 0)
            exit(E2E_SKIP);
        e2e_write_map("/proc/self/setgroups", "deny");
        snprintf(map, sizeof map, "%u %u 1", user, user);
        e2e_write_map("/proc/self/uid_map", map);
        snprintf(map, sizeof map, "%u %u 1", group, group);
        e2e_write_map("/proc/self/gid_map", map);
    }
    if (mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) != 0)
        exit(E2E_SKIP);
}

/* After this call /dev has links to everything that it had before, except network cards, nvidia-fs and gdrdrv. If
 * `has_card` is true, it has one network card, which is a link to /dev/null. Must be called before the first thread is
 * made and before the first call of CUDA. If the kernel does not permit this, the test is skipped. */
static inline void e2e_own_devices(bool has_card) {
    char folder[4096], from[8192], to[8192];
    e2e_unshare_mounts();
    snprintf(folder, sizeof folder, "%s/dev", getenv("XFERSPY_TEST_DIR"));
    REQUIRE(mkdir(folder, 0755) == 0);
    if (mount("xferspy-e2e", folder, "tmpfs", 0, "size=1m") != 0)
        exit(E2E_SKIP);
    snprintf(to, sizeof to, "%s/.all", folder);
    REQUIRE(mkdir(to, 0755) == 0);
    if (mount("/dev", to, NULL, MS_BIND | MS_REC, NULL) != 0)
        exit(E2E_SKIP);
    DIR *dev = opendir("/dev");
    REQUIRE(dev != NULL);
    // cppcheck-suppress readdirCalled ; the stream is this function's own
    for (struct dirent *entry; (entry = readdir(dev)) != NULL;) {
        static const char *const left_out[] = {".", "infiniband", "cxi", "hfi1_", "nvidia-fs", "gdrdrv"};
        bool stays = true;
        for (size_t i = 0; i < sizeof left_out / sizeof *left_out; i++)
            stays = stays && strncmp(entry->d_name, left_out[i], strlen(left_out[i])) != 0;
        snprintf(from, sizeof from, ".all/%s", entry->d_name);
        snprintf(to, sizeof to, "%s/%s", folder, entry->d_name);
        REQUIRE(!stays || symlink(from, to) == 0);
    }
    closedir(dev);
    if (has_card) {
        snprintf(to, sizeof to, "%s/infiniband", folder);
        REQUIRE(mkdir(to, 0755) == 0);
        snprintf(to, sizeof to, "%s/infiniband/uverbs0", folder);
        REQUIRE(symlink("../.all/null", to) == 0);
    }
    if (mount(folder, "/dev", NULL, MS_BIND | MS_REC, NULL) != 0)
        exit(E2E_SKIP);
}

#endif
