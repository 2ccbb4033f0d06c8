/* An account holds what findings claim of one transfer, memset or allocation: the union of docs/rules/analysis.md,
 * "Accounting". If a claim is larger than all claims before it, the totals grow by the difference at once. So an
 * account is needed only while a claim may still come. */
#ifndef XFERSPY_ANALYZER_FINDINGS_ENGINE_ACCOUNT_H
#define XFERSPY_ANALYZER_FINDINGS_ENGINE_ACCOUNT_H

#include "analyzer/base/pool.h"
#include "analyzer/findings/engine/findings.h"
#include "analyzer/trace/site_totals.h"

struct xs_account {
    uint32_t references;
    bool is_transfer, claimed;
    uint64_t claimed_ns, device_ns, exposed_ns, host_ns; /* the largest claims */
};

struct xs_accounts {
    struct xs_pool pool;
    struct xs_total total;
    struct xs_site_totals sites; /* what analyse_events.c counts */
    uint64_t open;               /* accounts that are still kept; tests look at it */
};

void xs_accounts_begin(struct xs_accounts *accounts);
void xs_accounts_end(struct xs_accounts *accounts);

/* Opens an account with one reference, the caller's. */
struct xs_account *xs_account_open(struct xs_accounts *accounts, bool is_transfer);
void xs_account_close(struct xs_accounts *accounts, struct xs_account *account); /* NULL: nothing */
void xs_account_claim(struct xs_accounts *accounts, struct xs_account *account, const struct xs_times *times);

#endif
