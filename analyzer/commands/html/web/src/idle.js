// Where the GPU waited: how much of the time each device was idle, what the program did meanwhile, and whether it would
// save time not to wait. Below is the timeline of the findings' tab, in which an example of a row can be shown.
import { empty, h, link, mono, note, panel, table } from './dom.js';
import * as f from './format.js';
import { remember, stateOf } from './state.js';

// Each reason in the bar's key, and as the end of "while the program ...".
const REASONS = {
  busy: ['busy'],
  host: ['the program’s own code', 'ran its own code'],
  call: ['inside a call', 'was inside'],
  launching: ['giving small work', 'was giving the GPU its next small piece of work'],
  queued: ['work already given', 'had already given the GPU its next work'],
  start: ['no call yet', 'had not yet called CUDA on the thread that later gave the work'],
  end: ['no more work', 'had no more work for the GPU'],
};
const CALLS = {
  transfer: 'the copy',
  sync: 'the wait',
  event: 'the call for an event',
  other: 'the call',
  page_locking: 'the page-locking',
  page_unlocking: 'the release of page-locked memory',
  context: 'CUDA’s start',
  module_load: 'the load of a module',
};
const COPIES = { h2d: 'the upload', d2h: 'the download' };

// Time for each of the steps, as the report has it, or all of it if there are none.
const each = (ns, steps) => f.ns(Math.trunc(ns / (steps || 1)));
const deviceName = ({ device }) => (device >= 0 ? `GPU ${device}` : 'GPU ?');

// The largest rows as objects, with their places and lines.
function rowsOf({ rows, places, lines }) {
  return rows.ns.map((ns, i) => ({
    ...Object.fromEntries(Object.entries(rows).map(([key, column]) => [key, column[i]])),
    after: places[rows.after[i]],
    before: places[rows.before[i]],
    lineBefore: places[rows.line_before[i]],
    lineAfter: places[rows.line_after[i]],
    sampled: lines[rows.sampled[i]],
    within: lines[rows.within[i]],
  }));
}

const word = (place) => COPIES[place.direction] ?? CALLS[place.kind] ?? `the ${place.kind}`;

// "the download at train.cu:69 in main" after some words, and the text of that line.
function call(words, place) {
  return h(
    'div',
    {},
    `${words} `,
    place.label && !place.label.startsWith('while ') && 'at ',
    mono(place.label || place.entry_point),
    place.source && h('div', { class: 'quoted' }, h('code', {}, place.source)),
  );
}

// "mostly at ema.py:23 in step" after some words, and the text of that line.
const at = (words, line) =>
  h('div', {}, `${words} `, mono(line.label), line.source && h('div', { class: 'quoted' }, h('code', {}, line.source)));

// The nearest calls that have a line, if the row's own calls have none.
function linesOf({ lineBefore: before, lineAfter: after }) {
  if (before && before === after)
    return [call(`after ${word(before)}`, before), h('div', {}, 'and before the next one')];
  return [
    before && call(`${after ? 'between' : 'after'} ${word(before)}`, before),
    after && call(`${before ? 'and' : 'before'} ${word(after)}`, after),
  ];
}

// How many launches came back to back in the row's time, and how far apart.
function launchesOf({ launches, apart_ns: apart }, steps) {
  const count = Math.trunc(launches / (steps || 1));
  const said = `${f.count(count)} launches${steps ? ' a step' : ''}, ${f.ns(apart)} apart`;
  return count > 1 && h('div', { class: 'dim' }, said);
}

// Where the thread was between its calls, by samples, or the function that made both calls.
function sampledOf({ sampled, within, reason, is_sampled_main: main, mostly }) {
  if (sampled) return at(`${main ? 'while its main thread was ' : ''}${mostly ? 'mostly' : 'partly'} at`, sampled);
  return reason === 'host' && within && at('called at', within);
}

// What the program did; a device is named if there are several.
function what(row, several, steps) {
  const { reason, after, before } = row;
  const said = REASONS[reason][1];
  const rest = [
    linesOf(row),
    sampledOf(row),
    launchesOf(row, steps),
    several && h('div', { class: 'dim' }, deviceName(row)),
  ].flat();
  if (reason === 'call') return [call(`${said} ${word(after)}`, after), ...rest];
  if (reason !== 'host') return [after ? call(`${said}: ${word(after)}`, after) : h('div', {}, said), ...rest];
  if (after.label && after.label === before.label)
    return [call(`${said} between ${word(after)} and ${word(before)}`, after), ...rest];
  return [call(`${said} after ${word(after)}`, after), call(`before ${word(before)}`, before), ...rest];
}

// "idle for 282 µs of a step's 904 µs (31 %), on average over 497 steps", as a bar and as its key.
function device(idle, of) {
  const { steps, span_ns: span } = idle;
  const all = { busy: of.busy_ns, ...of.reasons };
  const parts = Object.keys(REASONS).map((name) => [name, all[name]]).filter(([, ns]) => ns);
  const piece = ([name, ns]) => {
    const element = h('span', { class: `idle-${name}`, title: `${REASONS[name][0]}: ${each(ns, steps)}` });
    element.style.flexGrow = ns / span;
    return element;
  };
  const key = ([name, ns]) =>
    h(
      'span',
      { class: 'key' },
      h('span', { class: `swatch idle-${name}`, 'aria-hidden': 'true' }),
      `${REASONS[name][0]} ${f.share(ns, span)}`,
    );
  return h(
    'div',
    { class: 'idle-device' },
    h(
      'p',
      {},
      h('strong', {}, deviceName(of)),
      ` was idle for ${each(of.idle_ns, steps)} of ${steps ? 'a step’s' : 'the run’s'} ${each(span, steps)} (`,
      h('strong', {}, f.share(of.idle_ns, span) || '0\u00a0%'),
      `)${steps ? `, on average over ${f.times(steps, 'step', 'steps')}` : ''}.`,
    ),
    h('div', { class: 'where-bar', 'aria-hidden': 'true' }, parts.map(piece)),
    h('p', { class: 'keys' }, parts.map(key)),
  );
}

// By what the program did, and then where.
const wordsOf = ({ reason, after, before, lineBefore, lineAfter }) =>
  [reason, (after ?? lineBefore)?.label, (before ?? lineAfter)?.label].join(' ');

// The rows, in the order that a link has; `reveal` shows a part of the time in the timeline.
function account(idle, reveal) {
  const { steps, span_ns: span, devices, rows_left_out: left } = idle;
  const several = devices.length > 1;
  const columns = [
    { key: 'what', title: 'While the program', value: (row) => wordsOf(row), cell: (row) => what(row, several, steps) },
    { key: 'ns', title: 'Idle', number: true, value: (row) => row.ns, text: (row) => f.ns(row.ns) },
    {
      key: 'share',
      title: steps ? 'Of steps' : 'Of run',
      number: true,
      value: (row) => row.ns,
      text: (row) => f.share(row.ns, span),
    },
    steps && { key: 'step', title: 'A step', number: true, value: (row) => row.ns, text: (row) => each(row.ns, steps) },
    { key: 'times', title: 'Times', number: true, value: (row) => row.times, text: (row) => f.count(row.times) },
    {
      key: 'longest',
      title: 'Longest',
      number: true,
      value: (row) => row.longest_ns,
      cell: (row) => {
        const button = link(f.ns(row.longest_ns), () => reveal(row.longest_at_ns, row.longest_ns));
        button.title = 'Show it in the timeline';
        return button;
      },
    },
  ].filter(Boolean);
  // in a link columns have short names
  const named = (by, from, to) => {
    const found = columns.find((column) => column.key && column[from] === by.replace('-', ''));
    return found && `${by.startsWith('-') ? '-' : ''}${found[to]}`;
  };
  const element = table('Idle time', columns, rowsOf(idle), {
    class: 'long',
    by: named(stateOf('idle') ?? '', 'key', 'title') ?? 'Idle',
    sorted: (by) => remember({ idle: by === 'Idle' ? null : named(by, 'title', 'key') }),
  });
  return [
    element,
    left.rows ? note(`${f.times(left.rows, 'smaller row', 'smaller rows')}: ${f.ns(left.ns)} together.`) : null,
  ];
}

function waits(run) {
  const { waits: rows, places, waits_known: known, waits_left_out: left } = run.idle;
  const head = ['Waits', 'Would it save time not to wait?'];
  if (!known || !run.idle.devices.length)
    return panel(...head, empty('It is not known what a wait costs.'));
  if (!rows.length) return panel(...head, empty('No call waited for the GPU.'));
  const steps = run.report.steps?.count ?? 0;
  const often = (wait) => (steps && wait.times >= steps / 10 ? f.three(wait.times / steps) : '');
  const columns = [
    {
      title: 'Without waiting in',
      cell: (wait) => [
        call(word(places[wait.place]), places[wait.place]),
        wait.waited_for && h('div', { class: 'dim' }, `for ${wait.waited_for}`),
        wait.unread && h('div', { class: 'dim' }, wait.unread),
      ],
    },
    {
      title: 'Saves up to',
      number: true,
      value: (wait) => (wait.pays ? wait.saves_ns : 0),
      cell: (wait) =>
        wait.pays
          ? h('strong', {}, f.ns(wait.saves_ns))
          : [h('div', {}, 'nothing'), h('div', { class: 'dim because' }, wait.why_nothing)],
    },
    { title: 'Together', number: true, text: (wait) => f.ns(wait.together_ns) },
    { title: 'Times', number: true, text: (wait) => f.count(wait.times) },
    { title: 'Times a step', number: true, text: often },
    { title: 'Waited', number: true, text: (wait) => f.ns(wait.waited_ns) },
    { title: 'Then idle', number: true, text: (wait) => f.ns(wait.idle_ns) },
  ].filter((column) => column.text !== often || rows.some(often));
  return panel(
    ...head,
    table('Waits', columns, rows, { class: 'waits' }),
    note(
      'Together: what the run gains if the program does not wait in this place, nor in any that saves more. Then idle: how long the ' +
        'device had no work when these calls returned. A program that needs the result of a download has to wait for ' +
        'it, so this says where a change can pay, not that it is possible. ',
      left.places
        ? `${f.times(left.places, 'more place', 'more places')} waited for ${f.ns(left.waited_ns)} together.`
        : '',
    ),
  );
}

// `reveal(start, length)` shows a part of the time in the timeline.
export function idle({ run }, reveal) {
  const { devices, rows } = run.idle;
  const place = h('div', {});
  const restore = () =>
    place.replaceChildren(
      panel(
        'Idle time',
        'Where the GPU waited',
        devices.map((of) => device(run.idle, of)),
        !devices.length
          ? empty('It is not known when the GPU was idle: no kernels were recorded, or no device had work.')
          : rows.ns.length
            ? account(run.idle, reveal)
            : empty('It was never idle.'),
      ),
      waits(run),
    );
  restore();
  return { element: place, restore, dispose: () => {} };
}
