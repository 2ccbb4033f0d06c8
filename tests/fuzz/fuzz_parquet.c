/* Gives a Parquet file of any bytes to the reader of fleet files, and adds up what it reads, as `xferspy fleet` does.
 */
#include <fcntl.h>
#include <stdint.h>

#include "analyzer/commands/fleet/fleet.h"
#include "analyzer/parquet/read.h"
#include "read_all.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void read_as(struct xs_fleet *fleet, enum xs_fleet_table table) {
    struct xs_parquet_reader r;
    struct xs_rows rows;
    xs_rows_begin(&rows, xs_fleet_tables[table].columns, xs_fleet_tables[table].column_count);
    bool is_fine = xs_parquet_open(&r, AT_FDCWD, fuzz_trace_path());
    for (size_t group = 0; is_fine && group < r.group_count && group < 8; group++) {
        xs_rows_clear(&rows);
        is_fine = xs_parquet_read(&r, group, &rows, NULL);
        if (is_fine && table == XS_FLEET_TABLE_runs)
            xs_fleet_add_runs(fleet, &rows);
        else if (is_fine)
            xs_fleet_add_findings(fleet, &rows, 1);
    }
    xs_parquet_close(&r);
    xs_rows_free(&rows);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    static const struct xs_fleet_question question = {
        .since_us = INT64_MIN, .changed_us = 0, .label = "team", .top = SIZE_MAX};
    struct xs_fleet fleet;
    fuzz_write(fuzz_trace_path(), data, size);
    xs_fleet_begin(&fleet, &question);
    read_as(&fleet, XS_FLEET_TABLE_runs);
    read_as(&fleet, XS_FLEET_TABLE_findings);
    xs_fleet_finish(&fleet);
    xs_fleet_free(&fleet);
    return 0;
}
