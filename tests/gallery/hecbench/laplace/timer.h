// Written for this build: the suite's own timer.h is not in the stored copy of the repository.
#include <sys/time.h>

static struct timeval timerStart;

inline void StartTimer() { gettimeofday(&timerStart, NULL); }

// milliseconds
inline double GetTimer() {
    struct timeval now;
    gettimeofday(&now, NULL);
    return (now.tv_sec - timerStart.tv_sec) * 1000.0 + (now.tv_usec - timerStart.tv_usec) / 1000.0;
}
