/* Writes the words for failed calls; see failures_words.h. */
#include "analyzer/words/failures_words.h"

#include <inttypes.h>

#include "analyzer/base/units.h"
#include "analyzer/trace/cuda_errors.h"
#include "analyzer/words/findings_words.h"
#include "analyzer/words/place.h"

enum { SHOWN = 3 };

static uint32_t site_of(const struct xs_failure *failure, const struct xs_findings *findings) {
    return xs_site_of(findings->sites, failure->entry_point, failure->stack);
}

static void say_one(struct xs_string *text, const struct xs_failure *failure) {
    char name[XS_CUDA_ERROR_BYTES];
    xs_string_format(text, "%s since %s, %s call%s", xs_cuda_error_name(failure->result, name),
                     XS_NS_TEXT(failure->first_ns > 0 ? (uint64_t)failure->first_ns : 0), XS_COUNT_TEXT(failure->calls),
                     failure->calls == 1 ? "" : "s");
}

static void say_calls(struct xs_string *text, const struct xs_failures *failures, const struct xs_findings *findings) {
    const struct xs_failure *first = &failures->items[0];
    const struct xs_frame *frame = xs_site_frame(findings, site_of(first, findings));
    xs_string_format(text, "CUDA calls fail: ");
    say_one(text, first);
    xs_string_format(text, ", first ");
    xs_string_add_cut(text, *first->name ? first->name : "?", 80);
    if (frame) {
        xs_string_format(text, " at ");
        xs_place_text(text, findings->sites, frame);
    }
    for (size_t i = 1; i < failures->count && i < SHOWN; i++) {
        xs_string_format(text, "; ");
        say_one(text, &failures->items[i]);
    }
    if (failures->count > SHOWN)
        xs_string_format(text, "; %zu more error%s", failures->count - SHOWN, failures->count == SHOWN + 1 ? "" : "s");
}

/* Adds the first call that returned an error of the device. This call may be in no table of the trace. */
static void say_device(struct xs_string *text, const struct xs_first_failure *failure, bool is_known) {
    char name[XS_CUDA_ERROR_BYTES];
    if (!is_known) {
        xs_string_format(text, "The device fails: %s since %s, first ", xs_cuda_error_name(failure->result, name),
                         XS_NS_TEXT(failure->at_ns > 0 ? (uint64_t)failure->at_ns : 0));
        xs_string_add_cut(text, *failure->entry_point ? failure->entry_point : "?", 80);
    }
    if (failure->cupti_attached)
        xs_string_format(text, ". " XS_FAILED_WITH_CUPTI);
}

void xs_failures_say(struct xs_string *text, const struct xs_failures *failures, const struct xs_findings *findings) {
    bool has_fatal = failures->count && failures->items[0].is_fatal;
    if (failures->count)
        say_calls(text, failures, findings);
    if (failures->device.result && !has_fatal && failures->count)
        xs_string_format(text, ". ");
    if (failures->device.result)
        say_device(text, &failures->device, has_fatal);
}

void xs_failures_json(const struct xs_failures *failures, const struct xs_findings *findings, struct xs_json *json) {
    xs_json_object(json, "failures");
    xs_json_count(json, "calls", failures->calls);
    xs_json_count(json, "harmless_calls", failures->harmless);
    if (failures->device.result) {
        char name[XS_CUDA_ERROR_BYTES];
        xs_json_object(json, "device");
        xs_json_int(json, "result", failures->device.result);
        xs_json_text(json, "name", xs_cuda_error_name(failures->device.result, name));
        xs_json_text(json, "entry_point", failures->device.entry_point);
        xs_json_int(json, "at_ns", failures->device.at_ns);
        xs_json_bool(json, "cupti_attached", failures->device.cupti_attached);
        xs_json_end(json, '}');
    } else {
        xs_json_null(json, "device");
    }
    xs_json_array(json, "errors");
    for (size_t i = 0; i < failures->count; i++) {
        const struct xs_failure *failure = &failures->items[i];
        char name[XS_CUDA_ERROR_BYTES];
        xs_json_object(json, NULL);
        xs_json_int(json, "result", failure->result);
        xs_json_text(json, "name", xs_cuda_error_name(failure->result, name));
        xs_json_bool(json, "fatal", failure->is_fatal);
        xs_json_count(json, "calls", failure->calls);
        xs_json_int(json, "first_ns", failure->first_ns);
        xs_json_text(json, "site", failure->name);
        xs_call_site_json(findings, site_of(failure, findings), json);
        xs_json_end(json, '}');
    }
    xs_json_end(json, ']');
    xs_json_end(json, '}');
}
