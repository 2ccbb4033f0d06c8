/* Makes files that contain data of a trace, so that only their owner can access them. */
#ifndef XFERSPY_SCHEMA_SAFE_OPEN_PRIVATE_FILE_H
#define XFERSPY_SCHEMA_SAFE_OPEN_PRIVATE_FILE_H

/* Makes a new file that only its owner may read and write, whatever the umask is, because traces and files made from
 * them contain command lines, paths and names. Returns a descriptor for reading and writing. On error returns -1 and
 * sets errno, to EEXIST if the name is taken. */
int xs_create_private(const char *path);

#endif
