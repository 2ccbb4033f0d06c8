-- What a merged file has beside the tables and views of schema.sql, which have a column `trace` before all others there,
-- or (trace, row) where they have no number of their own.

CREATE TABLE merged_trace (id INTEGER PRIMARY KEY,
  name TEXT NOT NULL UNIQUE,                             -- what follows the colon in JOB.db:NAME
  rank INTEGER, world_size INTEGER, host TEXT, pid INTEGER, executable TEXT, command TEXT, -- as in meta
  start_unix_ns INTEGER, duration_ns INTEGER, status TEXT, schema_version INTEGER,
  file TEXT NOT NULL);                                   -- that it was merged from, without its folder
