/* Adds a trace to the fleet files of a folder (docs/use/fleet.md), which are in Apache Parquet, version 1 of the
 * format.
 */
#include "analyzer/commands/common/command.h"
#include "analyzer/commands/export/export.h"
#include "analyzer/commands/fleet_files/fleet_files.h"

int xs_export_parquet(const struct xs_export *e) {
    return xs_fleet_write_run(e->folder, e->reading) == XS_EXIT_OK ? XS_OK : XS_ERROR_SYSTEM;
}
