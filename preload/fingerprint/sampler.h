/* Chooses which copies are looked at in mode `auto`, if the budget does not suffice for all of them: a fair sample.
 *
 * A copy's stratum is its call stack, its entry point and its size to a power of two. The first copies of each stratum
 * are looked at, if the budget has something left. After them, each copy is looked at with the same chance as the
 * others of its stratum at that time. The chance is what is left of the budget, divided by the cost of looking at all
 * copies so far. Both are sums since the start, so the chance changes slowly, and a burst of copies cannot overspend.
 * It is less for copies whose fingerprint takes a large part of the copy's own time. A hash of a copy's number in its
 * stratum decides, so the choice follows no period of the program.
 *
 * Some findings need two copies. Content that an upload overwrote is known from the upload before it to the same place;
 * a round trip is a download and an upload. So other copies follow a chosen copy: the next upload or download of the
 * same place on the device, and for a download also the next upload from the same place on the host. Followers were not
 * chosen by chance, and the trace marks them (XS_SKIP_FOLLOWS), because places with partners have more of them.
 *
 * Any thread; no lock. */
#ifndef XFERSPY_PRELOAD_FINGERPRINT_SAMPLER_H
#define XFERSPY_PRELOAD_FINGERPRINT_SAMPLER_H

#include <stdbool.h>
#include <stdint.h>

enum { XS_SAMPLER_FIRST = 4 }; /* first copies of each stratum, which are looked at */

/* Costs of a fingerprint and of its copy. */
enum xs_sampler_way { XS_SAMPLER_HOST, XS_SAMPLER_DEVICE, XS_SAMPLER_WAYS };
struct xs_sampler_cost {
    uint64_t look_ns, copy_ns;
};

struct xs_sampler_copy {
    uint64_t bytes, host, device; /* addresses */
    uint32_t stack;
    uint16_t entry;
    bool upload, pageable;
    enum xs_sampler_way way; /* the probable way to compute its fingerprint */
};

enum xs_sampled { XS_LEFT_OUT, XS_BY_CHANCE, XS_FOLLOWS };

/* Starts the sampler. `cost` tells what a copy of a given size costs. Called once, after xs_budget_start and before the
 * first copy. Another seed chooses other copies. */
void xs_sampler_start(uint64_t seed, struct xs_sampler_cost (*cost)(uint64_t bytes, bool upload, bool pageable,
                                                                    enum xs_sampler_way way));

/* Decides about the calling thread's next copy. `now` reads the capture clock, once in several copies. */
enum xs_sampled xs_sampler_choose(const struct xs_sampler_copy *copy, uint64_t (*now)(void));

/* Makes others follow a copy that was chosen by chance and is being fingerprinted. `before_measured`: the copy is an
 * upload, and the content that it overwrites is known without the upload before it. */
void xs_sampler_followed(const struct xs_sampler_copy *copy, bool before_measured);

#endif
