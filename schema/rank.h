/* Reads the process's rank in its job from the environment, where the job's launcher has put it. */
#ifndef XFERSPY_SCHEMA_RANK_H
#define XFERSPY_SCHEMA_RANK_H

/* These functions return the rank, the number of processes in the job, and the rank among the processes of the machine.
 * Each function tries several variables in order, and returns the value of the first one that contains a whole number
 * of 0 or more. *variable receives the name of this variable, unless `variable` is NULL. -1: none of the variables
 * contains such a number. */
long xs_rank(const char **variable);
long xs_world_size(const char **variable);
long xs_local_rank(const char **variable);

#endif
