/* Declarations shared by the files of `xferspy doctor`: the list of results, and the functions that check things. */
#ifndef XFERSPY_ANALYZER_COMMANDS_DOCTOR_DOCTOR_H
#define XFERSPY_ANALYZER_COMMANDS_DOCTOR_DOCTOR_H

#include <stdbool.h>
#include <stddef.h>

/* NOTE is for results that a reader may want to know, but that require no action. */
enum xs_doctor_level { XS_DOCTOR_OK = 0, XS_DOCTOR_NOTE, XS_DOCTOR_WARN, XS_DOCTOR_FAIL };

struct xs_doctor_result {
    enum xs_doctor_level level;
    char *what, *text, *remedy; /* remedy is "" if there is nothing to do */
};

struct xs_doctor_results {
    struct xs_doctor_result *items;
    size_t count;
};

/* The remedy if another library is between the program and the driver. */
#define XS_DOCTOR_WITHOUT_IT "if times or failures surprise, compare with a run without it"

/* Adds a result; `remedy` NULL: there is nothing to do. */
void xs_doctor_add(struct xs_doctor_results *results, enum xs_doctor_level level, const char *what, const char *remedy,
                   const char *format, ...) __attribute__((format(printf, 5, 6)));
void xs_doctor_results_free(struct xs_doctor_results *results);

/* Runs a probe in a child process, because the probe loads foreign libraries, which may hang or crash. After
 * `timeout_s` seconds the child is killed, and a failure with the name `what` is added. The child sends its results
 * through a pipe. */
void xs_probe_in_child(struct xs_doctor_results *results, const char *what, int timeout_s,
                       void (*probe)(struct xs_doctor_results *));

/* doctor_probe.c has the checks that must load libraries. */
void xs_probe_driver(struct xs_doctor_results *results);
void xs_probe_cupti(struct xs_doctor_results *results);

/* doctor_shims.c: finds preloaded libraries that intercept calls of the driver. `root` is put before the paths of the
 * system's files: "", or, in tests, a folder with such files. */
void xs_doctor_shims(struct xs_doctor_results *results, const char *root);

/* doctor_machine.c has the checks that only read files and settings. */
/* Checks whether only the administrator may use the GPU's hardware counters. `privileged`: doctor runs as the
 * administrator. `root` is put before the paths of files; it is "" except in tests. */
void xs_doctor_counters(struct xs_doctor_results *results, const char *root, bool privileged);
/* Checks whether network cards or disks may reach the memory of programs. `root` is put before the paths of files; it
 * is "" except in tests. */
void xs_doctor_direct_access(struct xs_doctor_results *results, const char *root);
void xs_doctor_library(struct xs_doctor_results *results, int timeout_s); /* checks that libxferspy.so is found and can
                                                                          be preloaded */
void xs_doctor_device_files(struct xs_doctor_results *results);
void xs_doctor_environment(struct xs_doctor_results *results);
void xs_doctor_checkpoints(struct xs_doctor_results *results); /* checks whether programs may be checkpointed here */
void xs_doctor_contents(struct xs_doctor_results *results);    /* adds what the user should know about the contents of a
                                                               trace */
void xs_doctor_output(struct xs_doctor_results *results);
void xs_doctor_link(struct xs_doctor_results *results, const char *pci_bus_id); /* checks the link of a GPU;
                                                                                xs_probe_driver also calls it */

#endif
