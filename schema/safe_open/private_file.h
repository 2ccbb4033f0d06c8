/* A file that holds a trace's contents is made private. */
#ifndef XFERSPY_SCHEMA_SAFE_OPEN_PRIVATE_FILE_H
#define XFERSPY_SCHEMA_SAFE_OPEN_PRIVATE_FILE_H

/* Makes a new file, open for reading and writing, that only its owner may read and write, whatever the umask: a trace
 * contains command lines, paths and names, and so do files made from it. Returns -1 and errno on failure, EEXIST if the
 * name is taken. */
int xs_create_private(const char *path);

#endif
