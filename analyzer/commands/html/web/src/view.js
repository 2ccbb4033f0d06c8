// What part of the time the lanes show, and which of them: one for a timeline, and one for the two that are compared.
import { kinds } from './data.js';
import { announce, h, note } from './dom.js';
import * as f from './format.js';
import { namesOf, remember, stateOf } from './state.js';

const GROUPS = [
  ['thread', 'Host threads'],
  ['stream', 'Streams'],
  ['engine', 'Devices'],
];
const LANES_AT_FIRST = 8;
// for who hears the page
const KEYS =
  'Left and right arrow keys pan, plus and minus zoom, 0 shows all, F the chosen finding, S where the page opened.';
const LEAST_NS = 20;

export class View {
  // `changed` is called with the next frame after the range or what is hidden has changed, `fit` to show the chosen
  // finding. `prefix` stands before its keys in a link.
  constructor(first, last, changed, fit, prefix = '') {
    Object.assign(this, { first, last, changed, fit, prefix, range: [first, last], opening: null });
    this.readHidden();
  }

  // What a link hides, and whether it shows every lane.
  readHidden() {
    const names = namesOf(`${this.prefix}hide`);
    this.hiddenKinds = new Set(kinds.map((kind, i) => (names.has(kind.key) ? i : -1)).filter((i) => i >= 0));
    this.hiddenGroups = new Set(GROUPS.map(([key]) => key).filter((key) => names.has(key)));
    this.all = stateOf(`${this.prefix}lanes`) === 'all';
  }

  rememberHidden() {
    const names = [...[...this.hiddenKinds].map((i) => kinds[i].key), ...this.hiddenGroups];
    remember({ [`${this.prefix}hide`]: names.join(',') || null, [`${this.prefix}lanes`]: this.all ? 'all' : null });
  }

  get span() {
    return this.range[1] - this.range[0];
  }

  // The part in words.
  get words() {
    return `${f.moment(this.range[0], this.span)} – ${f.moment(this.range[1], this.span)}`;
  }

  // What is shown first.
  get home() {
    return this.opening?.range ?? [this.first, this.last];
  }

  // Two ends as a link has them; null where they are none.
  among(from, to) {
    const { first, last } = this;
    return from !== null && to !== null && from >= first && to <= last && to - from >= LEAST_NS ? [from, to] : null;
  }

  show(from, to, quietly) {
    const { first, last } = this;
    const span = Math.min(Math.max(to - from, LEAST_NS), last - first);
    const start = Math.min(Math.max(from, first), last - span);
    this.range = [start, start + span];
    if (this.pending) return;
    this.pending = requestAnimationFrame(() => {
      this.pending = 0;
      this.changed();
    });
    if (!quietly) announce(`Timeline shows ${f.moment(start, span)} to ${f.moment(start + span, span)}`);
  }

  showWithRoom(from, to) {
    const room = (to - from) * 0.05;
    this.show(from - room, to + room);
  }

  whole() {
    this.show(this.first, this.last);
  }

  zoom(factor, at = 0.5) {
    const centre = this.range[0] + this.span * at;
    this.show(centre - this.span * factor * at, centre + this.span * factor * (1 - at));
  }

  pan(share) {
    const by = this.span * share;
    this.show(this.range[0] + by, this.range[1] + by);
  }

  key(event) {
    const actions = {
      ArrowLeft: () => this.pan(-0.2),
      ArrowRight: () => this.pan(0.2),
      '+': () => this.zoom(0.5),
      '=': () => this.zoom(0.5),
      '-': () => this.zoom(2),
      0: () => this.whole(),
      Home: () => this.pan(-1e9),
      End: () => this.pan(1e9),
      f: () => this.fit(),
      F: () => this.fit(),
      s: () => this.show(...this.home),
      S: () => this.show(...this.home),
    };
    const action = event.ctrlKey || event.altKey || event.metaKey ? null : actions[event.key];
    if (!action) return;
    event.preventDefault();
    action();
  }

  // The lanes of a run that are shown, and how many are not.
  lanesOf(run) {
    const shown = [];
    let hidden = 0;
    for (const [group] of GROUPS) {
      const lanes = run.lanes.filter((lane) => lane.group === group);
      if (this.hiddenGroups.has(group)) continue;
      const busiest = [...lanes].sort((a, b) => b.size - a.size).slice(0, LANES_AT_FIRST);
      const these = this.all ? lanes : lanes.filter((lane) => busiest.includes(lane));
      hidden += lanes.length - these.length;
      shown.push(...these);
    }
    return { shown, hidden };
  }
}

// The element around a chart of the view. The keyboard pans and zooms it.
export const region = (view, name, ...children) =>
  h(
    'div',
    {
      class: 'timeline-region',
      tabindex: 0,
      role: 'application',
      'aria-roledescription': 'timeline',
      'aria-label': `${name}. ${KEYS}`,
      onkeydown: (event) => view.key(event),
    },
    children,
  );

// The buttons that zoom and pan; what else is given stands behind them.
export function buttons(view, whole, ...others) {
  const button = (label, title, action) =>
    h('button', { type: 'button', title, 'aria-label': title, onclick: action }, label);
  return h(
    'div',
    { class: 'buttons', role: 'group', 'aria-label': 'Zoom and pan' },
    button('−', 'Zoom out', () => view.zoom(2)),
    button('+', 'Zoom in', () => view.zoom(0.5)),
    button('←', 'Pan left', () => view.pan(-0.25)),
    button('→', 'Pan right', () => view.pan(0.25)),
    button(whole, `Show the ${whole.toLowerCase()}`, () => view.whole()),
    view.opening && button(view.opening.name, `Show ${view.opening.words}`, () => view.show(...view.opening.range)),
    others,
  );
}

// What stands for the chosen finding in the lanes; nothing without a finding.
export function marks(finding, unchecked) {
  if (!finding) return [];
  const key = (swatch, ...text) => h('span', { class: 'key' }, h('span', { class: `swatch ${swatch}` }), text);
  const { sample, name } = finding;
  const hits = finding.transfers || finding.instances;
  if (!unchecked) return [key('marked', `${f.times(hits, 'call', 'calls')} of ${name}`)];
  const about = f.count(Math.max(0, Math.round(sample.instances) - sample.hits));
  return [
    key('marked', `${name}: ${f.times(hits, 'checked copy', 'checked copies')}`),
    key(
      'maybe',
      `${f.times(unchecked, 'copy', 'copies')} of this line that were not checked ` +
        `(estimate: about ${about} are such copies)`,
    ),
  ];
}

// Which kinds and groups of lanes are shown: what the runs have. `relane` is called where lanes come or go.
export function filters(view, runs, relane, ...others) {
  const present = new Set();
  for (const run of runs) for (const lane of run.lanes) for (const kind of lane.kind) present.add(kind);
  const boxes = []; // each with what says whether it is ticked
  // `hidden` gives the set that has the key if it is not shown; the link may have replaced it
  const box = (name, swatch, hidden, key, action) => {
    const change = () => {
      if (input.checked) hidden().delete(key);
      else hidden().add(key);
      view.rememberHidden();
      action();
    };
    const input = h('input', { type: 'checkbox', onchange: change });
    boxes.push([input, () => !hidden().has(key)]);
    return h('label', { class: 'key' }, input, swatch, name);
  };
  const ofKinds = kinds
    .map((kind, i) => [kind, i])
    .filter(([, i]) => present.has(i))
    .map(([kind, i]) =>
      box(kind.name, h('span', { class: `swatch kind-${kind.key}` }), () => view.hiddenKinds, i, () => view.changed()),
    );
  const ofGroups = GROUPS.filter(([key]) => runs.some((run) => run.lanes.some((lane) => lane.group === key))).map(
    ([key, name]) => box(name, null, () => view.hiddenGroups, key, relane),
  );
  const more = h('button', {
    type: 'button',
    onclick: () => {
      view.all = !view.all;
      view.rememberHidden();
      relane();
    },
  });
  const element = h(
    'div',
    { class: 'keys', role: 'group', 'aria-label': 'What is shown' },
    ofKinds,
    h('span', { class: 'gap' }),
    ofGroups,
    others,
    more,
  );
  // as the view has it, which a link may have changed
  element.restore = () => boxes.forEach(([input, shown]) => (input.checked = shown()));
  element.restore();
  // how many lanes there are beside those that are shown
  element.left = (hidden) => {
    more.textContent = view.all ? 'Fewer lanes' : `${hidden} more lanes`;
    more.hidden = !view.all && !hidden;
  };
  return element;
}

// Ctrl and the wheel zoom, and a drag pans, in a chart whose time goes from `left` pixels on over `width` of them.
// `lowest` is where the axis's labels begin; `still` is called with the places where the pointer moves without a drag,
// `gone` when it leaves.
export function gestures(renderer, view, { left, width, lowest, still, gone }) {
  const share = (x) => Math.min(1, Math.max(0, (x - left()) / width()));
  renderer.on('mousewheel', (event) => {
    if (!event.event.ctrlKey) return;
    event.stop();
    view.zoom(event.wheelDelta > 0 ? 0.7 : 1.43, share(event.offsetX));
  });
  let grabbed = null;
  renderer.on('mousedown', (event) => {
    if (event.offsetY < lowest()) grabbed = { x: event.offsetX, range: view.range };
  });
  renderer.on('mousemove', (event) => {
    if (!grabbed) return still?.(event.offsetX, event.offsetY);
    gone?.();
    const by = ((grabbed.x - event.offsetX) / width()) * (grabbed.range[1] - grabbed.range[0]);
    view.show(grabbed.range[0] + by, grabbed.range[1] + by, true);
  });
  for (const end of ['mouseup', 'globalout'])
    renderer.on(end, () => {
      grabbed = null;
      if (end === 'globalout') gone?.();
    });
}

// What somebody has to know of the blocks, and how to move.
export function notes(...runs) {
  const step = Math.max(...runs.map((run) => run.timeline.step_ns));
  return note(
    step
      ? `The trace has too many calls to show each: those of one kind within ${f.ns(step)} are one block. `
      : '',
    'A block of several calls is as high as the share of its time that they took. ',
    runs.some((run) => run.lanes.some((lane) => lane.modelled?.some((count) => count > 0)))
      ? 'Outlined blocks are modelled, because only windows of the run have device times. '
      : '',
    'Drag pans, Ctrl and the wheel zoom; with the keyboard: arrows, +, −, 0.',
  );
}
