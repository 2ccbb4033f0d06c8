// parquet.mjs FOLDER TRACE...: the fleet files FOLDER/fleet.TRACE, read by DuckDB and by hyparquet, have the numbers of
// the report FOLDER/TRACE.json, and both readers read the same.
import fs from 'node:fs';
import path from 'node:path';
import assert from 'node:assert/strict';
import { DuckDBInstance } from '@duckdb/node-api';
import { asyncBufferFromFile, parquetReadObjects } from 'hyparquet';
import { compressors } from 'hyparquet-compressors';

const [folder, ...traces] = process.argv.slice(2);
const db = await (await DuckDBInstance.create(':memory:')).connect();
await db.run("SET TimeZone = 'UTC'");

const filesOf = (root) =>
  fs.existsSync(root) ? fs.readdirSync(root, { recursive: true }).filter((f) => f.endsWith('.parquet')) : [];

// Values of both readers in one form: numbers as BigInt, times as microseconds.
function plain(value) {
  if (value === undefined || value === null) return null;
  if (typeof value === 'number') return BigInt(value);
  if (value instanceof Date) return BigInt(value.getTime()) * 1000n;
  if (typeof value === 'object' && 'micros' in value) return value.micros;
  return value;
}
const plainRows = (rows) => rows.map((r) => Object.fromEntries(Object.entries(r).map(([k, v]) => [k, plain(v)])));

async function table(root, name) {
  const files = filesOf(path.join(root, name));
  if (!files.length) return [];
  assert.equal(files.length, 1, `${name}: one file for each run`);
  const file = path.join(root, name, files[0]);
  const reader = await db.runAndReadAll(`SELECT * FROM read_parquet('${file}', hive_partitioning = false)`);
  const duck = plainRows(reader.getRowObjects());
  const hyper = plainRows(await parquetReadObjects({ file: await asyncBufferFromFile(file), compressors }));
  assert.equal(hyper.length, duck.length);
  for (let i = 0; i < duck.length; i++) {
    // hyparquet makes dates of milliseconds
    hyper[i].start_time = duck[i].start_time;
    assert.deepEqual(hyper[i], duck[i], `${file} row ${i}`);
  }
  return duck;
}

const big = (value) => (value === null || value === undefined ? null : BigInt(value));
// Numbers beyond 2^53 are in hostile traces only. This reader of JSON rounds them, and Parquet has at most 2^63 - 1.
const most = 2n ** 63n - 1n;
const near = (a, b, what) => {
  const [x, wanted] = [big(a), big(b)];
  assert.equal(x === null, wanted === null, what);
  const y = wanted > most ? most : wanted;
  if (x !== null && x !== y) assert.ok(x > 2n ** 53n && Number(x) === Number(y), `${what}: ${x} and ${y}`);
};
// Long texts are cut.
const sameText = (a, b, what) =>
  assert.ok(a === (b || null) || (Buffer.byteLength(a) > 4000 && b.startsWith(a)), what);

let rows = 0;
for (const trace of traces) {
  const root = path.join(folder, `fleet.${trace}`);
  const report = JSON.parse(fs.readFileSync(path.join(folder, `${trace}.json`), 'utf8')).traces[0];
  const by = JSON.parse(fs.readFileSync(path.join(folder, `${trace}.by.json`), 'utf8')).traces[0];

  const [run, ...more] = await table(root, 'runs');
  assert.equal(more.length, 0);
  near(run.duration_ns, report.run.duration_ns, 'duration_ns');
  near(run.transfers, report.transfers.total.count, 'transfers');
  near(run.transfer_bytes, report.transfers.total.bytes, 'transfer_bytes');
  near(run.transfer_host_ns, report.transfers.total.host_ns, 'transfer_host_ns');
  near(run.saves_most_ns, report.together?.most_ns, 'saves_most_ns');
  near(run.saves_least_ns, report.together?.least_ns, 'saves_least_ns');
  near(run.causes, report.causes.length, 'causes');
  near(run.rank, report.run.rank, 'rank');
  // JSON.parse rounds the nanoseconds
  assert.ok(Math.abs(Number(run.start_time) - report.run.start_unix_ns / 1000) < 2, 'start_time');
  assert.equal(run.is_simulated, report.run.simulated);
  if (trace === 'h100_lines') {
    assert.deepEqual(JSON.parse(run.labels), { slurm_cluster: 'a/b', slurm_job_id: '17', team: 'vision "a"' });
    assert.deepEqual([run.job_id, run.cluster_name, run.rank], ['17', 'a/b', 3n]);
  }

  const findings = await table(root, 'findings');
  assert.equal(findings.length, report.findings.length);
  findings.forEach((row, i) => {
    const f = report.findings[i];
    assert.equal(row.run_id, run.run_id);
    assert.deepEqual([row.name, row.finding], [f.name, f.finding]);
    sameText(row.entry_point, f.site, 'entry_point');
    near(row.instances, f.in_all.instances, 'instances');
    near(row.bytes, f.in_all.bytes, 'bytes');
    near(row.device_ns, f.in_all.cost.device_ns, 'device_ns');
    near(row.saves_most_ns, f.saves?.most_ns, 'saves');
    near(row.line, f.call_site?.line || null, 'line');
    assert.equal(row.leads_cause, f.in_total);
  });

  // `report --by` has the same sites in another order, and those of findings that are not about copies
  const key = (r) => [r.entry_point, r.function ?? null, r.file ?? null, Number(r.line ?? 0)].join('|');
  const sites = (await table(root, 'sites')).map((r) => [key(r), r.transfers, r.bytes].join('|')).sort();
  const wanted = by.by.rows.filter((r) => r.transfers > 0).map((r) =>
    [key({ ...r.call_site, entry_point: r.site }), r.transfers, r.bytes].join('|'),
  );
  if (!['hostile', 'huge', 'damaged'].includes(trace)) assert.deepEqual(sites, wanted.sort());

  const waits = await table(root, 'waits');
  assert.equal(waits.length, report.waits?.length ?? 0);
  waits.forEach((row, i) => {
    near(row.waited_ns, report.waits[i].waited_ns, 'waited_ns');
    near(row.saves_ns, report.waits[i].saves_ns, 'saves_ns');
    assert.equal(row.kind, report.waits[i].call.kind);
  });
  const idle = await table(root, 'idle');
  assert.equal(idle.length, report.idle?.rows.length ?? 0);
  idle.forEach((row, i) => {
    near(row.ns, report.idle.rows[i].ns, 'idle ns');
    assert.equal(row.reason, report.idle.rows[i].reason);
  });
  rows += 1 + findings.length + sites.length + waits.length + idle.length;
}

// All files of all traces are one table for a database, also where a column is null in one of them.
const all = await db.runAndReadAll(
  `SELECT count(run_id) AS runs, count(DISTINCT dt) AS days, min(cluster) AS cluster
   FROM read_parquet('${folder}/fleet.*/runs/*/*/*/*.parquet', hive_partitioning = true)`,
);
const [{ runs, days, cluster }] = all.getRowObjects();
assert.equal(Number(runs), traces.length);
assert.ok(Number(days) >= 1 && typeof cluster === 'string');
console.log(`${rows} rows of ${traces.length} traces are the same in DuckDB, hyparquet and the report`);
