/* Defines the engine's table of detectors, which has an entry for each row of detectors.def. */
#include "analyzer/findings/engine/detector.h"

#define XS_DETECTOR(name) extern const struct xs_detector xs_detector_##name;
#include "analyzer/findings/detectors/detectors.def"
#undef XS_DETECTOR

#define XS_DETECTOR(name) &xs_detector_##name,
const struct xs_detector *const xs_detectors[] = {
#include "analyzer/findings/detectors/detectors.def"
};
#undef XS_DETECTOR
const size_t xs_detector_count = sizeof xs_detectors / sizeof *xs_detectors;
