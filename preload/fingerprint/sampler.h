/* Chooses a fair sample of copies to look at (to fingerprint) in mode `auto`, if the budget does not suffice for all
 * copies.
 *
 * Copies with the same call stack, the same entry point and the same size, rounded to a power of two, form a stratum.
 * The first copies of each stratum are looked at as long as the budget is not used up. Each later copy is looked at
 * with a certain chance, which at a given time is the same for all copies of the stratum. The chance is proportional to
 * the rest of the budget, divided by the cost of looking at all copies so far. The rest and the cost are sums since the
 * start, so the chance changes slowly, and a burst of copies cannot use more than the budget. The chance is smaller for
 * copies whose fingerprint would take long, compared with the copy itself. A hash of the copy's number in its stratum
 * decides whether the copy is looked at, so the choice does not depend on periods of the program.
 *
 * Some findings need the fingerprints of two copies: the content that an upload overwrites is known from the previous
 * upload to the same address range, and a round trip consists of a download and an upload. So after a copy that was
 * chosen by chance, partners of it are looked at as well: the next upload to or the next download from the same device
 * addresses, and after a download also the next upload from the same host addresses. These followers were not chosen by
 * chance, so the trace marks them (XS_SKIP_FOLLOWS); otherwise copies that have partners would be overrepresented.
 *
 * Any thread may call these functions; they take no lock. */
#ifndef XFERSPY_PRELOAD_FINGERPRINT_SAMPLER_H
#define XFERSPY_PRELOAD_FINGERPRINT_SAMPLER_H

#include <stdbool.h>
#include <stdint.h>

enum { XS_SAMPLER_FIRST = 4 }; /* number of copies of each stratum that are looked at first */

/* A fingerprint is computed by the host or by the device. struct xs_sampler_cost has the time that it takes to look at
 * a copy, and the time of the copy itself. */
enum xs_sampler_way { XS_SAMPLER_HOST, XS_SAMPLER_DEVICE, XS_SAMPLER_WAYS };
struct xs_sampler_cost {
    uint64_t look_ns, copy_ns;
};

struct xs_sampler_copy {
    uint64_t bytes, host, device; /* addresses */
    uint32_t stack;
    uint16_t entry;
    bool upload, pageable;
    enum xs_sampler_way way; /* where the copy's fingerprint would probably be computed */
};

enum xs_sampled { XS_LEFT_OUT, XS_BY_CHANCE, XS_FOLLOWS };

/* Starts the sampler. `cost` returns the costs for a copy of a given size. This function is called once, after
 * xs_budget_start and before the first copy. Another `seed` leads to another choice of copies. */
void xs_sampler_start(uint64_t seed, struct xs_sampler_cost (*cost)(uint64_t bytes, bool upload, bool pageable,
                                                                    enum xs_sampler_way way));

/* Decides whether to look at the calling thread's next copy. `now` must read the capture clock; it is not called for
 * each copy. */
enum xs_sampled xs_sampler_choose(const struct xs_sampler_copy *copy, uint64_t (*now)(void));

/* Runs for a copy that was chosen by chance and is being fingerprinted. From now on the copy's partners are looked at
 * as well. `before_measured`: the copy is an upload, and the content that it overwrites is measured, so the next upload
 * need not be looked at. */
void xs_sampler_followed(const struct xs_sampler_copy *copy, bool before_measured);

#endif
