// Elements without markup: every text goes in as a text node, so that nothing of a trace is ever parsed as HTML.

import { quantity } from './format.js';

export function h(tag, attributes = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes ?? {})) {
    if (value === null || value === undefined || value === false) continue;
    if (name.startsWith('on')) element.addEventListener(name.slice(2), value);
    else if (name === 'class') element.className = value;
    else element.setAttribute(name, value === true ? '' : String(value));
  }
  add(element, children);
  return element;
}

function add(element, children) {
  for (const child of children.flat(4)) {
    if (child === null || child === undefined || child === false) continue;
    element.append(child instanceof Node ? child : document.createTextNode(String(child)));
  }
}

export function fill(element, ...children) {
  element.replaceChildren();
  add(element, children);
  return element;
}

// A section of a tab. `head` is its title, or the elements of the line at its top.
export function panel(label, head, ...children) {
  const title = typeof head === 'string' ? h('h2', {}, head) : head;
  return h('section', { class: 'panel', 'aria-label': label }, h('div', { class: 'tools' }, title), children);
}

export const note = (...text) => h('p', { class: 'note' }, text);
export const empty = (text) => h('p', { class: 'empty' }, text);
export const mono = (text) => h('span', { class: 'mono' }, text);
export const dim = (...text) => h('span', { class: 'dim' }, text);
export const link = (text, onclick) => h('button', { type: 'button', class: 'link', onclick }, text);
export const search = (placeholder, label, oninput) =>
  h('input', { type: 'search', placeholder, 'aria-label': label, oninput });

// A fact of a list: its name and its value; null if it has no value.
export const fact = (name, ...value) => (value.some(Boolean) ? [h('dt', {}, name), h('dd', {}, value)] : null);

// A list; null if it has no items.
export const bullets = (items) => (items.length ? h('ul', {}, items.map((item) => h('li', {}, item))) : null);

// Texts of the program have code between backticks.
export function coded(text) {
  const parts = (text ?? '').split('`');
  return parts.length % 2 ? parts.map((part, i) => (i % 2 ? h('code', {}, part) : part)) : [text];
}

// What somebody chose to order the tables by, by their captions: a table that is made anew has the order again.
const orders = new Map();
const collator = new Intl.Collator('en', { numeric: true });

// What orders the rows of a table: the value of a column, or what its cell says.
function valueIn(column, row, cell) {
  if (column.value) return column.value(row);
  return column.number ? quantity(cell.textContent) : cell.textContent;
}

// columns: { title, number, text(row) | cell(row) }, and where the text does not order the rows, value(row). A table
// scrolls by itself where it is too wide. A click on the head of a column orders the rows by it, numbers from the
// largest on; another click turns the order around. `options`: class; row(row), the attributes of a row; last(row),
// whether a row stays at the end; by, the title of the column that orders the rows at first, with a minus before it if
// the order is turned around; sorted(by) is called after a choice.
export function table(caption, columns, rows, options = {}) {
  const kindOf = (c) => [c.number && 'number', c.kind].filter(Boolean).join(' ') || null;
  const lines = rows.map((row) =>
    h(
      'tr',
      options.row?.(row) ?? {},
      columns.map((c, i) => {
        const content = c.cell ? c.cell(row) : c.text(row);
        return i === 0 && !c.number ? h('th', { scope: 'row' }, content) : h('td', { class: kindOf(c) }, content);
      }),
    ),
  );
  const [heads, body] = [h('tr', {}), h('tbody', {}, lines)];
  const headOf = (c, by, turned) => {
    const down = c.number ? !turned : turned;
    const arrow = c.title === by && h('span', { class: 'arrow', 'aria-hidden': 'true' }, down ? '▾' : '▴');
    const sort = c.title === by ? (down ? 'descending' : 'ascending') : null;
    const button = h('button', { type: 'button', class: 'order', onclick: () => choose(c.title) }, arrow, c.title);
    return h('th', { scope: 'col', class: kindOf(c), 'aria-sort': sort }, rows.length > 1 ? button : c.title);
  };
  let current = options.by ?? orders.get(caption) ?? '';
  const order = () => {
    const turned = current.startsWith('-');
    const by = turned ? current.slice(1) : current;
    const at = columns.findIndex(({ title }) => title === by);
    fill(heads, columns.map((c) => headOf(c, by, turned)));
    if (at < 0) return;
    const sign = Boolean(columns[at].number) === turned ? 1 : -1;
    const values = new Map(lines.map((line, i) => [line, valueIn(columns[at], rows[i], line.cells[at])]));
    const compare = (a, b) => (columns[at].number ? a - b : collator.compare(a, b));
    const last = new Set(lines.filter((line, i) => options.last?.(rows[i])));
    const sorted = [...lines].sort(
      (a, b) => last.has(a) - last.has(b) || sign * compare(values.get(a), values.get(b)),
    );
    body.append(...sorted);
  };
  const choose = (title) => {
    current = current === title ? `-${title}` : title;
    orders.set(caption, current);
    order();
    options.sorted?.(current);
    heads.querySelector('[aria-sort] button')?.focus();
  };
  order();
  const element = h('table', {}, h('caption', { class: 'hidden' }, caption), h('thead', {}, heads), body);
  const kind = options.class ? `scroll ${options.class}` : 'scroll';
  return h('div', { class: kind, tabindex: 0, role: 'region', 'aria-label': caption }, element);
}

// What a chart shows, as a table that is made when somebody opens it.
export function alternative(title, make) {
  const place = h('div', {});
  const details = h('details', { class: 'alternative' }, h('summary', {}, title), place);
  details.addEventListener('toggle', () => {
    if (details.open) fill(place, make());
  });
  details.refresh = () => {
    if (details.open) fill(place, make());
  };
  return details;
}

// A shade at the bottom of what scrolls says that there is more below.
export function shaded(element) {
  const look = () =>
    element.classList.toggle('more', element.scrollHeight - element.clientHeight - element.scrollTop > 4);
  element.addEventListener('scroll', look);
  new ResizeObserver(look).observe(element);
  new MutationObserver(look).observe(element, { childList: true });
}

export function announce(text) {
  const live = document.getElementById('live');
  if (live) live.textContent = text;
}

export const reducedMotion = () => matchMedia('(prefers-reduced-motion: reduce)').matches;
