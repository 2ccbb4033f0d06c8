/* Opens a trace that its process did not close. First recovers what is beside it, in place or in a temporary copy. */
#include <stdarg.h>
#include <stdio.h>

#include "schema/read/copy.h"
#include "schema/read/recover.h"
#include "schema/read/trace_internal.h"

static void warn(struct xs_trace *trace, const char *format, ...) __attribute__((format(printf, 2, 3)));
static void warn(struct xs_trace *trace, const char *format, ...) {
    va_list args;
    va_start(args, format);
    vsnprintf(trace->warning, sizeof trace->warning, format, args);
    va_end(args);
}

/* Sets the trace's fields from the result of the recovery. */
static void tell(struct xs_trace *trace, int64_t result, const struct xs_recovery *recovery) {
    const char *why = recovery->error[0] ? recovery->error : xs_error_text((int)result);
    if (recovery->spool_missing) {
        trace->is_cut = 1;
        warn(trace, "its process was killed, and %s", recovery->error);
    } else if (result >= 0 && recovery->stopped[0]) {
        trace->recovered_events = 0; /* 0, because the process was not killed */
        warn(trace, "capture had stopped (%s); what it left was taken over", recovery->stopped);
    } else if (result >= 0) {
        if (recovery->spool_found)
            trace->recovered_events = result;
        if (recovery->nothing_recorded)
            warn(trace, XS_KILLED_AT_ONCE);
    } else if (result == XS_ERROR_BUSY && recovery->writer == XS_WRITER_UNKNOWN) {
        trace->is_live = 1;
        warn(trace,
             "its process ran on another machine and may still run there; this is what it had written so far%s%s",
             recovery->error[0] ? "; " : "", recovery->error);
    } else if (result == XS_ERROR_BUSY) {
        trace->is_live = 1;
    } else if (recovery->spool_damaged) {
        trace->is_cut = 1;
        warn(trace, "its process was killed and the spool with its last events is damaged; they are missing");
    } else {
        trace->is_cut = 1;
        warn(trace, "its process was killed and its last events could not be taken over (%s); they are missing", why);
    }
}

/* Opens the copy, and deletes its files whether that works or not. */
static bool open_copied(struct xs_copy *copy, struct xs_trace *trace, char *message) {
    struct xs_trace_identity identity;
    bool opened = xs_trace_identify(copy->path, copy->path, &identity, message) == 0 &&
                  xs_trace_open_database(copy->path, false, trace, message) == 0;
    xs_copy_delete(copy);
    return opened;
}

/* Recovers in a temporary copy. True: the trace is open. */
static bool open_recovered(const char *file, unsigned what, struct xs_trace *trace, char *message) {
    struct xs_copy copy = {0};
    struct xs_recovery recovery;
    if (xs_copy_trace(file, what, &copy) != 0) {
        trace->is_cut = 1;
        warn(trace, "its process was killed, and neither its directory nor a temporary copy could be written to"
                    " take over its last events; they are missing");
        return false;
    }
    int64_t result = xs_recover_copy(copy.path, file, &recovery);
    tell(trace, result, &recovery);
    if (result >= 0)
        return open_copied(&copy, trace, message);
    xs_copy_delete(&copy);
    return false;
}

/* Opens a temporary copy of the trace in its present state, without the events in the spool. */
static bool open_settled(const char *file, unsigned what, struct xs_trace *trace, char *message) {
    struct xs_copy copy = {0};
    return xs_copy_settled(file, what & ~(unsigned)XS_COPY_SPOOL, &copy) == 0 && open_copied(&copy, trace, message);
}

bool xs_trace_is_for_us_alone(const char *file, const struct xs_side_files *side) {
    return side->owned && !side->foreign && !side->linked && xs_side_files_can_be_made(file);
}

/* Opens the trace or a copy of it. If the trace belongs to another user and its process still runs, a copy is used,
 * which that user cannot truncate while it is read. */
bool xs_trace_complete(const char *file, const struct xs_side_files *side, unsigned what, struct xs_trace *trace,
                       char *message) {
    struct xs_recovery recovery;
    if (xs_trace_is_for_us_alone(file, side)) {
        struct xs_side_files left;
        tell(trace, xs_recover(file, &recovery), &recovery);
        xs_side_files_look(file, &left);
        return left.journal && !trace->is_live && open_settled(file, what, trace, message);
    }
    if (xs_writer_of(file) == XS_WRITER_GONE)
        return open_recovered(file, what, trace, message) || open_settled(file, what, trace, message);
    trace->is_live = 1;
    if (side->owned && !side->foreign && !side->linked)
        return false;
    if (!open_settled(file, what, trace, message)) {
        warn(trace, "its process still runs, and no temporary copy could be made; what is only in its log is missing");
        return false;
    }
    return true;
}

unsigned xs_trace_choose(struct xs_trace *trace, struct xs_side_files *side) {
    unsigned what = XS_COPY_LOG | XS_COPY_JOURNAL | XS_COPY_SPOOL;
    if (side->foreign)
        warn(trace, "the file beside it that ends in %s %s and was ignored", side->suffix, side->why);
    if (side->journal && !xs_journal_is_sound(trace->file)) {
        what &= ~(unsigned)XS_COPY_JOURNAL;
        side->foreign = true;
        side->left_over = side->unfinished;
        warn(trace, "the journal beside it is not the trace's and was ignored");
    }
    return what;
}
