/* Finds the rank that a launcher gave to this process. */
#include "schema/rank.h"

#include <errno.h>
#include <stddef.h>
#include <stdlib.h>

/* The variables of the most specific launcher come first, and are preferred. */
static const char *const rank_variables[] = {"RANK",      "OMPI_COMM_WORLD_RANK", "PMI_RANK",
                                             "PMIX_RANK", "MV2_COMM_WORLD_RANK",  "SLURM_PROCID"};
static const char *const size_variables[] = {"WORLD_SIZE", "OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "MV2_COMM_WORLD_SIZE",
                                             "SLURM_NTASKS"};
static const char *const local_variables[] = {"LOCAL_RANK", "OMPI_COMM_WORLD_LOCAL_RANK", "MPI_LOCALRANKID",
                                              "MV2_COMM_WORLD_LOCAL_RANK", "SLURM_LOCALID"};

static long first_number(const char *const *names, size_t count, const char **which) {
    for (size_t i = 0; i < count; i++) {
        const char *text = getenv(names[i]);
        char *end;
        if (!text || !*text)
            continue;
        errno = 0;
        long value = strtol(text, &end, 10);
        if (*end == '\0' && errno == 0 && value >= 0) {
            if (which)
                *which = names[i];
            return value;
        }
    }
    return -1;
}

#define FIRST_NUMBER(names, which) first_number(names, sizeof(names) / sizeof *(names), which)
long xs_rank(const char **variable) { return FIRST_NUMBER(rank_variables, variable); }
long xs_world_size(const char **variable) { return FIRST_NUMBER(size_variables, variable); }
long xs_local_rank(const char **variable) { return FIRST_NUMBER(local_variables, variable); }
