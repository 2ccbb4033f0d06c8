/* Case 16: a field comes back in each step, and only the last version is read. Beside it, one comes back of which a
 * value is read in each step, one that is uploaded again, and one in the heap whose neighbours are read.
 *
 * env: XFERSPY_FINGERPRINT=off XFERSPY_HOST_READS=all
 * stdout: data ok
 *
 * !
 * pageable|20|20|18377216
 * partly-read-download/edges|4|4|1600000
 * partly-read-download/inside|4|4|4194304
 * unread-download/overwritten|3|3|3145728
 *
 * What was read lies in the middle, and explain says where:
 * $ "$xferspy" explain --color=never $traces partly-read-download/inside | grep -m1 -o 'host read .*at most.*' | tr -s ' '
 * host read at most 4.00 KiB of 1.00 MiB in about 514 KiB to 587 KiB
 *
 * The host waits for the field in each step, and the section about waits says that it need not:
 * $ "$xferspy" report --color=never --sections=waits $traces | grep -o 'nobody read what.*'
 * nobody read what 3 of the 4 watched ones brought
 *
 * Watching took time beside the program, which the section about the cost says:
 * $ "$xferspy" report --color=never --sections=cost $traces | grep -c 'looked for .* at what the host read of downloads'
 * 1
 */
#include "cases.h"

enum { BYTES = 1 << 20, STEPS = 4, HEAP_BYTES = 400000 };

/* An array of a block, as the heap has many: it begins and ends within a page, and its neighbours are in use. */
struct block {
    unsigned before[100];
    unsigned char array[HEAP_BYTES];
    unsigned behind[100];
};

static unsigned char *pageable() {
    void *memory = malloc(BYTES);
    REQUIRE(memory);
    memset(memory, 1, BYTES);
    return static_cast<unsigned char *>(memory);
}

int main() {
    unsigned char *field = pageable(), *part = pageable(), *again = pageable();
    unsigned char *device = case_device(BYTES);
    unsigned sum = 0;
    auto *block = static_cast<struct block *>(malloc(sizeof(struct block)));
    REQUIRE(block);
    memset(block, 0, sizeof *block);
    OK(cudaMemset(device, 0, BYTES));
    for (int step = 0; step < STEPS; step++) {
        case_change(device, BYTES);
        case_down(field, device, BYTES);
        case_down(part, device, BYTES);
        sum += part[BYTES / 2];
        case_down(block->array, device, HEAP_BYTES);
        block->before[99]++;
        block->behind[0]++;
        case_down(again, device, BYTES);
        case_up(device, again, BYTES);
    }
    case_change(device, BYTES);
    for (int i = 0; i < BYTES; i++)
        REQUIRE(field[i] == STEPS);
    REQUIRE(sum == 1 + 2 + 3 + 4);
    REQUIRE(block->before[99] == STEPS && block->behind[0] == STEPS);
    OK(cudaFree(device));
    puts("data ok");
    return 0;
}
