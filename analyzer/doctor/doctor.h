/* Between the files of xferspy doctor: a list of checks, and where each is made. */
#ifndef XFERSPY_ANALYZER_DOCTOR_DOCTOR_H
#define XFERSPY_ANALYZER_DOCTOR_DOCTOR_H

#include <stdbool.h>
#include <stddef.h>

/* `note` is for what a reader may want to know and need not act upon. */
enum xs_check_level { XS_CHECK_OK = 0, XS_CHECK_NOTE, XS_CHECK_WARN, XS_CHECK_FAIL };

struct xs_check {
    enum xs_check_level level;
    char *what, *text, *remedy; /* remedy is "" where there is nothing to do */
};

struct xs_checks {
    struct xs_check *items;
    size_t count;
};

/* `remedy` NULL: none. */
void xs_check_add(struct xs_checks *checks, enum xs_check_level level, const char *what, const char *remedy,
                  const char *format, ...) __attribute__((format(printf, 5, 6)));
void xs_checks_free(struct xs_checks *checks);

/* A probe that loads foreign libraries runs in a child, which may hang or crash without taking doctor along: after
 * `timeout_s` it is killed and `what` becomes a failure. Its checks come back through a pipe. */
void xs_probe_in_child(struct xs_checks *checks, const char *what, int timeout_s, void (*probe)(struct xs_checks *));

/* doctor_probe.c: what has to be loaded to be known. */
void xs_probe_driver(struct xs_checks *checks);
void xs_probe_cupti(struct xs_checks *checks);

/* doctor_machine.c: what can be read. */
void xs_check_library(struct xs_checks *checks, int timeout_s); /* libxferspy.so: found, and can be preloaded */
void xs_check_device_files(struct xs_checks *checks);
void xs_check_environment(struct xs_checks *checks);
void xs_check_output(struct xs_checks *checks);
void xs_check_link(struct xs_checks *checks, const char *pci_bus_id); /* also called inside the driver probe */

#endif
