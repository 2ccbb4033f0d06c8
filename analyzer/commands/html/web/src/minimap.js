// All that a view can show in a strip above the lanes: how busy the run was at each moment, where the chosen finding
// is, and which part is in view. The part is moved and stretched here.
import { colour, redrawn } from './chart.js';
import { kinds } from './data.js';
import { h } from './dom.js';

const MARK = 4; // height of what marks the finding

export class Minimap {
  constructor(run, view) {
    Object.assign(this, { run, view, finding: null, origin: 0 });
    this.canvas = h('canvas', {});
    const end = (name) => h('div', { class: `minimap-end ${name}` });
    [this.from, this.to] = [end('from'), end('to')];
    this.frame = h('div', { class: 'minimap-view' }, this.from, this.to);
    // the keyboard has the timeline below, which says the same
    this.element = h('div', { class: 'minimap', 'aria-hidden': 'true' }, this.canvas, this.frame);
    this.element.addEventListener('pointerdown', (event) => this.down(event));
    this.forget = redrawn(this);
    // a device's work where there is some, else the calls of the threads
    const engines = run.lanes.filter((lane) => lane.group === 'engine');
    this.lanes = engines.length ? engines : run.lanes.filter((lane) => lane.group === 'thread');
  }

  // Where the lanes of the timeline begin and end, and the finding that is chosen; `origin` as in Lanes.
  place(left, right, finding, origin = 0) {
    Object.assign(this, { finding, origin });
    this.element.style.marginLeft = `${left}px`;
    this.element.style.marginRight = `${right}px`;
    const { first, last, range, span } = this.view;
    const percent = (value) => (100 * value) / (last - first);
    this.frame.style.left = `${percent(range[0] - first)}%`;
    this.frame.style.width = `${percent(span)}%`;
    const key = `${this.element.clientWidth} ${finding} ${origin}`;
    if (key !== this.drawn) this.draw();
    this.drawn = key;
  }

  // The share of each column's time in which work of a kind ran: one array for each kind, and one that is 2 where the
  // finding is, and 1 where only copies are that were not checked.
  columns(width) {
    const step = (this.view.last - this.view.first) / width;
    const first = this.view.first + this.origin; // in the run's time
    const busy = kinds.map(() => null);
    const marked = new Uint8Array(width);
    const places = this.run.marked[this.finding]; // none of what is not chosen, or not here
    const unchecked = this.run.unchecked[this.finding];
    const column = (time) => Math.max(0, Math.min(width - 1, Math.floor((time - first) / step)));
    for (const lane of this.lanes) {
      for (let i = 0; i < lane.size; i++) {
        const [start, end] = [lane.start[i], lane.end[i]];
        const share = end > start ? (lane.busy[i] || end - start) / (end - start) : 1;
        const of = (busy[lane.kind[i]] ??= new Float64Array(width));
        for (let at = column(start); at <= column(end); at++) {
          const within = Math.min(end, first + (at + 1) * step) - Math.max(start, first + at * step);
          of[at] += (Math.max(0, within) * share) / step;
        }
        const is = places?.has(lane.base + i) ? 2 : unchecked?.has(lane.base + i) ? 1 : 0;
        for (let at = column(start); is && at <= column(end); at++) marked[at] = Math.max(marked[at], is);
      }
    }
    return { busy, marked };
  }

  draw() {
    const { clientWidth: width, clientHeight: height } = this.canvas;
    if (!width || !height) return;
    const scale = window.devicePixelRatio || 1;
    this.canvas.width = Math.round(width * scale);
    this.canvas.height = Math.round(height * scale);
    const context = this.canvas.getContext('2d');
    context.scale(scale, scale);
    const { busy, marked } = this.columns(width);
    const base = new Float64Array(width);
    const room = height - MARK - 2;
    busy.forEach((of, kind) => {
      if (!of) return;
      context.fillStyle = colour(`kind-${kinds[kind].key}`);
      for (let x = 0; x < width; x++) {
        if (!of[x]) continue;
        // what is short is seen, too
        const tall = Math.min(room - base[x], Math.max(1, (of[x] * room) / 2));
        context.fillRect(x, room - base[x] - tall, 1, tall);
        base[x] += tall;
      }
    });
    context.fillStyle = colour('hot');
    for (let x = 0; x < width; x++) {
      const tall = (marked[x] * MARK) / 2; // what was not checked is half as high
      if (tall) context.fillRect(x, height - tall, 1, tall);
    }
  }

  // A press on an end stretches the part in view, one on the part moves it, one beside it moves it there first.
  down(event) {
    if (event.button) return;
    event.preventDefault();
    const { first, last } = this.view;
    const show = (start, end) => this.view.show(start, end, true);
    const box = this.element.getBoundingClientRect();
    const time = (x) => first + ((x - box.left) / box.width) * (last - first);
    const began = time(event.clientX);
    let [from, to] = this.view.range;
    const end = event.target === this.from ? 'from' : event.target === this.to ? 'to' : null;
    if (!end && (began < from || began > to)) {
      [from, to] = [began - (to - from) / 2, began + (to - from) / 2];
      show(from, to);
    }
    const move = ({ clientX }) => {
      const by = time(clientX) - began;
      if (end === 'from') show(Math.min(from + by, to), to);
      else if (end === 'to') show(from, Math.max(to + by, from));
      else show(from + by, to + by);
    };
    this.element.setPointerCapture(event.pointerId);
    this.element.addEventListener('pointermove', move);
    this.element.addEventListener('lostpointercapture', () => this.element.removeEventListener('pointermove', move), {
      once: true,
    });
  }

  dispose() {
    this.forget();
  }
}
