/* Says what is assumed of a CUDA graph that takes the place of single launches. */
#ifndef XFERSPY_ANALYZER_FINDINGS_ENGINE_GRAPH_LAUNCH_H
#define XFERSPY_ANALYZER_FINDINGS_ENGINE_GRAPH_LAUNCH_H

/* XS_GRAPH_LAUNCH_NS is the host's time to launch a graph. The device pauses before each kernel of a graph for at most
 * XS_GRAPH_GAP_NS. This is also the pause between kernels that wait in a stream. */
#define XS_GRAPH_LAUNCH_NS 10000
#define XS_GRAPH_GAP_NS 1500

/* A graph replaces at least this number of launches. To launch a graph of fewer kernels takes about as long as to
 * launch the kernels one by one. */
#define XS_GRAPH_LEAST_LAUNCHES 4

/* If at least this much time is between two launches, the host did something else, which a graph does not save. */
#define XS_LAUNCH_PAUSE_NS 50000

#endif
