/* Counts checked copies in cells, and makes estimates from them; see sample.h. */
#include "analyzer/findings/engine/sample.h"

#include <math.h>

#include "analyzer/base/memory.h"
#include "analyzer/base/numbers.h"
#include "analyzer/trace/scan.h"

enum { SLOTS = 16 }; /* cells of a group: one for each detector and situation, in the order of first use */

struct xs_sample_group {
    struct xs_sample_cell *cells[SLOTS];
    uint16_t keys[SLOTS]; /* detector * XS_SITUATIONS + situation */
};

/* --- counting --- */

/* Returns NULL if the copy's site and size class have no cells, because there are too many. */
static struct xs_sample_group *group_of(struct xs_samples *s, const struct xs_trace_event *event) {
    unsigned class = xs_size_class(event->u.transfer.bytes);
    if (s->latest && s->latest_site == event->site && s->latest_class == class)
        return s->latest;
    s->latest = s->groups.count < XS_SAMPLE_GROUPS ? xs_hash_item(&s->groups, event->site, class, sizeof *s->latest)
                                                   : xs_hash_pointer(&s->groups, event->site, class);
    s->latest_site = event->site;
    s->latest_class = class;
    return s->latest;
}

static struct xs_sample_cell *cell_of(struct xs_samples *s, struct xs_sample_group *group, unsigned detector,
                                      uint32_t site, unsigned situation) {
    uint16_t key = (uint16_t)(detector * XS_SITUATIONS + situation);
    unsigned i = group ? 0 : SLOTS;
    while (i < SLOTS && group->cells[i] && group->keys[i] != key)
        i++;
    if (i == SLOTS)
        return NULL;
    if (!group->cells[i]) {
        s->cell_pool.item_bytes = sizeof(struct xs_sample_cell);
        group->cells[i] = xs_pool_take(&s->cell_pool);
        *group->cells[i] = (struct xs_sample_cell){.detector = detector, .site = site};
        group->keys[i] = key;
    }
    return group->cells[i];
}

static void sum_up(struct xs_sample_cell *cell, const struct xs_sample_block *block) {
    if (!block->checked)
        return;
    bool sampled = block->of > block->checked;
    double weight = (double)block->of / block->checked;
    /* looking at a copy may lengthen it, so a hit's share of the time of the checked copies is used as its share of all
     * the time */
    double time_weight = block->checked_ns > 0 ? block->of_ns / block->checked_ns : weight;
    double left = (double)block->of - block->checked, left_ns = fmax(0, block->of_ns - block->checked_ns);
    cell->left += left;
    cell->left_ns += left_ns;
    for (unsigned v = 0; v < XS_VERDICTS; v++) {
        cell->estimate[v] += weight * block->hits[v];
        cell->ns[v] += block->ns[v] * time_weight;
        cell->sampled[v] += sampled ? weight * block->hits[v] : 0;
        double share = (double)block->hits[v] / block->checked;
        cell->left_hits[v] += left * share;
        cell->left_hit_ns[v] += left_ns * (block->checked_ns > 0 ? block->hit_ns[v] / block->checked_ns : share);
    }
    if (sampled) {
        cell->sampled_of += (double)block->of;
        cell->sampled_checked += block->checked;
        cell->sampled_squares += weight * (double)block->of;
    }
}

static void end_block(struct xs_sample_cell *cell) {
    sum_up(cell, &cell->held);
    cell->held = cell->open;
    cell->open = (struct xs_sample_block){0};
}

/* Counts a copy that another run may look at: the random sample left it out, alone or with the earlier copy that it is
 * compared with, or the budget was spent. */
static void count_unseen(struct xs_sample_cell *cell, const struct xs_trace_event *event, enum xs_drawn drawn,
                         uint64_t ns) {
    const struct xs_transfer_view *t = &event->u.transfer;
    bool own = t->skip == XS_SKIP_BUDGET || t->skip == XS_SKIP_LEFT_OUT;
    if (drawn == XS_DRAWN_CHECKED || !(own || (drawn == XS_DRAWN_LEFT_OUT && xs_look_of(t) != XS_LOOK_FOLLOWED)))
        return;
    cell->unseen++;
    cell->unseen_downloads += xs_is_download(event);
    cell->unseen_bytes = xs_sum(cell->unseen_bytes, t->bytes);
    cell->unseen_ns = xs_sum(cell->unseen_ns, ns);
}

/* True if a block is complete. All of the first copies of a site are checked. They form a block of their own and
 * represent no other copies. */
static bool is_full(const struct xs_sample_block *open, enum xs_drawn drawn) {
    bool census = open->of == open->checked;
    if (census && drawn == XS_DRAWN_LEFT_OUT)
        return open->checked >= XS_SAMPLE_CENSUS;
    return open->checked >= (census ? UINT32_MAX : XS_SAMPLE_BLOCK);
}

void xs_samples_add(struct xs_samples *s, unsigned detector, const struct xs_trace_event *event, unsigned situation,
                    enum xs_drawn drawn) {
    struct xs_sample_cell *cell = cell_of(s, group_of(s, event), detector, event->site, situation);
    s->current = cell && drawn == XS_DRAWN_CHECKED ? cell : NULL;
    if (!cell)
        return;
    struct xs_times times = xs_event_times(event);
    double ns = (double)xs_times_rank_ns(&times);
    s->current_ns = ns;
    if (xs_detectors[detector]->needs & XS_NEEDS_CONTENTS)
        count_unseen(cell, event, drawn, xs_times_rank_ns(&times));
    if (drawn == XS_DRAWN_UNKNOWN) {
        cell->unknown++;
        return;
    }
    if (is_full(&cell->open, drawn))
        end_block(cell);
    cell->of++;
    cell->open.of++;
    cell->open.of_ns += ns;
    cell->open.checked_ns += drawn == XS_DRAWN_CHECKED ? ns : 0;
    cell->checked += drawn == XS_DRAWN_CHECKED;
    cell->open.checked += drawn == XS_DRAWN_CHECKED;
}

void xs_samples_hit(struct xs_samples *s, unsigned detector, const struct xs_instance *instance) {
    struct xs_sample_cell *cell = s->current;
    unsigned verdict = instance->verdict;
    if (!cell || cell->detector != detector || verdict >= XS_VERDICTS)
        return;
    cell->hits[verdict]++;
    cell->open.hits[verdict]++;
    cell->open.ns[verdict] += (double)xs_times_rank_ns(&instance->removable);
    cell->open.hit_ns[verdict] += s->current_ns;
    s->current = NULL;
}

/* --- estimates --- */

void xs_wilson(double hits, double checked, double *low, double *high) {
    const double z = 1.959964;
    double share = hits / checked, z2 = z * z / checked;
    double middle = (share + z2 / 2) / (1 + z2);
    double half = z * sqrt(share * (1 - share) / checked + z2 / (4 * checked)) / (1 + z2);
    *low = middle - half > 0 ? middle - half : 0;
    *high = middle + half < 1 ? middle + half : 1;
}

/* Ends a cell. If the last block has too few checked copies, it is joined with the block before. */
static void end_cell(struct xs_sample_cell *cell) {
    struct xs_sample_block *open = &cell->open, *held = &cell->held;
    if (open->of && open->checked < XS_SAMPLE_LEAST && open->of > open->checked) {
        open->of += held->of;
        open->checked += held->checked;
        open->of_ns += held->of_ns;
        open->checked_ns += held->checked_ns;
        for (unsigned v = 0; v < XS_VERDICTS; v++) {
            open->hits[v] += held->hits[v];
            open->ns[v] += held->ns[v];
            open->hit_ns[v] += held->hit_ns[v];
        }
        *held = (struct xs_sample_block){0};
    }
    sum_up(cell, held);
    sum_up(cell, open);
    *held = *open = (struct xs_sample_block){0};
}

/* Computes how far a cell's estimate may be off, downwards and upwards. The checked copies, which have unequal weights,
 * are worth as much as `effective` copies of equal weight. The larger the checked share of the copies, the smaller the
 * error. */
static void spread(const struct xs_sample_cell *cell, unsigned verdict, double *down, double *up) {
    double of = cell->sampled_of, estimate = cell->sampled[verdict], low, high;
    *down = *up = 0;
    if (of <= 0)
        return;
    double effective = of * of / cell->sampled_squares, rest = of / (of - cell->sampled_checked);
    xs_wilson(estimate / of * effective * rest, effective * rest, &low, &high);
    *down = estimate - low * of;
    *up = high * of - estimate;
}

static void add_cell(const struct xs_sample_cell *cell, struct xs_finding *finding) {
    struct xs_sample *sample = &finding->sample;
    double down, up;
    sample->unknown += cell->unknown + (cell->checked ? 0 : cell->of);
    if (!cell->checked)
        return;
    spread(cell, finding->verdict, &down, &up);
    sample->checked += cell->checked;
    sample->of += cell->of;
    sample->hits += cell->hits[finding->verdict];
    sample->estimate += cell->estimate[finding->verdict];
    sample->ns += cell->ns[finding->verdict];
    if (cell->hits[finding->verdict]) {
        sample->left += cell->left;
        sample->left_ns += cell->left_ns;
        sample->left_hits += cell->left_hits[finding->verdict];
        sample->left_hit_ns += cell->left_hit_ns[finding->verdict];
    }
    sample->low += down * down; /* these are sums of squares until all cells are added */
    sample->high += up * up;
}

/* Completes a finding's sample. The estimate is at least the number of instances that were found, and cannot include
 * checked copies that are no instances. */
static void end_finding(struct xs_finding *finding) {
    struct xs_sample *sample = &finding->sample;
    double found = (double)finding->instances, most = (double)(sample->of - (sample->checked - sample->hits));
    double ns = (double)finding->claimed_ns;
    if (sample->checked == sample->of) {
        sample->estimate = sample->low = sample->high = found;
        sample->ns = sample->low_ns = sample->high_ns = ns;
        return;
    }
    most = most > found ? most : found;
    sample->low = fmax(found, sample->estimate - sqrt(sample->low));
    sample->high = fmin(most, sample->estimate + sqrt(sample->high));
    double each = sample->estimate > 0 ? sample->ns / sample->estimate : ns / found;
    sample->estimate = fmin(fmax(found, sample->estimate), most);
    sample->high = fmax(sample->high, sample->estimate);
    sample->low = fmin(sample->low, sample->estimate);
    sample->ns = fmax(ns, sample->estimate * each);
    sample->low_ns = fmax(ns, sample->low * each);
    sample->high_ns = fmax(sample->ns, sample->high * each);
}

/* Adds the copies of cells without any checked copy. Time that another detector found at copies of this site and size
 * is subtracted, because it cannot be saved twice. */
static void add_unchecked(const struct xs_sample_group *group, struct xs_findings_builder *builder) {
    double found = 0;
    for (unsigned i = 0; i < SLOTS && group->cells[i]; i++) {
        double ns = 0;
        for (unsigned v = 0; v < XS_VERDICTS; v++)
            ns += group->cells[i]->ns[v];
        found = ns > found ? ns : found;
    }
    uint64_t found_ns = found < 9e18 ? (uint64_t)found : INT64_MAX;
    for (unsigned i = 0; i < SLOTS && group->cells[i]; i++) {
        const struct xs_sample_cell *cell = group->cells[i];
        if (!cell->unseen || cell->checked)
            continue;
        xs_findings_unchecked(
            builder,
            &(struct xs_unchecked){.detector = cell->detector,
                                   .site = cell->site,
                                   .copies = cell->unseen,
                                   .downloads = cell->unseen_downloads,
                                   .bytes = cell->unseen_bytes,
                                   .ns = cell->unseen_ns - (cell->unseen_ns < found_ns ? cell->unseen_ns : found_ns)});
    }
}

/* Adds the copies of a cell that were left out, if similar copies were checked. */
static void add_left_out(const struct xs_sample_cell *cell, struct xs_by_chance *left_out) {
    double hits = 0, low = 0, high = 0;
    for (unsigned v = 0; v < XS_VERDICTS; v++)
        hits += (double)cell->hits[v];
    if (!cell->checked)
        return;
    left_out->copies += cell->of - cell->checked;
    if (hits > 0 || cell->sampled_of <= 0)
        return;
    double effective = cell->sampled_of * cell->sampled_of / cell->sampled_squares;
    xs_wilson(0, effective * cell->sampled_of / (cell->sampled_of - cell->sampled_checked), &low, &high);
    left_out->most += fmin((double)(cell->of - cell->checked), high * cell->sampled_of);
}

void xs_samples_finish(struct xs_samples *s, struct xs_findings_builder *builder) {
    builder->left_out = xs_zeroed(xs_detector_count, sizeof *builder->left_out);
    for (const struct xs_hash_entry *entry = NULL; (entry = xs_hash_next(&s->groups, entry));) {
        struct xs_sample_group *group = (struct xs_sample_group *)(uintptr_t)entry->value;
        for (unsigned i = 0; i < SLOTS && group->cells[i]; i++) {
            struct xs_sample_cell *cell = group->cells[i];
            end_cell(cell);
            add_left_out(cell, &builder->left_out[cell->detector]);
            for (unsigned verdict = 0; verdict < XS_VERDICTS; verdict++) {
                struct xs_finding *finding =
                    xs_hash_pointer(&builder->items, (uint64_t)cell->detector << 32 | verdict, cell->site);
                if (finding)
                    add_cell(cell, finding);
            }
        }
        add_unchecked(group, builder);
    }
    for (const struct xs_hash_entry *entry = NULL; (entry = xs_hash_next(&builder->items, entry));) {
        struct xs_finding *finding = (struct xs_finding *)(uintptr_t)entry->value;
        finding->sample.is_of_contents =
            (xs_detectors[finding->detector]->needs & (XS_NEEDS_CONTENTS | XS_NEEDS_HOST_READS)) != 0;
        if (finding->sample.is_of_contents)
            end_finding(finding);
    }
}

void xs_samples_free(struct xs_samples *s) {
    xs_hash_free(&s->groups);
    xs_pool_free(&s->cell_pool);
}
