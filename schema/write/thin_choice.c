/* Chooses the calls that are kept; see thin_choice.h. */
#include "schema/write/thin_choice.h"

#include <stdlib.h>
#include <string.h>

/* A call site and its number of calls. Calls are counted when they are stored, because a pass must know the number at
 * its beginning. */
struct site {
    uint64_t key; /* 0: the hash slot is free */
    uint32_t count, bits;
};

/* A call that was deleted lately. There are two tables of such calls: when the newer table is full, the older one is
 * emptied and used as the newer one. */
struct gone {
    uint32_t correlation; /* 0: the hash slot is free */
    uint32_t shape : 31, is_late : 1;
};

enum { FIRST_SITES = 256, MOST_SITES = 65536, GONE_PLACES = 2 * XS_CALLS_IN_MIND };

struct xs_choice {
    struct site *sites;
    uint32_t site_slots, site_count;
    unsigned bits;  /* of the sample of all calls */
    uint64_t *kept; /* keys of the calls that are kept in addition to the sample; 0: free */
    uint32_t kept_slots, kept_count, kept_most;
    struct gone *gone[2];
    uint32_t gone_count; /* used slots of gone[0] */
    uint64_t remembered; /* number of all calls that were ever remembered */
    int64_t newest;
    bool takes_all; /* nothing is kept */
    struct xs_choice_range range;
    bool waits;                   /* a record of the slice waits until its call was examined */
    uint32_t row_count, row_at;   /* number of rows to delete in the slice, and the latest position among them */
    int64_t rows[XS_CHOICE_ROWS]; /* ids of the rows to delete */
};

/* Returns a hash of 64 bits. Different numbers have different hashes. */
static inline uint64_t scattered(uint64_t number) {
    number = (number ^ number >> 30) * 0xbf58476d1ce4e5b9u;
    number = (number ^ number >> 27) * 0x94d049bb133111ebu;
    return number ^ number >> 31;
}

/* --- sites --- */

static uint64_t key_of_site(enum xs_calls_of of, int64_t entry_point, int64_t site, int64_t kind) {
    uint64_t key = scattered((uint64_t)of << 32 ^ (uint64_t)entry_point);
    return scattered(scattered(key ^ (uint64_t)site) ^ (uint64_t)kind) | 1;
}

static struct site *slot_of_site(struct site *sites, uint32_t slots, uint64_t key) {
    uint32_t i = (uint32_t)(key >> 32) & (slots - 1);
    while (sites[i].key && sites[i].key != key)
        i = (i + 1) & (slots - 1);
    return &sites[i];
}

static bool grow_sites(struct xs_choice *choice) {
    uint32_t slots = choice->site_slots ? choice->site_slots * 4 : FIRST_SITES;
    struct site *sites = slots <= MOST_SITES ? calloc(slots, sizeof *sites) : NULL;
    if (!sites)
        return false;
    for (uint32_t i = 0; i < choice->site_slots; i++)
        if (choice->sites[i].key)
            *slot_of_site(sites, slots, choice->sites[i].key) = choice->sites[i];
    free(choice->sites);
    choice->sites = sites;
    choice->site_slots = slots;
    return true;
}

void xs_choice_count(struct xs_choice *choice, enum xs_calls_of of, int64_t entry_point, int64_t site, int64_t kind) {
    uint64_t key = key_of_site(of, entry_point, site, kind);
    struct site *slot = slot_of_site(choice->sites, choice->site_slots, key);
    if (!slot->key) {
        if (choice->site_count >= choice->site_slots / 2) {
            if (!grow_sites(choice)) /* for further sites, only the sample is kept */
                return;
            slot = slot_of_site(choice->sites, choice->site_slots, key);
        }
        slot->key = key;
        choice->site_count++;
    }
    slot->count += slot->count < UINT32_MAX;
}

static unsigned bits_for(const struct site *site, uint32_t quota) {
    unsigned bits = site->bits;
    while (site->count >> bits > quota)
        bits++;
    return bits;
}

/* Returns how many calls would be kept in addition to the sample if each site could keep at most `quota` calls. */
static uint64_t wanted(const struct xs_choice *choice, uint32_t quota) {
    uint64_t sum = 0;
    for (uint32_t i = 0; i < choice->site_slots; i++) {
        unsigned bits = bits_for(&choice->sites[i], quota);
        sum += bits < choice->bits ? choice->sites[i].count >> bits : 0;
    }
    return sum;
}

/* --- keys of calls --- */

static bool put_kept(struct xs_choice *choice, uint64_t key, bool add) {
    if (!choice->kept_slots)
        return false;
    uint32_t i = (uint32_t)(key >> 32) & (choice->kept_slots - 1);
    while (choice->kept[i] && choice->kept[i] != key)
        i = (i + 1) & (choice->kept_slots - 1);
    if (choice->kept[i] || !add || choice->kept_count >= choice->kept_most)
        return choice->kept[i] != 0;
    choice->kept[i] = key;
    choice->kept_count++;
    return true;
}

void xs_choice_begin(struct xs_choice *choice, unsigned bits, uint32_t most) {
    uint32_t quota = most, slots = 64;
    choice->bits = bits;
    while (quota > 1 && wanted(choice, quota) > most - most / 8)
        quota /= 2;
    for (uint32_t i = 0; i < choice->site_slots; i++)
        choice->sites[i].bits = bits_for(&choice->sites[i], quota);
    while (slots < 2 * most)
        slots *= 2;
    if (slots != choice->kept_slots) {
        free(choice->kept);
        choice->kept = malloc(slots * sizeof *choice->kept);
        choice->kept_slots = choice->kept ? slots : 0;
    }
    if (choice->kept)
        memset(choice->kept, 0, choice->kept_slots * sizeof *choice->kept);
    choice->kept_count = 0;
    choice->kept_most = most;
    choice->newest = 0;
}

void xs_choice_slice(struct xs_choice *choice, const struct xs_choice_range *range) {
    choice->range = *range;
    choice->waits = false;
    choice->row_count = 0;
    choice->row_at = 0;
}

uint32_t xs_choice_gone(const struct xs_choice *choice) { return choice->row_count; }
void xs_choice_take_all(struct xs_choice *choice) { choice->takes_all = true; }
bool xs_choice_waits(const struct xs_choice *choice) { return choice->waits; }

/* --- deleted calls --- */

static struct gone *slot_of_gone(struct gone *gone, uint32_t correlation) {
    uint32_t i = (uint32_t)(scattered(correlation) >> 32) & (GONE_PLACES - 1);
    while (gone[i].correlation && gone[i].correlation != correlation)
        i = (i + 1) & (GONE_PLACES - 1);
    return &gone[i];
}

static void remember(struct xs_choice *choice, uint32_t correlation, uint32_t shape) {
    if (choice->gone_count == XS_CALLS_IN_MIND) {
        struct gone *older = choice->gone[1];
        choice->gone[1] = choice->gone[0];
        choice->gone[0] = memset(older, 0, GONE_PLACES * sizeof *older);
        choice->gone_count = 0;
    }
    struct gone *slot = slot_of_gone(choice->gone[0], correlation);
    choice->gone_count += !slot->correlation;
    *slot = (struct gone){.correlation = correlation, .shape = shape & INT32_MAX};
    choice->remembered++;
}

/* Finds a deleted call. NULL: the call was not deleted, or is no longer remembered. */
static struct gone *find_gone(struct xs_choice *choice, int64_t correlation) {
    for (int part = 0; part < 2 && correlation > 0 && correlation <= UINT32_MAX; part++) {
        struct gone *gone = slot_of_gone(choice->gone[part], (uint32_t)correlation);
        if (gone->correlation)
            return gone;
    }
    return NULL;
}

int64_t xs_choice_late(struct xs_choice *choice, uint32_t correlation) {
    struct gone *gone = find_gone(choice, correlation);
    if (!gone)
        return 0;
    gone->is_late = true;
    return gone->shape;
}

void xs_choice_forget(struct xs_choice *choice) {
    memset(choice->gone[0], 0, GONE_PLACES * sizeof *choice->gone[0]);
    memset(choice->gone[1], 0, GONE_PLACES * sizeof *choice->gone[1]);
    choice->gone_count = 0;
}

int64_t xs_choice_newest(const struct xs_choice *choice) { return choice->newest; }
uint64_t xs_choice_remembered(const struct xs_choice *choice) { return choice->remembered; }

/* --- the functions of SQL --- */

enum { ID, CORRELATION, OTHER, THREAD, ENTRY_POINT, SITE, KIND, SHAPE };
enum { IS_OF_TRANSFER = OTHER + 1 };

/* Returns the key that decides whether a call is kept; 0: the call is kept, because the pass does not concern it. */
static uint64_t key_of_call(const struct xs_choice *choice, sqlite3_value **values, int64_t thread) {
    const struct xs_choice_range *range = &choice->range;
    int64_t correlation = sqlite3_value_int64(values[CORRELATION]);
    if (correlation > 0) {
        bool may_go = correlation > range->from_correlation && correlation <= range->to_correlation;
        return may_go ? scattered((uint64_t)correlation) : 0;
    }
    int64_t other = sqlite3_value_int64(values[OTHER]);
    if (other <= range->from_other || other > range->to_other)
        return 0;
    uint64_t of = (uint64_t)range->of + 1 + ((uint64_t)thread << 8);
    return scattered((uint64_t)other ^ scattered(of));
}

static bool is_of_sample(uint64_t key, unsigned bits) { return (key & ((UINT64_C(1) << bits) - 1)) == 0; }

/* Returns to SQL whether the row is to be deleted. If so, puts the row on the list of rows to delete; if the list is
 * full, the row is kept. */
static void answer(struct xs_choice *choice, sqlite3_context *context, bool goes, int64_t id) {
    goes = goes && choice->row_count < XS_CHOICE_ROWS;
    if (goes)
        choice->rows[choice->row_count++] = id;
    sqlite3_result_int(context, goes);
}

static void choose(sqlite3_context *context, int count, sqlite3_value **values) {
    struct xs_choice *choice = sqlite3_user_data(context);
    uint64_t key = key_of_call(choice, values, sqlite3_value_int64(values[THREAD]));
    int64_t correlation = sqlite3_value_int64(values[CORRELATION]);
    bool is_transfer = choice->range.of == XS_CALLS_TRANSFER && correlation > 0;
    (void)count;
    if (is_transfer && correlation > choice->newest)
        choice->newest = correlation;
    bool goes = choice->takes_all || (key && !is_of_sample(key, choice->bits));
    if (goes && !choice->takes_all) {
        uint64_t of_site = key_of_site(choice->range.of, sqlite3_value_int64(values[ENTRY_POINT]),
                                       sqlite3_value_int64(values[SITE]), sqlite3_value_int64(values[KIND]));
        const struct site *site = slot_of_site(choice->sites, choice->site_slots, of_site);
        bool is_rare = site->key && site->bits < choice->bits;
        goes = !put_kept(choice, key, is_rare && is_of_sample(key, site->bits));
    }
    int64_t shape = goes && is_transfer ? sqlite3_value_int64(values[SHAPE]) : 0;
    if (shape > 0 && shape <= INT32_MAX)
        remember(choice, (uint32_t)correlation, (uint32_t)shape);
    answer(choice, context, goes, sqlite3_value_int64(values[ID]));
}

/* Makes the same decision about a device record as was made about its call. Threads write their calls in chunks, so a
 * transfer can be stored long after a transfer with a larger correlation. */
static void follow(sqlite3_context *context, int count, sqlite3_value **values) {
    struct xs_choice *choice = sqlite3_user_data(context);
    uint64_t key = key_of_call(choice, values, 0);
    int64_t correlation = sqlite3_value_int64(values[CORRELATION]);
    (void)count;
    bool goes = choice->takes_all || (key && !is_of_sample(key, choice->bits) && !put_kept(choice, key, false));
    if (goes && correlation > 0 && sqlite3_value_int(values[IS_OF_TRANSFER]) && !choice->range.has_all_calls &&
        !find_gone(choice, correlation)) {
        choice->waits = true;
        goes = false;
    }
    answer(choice, context, goes, sqlite3_value_int64(values[ID]));
}

static void is_gone(sqlite3_context *context, int count, sqlite3_value **values) {
    struct xs_choice *choice = sqlite3_user_data(context);
    int64_t id = sqlite3_value_int64(values[0]);
    (void)count;
    if (choice->row_at > 0 && choice->rows[choice->row_at - 1] >= id)
        choice->row_at = 0; /* another statement begins at the first row */
    while (choice->row_at < choice->row_count && choice->rows[choice->row_at] < id)
        choice->row_at++;
    sqlite3_result_int(context, choice->row_at < choice->row_count && choice->rows[choice->row_at] == id);
}

static void call_shape(sqlite3_context *context, int count, sqlite3_value **values) {
    struct xs_choice *choice = sqlite3_user_data(context);
    const struct gone *gone = find_gone(choice, sqlite3_value_int64(values[0]));
    (void)count;
    if (gone && !gone->is_late)
        sqlite3_result_int64(context, gone->shape);
    else
        sqlite3_result_null(context);
}

/* --- life --- */

void xs_choice_free(struct xs_choice *choice) {
    if (!choice)
        return;
    free(choice->sites);
    free(choice->kept);
    free(choice->gone[0]);
    free(choice->gone[1]);
    free(choice);
}

struct xs_choice *xs_choice_new(sqlite3 *db) {
    struct xs_choice *choice = calloc(1, sizeof *choice);
    if (!choice)
        return NULL;
    choice->gone[0] = calloc(GONE_PLACES, sizeof *choice->gone[0]);
    choice->gone[1] = calloc(GONE_PLACES, sizeof *choice->gone[1]);
    bool is_whole = choice->gone[0] && choice->gone[1] && grow_sites(choice);
    static const struct {
        const char *name;
        int count;
        void (*function)(sqlite3_context *, int, sqlite3_value **);
    } functions[] = {{"xs_choose", 8, choose},
                     {"xs_follow", 4, follow},
                     {"xs_is_gone", 1, is_gone},
                     {"xs_call_shape", 1, call_shape}};
    for (size_t i = 0; is_whole && i < sizeof functions / sizeof *functions; i++) {
        is_whole = sqlite3_create_function_v2(db, functions[i].name, functions[i].count, SQLITE_UTF8, choice,
                                              functions[i].function, NULL, NULL, NULL) == SQLITE_OK;
    }
    if (!is_whole) {
        xs_choice_free(choice);
        return NULL;
    }
    return choice;
}
