/* A libcuda.so.1 that answers doctor's questions, or does what FAKE_DRIVER_DOES says: hang, crash, fail, or refuse to
 * page-lock memory. Under the name libnvidia-ml.so.1 it is NVML, and FAKE_NVML_SAYS "cc" or "ppcie" switches
 * confidential computing on. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int cuInit(unsigned flags);
int cuDriverGetVersion(int *version);
int cuGetErrorString(int error, const char **text);
int cuDeviceGetCount(int *count);
int cuDeviceGet(int *device, int ordinal);
int cuDeviceGetName(char *name, int bytes, int device);
int cuDeviceTotalMem_v2(size_t *bytes, int device);
int cuDeviceGetAttribute(int *value, int attribute, int device);
int cuDeviceGetPCIBusId(char *text, int bytes, int device);

int nvmlInit_v2(void);
int nvmlSystemGetConfComputeState(unsigned *state);
int nvmlSystemGetConfComputeSettings(unsigned *settings);

static int says(const char *what) {
    const char *value = getenv("FAKE_NVML_SAYS");
    return value && !strcmp(value, what);
}

static int does(const char *what) {
    const char *value = getenv("FAKE_DRIVER_DOES");
    return value && !strcmp(value, what);
}

int cuInit(unsigned flags) {
    (void)flags;
    while (does("hang"))
        pause();
    if (does("crash"))
        abort();
    return does("fail") ? 100 : 0;
}

int cuDriverGetVersion(int *version) {
    *version = 13000;
    return 0;
}

int cuGetErrorString(int error, const char **text) {
    (void)error;
    *text = "no CUDA-capable device is detected";
    return 0;
}

int cuDeviceGetCount(int *count) {
    *count = 1;
    return 0;
}

int cuDeviceGet(int *device, int ordinal) {
    *device = ordinal;
    return 0;
}

int cuDeviceGetName(char *name, int bytes, int device) {
    (void)device;
    snprintf(name, (size_t)bytes, "Fake GPU (simulated)");
    return 0;
}

int cuDeviceTotalMem_v2(size_t *bytes, int device) {
    (void)device;
    *bytes = (size_t)1 << 30;
    return 0;
}

int cuDeviceGetAttribute(int *value, int attribute, int device) {
    (void)device;
    *value = attribute == 75 ? 9 : attribute == 99 ? !does("refuse") : 0;
    return 0;
}

int cuDeviceGetPCIBusId(char *text, int bytes, int device) {
    (void)device;
    snprintf(text, (size_t)bytes, "0000:00:00.0");
    return 0;
}

int nvmlInit_v2(void) { return getenv("FAKE_NVML_SAYS") ? 0 : 9; /* NVML_ERROR_DRIVER_NOT_LOADED */ }

/* environment, feature, mode of the developer's tools */
int nvmlSystemGetConfComputeState(unsigned *state) {
    state[0] = 2;
    state[1] = (unsigned)says("cc");
    state[2] = 0;
    return 0;
}

/* version, then as above, then the mode of several GPUs */
int nvmlSystemGetConfComputeSettings(unsigned *settings) {
    if (settings[0] != (1u << 24 | 20u))
        return 25; /* NVML_ERROR_ARGUMENT_VERSION_MISMATCH */
    settings[1] = 2;
    settings[2] = settings[3] = 0;
    settings[4] = (unsigned)says("ppcie");
    return 0;
}
