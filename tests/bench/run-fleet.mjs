// run-fleet.mjs ONE MANY RUNS: makes the fleet files MANY of so many runs, over 30 days, out of the fleet files ONE.
import fs from 'node:fs';
import { DuckDBInstance } from '@duckdb/node-api';

const [one, many, count] = process.argv.slice(2);
const days = 30;
const db = await (await DuckDBInstance.create(':memory:')).connect();
const read = (table) => `read_parquet('${one}/${table}/*/*/*/*.parquet', hive_partitioning = false)`;
await db.run(`CREATE TABLE runs AS SELECT *, row_number() OVER (ORDER BY run_id) - 1 AS kind FROM ${read('runs')}`);
await db.run(`CREATE TABLE findings AS SELECT f.*, r.kind FROM ${read('findings')} f JOIN runs r USING (run_id)`);
await db.run(`CREATE TABLE copies AS SELECT range AS n, range % (SELECT count(*) FROM runs) AS kind,
                     range * ${days} // ${count} AS day FROM range(${count})`);
// What differs between the copies of a run; the other columns stay.
const changed = `printf('%016x', hash(n)) AS run_id,
  TIMESTAMPTZ '2026-01-01' + INTERVAL 1 DAY * day + INTERVAL 1 SECOND * (n % 80000) AS start_time,
  program || '_' || (n % 40)::VARCHAR AS program, (n // 8)::VARCHAR AS job_id, 'node' || (n % 500)::VARCHAR AS host,
  n % 8 AS rank,
  printf('{"team":"t%d","git_commit":"%s"}', n % 12, md5((n // 3000)::VARCHAR)) AS labels`;
for (let day = 0; day < days; day++)
  for (const table of ['runs', 'findings']) {
    const folder = `${many}/${table}/dt=2026-01-${String(day + 1).padStart(2, '0')}/cluster=unknown/job=unknown`;
    fs.mkdirSync(folder, { recursive: true });
    for (const part of [0, 1]) // joining needs two files at least
      await db.run(`COPY (SELECT t.* EXCLUDE kind REPLACE (${changed}) FROM copies JOIN ${table} t USING (kind)
                          WHERE day = ${day} AND n % 2 = ${part} ORDER BY n)
                    TO '${folder}/${part}.parquet' (FORMAT parquet, COMPRESSION gzip)`);
  }
