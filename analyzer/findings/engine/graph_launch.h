/* Says what is assumed of a CUDA graph that takes the place of single launches. */
#ifndef XFERSPY_ANALYZER_FINDINGS_ENGINE_GRAPH_LAUNCH_H
#define XFERSPY_ANALYZER_FINDINGS_ENGINE_GRAPH_LAUNCH_H

/* XS_GRAPH_LAUNCH_NS is the host's time to launch a graph. The device pauses before each kernel of a graph for at most
 * XS_GRAPH_GAP_NS, as between kernels that wait in a stream. */
#define XS_GRAPH_LAUNCH_NS 10000
#define XS_GRAPH_GAP_NS 1500

/* The least number of launches that a graph replaces. To launch a graph of fewer kernels takes about as long as to
 * launch the kernels. */
#define XS_GRAPH_LEAST_LAUNCHES 4

/* If at least this much time is between two launches, the host did something else, which a graph does not save. */
#define XS_LAUNCH_PAUSE_NS 50000

#endif
