// The head of the page: what was wasted, what all repairs save, and where the run went; of both runs where they are
// compared.
import { h, link, mono } from './dom.js';
import * as f from './format.js';
import { outputChanged, triedOf } from './tried.js';

const COPYING = 'Copying on the device';
const ALL_REPAIRED = 'All repaired saves';

function figure(name, value, more, kind = 'dim') {
  const besides = more ? h('span', { class: kind }, ` ${more}`) : null;
  return h('div', { class: 'figure' }, h('dt', {}, name), h('dd', {}, value, besides));
}

// Where the run went: a bar, and its key with the same in words.
function where({ where: of }) {
  if (!of) return null;
  const shown = of.parts.filter((part) => part.percent);
  const swatch = (part) => h('span', { class: `swatch where-${part.part}`, 'aria-hidden': 'true' });
  const key = (part) => h('span', { class: 'key' }, swatch(part), `${part.label} ${part.percent}\u00a0%`);
  const piece = (part) => {
    const element = h('span', { class: `where-${part.part}`, title: `${part.label}: ${f.ns(part.ns)}` });
    element.style.flexGrow = part.percent;
    return element;
  };
  return h(
    'div',
    { class: 'where' },
    h('div', { class: 'where-bar', 'aria-hidden': 'true' }, shown.map(piece)),
    h('p', { class: 'keys' }, 'Where the run went:', shown.map(key)),
  );
}

// What all repairs save, from what on if that is an interval, and what becomes of the run.
function repaired({ report, total_unknown: unknown }) {
  const { together, findings_total: total } = report;
  const { recorded_ns: whole, run_ns: run } = total;
  const saved = together?.most_ns;
  if (!saved) return [unknown ? 'not known' : 'nothing', ''];
  const [before, after] = f.twoNs(whole, Math.max(0, whole - saved));
  const share = f.share(saved, whole);
  const less = saved / whole < 0.001 ? `by ${share}` : `−${share}`;
  const recorded = whole < run;
  return [
    f.most(together),
    [
      f.orMore(together),
      whole > saved && `${recorded ? `the ${before} recorded` : before} would become ${after} (${less})`,
    ]
      .filter(Boolean)
      .join('; '),
  ];
}

// What `xferspy try` measured of all repairs together: "saves 140 ms (131 ms to 145 ms) of 400 ms, 9 runs each, output
// the same". With `--only` these are some causes alone, whose numbers it names.
function tried(run) {
  const item = triedOf(run);
  if (!item) return null;
  const what = item.only_causes ? 'Not all repairs tried' : 'All repairs tried';
  return figure(what, item.change, item.rest, outputChanged(item) ? 'worse' : 'dim');
}

// What one round of the program's loop takes; the tab Run has the rest.
function step({ steps }) {
  if (!steps) return null;
  const { ns, recorded_ns: recorded, transfers, bytes } = steps.median;
  const part = recorded < ns * 0.99 ? `${f.ns(recorded)} of it recorded, ` : '';
  const first = steps.warm_up?.count ? `, after ${f.ns(steps.warm_up.ns)} of warm-up` : '';
  return figure('A step', f.ns(ns), `${part}${f.times(transfers, 'transfer', 'transfers')}, ${f.bytes(bytes)}${first}`);
}

// The report's first line; the finding that it begins with is a link.
function headline(page) {
  const [before, name, behind] = page.run.headline;
  const rest = name ? [link(name, () => page.evidence(page.shown, 0)), f.units(behind)] : null;
  return h('p', { class: 'lead' }, h('strong', {}, 'Wasted: '), f.units(before), rest, '.');
}

function simulated(runs) {
  if (!runs.some((run) => run.report.run.simulated)) return null;
  const what = ' The device was a simulated GPU: no time on this page is a measurement.';
  return h('p', { class: 'simulated', role: 'note' }, h('strong', {}, 'SIMULATED'), what);
}

function failing(runs, named) {
  return runs
    .filter((run) => run.failures_text)
    .map((run) => h('p', { class: 'failing', role: 'note' }, `${named ? `${run.name}: ` : ''}${run.failures_text}.`));
}

function themes(page) {
  const select = h(
    'select',
    { id: 'theme', 'aria-label': 'Colours', onchange: () => page.theme(select.value) },
    [
      ['', 'System colours'],
      ['light', 'Light'],
      ['dark', 'Dark'],
    ].map(([value, name]) => h('option', { value }, name)),
  );
  select.value = document.documentElement.dataset.theme ?? '';
  return select;
}

// Which of two runs the other tabs show.
function which(page, comparing) {
  if (page.runs.length < 2) return null;
  const pressed = (i) => String(i === page.shown && !comparing);
  const button = (run, i) =>
    h(
      'button',
      { type: 'button', 'aria-pressed': pressed(i), onclick: () => page.show(i) },
      i ? 'After' : 'Before',
    );
  return h('div', { class: 'which', role: 'group', 'aria-label': 'Run shown' }, page.runs.map(button));
}

const title = (page, name, comparing) =>
  h('div', { class: 'row' }, h('h1', {}, mono(name)), which(page, comparing), themes(page));

export function headOfBoth(page) {
  const { runs, diff } = page;
  const both = (value) => runs.map((run) => value(run.report) || '–').join(' → ');
  const commands = [...new Set(runs.map((run) => run.report.run.command || run.name))];
  const timed = runs.every((run) => run.report.transfers.total.timed_count);
  return [
    simulated(runs),
    failing(runs, true),
    title(page, runs.map((run) => run.name).join(' → '), true),
    h('p', { class: 'dim' }, commands.flatMap((command, i) => [i ? ' → ' : '', mono(command)])),
    h(
      'dl',
      { class: 'figures' },
      figure(
        'Run',
        both((of) => f.ns(of.run.duration_ns)),
        diff.conclusion.own_text ? 'with xferspy’s own time' : '',
      ),
      figure(ALL_REPAIRED, runs.map((run) => repaired(run)[0]).join(' → ')),
      figure(
        'Transfers',
        both((of) => f.count(of.transfers.total.count)),
        both((of) => f.bytes(of.transfers.total.bytes)),
      ),
      timed ? figure(COPYING, both((of) => f.ns(of.transfers.total.device_ns))) : null,
      runs.some((run) => run.report.steps)
        ? figure(
            'A step',
            both((of) => of.steps && f.ns(of.steps.median.ns)),
            both((of) => of.steps && f.times(of.steps.median.transfers, 'transfer', 'transfers')),
          )
        : null,
    ),
  ];
}

// When and where it ran.
function about({ devices, run }) {
  const names = devices.map((device) => device.name).filter(Boolean);
  return [
    names.join(', '),
    run.host && `on ${run.host}`,
    f.date(run.start_unix_ns),
    run.status !== 'complete' && `trace ${f.status(run)}`,
  ]
    .filter(Boolean)
    .join(' · ');
}

// How long copies ran, and the share of it that ran beside kernels.
function copying({ transfers, run, devices }) {
  const all = transfers.total;
  const sum = (key) => devices.reduce((total, device) => total + device[key], 0);
  return [
    all.timed_count
      ? figure(
          COPYING,
          f.ns(all.device_ns),
          `${f.share(all.device_ns, run.recorded_ns)} ${f.inPart(run) ? 'of the time recorded' : 'of the run'}`,
        )
      : all.count
        ? figure('Inside the calls', f.ns(all.host_ns), 'no device times')
        : figure(COPYING, 'no copies'),
    devices.some((device) => device.copy_overlap !== null)
      ? figure('Beside kernels', f.share(sum('both_busy_ns'), sum('copy_busy_ns')) || '0 %', 'of the copying')
      : null,
  ];
}

// The share of the time in which the devices were idle, which leads to the tab that says why.
function idle(page) {
  const { devices, span_ns: span, steps } = page.run.idle;
  if (!devices.length) return null;
  const ns = devices.reduce((sum, of) => sum + of.idle_ns, 0);
  const share = f.share(ns, span * devices.length) || '0\u00a0%';
  return figure('GPU idle', link(share, () => page.select('idle', true)), steps ? 'of the steps' : 'of the run');
}

export function headOfRun(page) {
  const { run } = page;
  const { report } = run;
  const all = report.transfers.total;
  return [
    simulated(page.runs),
    failing([run], false),
    title(page, report.run.command || run.name, false),
    h('p', { class: 'dim' }, about(report)),
    headline(page),
    h(
      'dl',
      { class: 'figures' },
      figure(
        'Run',
        f.ns(report.run.duration_ns),
        [
          report.run.duration_estimated && 'estimated',
          f.inPart(report.run) && `${f.ns(report.run.recorded_ns)} of it recorded`,
        ]
          .filter(Boolean)
          .join(', '),
      ),
      figure(ALL_REPAIRED, ...repaired(run)),
      tried(run),
      figure('Transfers', f.count(all.count), f.bytes(all.bytes)),
      copying(report),
      idle(page),
      step(report),
    ),
    where(report),
    run.unknown_texts.map((text) => h('p', { class: 'unknown', role: 'note' }, f.units(text))),
  ];
}
