// Elements without markup: every text goes in as a text node, so that nothing of a trace is ever parsed as HTML.

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

// columns: { title, number, text(row) | cell(row) }. A table scrolls by itself where it is too wide.
// `options.head(column)` makes the content of a head.
export function table(caption, columns, rows, options = {}) {
  const kindOf = (c) => [c.number && 'number', c.kind].filter(Boolean).join(' ') || null;
  const head = h(
    'tr',
    {},
    columns.map((c) => {
      const attributes = { scope: 'col', class: kindOf(c), 'aria-sort': c.sort };
      return h('th', attributes, options.head?.(c) ?? c.title);
    }),
  );
  const body = rows.map((row) =>
    h(
      'tr',
      options.row?.(row) ?? {},
      columns.map((c, i) => {
        const content = c.cell ? c.cell(row) : c.text(row);
        return i === 0 && !c.number
          ? h('th', { scope: 'row' }, content)
          : h('td', { class: kindOf(c) }, content);
      }),
    ),
  );
  const element = h(
    'table',
    {},
    h('caption', { class: 'hidden' }, caption),
    h('thead', {}, head),
    h('tbody', {}, body),
  );
  const kind = options.class ? `scroll ${options.class}` : 'scroll';
  return h('div', { class: kind, tabindex: 0, role: 'region', 'aria-label': caption }, element);
}

// A table whose columns with a `key` and a `value(row)` can be chosen to order the rows, the smallest value first.
// `options`: those of a table; `by`, the key of the column that orders them at first; `sorted(key)` is called when
// another one is chosen.
export function sortable(caption, columns, rows, options) {
  const place = h('div', {});
  const order = (by) => {
    const { value } = columns.find(({ key }) => key === by);
    const compare = (a, b) => (value(a) > value(b)) - (value(a) < value(b));
    const head = ({ key, title }) =>
      key && h('button', { type: 'button', class: 'order', onclick: () => choose(key) }, key === by && arrow, title);
    const arrow = h('span', { class: 'arrow', 'aria-hidden': 'true' }, '▾');
    const shown = columns.map((c) => ({ ...c, sort: c.key === by ? (c.number ? 'descending' : 'ascending') : null }));
    fill(place, table(caption, shown, [...rows].sort(compare), { ...options, head }));
  };
  const choose = (key) => {
    order(key);
    options.sorted(key);
    place.querySelector('[aria-sort] button').focus();
  };
  order(options.by);
  return place;
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
