/* Writes fleet files; see fleet_files.h. */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "analyzer/base/text.h"
#include "analyzer/commands/common/command.h"
#include "analyzer/commands/common/traces.h"
#include "analyzer/commands/fleet_files/fleet_files.h"
#include "analyzer/commands/fleet_files/fleet_internal.h"

enum { NAME_BYTES = 100 /* of a cluster, job or host in a path */ };

char *xs_fleet_run_id(const struct xs_reading *reading) {
    const struct xs_run *run = &reading->summary.run;
    XS_SCOPED char *identity = xs_trace_identity(&reading->trace);
    XS_SCOPED_STRING text = {0};
    if (identity) /* it may have control characters as separators, but no NUL */
        xs_string_format(&text, "%s", identity);
    else
        xs_string_format(&text, "%s %s %" PRIu64 " %" PRIu64, run->host, run->command, run->duration_ns,
                         reading->summary.all.count);
    return xs_text_format("%016" PRIx64, xs_mix(xs_hash_of_text(text.data, text.length)));
}

/* --- paths --- */

/* Adds a name as a part of a path: what is no letter, digit, '.', '_' or '-' becomes %XX, as in Hive's folders. */
static void add_name(struct xs_string *path, const char *name) {
    size_t bytes = strnlen(name, NAME_BYTES);
    for (size_t i = 0; i < bytes; i++) {
        unsigned char c = (unsigned char)name[i];
        bool is_plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' ||
                        c == '_' || (c == '.' && i);
        xs_string_format(path, is_plain ? "%c" : "%%%02X", c);
    }
}

void xs_fleet_add_partition(struct xs_string *path, int64_t start_us, const char *cluster, const char *job) {
    time_t seconds = (time_t)(start_us / 1000000 - (start_us % 1000000 < 0));
    struct tm day;
    if (!gmtime_r(&seconds, &day) || day.tm_year < -1900 || day.tm_year > 8099)
        day = (struct tm){.tm_year = 70, .tm_mday = 1};
    xs_string_format(path, "dt=%04d-%02d-%02d/cluster=", day.tm_year + 1900, day.tm_mon + 1, day.tm_mday);
    add_name(path, cluster && *cluster ? cluster : "unknown");
    xs_string_format(path, "/job=");
    add_name(path, job && *job ? job : "unknown");
}

/* Makes a folder and the folders that it is in. Their permissions are those that the umask leaves, because a fleet's
 * files are for more people than the one who ran the program. */
static int make_folders(const char *path) {
    XS_SCOPED char *part = xs_strdup(path);
    for (char *slash = part + 1;; slash++) {
        if (*slash && *slash != '/')
            continue;
        char end = *slash;
        *slash = '\0';
        if (mkdir(part, 0777) != 0 && errno != EEXIST && errno != EROFS && errno != EACCES) {
            xs_complain("%s: cannot be made: %s", part, strerror(errno));
            return XS_EXIT_ERROR;
        }
        *slash = end;
        if (!end)
            return XS_EXIT_OK;
    }
}

/* --- files --- */

FILE *xs_fleet_begin_file(const char *folder, struct xs_string *temporary) {
    enum { TRIES = 16 };
    int descriptor = -1;
    for (int i = 0; i < TRIES && descriptor < 0; i++) {
        if (make_folders(folder) != XS_EXIT_OK)
            return NULL;
        uint64_t number = (uint64_t)getpid() << 32 | (unsigned)i;
        if (getrandom(&number, sizeof number, GRND_NONBLOCK) != sizeof number)
            number += (uint64_t)time(NULL);
        xs_string_free(temporary);
        /* engines leave out names that begin with a point, and names without .parquet */
        xs_string_format(temporary, "%s/.%016" PRIx64 ".tmp", folder, number);
        descriptor = open(temporary->data, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0666);
        if (descriptor < 0 && errno != EEXIST && errno != ENOENT) /* --compact may delete an empty folder just now */
            break;
    }
    FILE *file = descriptor < 0 ? NULL : fdopen(descriptor, "w");
    if (!file) {
        xs_complain("%s: no file can be made there: %s", folder, strerror(errno));
        if (descriptor >= 0)
            close(descriptor);
    }
    return file;
}

int xs_fleet_end_file(FILE *file, const char *temporary, const char *path) {
    bool failed = ferror(file) != 0;
    failed |= fflush(file) != 0;
    failed |= fclose(file) != 0;
    if (!failed && rename(temporary, path) == 0)
        return XS_EXIT_OK;
    xs_complain("%s: cannot be written: %s", path, strerror(errno ? errno : EIO));
    unlink(temporary);
    return XS_EXIT_ERROR;
}

void xs_fleet_begin_rows(struct xs_parquet_writer *writer, FILE *file, enum xs_fleet_table table) {
    xs_parquet_begin(writer, file, xs_fleet_tables[table].columns, xs_fleet_tables[table].column_count);
}

void xs_fleet_end_rows(struct xs_parquet_writer *writer, enum xs_fleet_table table) {
    static const char *const keys[] = {"xferspy.table"};
    xs_parquet_end(writer, "xferspy version " XFERSPY_VERSION, keys, &xs_fleet_tables[table].name, 1);
}

static int write_table(const char *folder, enum xs_fleet_table table, const struct xs_rows *rows) {
    XS_SCOPED_STRING path = {0}, temporary = {0};
    const char *host = xs_rows_text(rows, XS_COMMON_host, 0);
    struct xs_parquet_writer writer;
    xs_string_format(&path, "%s/%s/", folder, xs_fleet_tables[table].name);
    xs_fleet_add_partition(&path, xs_rows_number(rows, XS_COMMON_start_time, 0),
                           xs_rows_text(rows, XS_COMMON_cluster_name, 0), xs_rows_text(rows, XS_COMMON_job_id, 0));
    FILE *file = xs_fleet_begin_file(path.data, &temporary);
    if (!file)
        return XS_EXIT_ERROR;
    xs_string_format(&path, "/");
    add_name(&path, host ? host : "host");
    xs_string_format(&path, "-%s.parquet", xs_rows_text(rows, XS_COMMON_run_id, 0));
    xs_fleet_begin_rows(&writer, file, table);
    xs_parquet_add(&writer, rows, 0, rows->count);
    xs_fleet_end_rows(&writer, table);
    return xs_fleet_end_file(file, temporary.data, path.data);
}

int xs_fleet_write_run(const char *folder, const struct xs_reading *reading) {
    struct xs_fleet_rows rows;
    int status = XS_EXIT_OK;
    xs_fleet_rows_begin(&rows);
    xs_fleet_rows_of(&rows, reading);
    for (unsigned table = 0; table < XS_FLEET_TABLES && status == XS_EXIT_OK; table++)
        if (rows.of[table].count)
            status = write_table(folder, (enum xs_fleet_table)table, &rows.of[table]);
    xs_fleet_rows_free(&rows);
    return status;
}
