/* A libcuda.so.1 that answers doctor's questions, or does what FAKE_DRIVER_DOES says: hang, crash, fail. */
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
    *value = attribute == 75 ? 9 : 0;
    return 0;
}

int cuDeviceGetPCIBusId(char *text, int bytes, int device) {
    (void)device;
    snprintf(text, (size_t)bytes, "0000:00:00.0");
    return 0;
}
