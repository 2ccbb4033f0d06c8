/* Which copies are looked at in mode `auto`, where the budget does not allow all of them: a fair sample.
 *
 * A copy's stratum is the stack that it was called from, its entry point and its size to a power of two. The first
 * copies of each stratum are looked at, if the budget has something left. After them, each copy is looked at with the
 * same chance as the others of its stratum at that time. The chance follows from the budget, and is less for copies
 * whose fingerprint costs much of the time that the copy takes. Whether a copy is chosen depends on its number in its
 * stratum through a hash, and so on no period that the program may have.
 *
 * Some findings need two copies: what an upload overwrote is known from the upload before it to the same place, a round
 * trip is a download and an upload. So a chosen copy has others follow it: the next upload or download of the same
 * place on the device, and of a download the next upload from the same place on the host. Those were not chosen by
 * chance, and the trace says so of them (XS_SKIP_FOLLOWS), because places with partners have more of them.
 *
 * Any thread; no lock. */
#ifndef XFERSPY_PRELOAD_FINGERPRINT_SAMPLER_H
#define XFERSPY_PRELOAD_FINGERPRINT_SAMPLER_H

#include <stdbool.h>
#include <stdint.h>

enum { XS_SAMPLER_FIRST = 4 }; /* copies of each stratum that are looked at */

/* What a fingerprint and its copy cost. */
enum xs_sampler_way { XS_SAMPLER_HOST, XS_SAMPLER_DEVICE, XS_SAMPLER_WAYS };
struct xs_sampler_cost {
    uint64_t look_ns, copy_ns;
};

struct xs_sampler_copy {
    uint64_t bytes, host, device; /* addresses */
    uint32_t stack;
    uint16_t entry;
    bool upload, pageable;
    enum xs_sampler_way way; /* that its fingerprint will probably be computed */
};

enum xs_sampled { XS_LEFT_OUT, XS_BY_CHANCE, XS_FOLLOWS };

/* `cost` says what a copy of so many bytes costs. Called once, after xs_budget_start and before the first copy. Other
 * seeds choose other copies. */
void xs_sampler_start(uint64_t seed, struct xs_sampler_cost (*cost)(uint64_t bytes, bool upload, bool pageable,
                                                                    enum xs_sampler_way way));

/* Decides about the calling thread's next copy. `now` gives the capture clock, which is read once in several copies. */
enum xs_sampled xs_sampler_choose(const struct xs_sampler_copy *copy, uint64_t (*now)(void));

/* The copy was chosen by chance, and its fingerprint is being computed: others have to follow it. `before_measured`: it
 * is an upload, and what it overwrites is known without the upload before it. */
void xs_sampler_followed(const struct xs_sampler_copy *copy, bool before_measured);

#endif
