/* A trace reaches its largest size, and device times were recorded only in windows, as in a long run with a budget.
 * Nothing is modelled for the calls whose rows are gone. The report says so, and no interval claims to hold for all
 * calls. Counts are those of all calls.
 *
 * link: cuda
 * env: XFERSPY_MAX_SIZE=4 XFERSPY_FINGERPRINT=off XFERSPY_WINDOW=10ms/100ms
 * stdout: data ok
 *
 * needs: cupti
 * $ "$xferspy" report $traces | grep -o 'Totals include them, but of their device times only what was recorded;'
 * $ "$xferspy" report $traces | grep -c '95 % confidence'
 * $ "$xferspy" check --fail-on=device-time:1000s $traces | grep -o 'UNKNOWN  device-time\|nothing is modelled for them'
 * $ "$xferspy" report --format=json $traces | python3 -c "import json, sys
 * $ t = json.load(sys.stdin)['traces'][0]
 * $ print(t['transfers']['total']['count'], sum(l['count'] for l in t['launches']))
 * $ print(t['transfers']['total']['modelled_count'] > 0, {s['least_ns'] for s in t['device_windows']['sums']})"
 * Totals include them, but of their device times only what was recorded;
 * 0
 * UNKNOWN  device-time
 * nothing is modelled for them
 * 120001 60000
 * True {None}
 */
#include "max_size.c"
