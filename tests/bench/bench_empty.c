/* A library that has nothing in it, for what preloading any library costs (run-start). */
extern int bench_empty;
int bench_empty;
