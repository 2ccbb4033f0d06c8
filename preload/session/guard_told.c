/* Tells broken rules; see guard_told.h. The trace has the frames of the call's stack, so the drain thread writes the
 * place as a text, and the application's thread, whose stderr is the program's, prints it. */
#include "preload/session/guard_told.h"

#include <errno.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

#include "preload/core/alternate_stack.h"
#include "preload/core/guard_rules.h"
#include "preload/core/notes.h"
#include "preload/driver/entry_rows.h"
#include "preload/session/drain.h"
#include "preload/session/say.h"

enum { PLACE_BYTES = 1400, TEXT_BYTES = PLACE_BYTES + 512, PATIENCE_MS = 2000 };
#define UNKNOWN_PLACE "a place that is not known"
enum { NOT_ASKED, ASKED, KNOWN };

/* The place of the break of each rule. */
static struct place {
    _Atomic int state;
    uint32_t stack;
    char text[PLACE_BYTES];
} places[XS_GUARD_RULES_MOST];

static struct xs_store_upload same; /* only the drain thread uses this */
static _Atomic bool is_told;

/* ---- words ---- */

static void write_words(const struct xs_rule_break *broken, const char *place, char text[TEXT_BYTES]) {
    const struct xs_guard_rule *rule = &xs_guard_rules()->rules[broken->rule - 1];
    char size[64] = "", step[96] = "";
    if (broken->bytes)
        snprintf(size, sizeof size, " of %llu byte%s", (unsigned long long)broken->bytes,
                 broken->bytes == 1 ? "" : "s");
    if (broken->step)
        snprintf(step, sizeof step, ", number %llu in step %llu", (unsigned long long)broken->number,
                 (unsigned long long)broken->step);
    snprintf(text, TEXT_BYTES, "the guard's rule %s is broken by %s%s%s (%s) at %s%s", rule->text,
             xs_guard_kinds[rule->kind].what, size, step, xs_rows[broken->entry].name, place,
             xs_guard_rules()->fails ? "; the program ends with status 3" : "");
}

/* ---- start ---- */

/* Removes the rules that no call of this run can break. */
static void drop_refused(struct xs_guard_spec *spec, const struct xs_guard_run *run) {
    unsigned kept = 0;
    for (unsigned i = 0; i < spec->count; i++) {
        const char *why = xs_guard_rule_refused(&spec->rules[i], run);
        bool said = false;
        if (why)
            xs_complain(&said, "XFERSPY_GUARD: the rule %s is ignored: %s", spec->rules[i].text, why);
        else
            spec->rules[kept++] = spec->rules[i];
    }
    spec->count = kept;
}

void xs_guard_told_start(struct xs_options *options) {
    static bool said;
    struct xs_guard_spec spec;
    const char *rule;
    size_t bytes;
    const char *why = xs_guard_spec_read(&spec, options->guard, &rule, &bytes);
    const bool has_steps =
        options->start && (*options->step || options->steps || options->skip_steps) && !xs_options_is_ledger(options);
    const struct xs_guard_run run = {.has_steps = has_steps, .has_contents = strcmp(options->fingerprint, "off") != 0};
    if (!why && spec.count && xs_options_is_ledger(options))
        why = "a ledger records only parts of the run (XFERSPY_MODE)";
    if (why) {
        xs_complain(&said, "XFERSPY_GUARD is ignored: %.*s%s%s", (int)(bytes < 200 ? bytes : 200), rule,
                    bytes ? ": " : "", why);
        *options->guard = '\0';
        return;
    }
    drop_refused(&spec, &run);
    xs_guard_rules_start(&spec);
}

/* ---- the drain thread ---- */

/* Notes the break here, because the trace may be closed before it is told. */
static void find_same_upload(struct xs_store *store, unsigned number) {
    struct place *place = &places[number - 1];
    char text[TEXT_BYTES];
    if (!xs_store_same_upload(store, &same))
        return;
    const struct xs_rule_break broken = {
        .rule = number, .stack = same.stack, .entry = (uint16_t)same.entry_point, .bytes = (uint64_t)same.bytes};
    xs_store_place(store, same.stack, place->text, sizeof place->text);
    atomic_store(&place->state, KNOWN);
    if (!xs_guard_rules_found_later(&broken))
        return;
    write_words(&broken, *place->text ? place->text : UNKNOWN_PLACE, text);
    xs_note("guard", "%s", text);
}

void xs_guard_told_look(struct xs_store *store) {
    unsigned number = xs_guard_rules_open(XS_GUARD_NOOP_UPLOAD);
    if (number)
        find_same_upload(store, number);
    for (unsigned i = 0; i < xs_guard_rules()->count; i++) {
        struct place *place = &places[i];
        if (atomic_load_explicit(&place->state, memory_order_acquire) != ASKED)
            continue;
        xs_store_place(store, place->stack, place->text, sizeof place->text);
        atomic_store_explicit(&place->state, KNOWN, memory_order_release);
    }
}

/* ---- telling ---- */

/* Returns the place, after waiting for it if necessary. */
static const char *place_of(const struct xs_rule_break *broken, bool may_wait) {
    struct place *place = &places[broken->rule - 1];
    if (atomic_load_explicit(&place->state, memory_order_acquire) == NOT_ASKED && broken->stack && may_wait) {
        place->stack = broken->stack;
        atomic_store_explicit(&place->state, ASKED, memory_order_release);
        xs_drain_now(PATIENCE_MS);
    }
    bool is_known = atomic_load_explicit(&place->state, memory_order_acquire) == KNOWN;
    return is_known && *place->text ? place->text : UNKNOWN_PLACE;
}

static void tell(const struct xs_rule_break *broken, bool may_wait) {
    char text[TEXT_BYTES];
    write_words(broken, place_of(broken, may_wait), text);
    atomic_store(&is_told, true);
    xs_say(text);
    xs_note("guard", "%s", text);
    xs_guard_rules_were_told();
}

static void tell_and_wait(void *arg) { tell(arg, true); }

bool xs_guard_told_now(void) {
    int saved = errno;
    struct xs_rule_break broken = xs_rule_broken;
    xs_rule_broken.rule = 0;
    xs_on_scratch_or_here(tell_and_wait, &broken);
    errno = saved;
    return xs_guard_rules()->fails;
}

static void tell_at_end(void *arg) { tell(arg, false); }

bool xs_guard_told_end(void) {
    struct xs_rule_break broken;
    if (xs_guard_rules_take_later(&broken))
        xs_on_scratch_or_here(tell_at_end, &broken);
    return xs_guard_rules()->fails && atomic_load(&is_told);
}
