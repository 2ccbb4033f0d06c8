/* Tests what libxferspy.so shows to the programs into which it is loaded, and what it needs from them, as the file
 * itself says. */
#include "unit.h"

#include <elf.h>
#include <link.h>
#include <stdio.h>

static const char *const expected[] = {
#define XS_ENTRY(symbol, ...) #symbol,
#include "preload/driver/entry_points.def"
#undef XS_ENTRY
#define XS_GATED(symbol, ...) #symbol,
#include "preload/driver/gated_points.def"
#undef XS_GATED
    "cuGetProcAddress", "cuGetProcAddress_v2", "dlclose", "dlsym", "_exit", "_Exit",
    "InitializeInjectionNvtx2", /* NVTX knows a tool by this function */
    /* The application's own calls (preload/application). */
    "xferspy_range_start", "xferspy_range_end", "xferspy_count", "xferspy_snapshot", "xferspy_trace",
    /* An application that takes CUPTI for itself calls these functions (cupti_step_aside.c). */
    "cuptiSubscribe", "cuptiSubscribe_v2", "cuptiActivityRegisterCallbacks", "cuptiActivityRegisterTimestampCallback",
    "cuptiActivityConfigureUnifiedMemoryCounter", "cuptiActivityEnable", "cuptiActivityEnableAndDump",
    "cuptiActivityEnableContext", "cuptiFinalize", "cuptiProfilerBeginSession", "cuptiRangeProfilerEnable",
    "cuptiPmSamplingEnable", "cuptiPCSamplingEnable", "cuptiSassMetricsEnable", "cuptiUnsubscribe", "cuptiGetTimestamp",
    "cuptiActivityGetAttribute", "cuptiActivitySetAttribute", "cuptiActivityEnableLatencyTimestamps",
    "cuptiActivityEnableLaunchAttributes", "cuptiActivityEnableDeviceGraph", "cuptiActivityEnableHWTrace",
    "cuptiActivityEnableAllocationSource", "cuptiActivityEnableAllSyncRecords",
    "cuptiActivityEnableCudaEventDeviceTimestamps", "cuptiActivityEnableDriverApi", "cuptiActivityEnableRuntimeApi",
    "cuptiActivityEnable_v2", "cuptiActivityEnableAndDump_v2", "cuptiActivitySetAttribute_v2"};

static char *file;
static size_t file_bytes;

#define HEADER ((const ElfW(Ehdr) *)(void *)file)
#define SECTION(i) ((const ElfW(Shdr) *)(void *)(file + HEADER->e_shoff) + (i))

static int read_library(void **state) {
    FILE *f = fopen(LIBRARY, "rb");
    (void)state;
    if (!f || fseek(f, 0, SEEK_END) != 0)
        return -1;
    file_bytes = (size_t)ftell(f);
    rewind(f);
    file = malloc(file_bytes);
    size_t n = file ? fread(file, 1, file_bytes, f) : 0;
    fclose(f);
    return n == file_bytes && n > sizeof(ElfW(Ehdr)) && memcmp(file, ELFMAG, SELFMAG) == 0 ? 0 : -1;
}

static int forget_library(void **state) {
    (void)state;
    free(file);
    return 0;
}

/* Returns the section of a type, and the strings that belong to it. */
static const ElfW(Shdr) * section(uint32_t type, const char **strings) {
    for (unsigned i = 0; i < HEADER->e_shnum; i++) {
        if (SECTION(i)->sh_type == type) {
            *strings = file + SECTION(SECTION(i)->sh_link)->sh_offset;
            return SECTION(i);
        }
    }
    fail_msg("no section of type %u", type);
    return NULL;
}

static bool is_expected(const char *name) {
    for (size_t i = 0; i < COUNT_OF(expected); i++)
        if (strcmp(expected[i], name) == 0)
            return true;
    return false;
}

static void exports_are_the_listed_ones(void **state) {
    const char *strings;
    unsigned wrong = 0;
    static bool seen[COUNT_OF(expected)];
    (void)state;
    const ElfW(Shdr) *table = section(SHT_DYNSYM, &strings);
    const ElfW(Sym) *symbols = (const ElfW(Sym) *)(void *)(file + table->sh_offset);
    for (size_t i = 0; i < table->sh_size / sizeof *symbols; i++) {
        const char *name = strings + symbols[i].st_name;
        if (symbols[i].st_shndx == SHN_ABS) /* the names of versions */
            continue;
        if (symbols[i].st_shndx == SHN_UNDEF || ELF64_ST_BIND(symbols[i].st_info) == STB_LOCAL)
            continue;
        if (!is_expected(name) || ELF64_ST_TYPE(symbols[i].st_info) != STT_FUNC) {
            print_error("%s is exported\n", name);
            wrong++;
        }
        for (size_t e = 0; e < COUNT_OF(expected); e++)
            seen[e] |= strcmp(expected[e], name) == 0;
    }
    for (size_t e = 0; e < COUNT_OF(expected); e++) {
        if (!seen[e]) {
            print_error("%s is not exported\n", expected[e]);
            wrong++;
        }
    }
    assert_int_equal(wrong, 0);
}

static void needs_the_c_library_alone(void **state) {
    const char *strings;
    unsigned wrong = 0;
    (void)state;
    if (*SANITIZER_RUNTIME)
        skip(); /* has the sanitizer's runtime too */
    const ElfW(Shdr) *table = section(SHT_DYNAMIC, &strings);
    for (const ElfW(Dyn) *d = (const ElfW(Dyn) *)(void *)(file + table->sh_offset); d->d_tag != DT_NULL; d++) {
        const char *name = strings + d->d_un.d_val;
        if (d->d_tag == DT_NEEDED && strcmp(name, "libc.so.6") != 0 && strcmp(name, "libm.so.6") != 0 &&
            strncmp(name, "ld-linux", 8) != 0) {
            print_error("%s is needed\n", name);
            wrong++;
        }
        assert_true(d->d_tag != DT_RPATH && d->d_tag != DT_RUNPATH && d->d_tag != DT_TEXTREL);
    }
    assert_int_equal(wrong, 0);
}

/* If assembly code has no note about its stack, the stacks of every program that loads it become executable. */
static void stack_stays_not_executable(void **state) {
    const ElfW(Phdr) *headers = (const ElfW(Phdr) *)(void *)(file + HEADER->e_phoff);
    unsigned stacks = 0;
    (void)state;
    for (unsigned i = 0; i < HEADER->e_phnum; i++) {
        if (headers[i].p_type == PT_GNU_STACK) {
            assert_false(headers[i].p_flags & PF_X);
            stacks++;
        }
    }
    assert_int_equal(stacks, 1);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(exports_are_the_listed_ones),
        cmocka_unit_test(needs_the_c_library_alone),
        cmocka_unit_test(stack_stays_not_executable),
    };
    return cmocka_run_group_tests(tests, read_library, forget_library);
}
