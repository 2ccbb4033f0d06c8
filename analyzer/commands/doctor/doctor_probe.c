/* Contains the checks that load libraries. Each check runs in a child process. No CUDA header is needed: the few
 * functions and numbers used here are part of the driver's and CUPTI's stable interfaces. */
#include <dlfcn.h>
#include <glob.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "analyzer/base/text.h"
#include "analyzer/base/units.h"
#include "analyzer/commands/doctor/doctor.h"
#include "analyzer/words/remedies.h"

/* Numbers of CUdevice_attribute and CUresult, as in cuda.h. */
enum { ATTRIBUTE_MAJOR = 75, ATTRIBUTE_MINOR = 76, ATTRIBUTE_REGISTERS = 99 };

struct driver {
    int (*init)(unsigned flags);
    int (*version)(int *version);
    int (*error_text)(int error, const char **text);
    int (*count)(int *count);
    int (*get)(int *device, int ordinal);
    int (*name)(char *name, int bytes, int device);
    int (*memory)(size_t *bytes, int device);
    int (*attribute)(int *value, int attribute, int device);
    int (*bus_id)(char *text, int bytes, int device);
};

static const struct {
    const char *name;
    size_t offset;
} driver_symbols[] = {
    {"cuInit", offsetof(struct driver, init)},
    {"cuDriverGetVersion", offsetof(struct driver, version)},
    {"cuGetErrorString", offsetof(struct driver, error_text)},
    {"cuDeviceGetCount", offsetof(struct driver, count)},
    {"cuDeviceGet", offsetof(struct driver, get)},
    {"cuDeviceGetName", offsetof(struct driver, name)},
    {"cuDeviceTotalMem_v2", offsetof(struct driver, memory)},
    {"cuDeviceGetAttribute", offsetof(struct driver, attribute)},
    {"cuDeviceGetPCIBusId", offsetof(struct driver, bus_id)},
};

/* Sets `*function`, a pointer to a function, to the address of a symbol; NULL: there is none. */
static bool find(void *handle, const char *name, void *function) {
    void *symbol = handle ? dlsym(handle, name) : NULL;
    memcpy(function, &symbol, sizeof symbol);
    return symbol != NULL;
}

static bool bind_driver(struct xs_doctor_results *results, void *handle, struct driver *driver) {
    for (size_t i = 0; i < sizeof driver_symbols / sizeof *driver_symbols; i++) {
        if (!find(handle, driver_symbols[i].name, (char *)driver + driver_symbols[i].offset)) {
            xs_doctor_add(results, XS_DOCTOR_FAIL, "driver", "reinstall the NVIDIA driver", "libcuda.so.1 has no %s",
                          driver_symbols[i].name);
            return false;
        }
    }
    return true;
}

static const char *library_path(void *symbol, char *buffer, size_t bytes) {
    Dl_info info;
    snprintf(buffer, bytes, "%s", symbol && dladdr(symbol, &info) && info.dli_fname ? info.dli_fname : "libcuda.so.1");
    return buffer;
}

/* Returns the remedy for an error of cuInit. */
static const char *remedy_for(int error) {
    switch (error) {
    case 100: /* no device */
        return "check nvidia-smi; CUDA_VISIBLE_DEVICES may hide every GPU; a container needs --gpus";
    case 34: /* stub library */
        return "libcuda.so.1 is the toolkit's stub: take its folder out of LD_LIBRARY_PATH";
    case 35:  /* insufficient driver */
    case 803: /* system driver mismatch */
    case 804: /* compatibility not supported */
        return "driver library and kernel module do not fit: reboot after an update, or reinstall the driver";
    case 802: /* system not ready */
        return "start nvidia-fabricmanager";
    default:
        return "check nvidia-smi and dmesg";
    }
}

/* Confidential computing in NVML's terms (nvml.h): nvmlConfComputeSystemState_t, and version 1 of
 * nvmlSystemConfComputeSettings_t, which also reports protected PCIe. */
struct nvml_state {
    unsigned environment, feature, tools;
};
struct nvml_settings {
    unsigned version, environment, feature, tools, multi_gpu;
};
enum { NVML_SETTINGS_VERSION = 1u << 24 | sizeof(struct nvml_settings), NVML_PROTECTED_PCIE = 1 };

/* True if confidential computing is on. NVML is not unloaded, because the child ends soon. */
static bool is_confidential(void) {
    void *handle = dlopen("libnvidia-ml.so.1", RTLD_NOW | RTLD_LOCAL);
    int (*init)(void) = NULL, (*get_state)(struct nvml_state *) = NULL, (*get_settings)(struct nvml_settings *) = NULL;
    struct nvml_state state = {0};
    struct nvml_settings settings = {.version = NVML_SETTINGS_VERSION};
    if (!find(handle, "nvmlInit_v2", &init) || init() != 0)
        return false; /* cppcheck-suppress resourceLeak */
    find(handle, "nvmlSystemGetConfComputeState", &get_state);
    find(handle, "nvmlSystemGetConfComputeSettings", &get_settings);
    bool settled =
        get_settings && get_settings(&settings) == 0 && (settings.feature || settings.multi_gpu == NVML_PROTECTED_PCIE);
    return settled || (get_state && get_state(&state) == 0 && state.feature); /* cppcheck-suppress resourceLeak */
}

/* Diagnoses whether a GPU can use page-locked memory. */
static void probe_pinning(struct xs_doctor_results *results, const struct driver *driver, int device) {
    static const char remedy[] = "copy less, and in larger pieces; reports of runs on this GPU do not advise to pin";
    int registers = 1;
    bool known = driver->attribute(&registers, ATTRIBUTE_REGISTERS, device) == 0, refused = known && !registers;
    if (is_confidential())
        xs_doctor_add(results, XS_DOCTOR_NOTE, "pinning", remedy,
                      "confidential computing is on: every copy is encrypted through a buffer of the driver, memory of "
                      "cudaHostAlloc is managed memory, %s; hardware counters are off",
                      refused ? "cudaHostRegister is refused" : "cudaHostRegister may be refused");
    else if (refused)
        xs_doctor_add(results, XS_DOCTOR_NOTE, "pinning", remedy,
                      "the driver refuses to page-lock a program's memory (cudaHostRegister)");
}

static void probe_device(struct xs_doctor_results *results, const struct driver *driver, int ordinal) {
    int device = 0, major = 0, minor = 0;
    size_t memory = 0;
    char name[256] = "", bus[64] = "";
    if (driver->get(&device, ordinal) != 0 || driver->name(name, sizeof name, device) != 0) {
        xs_doctor_add(results, XS_DOCTOR_FAIL, "GPU", "check nvidia-smi", "device %d does not answer", ordinal);
        return;
    }
    name[sizeof name - 1] = '\0';
    driver->memory(&memory, device);
    driver->attribute(&major, ATTRIBUTE_MAJOR, device);
    driver->attribute(&minor, ATTRIBUTE_MINOR, device);
    bool known = driver->bus_id(bus, sizeof bus - 1, device) == 0;
    bool simulated = strstr(name, "imulated") != NULL;
    xs_doctor_add(results, simulated ? XS_DOCTOR_NOTE : XS_DOCTOR_OK, "GPU", NULL,
                  "device %d: %s, %s, compute capability %d.%d%s%s%s", ordinal, name, XS_BYTES_TEXT(memory), major,
                  minor, known && !simulated ? ", PCI " : "", known && !simulated ? bus : "",
                  simulated ? " (SIMULATED: its times are a model's)" : "");
    probe_pinning(results, driver, device);
    if (known && !simulated)
        xs_doctor_link(results, bus);
}

void xs_probe_driver(struct xs_doctor_results *results) {
    struct driver driver;
    int version = 0, count = 0;
    char path[4096];
    void *handle = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
    if (!handle) {
        const char *why = dlerror();
        xs_doctor_add(results, XS_DOCTOR_FAIL, "driver",
                      "install the NVIDIA driver; in a container, start it with --gpus all (NVIDIA container toolkit)",
                      "%s", why ? why : "libcuda.so.1 cannot be loaded");
        return;
    }
    if (!bind_driver(results, handle, &driver))
        return;
    if (driver.version(&version) != 0)
        version = 0;
    library_path(dlsym(handle, "cuInit"), path, sizeof path);
    const char *file = xs_base_name(path);
    if (strncmp(file, "libcuda.so", strlen("libcuda.so")) != 0 && strncmp(file, "libxferspy.so", 13) != 0)
        xs_doctor_add(results, XS_DOCTOR_NOTE, "shims", XS_DOCTOR_WITHOUT_IT,
                      "programs that look the driver's functions up get the ones of %s", path);
    int error = driver.init(0);
    if (error != 0) {
        const char *text = NULL;
        driver.error_text(error, &text);
        xs_doctor_add(results, XS_DOCTOR_FAIL, "driver", remedy_for(error), "%s, CUDA %d.%d: cuInit failed: %s (%d)",
                      path, version / 1000, version % 1000 / 10, text ? text : "unknown error", error);
        return;
    }
    xs_doctor_add(results, XS_DOCTOR_OK, "driver", NULL, "CUDA %d.%d, %s", version / 1000, version % 1000 / 10, path);
    if (driver.count(&count) != 0 || count == 0)
        xs_doctor_add(results, XS_DOCTOR_FAIL, "GPU", remedy_for(100), "the driver shows no device");
    for (int i = 0; i < count; i++)
        probe_device(results, &driver, i);
}

/* ---- CUPTI: the folders in which the preloaded library looks, and those that only a Python program adds ---- */

static int driver_version(void) {
    int version = 0;
    int (*get)(int *) = NULL;
    void *handle = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
    bool known = find(handle, "cuDriverGetVersion", &get) && get(&version) == 0;
    return known ? version : 0; /* cppcheck-suppress resourceLeak */
}

/* Adds the known problems of this version of CUPTI with this driver (known_trouble.def). */
static void say_known_trouble(struct xs_doctor_results *results, uint32_t cupti) {
    static const struct {
        uint32_t first, last;
        int last_driver;
        enum xs_doctor_level level;
        const char *what, *done;
    } rows[] = {
#define XS_TROUBLE(first, last, last_driver, level, what, done)                                                        \
    {first, last, last_driver, XS_DOCTOR_##level, what, done},
#include "analyzer/commands/doctor/known_trouble.def"
#undef XS_TROUBLE
    };
    int driver = driver_version();
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        bool fits = cupti >= rows[i].first && (!rows[i].last || cupti <= rows[i].last);
        if (fits && (!rows[i].last_driver || (driver && driver <= rows[i].last_driver)))
            xs_doctor_add(results, rows[i].level, "CUPTI", rows[i].done, "%s", rows[i].what);
    }
}

/* Tries to load one CUPTI. It is not unloaded, because CUPTI must not be unloaded, and because the child ends soon. */
static bool try_cupti(struct xs_doctor_results *results, const char *name, bool in_packages) {
    void *handle = dlopen(name, RTLD_NOW | RTLD_LOCAL);
    int (*get_version)(uint32_t *) = NULL;
    uint32_t version = 0;
    char path[4096], text[40];
    if (!handle)
        return false;
    if (!find(handle, "cuptiGetVersion", &get_version) || get_version(&version) != 0) {
        xs_doctor_add(results, XS_DOCTOR_WARN, "CUPTI", "reinstall the CUDA toolkit's CUPTI",
                      "%s does not tell its version", name);
        return true; /* cppcheck-suppress resourceLeak */
    }
    if (version >= 100000)
        snprintf(text, sizeof text, "%u.%u.%u", version / 10000, version / 100 % 100, version % 100);
    else
        snprintf(text, sizeof text, "API %u", version);
    library_path(dlsym(handle, "cuptiGetVersion"), path, sizeof path);
    if (in_packages)
        xs_doctor_add(results, XS_DOCTOR_NOTE, "CUPTI",
                      "set XFERSPY_CUPTI_LIBRARY to this file to use it with other programs too",
                      "%s, %s: found by Python programs that load CUDA from the same packages", text, path);
    else
        xs_doctor_add(results, XS_DOCTOR_OK, "CUPTI", NULL, "%s, %s", text, path);
    say_known_trouble(results, version);
    return true; /* cppcheck-suppress resourceLeak */
}

static bool try_toolkits(struct xs_doctor_results *results, int major) {
    const char *roots[] = {getenv("CUDA_HOME"), getenv("CUDA_PATH"), "/usr/local/cuda"};
    static const char *const folders[] = {"lib64", "extras/CUPTI/lib64", "lib"};
    bool done = false;
    for (size_t r = 0; r < sizeof roots / sizeof *roots; r++) {
        for (size_t f = 0; !done && f < sizeof folders / sizeof *folders && roots[r] && *roots[r]; f++) {
            XS_SCOPED char *path = xs_text_format("%s/%s/libcupti.so.%d", roots[r], folders[f], major);
            done = try_cupti(results, path, false);
        }
    }
    return done;
}

static bool try_packages(struct xs_doctor_results *results, int major) {
    const char *home = getenv("HOME");
    XS_SCOPED char *local = xs_text_format("%s/.local", home ? home : "");
    const char *roots[] = {getenv("VIRTUAL_ENV"), getenv("CONDA_PREFIX"), local, "/usr/local", "/usr"};
    static const char *const folders[] = {"site-packages", "dist-packages"};
    bool done = false;
    for (size_t i = 0; i < 5 * 2 * 2 && !done; i++) {
        const char *root = roots[i / 4];
        XS_SCOPED_STRING pattern = {0};
        glob_t found = {0};
        if (!root || !*root)
            continue;
        xs_string_format(&pattern, "%s/lib/python3*/%s/nvidia/", root, folders[i / 2 % 2]);
        if (i % 2 == 0)
            xs_string_format(&pattern, "cu%d/lib", major);
        else
            xs_string_format(&pattern, "cuda_cupti/lib");
        xs_string_format(&pattern, "/libcupti.so.%d", major);
        if (glob(pattern.data, 0, NULL, &found) == 0)
            for (size_t k = 0; k < found.gl_pathc && !done; k++)
                done = try_cupti(results, found.gl_pathv[k], true);
        globfree(&found);
    }
    return done;
}

void xs_probe_cupti(struct xs_doctor_results *results) {
    static const char install[] = "install the CUDA toolkit's CUPTI (Debian package cuda-cupti-13-0) or `pip install "
                                  "nvidia-cuda-cupti', or name one with XFERSPY_CUPTI_LIBRARY";
    const char *chosen = getenv("XFERSPY_CUPTI_LIBRARY");
    const char *wanted = getenv("XFERSPY_CUPTI");
    if (wanted && !strcasecmp(wanted, "off")) {
        xs_doctor_add(results, XS_DOCTOR_NOTE, "CUPTI", NULL, "switched off by XFERSPY_CUPTI: no device times");
        return;
    }
    if (chosen && *chosen) {
        if (!try_cupti(results, chosen, false)) {
            const char *why = dlerror();
            xs_doctor_add(results, XS_DOCTOR_WARN, "CUPTI", install, "XFERSPY_CUPTI_LIBRARY: %s", why ? why : chosen);
        }
        return;
    }
    /* as the preloaded library does, every place is searched first for the version that fits the driver */
    int version = driver_version(), fits = version && version < 13000 ? 12 : 13;
    const int majors[] = {fits, fits == 13 ? 12 : 13};
    for (int i = 0; i < 2; i++) {
        char soname[40];
        snprintf(soname, sizeof soname, "libcupti.so.%d", majors[i]);
        if (try_cupti(results, soname, false) || try_toolkits(results, majors[i]))
            return;
    }
    if (!try_packages(results, majors[0]) && !try_packages(results, majors[1]))
        xs_doctor_add(
            results, XS_DOCTOR_WARN, "CUPTI", install,
            "no libcupti.so.13 or .12: every call is recorded, but without device times, kernels and graph copies");
}
