/* Making a file that holds what a trace holds. */
#ifndef XFERSPY_SCHEMA_FILE_PRIVATE_FILE_H
#define XFERSPY_SCHEMA_FILE_PRIVATE_FILE_H

/* A new file, open for reading and writing, that its owner alone may read and write, whatever the umask: a trace has
 * command lines, paths and names, and so has what is made of it. -1 and errno, with EEXIST where the name is taken. */
int xs_create_private(const char *path);

#endif
