/* A launcher tells the process's rank in its job through the environment. */
#ifndef XFERSPY_SCHEMA_RANK_H
#define XFERSPY_SCHEMA_RANK_H

/* Returns the rank: the value of the first variable that is set. `variable` receives that variable's name unless it is
 * NULL. -1: no rank. */
long xs_rank(const char **variable);
long xs_world_size(const char **variable);
long xs_local_rank(const char **variable);

#endif
