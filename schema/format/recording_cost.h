/* Contains the measured time that recording costs a program. The library counts this time in its budget, and the
 * analysis subtracts it. */
#ifndef XFERSPY_SCHEMA_FORMAT_RECORDING_COST_H
#define XFERSPY_SCHEMA_FORMAT_RECORDING_COST_H

/* The kernel that caused a page fault of the device took 36 or 38 us longer when the fault was recorded on an H200
 * (managed_each_iteration and pool_first_touch of tests/truth/cases). The difference was smaller on an H100. */
enum { XS_RECORD_FAULT_NS = 36000 };

#endif
