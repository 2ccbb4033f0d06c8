/* What recording costs a program, as measured: the library counts it in its budget, and the analysis takes it off. */
#ifndef XFERSPY_SCHEMA_FORMAT_RECORDING_COST_H
#define XFERSPY_SCHEMA_FORMAT_RECORDING_COST_H

/* Recording a fault of the device made its kernel longer by 36 and 38 us on an H200 (managed_each_iteration and
 * pool_first_touch of tests/truth/cases), and by less on an H100. */
enum { XS_RECORD_FAULT_NS = 36000 };

#endif
