/* Shared by the files of xferspy doctor: a list of what was checked, and where that is done. */
#ifndef XFERSPY_ANALYZER_COMMANDS_DOCTOR_DOCTOR_H
#define XFERSPY_ANALYZER_COMMANDS_DOCTOR_DOCTOR_H

#include <stdbool.h>
#include <stddef.h>

/* `note` is for what a reader may want to know but need not act upon. */
enum xs_doctor_level { XS_DOCTOR_OK = 0, XS_DOCTOR_NOTE, XS_DOCTOR_WARN, XS_DOCTOR_FAIL };

struct xs_diagnosis {
    enum xs_doctor_level level;
    char *what, *text, *remedy; /* remedy is "" if there is nothing to do */
};

struct xs_diagnoses {
    struct xs_diagnosis *items;
    size_t count;
};

/* Says what to do about another library between the program and the driver. */
#define XS_DOCTOR_WITHOUT_IT "if times or failures surprise, compare with a run without it"

/* Adds a diagnosis; `remedy` NULL: none. */
void xs_doctor_add(struct xs_diagnoses *diagnoses, enum xs_doctor_level level, const char *what, const char *remedy,
                   const char *format, ...) __attribute__((format(printf, 5, 6)));
void xs_diagnoses_free(struct xs_diagnoses *diagnoses);

/* Runs a probe that loads foreign libraries in a child, which may hang or crash without taking doctor along. After
 * `timeout_s` the child is killed and `what` becomes a failure. Its diagnoses come back through a pipe. */
void xs_probe_in_child(struct xs_diagnoses *diagnoses, const char *what, int timeout_s,
                       void (*probe)(struct xs_diagnoses *));

/* doctor_probe.c: checks that need to load libraries. */
void xs_probe_driver(struct xs_diagnoses *diagnoses);
void xs_probe_cupti(struct xs_diagnoses *diagnoses);

/* doctor_shims.c: finds preloaded libraries that stand before the driver. `root` comes before the paths of the system's
 * files: "", or a folder that stands for it in tests. */
void xs_doctor_shims(struct xs_diagnoses *diagnoses, const char *root);

/* doctor_machine.c: checks that only read. */
/* Checks whether only the administrator, who is `privileged`, may use the GPU's hardware counters; `root` as in
 * xs_doctor_shims. */
void xs_doctor_counters(struct xs_diagnoses *diagnoses, const char *root, bool privileged);
void xs_doctor_library(struct xs_diagnoses *diagnoses, int timeout_s); /* libxferspy.so: found, and can be preloaded */
void xs_doctor_device_files(struct xs_diagnoses *diagnoses);
void xs_doctor_environment(struct xs_diagnoses *diagnoses);
void xs_doctor_checkpoints(struct xs_diagnoses *diagnoses); /* whether programs may be checkpointed here */
void xs_doctor_contents(struct xs_diagnoses *diagnoses);    /* what a trace will hold that a person should know */
void xs_doctor_output(struct xs_diagnoses *diagnoses);
void xs_doctor_link(struct xs_diagnoses *diagnoses, const char *pci_bus_id); /* also called inside the driver probe */

#endif
