/* Contains the checks that read files and the environment, and the check that tries to preload the library. */
#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <glob.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/statvfs.h>
#include <sys/wait.h>
#include <unistd.h>

#include "analyzer/base/memory.h"
#include "analyzer/base/text.h"
#include "analyzer/base/units.h"
#include "analyzer/commands/doctor/doctor.h"
#include "analyzer/commands/run/run.h"
#include "schema/redact.h"

#define SPOOL_BYTES (64u << 20) /* if less space is free, the disk will soon be full */

/* Reads the first line of a file without its newline. False: it cannot be read. */
static bool read_line(const char *path, char *line, int bytes) {
    FILE *file = fopen(path, "re");
    bool good = file && fgets(line, bytes, file);
    if (file)
        fclose(file);
    if (good)
        line[strcspn(line, "\n")] = '\0';
    return good;
}

/* Tries to preload. If the loader cannot preload the library, it prints an error on standard error, but starts the
 * program. */
static void probe_preload(struct xs_doctor_results *results) {
    XS_SCOPED char *tried = NULL, *library = xs_find_library(&tried);
    int fds[2], status = 0;
    char said[2048];
    size_t length = 0;
    if (!library || pipe2(fds, O_CLOEXEC) != 0)
        return;
    pid_t pid = fork();
    if (pid == 0) {
        dup2(fds[1], STDERR_FILENO);
        setenv("LD_PRELOAD", library, 1);
        execl("/bin/true", "true", (char *)NULL);
        _exit(XS_EXIT_NOT_FOUND);
    }
    close(fds[1]);
    for (ssize_t n; length < sizeof said - 1 && (n = read(fds[0], said + length, sizeof said - 1 - length)) > 0;)
        length += (size_t)n;
    said[length] = '\0';
    said[strcspn(said, "\n")] = '\0';
    if (waitpid(pid, &status, 0) == pid && WIFEXITED(status) && WEXITSTATUS(status) == 0 && !length)
        xs_doctor_add(results, XS_DOCTOR_OK, "preload", NULL, "%s", library);
    else
        xs_doctor_add(
            results, XS_DOCTOR_FAIL, "preload",
            "build it on this machine, or on one with an older C library; both must be of the same kind of machine",
            "%s cannot be preloaded: %s", library, length ? said : "/bin/true failed under it");
}

void xs_doctor_library(struct xs_doctor_results *results, int timeout_s) {
    XS_SCOPED char *tried = NULL, *library = xs_find_library(&tried);
    if (!library)
        xs_doctor_add(results, XS_DOCTOR_FAIL, "preload",
                      "build or install libxferspy.so, or name it with XFERSPY_LIBRARY",
                      "libxferspy.so not found; tried %s", tried);
    else if (strpbrk(library, " :"))
        xs_doctor_add(results, XS_DOCTOR_FAIL, "preload", "copy it elsewhere and set XFERSPY_LIBRARY",
                      "%s: LD_PRELOAD cannot name a file whose path has a blank or a colon", library);
    else
        xs_probe_in_child(results, "preload", timeout_s, probe_preload);
}

void xs_doctor_device_files(struct xs_doctor_results *results) {
    glob_t found = {0};
    XS_SCOPED_STRING closed = {0};
    size_t devices = 0;
    if (glob("/dev/nvidia*", 0, NULL, &found) == 0) {
        for (size_t i = 0; i < found.gl_pathc; i++) {
            const char *name = found.gl_pathv[i] + strlen("/dev/nvidia");
            if (!isdigit((unsigned char)*name) && strcmp(name, "ctl") != 0 && strcmp(name, "-uvm") != 0)
                continue;
            devices++;
            if (access(found.gl_pathv[i], R_OK | W_OK) != 0)
                xs_string_format(&closed, "%s%s", closed.length ? ", " : "", found.gl_pathv[i]);
        }
    }
    globfree(&found);
    if (closed.length)
        xs_doctor_add(results, XS_DOCTOR_FAIL, "devices",
                      "join the group that owns them (video, render), or ask the administrator",
                      "no permission to read and write %s", closed.data);
    else if (devices)
        xs_doctor_add(results, XS_DOCTOR_OK, "devices", NULL, "%zu files /dev/nvidia* can be read and written",
                      devices);
}

void xs_doctor_link(struct xs_doctor_results *results, const char *pci_bus_id) {
    static const char *const files[] = {"current_link_speed", "current_link_width", "max_link_speed", "max_link_width"};
    char values[4][64], id[64];
    snprintf(id, sizeof id, "%s", pci_bus_id);
    for (char *c = id; *c; c++)
        *c = (char)tolower((unsigned char)*c);
    for (int i = 0; i < 4; i++) {
        XS_SCOPED char *path = xs_text_format("/sys/bus/pci/devices/%s/%s", id, files[i]);
        bool known = read_line(path, values[i], sizeof values[i]);
        if (!known) {
            xs_doctor_add(results, XS_DOCTOR_NOTE, "link", NULL,
                          "%s: the system does not tell (usual in virtual machines)", id);
            return;
        }
    }
    if (atoi(values[1]) < atoi(values[3]))
        xs_doctor_add(results, XS_DOCTOR_WARN, "link",
                      "reseat the card or look at the slot's wiring: copies are that much slower",
                      "%s: runs x%s of x%s, %s", id, values[1], values[3], values[2]);
    else if (atof(values[0]) < atof(values[2]))
        xs_doctor_add(results, XS_DOCTOR_OK, "link", NULL, "%s: x%s, %s (%s now; GPUs lower it when idle)", id,
                      values[1], values[2], values[0]);
    else
        xs_doctor_add(results, XS_DOCTOR_OK, "link", NULL, "%s: x%s, %s", id, values[1], values[2]);
}

static void look_at_visible_devices(struct xs_doctor_results *results) {
    const char *visible = getenv("CUDA_VISIBLE_DEVICES");
    if (!visible)
        return;
    if (!*visible || !strcmp(visible, "-1") || !strcasecmp(visible, "NoDevFiles"))
        xs_doctor_add(results, XS_DOCTOR_WARN, "variables", "unset it, or list the GPUs to use",
                      "CUDA_VISIBLE_DEVICES=\"%s\" hides every GPU", visible);
    else if (strpbrk(visible, " \t"))
        xs_doctor_add(results, XS_DOCTOR_WARN, "variables", "write it without blanks: 0,1",
                      "CUDA_VISIBLE_DEVICES=\"%s\": the driver stops at the blank", visible);
    else
        xs_doctor_add(results, XS_DOCTOR_NOTE, "variables", NULL, "CUDA_VISIBLE_DEVICES=%s", visible);
}

/* Looks for tools that inject themselves into CUDA programs. Before CUDA 13.3, CUPTI allows only one subscriber, and
 * these tools would be the one. */
void xs_doctor_environment(struct xs_doctor_results *results) {
    static const char *const injectors[] = {"CUDA_INJECTION64_PATH", "NVTX_INJECTION64_PATH",
                                            "NSYS_PROFILING_SESSION_ID"};
    const char *preload = getenv("LD_PRELOAD"), *enable = getenv("XFERSPY_ENABLE");
    look_at_visible_devices(results);
    for (size_t i = 0; i < sizeof injectors / sizeof *injectors; i++) {
        const char *value = getenv(injectors[i]);
        if (value && *value)
            xs_doctor_add(results, XS_DOCTOR_WARN, "variables", "unset it, unless that tool's result is wanted more",
                          "%s=%s: another tool will take CUPTI; no device times then", injectors[i], value);
    }
    if (preload && *preload)
        xs_doctor_add(results, XS_DOCTOR_NOTE, "variables", NULL, "LD_PRELOAD=%s (kept; libxferspy.so goes first)",
                      preload);
    if (xs_option_is_off(enable))
        xs_doctor_add(results, XS_DOCTOR_WARN, "variables", "unset it", "XFERSPY_ENABLE=%s switches capture off",
                      enable);
}

/* Warns of checkpoints: a program is not told when another process checkpoints it, so the library does not know
 * it either. */
void xs_doctor_checkpoints(struct xs_doctor_results *results) {
    XS_SCOPED char *program = xs_find_program("cuda-checkpoint");
    if (program)
        xs_doctor_add(results, XS_DOCTOR_NOTE, "checkpoints",
                      "set XFERSPY_CUPTI=off for programs that are checkpointed from outside",
                      "%s: the driver refuses to checkpoint a program in which CUPTI is used", program);
}

/* True if counters are restricted. The open kernel modules have the setting under the first name, older modules under
 * the second. */
static bool counters_are_restricted(FILE *params) {
    static const char *const names[] = {"RmProfilingAdminOnly: 1", "RestrictProfilingToAdminUsers: 1"};
    bool restricted = false;
    for (char line[256]; params && fgets(line, sizeof line, params);)
        for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
            size_t n = strlen(names[i]);
            restricted |= !strncmp(line, names[i], n) && (line[n] == '\n' || !line[n]);
        }
    return restricted;
}

/* Checks the access to hardware counters. Since CUDA 10.2 on Linux, all users may use CUPTI's activity records, which
 * xferspy needs, but not events, metrics and the profiling APIs (CUPTI's documentation, "Limitations"). */
void xs_doctor_counters(struct xs_doctor_results *results, const char *root, bool privileged) {
    XS_SCOPED char *path = xs_text_format("%s/proc/driver/nvidia/params", root);
    FILE *params = fopen(path, "re");
    if (!privileged && counters_are_restricted(params))
        xs_doctor_add(results, XS_DOCTOR_NOTE, "counters",
                      "nothing is to be done for xferspy, which reads no counters: its device times come from CUPTI's "
                      "activity records. For ncu, the administrator loads the nvidia module with "
                      "NVreg_RestrictProfilingToAdminUsers=0, or gives the process CAP_SYS_ADMIN",
                      "the GPU's hardware counters are for administrators only");
    if (params)
        fclose(params);
}

/* Finds the devices by which memory can change without a CUDA call, as preload/core/direct_access.c does. */
void xs_doctor_direct_access(struct xs_doctor_results *results, const char *root) {
    static const char *const patterns[] = {"dev/infiniband/uverbs*", "dev/cxi*", "dev/hfi1_*", "dev/gdrdrv*",
                                           "dev/nvidia-fs*"};
    const char *chosen = getenv("XFERSPY_DIRECT_ACCESS");
    glob_t found = {0};
    if (chosen && !strcasecmp(chosen, "no"))
        return;
    for (size_t i = 0; i < sizeof patterns / sizeof *patterns; i++) {
        XS_SCOPED char *pattern = xs_text_format("%s/%s", root, patterns[i]);
        glob(pattern, i ? GLOB_APPEND : 0, NULL, &found);
    }
    if (found.gl_pathc)
        xs_doctor_add(results, XS_DOCTOR_NOTE, "direct I/O",
                      "set XFERSPY_DIRECT_ACCESS=no for programs whose copied memory no card and no disk accesses",
                      "%s%s: once a program loads a library that uses such a device, as NCCL does, its memory may "
                      "change without a CUDA call, and findings about unchanged contents are left out",
                      found.gl_pathv[0], found.gl_pathc > 1 ? " and others" : "");
    globfree(&found);
}

static bool is_word(const char *value, const char *word) { return value && !strcasecmp(value, word); }

/* Adds what a user should know before giving a trace to other people. */
void xs_doctor_contents(struct xs_doctor_results *results) {
    const char *pattern = getenv("XFERSPY_REDACT");
    const char *refused = pattern && *pattern ? xs_pattern_refused(pattern) : NULL;
    bool hides = pattern && *pattern;
    bool lines = !xs_option_is_off(getenv("XFERSPY_SOURCE_LINES")) && !is_word(getenv("XFERSPY_STACK"), "none");
    bool hashes = !is_word(getenv("XFERSPY_FINGERPRINT"), "off");
    XS_SCOPED_STRING remedy = {0};
    if (refused) /* the message does not contain the pattern, which may have a secret */
        xs_doctor_add(results, XS_DOCTOR_WARN, "variables", "correct the pattern", XS_REDACT_REFUSED, refused);
    if (!hides)
        xs_string_format(&remedy, "XFERSPY_REDACT=PATTERN hides arguments; ");
    if (lines)
        xs_string_format(&remedy, "XFERSPY_SOURCE_LINES=off leaves the text out; ");
    xs_string_format(&remedy, "SECURITY.md, \"What a trace contains\", says all of it");
    xs_doctor_add(results, XS_DOCTOR_NOTE, "contents", remedy.data,
                  "a trace has the command line%s; paths, and the names of functions, threads and the machine; %s; %s; "
                  "nobody but you can read it (mode 0600)",
                  refused ? ", its arguments hidden"
                  : hides ? " without the arguments that match XFERSPY_REDACT"
                          : " with all arguments",
                  lines ? "the text of source lines that made calls" : "no text of the program's sources",
                  hashes ? "hashes of what was copied, not what was copied" : "nothing of what was copied");
}

void xs_doctor_output(struct xs_doctor_results *results) {
    char *folder = xs_output_folder();
    struct statvfs space;
    const char *shown = strcmp(folder, ".") != 0 ? folder : "the current directory";
    if (access(folder, W_OK | X_OK) != 0) {
        xs_doctor_add(results, XS_DOCTOR_FAIL, "output",
                      "choose another place with --output of `xferspy run' or XFERSPY_OUTPUT", "%s: %s", shown,
                      strerror(errno));
    } else if (statvfs(folder, &space) == 0) {
        uint64_t left = (uint64_t)space.f_bavail * space.f_frsize;
        xs_doctor_add(results, left < SPOOL_BYTES ? XS_DOCTOR_WARN : XS_DOCTOR_OK, "output",
                      left < SPOOL_BYTES ? "make room, or choose another place with XFERSPY_OUTPUT" : NULL,
                      "%s can be written to, %s free", shown, XS_BYTES_TEXT(left));
    }
    free(folder);
}
