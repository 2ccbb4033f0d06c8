/* Writes the trace's facts about the process, the machine and the devices: rows of the tables meta and device. */
#define _GNU_SOURCE
#include "preload/session/metadata.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

#include "preload/driver/driver_api.h"
#include "preload/driver/real.h"
#include "preload/driver/unknown.h"
#include "preload/session/labels.h"
#include "preload/session/naming.h"
#include "preload/session/redact_session.h"
#include "schema/path.h"
#include "schema/small_file.h"

/* Writes the command in shell syntax. Arguments beyond 16 KiB are cut off, and the text shows that they are missing. If
 * the first word would be hidden, the name of the executable file replaces it, because the first word may be any text
 * if the program changed its title. */
static void write_command(struct xs_store *store) {
    enum { LIMIT = 16384 };
    char *raw = malloc(LIMIT), *out = malloc(LIMIT + 64), path[4096];
    if (raw && out) {
        ssize_t link = readlink("/proc/self/exe", path, sizeof path - 1);
        path[link > 0 ? link : 0] = '\0';
        size_t n = xs_read_small_file("/proc/self/cmdline", raw, LIMIT);
        bool is_cut = n == LIMIT - 1;
        size_t at = xs_redact_command(out, LIMIT, raw, n, is_cut, *path ? xs_base_name(path) : "unknown");
        if (is_cut)
            snprintf(out + at, 64, " ...");
        xs_store_meta_text(store, "command", n ? out : NULL);
    }
    free(raw);
    free(out);
}

static void write_links(struct xs_store *store) {
    static const char *const links[][2] = {{"executable", "/proc/self/exe"}, {"cwd", "/proc/self/cwd"}};
    for (size_t i = 0; i < 2; i++) {
        char path[4096];
        ssize_t n = readlink(links[i][1], path, sizeof path - 1);
        path[n > 0 ? n : 0] = '\0';
        xs_store_meta_text(store, links[i][0], n > 0 ? path : NULL);
    }
}

static void write_machine(struct xs_store *store) {
    struct utsname u;
    char text[65536], *model;
    if (uname(&u) == 0) {
        snprintf(text, sizeof text, "%s %s %s", u.sysname, u.release, u.machine);
        xs_store_meta_text(store, "os", text);
        xs_store_meta_text(store, "host", u.nodename);
    }
    xs_store_meta_int(store, "cpu_count", sysconf(_SC_NPROCESSORS_ONLN));
    xs_read_small_file("/proc/cpuinfo", text, sizeof text);
    if ((model = strstr(text, "model name")) && (model = strchr(model, ':'))) {
        model[strcspn(model, "\n")] = '\0';
        xs_store_meta_text(store, "cpu_model", model + 2);
    }
}

/* Writes a number. If it has to be hidden or is negative, writes nothing: readers expect a number, so a placeholder
 * text is not possible. */
static void write_number(struct xs_store *store, const char *key, long number, const char *variable) {
    char text[32];
    snprintf(text, sizeof text, "%ld", number);
    if (number >= 0 && !xs_redact_hides(variable, text))
        xs_store_meta_int(store, key, number);
}

static struct {
    long rank, world_size, local_rank;
    const char *rank_variable, *world_size_variable, *local_rank_variable;
} job;

void xs_facts_read_rank(void) {
    job.rank = xs_rank(&job.rank_variable);
    job.world_size = xs_world_size(&job.world_size_variable);
    job.local_rank = xs_local_rank(&job.local_rank_variable);
}

static void write_rank(struct xs_store *store) {
    if (job.rank < 0)
        return;
    write_number(store, "rank", job.rank, job.rank_variable);
    xs_store_meta_text(store, "rank_source", job.rank_variable);
    write_number(store, "world_size", job.world_size, job.world_size_variable);
    write_number(store, "local_rank", job.local_rank, job.local_rank_variable);
}

static void write_option(void *arg, const struct xs_option_shown *option) {
    char key[64];
    snprintf(key, sizeof key, "option.%s", option->field);
    bool hide =
        option->is_secret ? *option->text != '\0' : option->is_free && xs_redact_hides(option->variable, option->text);
    xs_store_meta_text(arg, key, hide ? XS_REDACT_HIDDEN : option->text);
}

void xs_facts_write(struct xs_store *store, const struct xs_options *options, const struct xs_clock *clock) {
    int64_t unix_ns = xs_time_ns(CLOCK_REALTIME);
    int64_t since_start = xs_clock_from_monotonic(clock, xs_monotonic_ns());
    xs_store_meta_text(store, "xferspy_version", XFERSPY_VERSION);
    xs_store_meta_int(store, "start_unix_ns", unix_ns - since_start);
    xs_store_meta_text(store, "clock", xs_clock_name(clock));
    xs_store_meta_int(store, "pid", getpid());
    xs_store_meta_int(store, "ppid", getppid());
    xs_store_meta_int(store, "user_id", getuid());
    write_links(store);
    write_command(store);
    write_machine(store);
    write_rank(store);
    xs_labels_write(store);
    xs_options_dump(options, write_option, store);
    for (unsigned row = 0; row < XS_ROW_COUNT; row++)
        xs_store_entry_point(store, row, xs_rows[row].name, xs_rows[row].category);
    xs_store_entry_point(store, XS_ENTRY_UNKNOWN, XS_ENTRY_UNKNOWN_NAME, XS_CAT_LOOKUP);
}

/* Writes the list of unknown functions whenever it has grown, because the trace of a killed process contains only what
 * was already written. */
void xs_facts_write_unknown(struct xs_store *store) {
    static char looked_up[XS_UNKNOWN_MOST * XS_UNKNOWN_NAME_BYTES], called[sizeof looked_up];
    static unsigned written, written_called;
    unsigned called_count = xs_unknown_list(true, called, sizeof called);
    unsigned count = called_count + xs_unknown_list(false, looked_up, sizeof looked_up);
    if (count == written && called_count == written_called)
        return;
    written = count;
    written_called = called_count;
    xs_store_meta_text(store, "coverage.unknown_called", called);
    xs_store_meta_text(store, "coverage.unknown_looked_up", looked_up);
}

/* Returns the bytes per second of a lane of this PCIe generation, without the overhead of the line coding (PCI Express
 * Base Specification, "Data Rates"). */
static int64_t lane_bytes_per_s(int generation) {
    static const int64_t rates[] = {0, 250000000, 500000000, 984615384, 1969230769, 3938461538, 7563025210};
    return generation > 0 && generation < 7 ? rates[generation] : 0;
}

static int generation_of(double gigatransfers) {
    static const double rates[] = {2.5, 5, 8, 16, 32, 64};
    int generation = 0;
    for (int i = 0; i < 6; i++)
        generation = gigatransfers >= rates[i] - 0.1 ? i + 1 : generation;
    return generation;
}

/* Reads the maximum speed of the PCIe link and not the present speed, which an idle GPU lowers. In some virtual
 * machines there is no information about the link. */
static void read_link(const char *pci_bus_id, struct xs_device_row *row) {
    char path[256], text[64], id[64];
    snprintf(id, sizeof id, "%s", pci_bus_id);
    for (char *p = id; *p; p++)
        *p = (char)tolower((unsigned char)*p);
    snprintf(path, sizeof path, "/sys/bus/pci/devices/%s/max_link_speed", id);
    row->link_generation = xs_read_small_file(path, text, sizeof text) ? generation_of(strtod(text, NULL)) : 0;
    snprintf(path, sizeof path, "/sys/bus/pci/devices/%s/max_link_width", id);
    row->link_width = xs_read_small_file(path, text, sizeof text) ? (int)strtol(text, NULL, 10) : 0;
    row->link_width = row->link_width > 0 && row->link_width <= 32 ? row->link_width : 0;
    row->link_peak_bytes_per_s = lane_bytes_per_s(row->link_generation) * row->link_width;
}

#define DEVICES 64
static struct device_fact {
    struct xs_device_row row;
    char name[128], uuid[48], pci[32], capability[16];
} devices[DEVICES];
static int device_count, driver_version;
static bool pinning_refused; /* a device does not support cudaHostRegister */

int xs_facts_driver_version(void) { return driver_version; }

static void read_uuid(CUdevice device, char *text, size_t bytes) {
    CUuuid id;
    if (!xs_driver(cuDeviceGetUuid_v2) || xs_driver(cuDeviceGetUuid_v2)(&id, device) != CUDA_SUCCESS)
        return;
    size_t at = (size_t)snprintf(text, bytes, "GPU-");
    for (size_t i = 0; i < 16; i++) {
        const char *dash = i == 4 || i == 6 || i == 8 || i == 10 ? "-" : "";
        at += (size_t)snprintf(text + at, bytes - at, "%s%02x", dash, (unsigned char)id.bytes[i]);
    }
}

static void read_device(int ordinal) {
    struct device_fact *f = &devices[device_count];
    CUdevice device;
    int major = 0, minor = 0;
    size_t bytes = 0;
    if (xs_driver(cuDeviceGet)(&device, ordinal) != CUDA_SUCCESS)
        return;
    xs_driver(cuDeviceGetName)(f->name, sizeof f->name, device);
    xs_driver(cuDeviceTotalMem_v2)(&bytes, device);
    xs_driver(cuDeviceGetAttribute)(&major, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, device);
    xs_driver(cuDeviceGetAttribute)(&minor, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR, device);
    snprintf(f->capability, sizeof f->capability, "%d.%d", major, minor);
    /* 0: cudaHostRegister is not supported, for example because a GPU in confidential computing cannot access its
     * machine's memory. */
    int registers = 1;
    if (xs_driver(cuDeviceGetAttribute)(&registers, CU_DEVICE_ATTRIBUTE_HOST_REGISTER_SUPPORTED, device) ==
        CUDA_SUCCESS)
        pinning_refused |= registers == 0;
    read_uuid(device, f->uuid, sizeof f->uuid);
    f->row = (struct xs_device_row){.id = ordinal,
                                    .name = f->name,
                                    .uuid = *f->uuid ? f->uuid : NULL,
                                    .compute_capability = f->capability,
                                    .memory_bytes = (int64_t)bytes,
                                    .simulated = strstr(f->name, "simulated") != NULL};
    if (xs_driver(cuDeviceGetPCIBusId)(f->pci, sizeof f->pci, device) == CUDA_SUCCESS)
        f->row.pci_bus_id = f->pci;
    device_count++;
}

void xs_facts_read_devices(void) {
    int count = 0;
    if (xs_driver(cuDriverGetVersion))
        xs_driver(cuDriverGetVersion)(&driver_version);
    if (xs_driver(cuDeviceGetCount))
        xs_driver(cuDeviceGetCount)(&count);
    for (int i = 0; i < count && device_count < DEVICES; i++)
        read_device(i);
}

void xs_facts_write_devices(struct xs_store *store) {
    int simulated = 0;
    for (int i = 0; i < device_count; i++) {
        if (devices[i].row.pci_bus_id && !devices[i].row.simulated)
            read_link(devices[i].pci, &devices[i].row);
        xs_store_device(store, &devices[i].row);
        simulated |= devices[i].row.simulated;
    }
    xs_store_meta_int(store, "driver_version", driver_version);
    xs_store_meta_int(store, "simulated", simulated);
    xs_store_meta_int(store, "pinning_refused", pinning_refused);
}
