/* Replaces the other files of this folder in a library without repairs (-DXFERSPY_REPAIRS=OFF). Such a library is built
 * only to compare the running times, because a repair that is off must cost nothing (tests/bench/compare-libraries). */
#include "preload/repair/around.h"
#include "preload/repair/repair.h"

void xs_repair_start(const struct xs_repair_wishes *wishes, void (*complain)(const char *message)) {
    if (wishes->names[0])
        complain("nothing is repaired: this library was built without repairs");
}

void xs_repair_finish(void (*say)(const char *message)) { (void)say; }

unsigned xs_repair_made(struct xs_repair_made made[XS_REPAIRS_MOST]) {
    (void)made;
    return 0;
}

void xs_repair_forget(void) {}

bool xs_around_unknown_begin(bool may_do_anything, struct xs_guard_note *note, uintptr_t frame) {
    (void)may_do_anything;
    (void)note;
    (void)frame;
    return false;
}

void xs_around_unknown_end(bool may_do_anything) { (void)may_do_anything; }
