/* The simulator's configuration: defaults, overridden by XFERSPY_SIM_* variables (README.md lists them). */
#include "sim.h"

#include <stdlib.h>

static struct xs_config config;

static double number(const char *name, double fallback, double minimum) {
    const char *text = getenv(name);
    if (text == NULL || *text == '\0')
        return fallback;
    char *end;
    double value = strtod(text, &end);
    return end == text || value < minimum ? fallback : value;
}

static uint64_t nanoseconds(const char *name, double fallback_us) {
    return (uint64_t)(number(name, fallback_us, 0) * 1000.0);
}

void xs_config_load(void) {
    double devices = number("XFERSPY_SIM_DEVICES", 1, 0);
    config.devices = devices > XS_MAX_DEVICES ? XS_MAX_DEVICES : (int)devices;
    config.memory_bytes = (size_t)number("XFERSPY_SIM_MEMORY_BYTES", 4294967296.0, 2097152.0);
    config.pinned_gbps = number("XFERSPY_SIM_PINNED_GBPS", 20, 0.001);
    config.pageable_gbps = number("XFERSPY_SIM_PAGEABLE_GBPS", 5, 0.001);
    config.device_gbps = number("XFERSPY_SIM_DEVICE_GBPS", 100, 0.001);
    config.peer_gbps = number("XFERSPY_SIM_PEER_GBPS", 40, 0.001);
    config.pinned_latency_ns = nanoseconds("XFERSPY_SIM_PINNED_LATENCY_US", 3);
    config.pageable_latency_ns = nanoseconds("XFERSPY_SIM_PAGEABLE_LATENCY_US", 8);
    config.device_latency_ns = nanoseconds("XFERSPY_SIM_DEVICE_LATENCY_US", 2);
    config.kernel_latency_ns = nanoseconds("XFERSPY_SIM_KERNEL_LATENCY_US", 2);
    config.context_ns = nanoseconds("XFERSPY_SIM_CONTEXT_US", 0);
    config.time_scale = number("XFERSPY_SIM_TIME_SCALE", 1, 0);
    config.confidential = number("XFERSPY_SIM_CONFIDENTIAL", 0, 0) != 0;
    config.param_info = number("XFERSPY_SIM_PARAM_INFO", 1, 0) != 0;
}

const struct xs_config *xs_config(void) { return &config; }
