/* The process's rank in its job, as its launcher tells it in the environment. */
#ifndef XFERSPY_SCHEMA_RANK_H
#define XFERSPY_SCHEMA_RANK_H

/* The rank: the value of the first variable that is set, and the variable's name through
 * `variable` unless that is NULL. -1: there is none. */
long xs_rank(const char **variable);
long xs_world_size(const char **variable);
long xs_local_rank(const char **variable);

#endif
