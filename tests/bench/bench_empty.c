/* This library has nothing in it, to measure what preloading any library costs (run-start). */
extern int bench_empty;
int bench_empty;
