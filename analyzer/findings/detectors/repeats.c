/* Keeps a site's first instances; see repeats.h. */
#include "analyzer/findings/detectors/repeats.h"

/* A site whose first instances are kept. */
struct site {
    unsigned count; /* number of instances, counted up to XS_REPEATS_LEAST */
    struct xs_instance first[XS_REPEATS_LEAST - 1];
    struct xs_account *accounts[XS_REPEATS_LEAST - 1];
};

static void report(struct xs_detection *detection, const struct xs_instance *instance, struct xs_account *account) {
    xs_report_instance(detection, instance);
    xs_claim(detection, account, &instance->removable);
}

void xs_repeats_add(struct xs_repeats *repeats, struct xs_detection *detection, const struct xs_instance *instance,
                    struct xs_account *account) {
    struct site *site = xs_hash_item(&repeats->sites, instance->site, 0, sizeof *site);
    if (site->count < XS_REPEATS_LEAST - 1) {
        site->first[site->count] = *instance;
        site->accounts[site->count++] = xs_account_keep(account);
        return;
    }
    for (unsigned i = 0; site->count < XS_REPEATS_LEAST && i < XS_REPEATS_LEAST - 1; i++) {
        report(detection, &site->first[i], site->accounts[i]);
        xs_account_release(detection->analysis, site->accounts[i]);
    }
    site->count = XS_REPEATS_LEAST;
    report(detection, instance, account);
}

void xs_repeats_end(struct xs_repeats *repeats, struct xs_detection *detection) {
    for (const struct xs_hash_entry *entry = NULL; (entry = xs_hash_next(&repeats->sites, entry));) {
        struct site *site = (struct site *)(uintptr_t)entry->value;
        for (unsigned i = 0; site->count < XS_REPEATS_LEAST && i < site->count; i++)
            xs_account_release(detection->analysis, site->accounts[i]);
    }
    xs_hash_free(&repeats->sites);
}
