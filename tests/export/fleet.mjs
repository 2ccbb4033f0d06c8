// fleet.mjs FOLDER XFERSPY PAGE RANKS: `xferspy fleet` and DuckDB give the same answers about FOLDER/fleet, and the
// statements of PAGE can be run.
import fs from 'node:fs';
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { DuckDBInstance } from '@duckdb/node-api';

const [folder, xferspy, page, ranks] = process.argv.slice(2);
process.chdir(folder);
const db = await (await DuckDBInstance.create(':memory:')).connect();
const rowsOf = async (sql) => (await db.runAndReadAll(sql)).getRowObjects();
const fleet = (...options) =>
  JSON.parse(execFileSync(xferspy, ['fleet', '--json', '--top=100000', ...options, 'fleet'], { encoding: 'utf8' }));
await db.run("SET TimeZone = 'UTC'");
for (const table of ['runs', 'findings'])
  await db.run(`CREATE VIEW ${table} AS SELECT * FROM read_parquet('fleet/${table}/*/*/*/*.parquet',
                                                     hive_partitioning = false, union_by_name = true)`);

// Each question: options, and the statement that gives the name, runs, wasted and least wasted time of each row.
const wasted = 'sum(saves_most_ns * gpus)::BIGINT, sum(saves_least_ns * gpus)::BIGINT';
const ofRuns = (key, where = 'true') =>
  `SELECT ${key} AS name, count(*) AS runs, ${wasted} FROM runs WHERE ${where} GROUP BY 1`;
const ofFindings = (key, where = 'true') =>
  `SELECT ${key} AS name, count(DISTINCT run_id) AS runs, ${wasted} FROM findings
   WHERE leads_cause AND ${where} GROUP BY 1`;
const questions = [
  [['--group-by=place'], ofFindings("concat_ws('|', program, place, finding)")],
  [['--group-by=finding'], ofFindings('finding')],
  [['--group-by=place', '--since=2026-01-03'],
    ofFindings("concat_ws('|', program, place, finding)", "start_time >= TIMESTAMPTZ '2026-01-03'")],
  [['--group-by=program'], ofRuns('program')],
  [['--group-by=day'], ofRuns("strftime(start_time, '%Y-%m-%d')")],
  [['--group-by=host'], ofRuns('host')],
  [['--group-by=job'], ofRuns('job_id')],
  [['--group-by=cluster'], ofRuns('cluster_name')],
  [['--group-by=gpu'], ofRuns('gpu')],
  [['--group-by=label:team'], ofRuns("labels ->> 'team'")],
  [['--group-by=program', '--label=team=vision'], ofRuns('program', "labels ->> 'team' = 'vision'")],
];
let compared = 0;
const begin = performance.now();
await rowsOf(questions[0][1]);
const ms = Math.round(performance.now() - begin);
for (const [options, sql] of questions) {
  const wanted = (await rowsOf(sql)).map((row) => Object.values(row).map(String).join(' ')).sort();
  const found = fleet(...options).rows.map((r) =>
    [r.name === undefined ? [r.program, r.place, r.finding].join('|') : r.name, r.runs, r.wasted_ns, r.least_wasted_ns]
      .map(String)
      .join(' '),
  );
  assert.ok(wanted.length > 0, `no rows: ${options}`);
  assert.deepEqual(found.sort(), wanted, options.join(' '));
  compared += found.length;
}
const all = fleet();
assert.equal(all.runs, Number(ranks));
const [sums] = await rowsOf('SELECT sum(duration_ns * gpus)::BIGINT AS t, sum(saves_most_ns * gpus)::BIGINT AS w FROM runs');
assert.deepEqual([sums.t, sums.w].map(String), [all.gpu_ns, all.wasted_ns].map(String));

// Files of another writer are read as well, with other row groups and other forms of the same values.
for (const table of ['runs', 'findings']) {
  fs.mkdirSync(`duck/${table}/dt=2026`, { recursive: true });
  await db.run(`COPY (SELECT * FROM ${table} ORDER BY start_time, run_id) TO 'duck/${table}/dt=2026/all.parquet'
                (FORMAT parquet, COMPRESSION gzip, ROW_GROUP_SIZE 2048)`);
}
assert.deepEqual(
  JSON.parse(execFileSync(xferspy, ['fleet', '--json', '--top=100000', 'duck'], { encoding: 'utf8' })).rows,
  all.rows,
);

// The page's statements for DuckDB, each between lines of ```sql and ```
const blocks = [...fs.readFileSync(page, 'utf8').matchAll(/^```sql\n(-- DuckDB[\s\S]*?)^```$/gm)];
assert.ok(blocks.length > 0, 'no statements in the page');
for (const [, block] of blocks)
  for (const statement of block.split(/;\s*$/m).filter((s) => s.trim())) {
    const rows = await rowsOf(statement);
    if (/^\s*(--.*\n\s*)*SELECT/.test(statement)) assert.ok(rows.length > 0, `nothing from: ${statement}`);
  }
// Of the statements for other engines, the names of columns are looked at.
const columns = new Set();
for (const table of ['runs', 'findings', 'idle'])
  for (const row of await rowsOf(`DESCRIBE SELECT * FROM read_parquet('fleet/${table}/*/*/*/*.parquet')`))
    columns.add(row.column_name);
const others = new Set(`gpu_hours gpu_ns external_location partitioned_by sync_partition_metadata get_json_object
  json_extract_scalar read_parquet sort_values`.split(/\s+/));
const text = fs.readFileSync(page, 'utf8');
const foreign = [...text.matchAll(/^```(?:sql|python)\n((?:-- (?!DuckDB)|# )[\s\S]*?)^```$/gm)];
assert.equal(foreign.length, 4);
for (const [, block] of foreign)
  for (const [name] of block.matchAll(/\b[a-z]+(?:_[a-z]+)+\b/g))
    assert.ok(columns.has(name) || others.has(name), `the page names ${name}, which is no column`);
// The page lists every column.
for (const name of columns)
  assert.ok(text.includes(`\`${name}\``) || ['dt', 'cluster', 'job'].includes(name), name);
console.log(`${questions.length} questions, ${compared} rows, ${blocks.length} blocks of the page, ${ms} ms for places in DuckDB`);
