/* An account holds the largest claim of findings on one transfer, memset or allocation, so that the total counts no
 * time twice (docs/rules/analysis.md, "Accounting"). If a claim is larger than all claims before it, the totals are
 * increased by the difference at once. An account is therefore needed only as long as further claims are possible. */
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
    struct xs_site_totals sites; /* totals by site; analyse_events.c updates them */
    uint64_t open;               /* number of accounts that are still kept; for tests */
};

void xs_accounts_begin(struct xs_accounts *accounts);
void xs_accounts_end(struct xs_accounts *accounts);

/* Opens an account; the caller holds its only reference. */
struct xs_account *xs_account_open(struct xs_accounts *accounts, bool is_transfer);
void xs_account_close(struct xs_accounts *accounts, struct xs_account *account); /* NULL is allowed */
void xs_account_claim(struct xs_accounts *accounts, struct xs_account *account, const struct xs_times *times);

#endif
