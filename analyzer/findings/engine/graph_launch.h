/* Says what is assumed of a CUDA graph that takes the place of single launches. */
#ifndef XFERSPY_ANALYZER_FINDINGS_ENGINE_GRAPH_LAUNCH_H
#define XFERSPY_ANALYZER_FINDINGS_ENGINE_GRAPH_LAUNCH_H

/* The host's time to launch a graph, and the device's pause before each of its kernels: at least none, and at most as
 * between kernels that wait in a stream. */
#define XS_GRAPH_LAUNCH_NS 10000
#define XS_GRAPH_GAP_NS 1500

/* Fewer launches are no run: a graph of so few kernels takes about as long to launch as they do. */
#define XS_GRAPH_LEAST_LAUNCHES 4

/* If at least this much time is between two launches, the host did something else, which a graph does not save. */
#define XS_LAUNCH_PAUSE_NS 50000

#endif
