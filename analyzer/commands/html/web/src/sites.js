// Where calls came from: a flame graph of whole stacks, native and Python, by any of the totals. The outermost function
// is at the top, and what it calls below it. A click on a frame shows what is under it, and narrows the other tabs to
// the calls from there.
import { baseName, frameName, siteLabel } from './data.js';
import { alternative, announce, empty, fill, h, link, note, panel, search as searchBox, table } from './dom.js';
import * as f from './format.js';
import { narrowing } from './narrow.js';
import { remember, stateOf } from './state.js';

const METRICS = [
  ['saves_ns', 'Saves', f.ns],
  ['device_ns', 'Device time', f.ns],
  ['host_ns', 'Time inside the calls', f.ns],
  ['bytes', 'Bytes', f.bytes],
  ['transfers', 'Transfers', f.count],
];
const ROW = 22; // pixels
const LEAST = 0.002; // of the width: what is narrower is not drawn

// The name of a frame, and where it is.
function nameOf(frame) {
  const at = frame.file ? `${baseName(frame.file)}${frame.line ? `:${frame.line}` : ''}` : '';
  return { name: frameName(frame), at, of: frame.file ?? frame.module ?? '' };
}

// The child of a node that leads to the node of a key.
const childTowards = (node, key) =>
  [...node.children.values()].find((child) => key === child.key || key.startsWith(`${child.key}.`));

// The name of a node, and where it is.
const titleOf = ({ name, at }) => `${name}${at ? ` (${at})` : ''}`;

// The tree of all stacks. A run of frames of libraries is one node if `folded`. The key of a node is the path of its
// frames' numbers, by which a link finds it again.
function treeOf(run, folded) {
  const { frames, leaves } = run.flame;
  const root = { key: '', name: 'all calls', at: '', of: '', children: new Map(), leaves: [], level: 0 };
  leaves.forEach((leaf) => {
    let node = root;
    const into = (key, make) => {
      if (!node.children.has(key)) {
        const path = node.key ? `${node.key}.${key}` : key;
        node.children.set(key, { key: path, children: new Map(), leaves: [], level: node.level + 1, ...make() });
      }
      node.leaves.push(leaf);
      node = node.children.get(key);
    };
    for (let i = 0; i < leaf.frames.length; i++) {
      const frame = frames[leaf.frames[i]];
      if (folded && frame.library) {
        let end = i;
        while (end + 1 < leaf.frames.length && frames[leaf.frames[end + 1]].library) end++;
        const library = baseName(frames[leaf.frames[end]].module ?? frames[leaf.frames[end]].file ?? 'libraries');
        into(`l${library}`, () => ({ name: library, at: '', of: 'libraries', library: true }));
        i = end;
      } else into(String(leaf.frames[i]), () => ({ ...nameOf(frame), library: frame.library }));
    }
    into(`c${leaf.entry_point}`, () => ({ name: leaf.entry_point, at: '', of: '', call: true }));
    node.leaves.push(leaf);
  });
  return root;
}

// The call sites below the frames of another run that are called as those that lead to this node: at the same lines,
// or, where no frame is there, at any.
function sitesLike(node, root, other) {
  let nodes = [other];
  for (let at = root; at !== node; ) {
    at = childTowards(at, node.key);
    const { name, at: line } = at;
    const same = nodes.flatMap((one) => [...one.children.values()]).filter((child) => child.name === name);
    const there = same.filter((child) => child.at === line);
    nodes = there.length ? there : same;
  }
  return sitesOf(nodes);
}

const sitesOf = (nodes) => new Set(nodes.flatMap((node) => node.leaves.map((leaf) => leaf.site)).filter((i) => i >= 0));

const totalOf = (leaves, key) => leaves.reduce((sum, leaf) => sum + leaf[key], 0);

// `runs`: this one, and the other one if there are two.
export function sites(selection, runs) {
  const { run, narrow } = selection;
  const { leaves } = run.flame;
  const usable = METRICS.filter(([key]) => leaves.some((leaf) => leaf[key] > 0));
  let metric = METRICS[1];
  const saves = run.report.together?.up_to ? 'Saves up to' : 'Saves'; // as the head says it
  let folded = true;
  let root = null;
  const place = h('div', { class: 'flame', role: 'group', 'aria-label': 'Calls by stack' });
  const about = h('p', { class: 'note', 'aria-live': 'polite' });
  const keys = h('div', { class: 'keys note' });
  const choose = h(
    'select',
    {
      'aria-label': 'Width is',
      onchange: () => {
        metric = usable[choose.selectedIndex];
        remember({ width: choose.selectedIndex ? metric[0] : null });
        draw();
        asTable.refresh();
      },
    },
    usable.map(([, name]) => h('option', {}, name)),
  );
  const search = searchBox('Search functions and files', 'Search call sites', () => {
    remember({ frames: search.value || null });
    draw();
  });
  const fold = h('input', {
    type: 'checkbox',
    onchange: () => {
      remember({ libraries: fold.checked ? null : 'all' });
      plant();
      selection.clear(); // the frame may be none of the other tree
      draw();
    },
  });

  function plant() {
    folded = fold.checked;
    root = treeOf(run, folded);
  }

  // How the graph is drawn, as a link says; before the frame of the link is looked for.
  function read() {
    metric = usable.find(([key]) => key === stateOf('width')) ?? usable[0] ?? METRICS[1];
    choose.selectedIndex = usable.indexOf(metric);
    search.value = stateOf('frames') ?? '';
    fold.checked = stateOf('libraries') !== 'all';
    plant();
  }

  // The node of a path, or the root.
  function find(key) {
    let node = root;
    while (key && node && node.key !== key) node = childTowards(node, key);
    return node ?? root;
  }

  function pairs(node) {
    const total = totalOf(leaves, metric[0]);
    const value = totalOf(node.leaves, metric[0]);
    return (
      `${titleOf(node)}: ${(metric[0] === 'saves_ns' ? saves : metric[1]).toLowerCase()} ${metric[2](value)}, ` +
      `${f.share(value, total) || '0 %'} of all; ` +
      `${f.times(totalOf(node.leaves, 'transfers'), 'transfer', 'transfers')}, ${f.bytes(totalOf(node.leaves, 'bytes'))}`
    );
  }

  function choice(node) {
    if (node === root) selection.clear();
    else
      selection.to({
        key: node.key,
        name: titleOf(node),
        sites: new Map(
          runs.map((of) => [of, of === run ? sitesOf([node]) : sitesLike(node, root, treeOf(of, folded))]),
        ),
      });
    announce(pairs(node));
  }

  // Whether calls of the chosen finding came through a frame.
  function isMarked(node) {
    const site = selection.chosen?.site_index ?? -1;
    return site >= 0 && node.leaves.some((leaf) => leaf.site === site);
  }

  // A frame as a button: all of them can be reached with the keyboard.
  function button(node, left, width, words) {
    const text = `${node.name} ${node.of}`.toLowerCase();
    const hit = words.length && words.every((word) => text.includes(word));
    const hot = totalOf(node.leaves, 'saves_ns') > 0;
    const marked = isMarked(node);
    const missed = words.length && !hit;
    const kind = [hot && 'hot', node.library && 'library', hit && 'hit', missed && 'miss', marked && 'marked'];
    const element = h(
      'button',
      {
        type: 'button',
        class: ['frame', ...kind].filter(Boolean).join(' '),
        title: `${pairs(node)}${node.of ? `\n${node.of}` : ''}${marked ? `\nof ${selection.chosen.name}` : ''}`,
        'aria-pressed': node.key && node.key === narrow.current?.key ? 'true' : 'false',
        onclick: () => choice(node),
      },
      node.name,
      node.at ? h('span', { class: 'at' }, ` ${node.at}`) : null,
    );
    element.style.left = `${left * 100}%`;
    element.style.width = `${width * 100}%`;
    element.style.top = `${node.level * ROW}px`;
    return { element, hit };
  }

  // What the colours and the marks are.
  function legend(cold) {
    const { chosen } = selection;
    const key = (swatch, ...text) => h('span', { class: 'key' }, h('span', { class: `swatch ${swatch}` }), text);
    fill(
      keys,
      leaves.some((leaf) => leaf.saves_ns) && key('area-hot', 'a repair of what is called there would save time'),
      cold && key('area', 'nothing to save there'),
      chosen && isMarked(root) && key('area-marked', 'calls of ', link(chosen.name, () => selection.open('findings'))),
    );
  }

  function draw() {
    const words = search.value.toLowerCase().split(/\s+/).filter(Boolean);
    const focus = find(narrow.current?.key);
    const value = (node) => totalOf(node.leaves, metric[0]);
    const buttons = [];
    let deepest = 0;
    let hits = 0;
    const put = (node, left, width) => {
      if (width < LEAST) {
        if (!isMarked(node)) return;
        [left, width] = [Math.min(left, 1 - LEAST), LEAST]; // what is chosen is always there
      }
      const { element, hit } = button(node, left, width, words);
      buttons.push(element);
      hits += hit ? 1 : 0;
      deepest = Math.max(deepest, node.level);
      const all = value(node);
      let at = left;
      const children = [...node.children.values()].sort((a, b) => value(b) - value(a));
      for (const child of children) {
        const share = all ? (value(child) / all) * width : 0;
        put(child, at, share);
        at += share;
      }
    };
    // what leads to the chosen frame is above it, as wide as all
    const above = [];
    for (let node = root; node !== focus; ) {
      above.push(node);
      node = childTowards(node, focus.key);
    }
    for (const node of above) buttons.push(button(node, 0, 1, words).element);
    put(focus, 0, 1);
    fill(place, buttons);
    place.style.height = `${(deepest + 1) * ROW + 2}px`;
    legend(buttons.some((one) => !one.classList.contains('hot')));
    fill(about, words.length ? `${f.times(hits, 'frame matches', 'frames match')}.` : pairs(focus), '');
  }

  const rows = () =>
    table(
      'Call sites',
      [
        {
          title: 'Where',
          cell: (site) => [
            h('div', { class: 'mono' }, siteLabel(site)),
            site.entry_point && site.entry_point !== siteLabel(site)
              ? h('div', { class: 'dim mono' }, site.entry_point)
              : null,
            site.source ? h('code', {}, site.source) : null,
          ],
        },
        { title: 'Transfers', number: true, text: (site) => f.count(site.transfers) },
        { title: 'Bytes', number: true, text: (site) => f.bytes(site.bytes) },
        { title: 'Device time', number: true, text: (site) => (site.timed ? f.ns(site.device_ns) : '') },
        { title: 'In the calls', number: true, text: (site) => f.ns(site.host_ns) },
        { title: saves, number: true, text: (site) => (site.saves_ns ? f.ns(site.saves_ns) : '') },
      ],
      run.sites.filter((site, i) => narrow.has(i)).sort((a, b) => b[metric[0]] - a[metric[0]]),
      { class: 'wraps' },
    );
  const asTable = alternative('As a table', rows);
  asTable.open = true; // its rows come with `restore`
  const { frames, left_out: left } = run.flame;
  const click = note('A click on a frame narrows the page to the calls from there; one on the first ends that.');
  const title = h(
    'div',
    { class: 'row' },
    h('h2', {}, 'Where calls came from'),
    usable.length > 1 ? h('label', { class: 'width' }, 'Width:', choose) : null,
    usable.length ? h('label', { class: 'key' }, fold, 'Libraries as one frame') : null,
  );
  const element = panel(
    'Call sites',
    [title, usable.length ? search : null],
    usable.length ? [place, about, keys, click] : empty('The trace has no transfers that ran.'),
    left ? note(`${f.count(left)} stacks that cost least are not shown.`) : null,
    !frames.length && usable.length
      ? note('No stacks were recorded, or none could be resolved: these are the driver’s entry points.')
      : null,
    run.report.call_sites.notes.map((text) => note(`${text}.`)),
    asTable,
  );
  const restore = () => {
    if (!usable.length) return;
    read();
    const key = narrowing();
    if (key && key !== narrow.current?.key) choice(find(key));
    draw();
    asTable.refresh();
  };
  restore();
  return {
    element,
    restore,
    chosen: draw,
    narrowed: () => {
      draw();
      asTable.refresh();
    },
    dispose: () => {},
  };
}
