/* Keeps a site's instances until there are enough; see repeats.h. */
#include "analyzer/findings/detectors/repeats.h"

#include <stdlib.h>

#include "analyzer/base/grow.h"
#include "analyzer/trace/scan.h"

struct kept {
    struct xs_instance instance;
    struct xs_account *account;
};

struct site {
    bool are_enough;
    uint64_t count, ns; /* all instances so far, and their removable host time */
    struct kept *kept;  /* NULL if there are enough */
    size_t kept_count, kept_capacity;
};

static void report(struct xs_detection *detection, const struct xs_instance *instance, struct xs_account *account) {
    xs_report_instance(detection, instance);
    xs_claim(detection, account, &instance->removable);
}

static void keep(struct site *site, const struct xs_instance *instance, struct xs_account *account) {
    if (site->kept_count == XS_REPEATS_KEPT)
        return;
    xs_grow(&site->kept, site->kept_count, &site->kept_capacity, sizeof *site->kept);
    site->kept[site->kept_count++] = (struct kept){*instance, xs_account_keep(account)};
}

/* Forgets the kept instances; with `is_reported`, reports them first. */
static void forget(struct xs_detection *detection, struct site *site, bool is_reported) {
    for (size_t i = 0; i < site->kept_count; i++) {
        if (is_reported)
            report(detection, &site->kept[i].instance, site->kept[i].account);
        xs_account_release(detection->analysis, site->kept[i].account);
    }
    free(site->kept);
    site->kept = NULL;
    site->kept_count = 0;
}

static bool are_repeated(const struct xs_repeats *repeats, const struct site *site) {
    return site->count >= (repeats->least ? repeats->least : XS_REPEATS_LEAST);
}

void xs_repeats_add(struct xs_repeats *repeats, struct xs_detection *detection, const struct xs_instance *instance,
                    struct xs_account *account) {
    struct site *site = xs_hash_item(&repeats->sites, instance->site, 0, sizeof *site);
    site->count++;
    site->ns = xs_sum(site->ns, instance->removable.host_ns);
    repeats->ns = xs_sum(repeats->ns, instance->removable.host_ns);
    if (!site->are_enough && (!are_repeated(repeats, site) || site->ns < repeats->least_ns)) {
        keep(site, instance, account);
        return;
    }
    site->are_enough = true;
    forget(detection, site, true);
    report(detection, instance, account);
}

void xs_repeats_add_host(struct xs_repeats *repeats, struct xs_detection *detection, const struct xs_instance *instance,
                         struct xs_account *account) {
    if (xs_calls_are_missing(detection)) {
        xs_undecided(detection, XS_UNDECIDED_CALLS);
    } else if (!detection->kernels_recorded) {
        xs_undecided(detection, "kernels not recorded");
    } else {
        repeats->least_ns = detection->run_ns / XS_REPEATS_RUN_SHARE;
        xs_repeats_add(repeats, detection, instance, account);
    }
}

void xs_repeats_finish(struct xs_repeats *repeats, struct xs_detection *detection) {
    if (repeats->ns < repeats->least_ns)
        return;
    for (const struct xs_hash_entry *entry = NULL; (entry = xs_hash_next(&repeats->sites, entry));) {
        struct site *site = (struct site *)(uintptr_t)entry->value;
        forget(detection, site, are_repeated(repeats, site) && site->ns >= detection->run_ns / XS_REPEATS_SITE_SHARE);
    }
}

void xs_repeats_end(struct xs_repeats *repeats, struct xs_detection *detection) {
    for (const struct xs_hash_entry *entry = NULL; (entry = xs_hash_next(&repeats->sites, entry));)
        forget(detection, (struct site *)(uintptr_t)entry->value, false);
    xs_hash_free(&repeats->sites);
}
