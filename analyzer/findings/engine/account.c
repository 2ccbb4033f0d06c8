/* Keeps the union of what findings claim; see account.h. */
#include "analyzer/findings/engine/account.h"

#include "analyzer/trace/scan.h"

void xs_accounts_begin(struct xs_accounts *accounts) {
    *accounts = (struct xs_accounts){.pool = {.item_bytes = sizeof(struct xs_account)}};
}

void xs_accounts_end(struct xs_accounts *accounts) {
    xs_pool_free(&accounts->pool);
    xs_site_totals_free(&accounts->sites);
}

struct xs_account *xs_account_open(struct xs_accounts *accounts, bool is_transfer) {
    struct xs_account *account = xs_pool_take(&accounts->pool);
    *account = (struct xs_account){.references = 1, .is_transfer = is_transfer};
    accounts->open++;
    return account;
}

void xs_account_close(struct xs_accounts *accounts, struct xs_account *account) {
    if (!account || --account->references)
        return;
    accounts->open--;
    xs_pool_give(&accounts->pool, account);
}

static void raise(uint64_t *largest, uint64_t claim, uint64_t *total) {
    if (claim <= *largest)
        return;
    *total = xs_sum(*total, claim - *largest);
    *largest = claim;
}

void xs_account_claim(struct xs_accounts *accounts, struct xs_account *account, const struct xs_times *times) {
    struct xs_total *total = &accounts->total;
    if (account->is_transfer && !account->claimed)
        total->transfers++;
    account->claimed = true;
    raise(&account->claimed_ns, xs_times_rank_ns(times), &total->claimed_ns);
    raise(&account->device_ns, times->device_ns, &total->device_ns);
    raise(&account->exposed_ns, times->exposed_ns, &total->exposed_ns);
    raise(&account->host_ns, times->host_ns, &total->host_ns);
}
