// Bandwidth against size: a point is the copies of one kind and nearly one size and time; the lines are the link as the
// trace shows it.
import { Chart, axis, base, card, colour, tooltip } from './chart.js';
import { directions, kinds, memoryKinds, siteLabel } from './data.js';
import { alternative, empty, h, note, panel, table } from './dom.js';
import * as f from './format.js';
import { namesOf, remember } from './state.js';

// Classes of the link's model that are copies.
const CLASSES = {
  h2d_pageable: { kind: 'h2d', name: 'H2D pageable' },
  h2d_pinned: { kind: 'h2d', name: 'H2D pinned' },
  d2h_pageable: { kind: 'd2h', name: 'D2H pageable' },
  d2h_pinned: { kind: 'd2h', name: 'D2H pinned' },
  d2d: { kind: 'd2d', name: 'D2D' },
};
const SHAPES = { pageable: 'triangle', pinned: 'circle', registered: 'diamond', managed: 'rect' };

function groupsOf(run, narrow) {
  const groups = new Map();
  for (const [direction, host, bytes, ns, count, row, site] of run.bandwidth.points) {
    if (!narrow.has(site)) continue;
    const name = `${directions[direction]}${host ? ` ${memoryKinds[host]}` : ''}`;
    if (!groups.has(name)) groups.set(name, { name, direction, host, points: [] });
    groups.get(name).points.push({ value: [bytes / count, (bytes / ns) * 1e9], bytes, ns, count, row, site });
  }
  return [...groups.values()].sort((a, b) => (a.name < b.name ? -1 : 1));
}

const kindOf = (direction) => kinds[direction].key;
const shapeOf = (group) => SHAPES[memoryKinds[group.host]] ?? 'circle';

// Downloads are outlines, so that they are seen above uploads, and without colours.
const isHollow = (group) => kindOf(group.direction) === 'd2h';

const lineOf = (name, data, lineStyle) => ({ name, type: 'line', data, showSymbol: false, silent: true, lineStyle });

export function bandwidth({ run, narrow }) {
  const groups = groupsOf(run, narrow);
  const sizes = groups.flatMap((group) => group.points.map((point) => point.value[0]));
  const extent = [
    2 ** Math.floor(Math.log2(sizes.reduce((a, b) => Math.min(a, b), Infinity)) - 1),
    2 ** Math.ceil(Math.log2(sizes.reduce((a, b) => Math.max(a, b), 1)) + 1),
  ];
  const hidden = namesOf('rates-hide');
  const host = run.bandwidth.measure === 'host_ns';
  const link = run.report.link_model;
  const place = h('div', {
    class: 'chart tall',
    role: 'img',
    'aria-label': 'Bandwidth against size of a copy, both logarithmic',
  });
  const keys = groups.map((group) => {
    const box = h('input', {
      type: 'checkbox',
      checked: !hidden.has(group.name),
      onchange: () => {
        if (box.checked) hidden.delete(group.name);
        else hidden.add(group.name);
        remember({ 'rates-hide': [...hidden].join(',') || null });
        chart.draw();
      },
    });
    const look = `kind-${kindOf(group.direction)} shape-${shapeOf(group)}${isHollow(group) ? ' hollow' : ''}`;
    return h('label', { class: 'key' }, box, h('span', { class: `swatch ${look}` }), group.name);
  });

  function lines() {
    if (link.fitted_to !== run.bandwidth.measure) return [];
    const [from, to] = extent;
    const size = (i) => from * (to / from) ** (i / 60);
    const model = link.classes
      .filter((line) => line.bytes_per_s && CLASSES[line.class])
      .filter((line) =>
        groups.some((group) => {
          const host = group.direction === 3 ? '' : `_${group.host === 3 ? 'pinned' : memoryKinds[group.host]}`;
          return `${kindOf(group.direction)}${host}` === line.class && !hidden.has(group.name);
        }),
      )
      .map((line) => {
        const seconds = (bytes) => line.fixed_ns / 1e9 + bytes / line.bytes_per_s;
        const data = Array.from({ length: 61 }, (_, i) => [size(i), size(i) / seconds(size(i))]);
        const type = line.assumed || line.rate_assumed ? 'dashed' : 'solid';
        const color = colour(`kind-${CLASSES[line.class].kind}`);
        return { ...lineOf(`model: ${line.class}`, data, { width: 1.5, type, color }), z: 3 };
      });
    const peak = link.peak_bytes_per_s;
    const ends = [from, to].map((bytes) => [bytes, peak]);
    return peak ? [...model, lineOf('peak', ends, { width: 1, type: 'dotted', color: colour('dim') })] : model;
  }

  function styleOf(group) {
    const color = colour(`kind-${kindOf(group.direction)}`);
    return isHollow(group) ? { color: 'transparent', borderColor: color, borderWidth: 2 } : { color, opacity: 0.65 };
  }

  function hover(item) {
    const p = item.data;
    if (!p?.bytes) return '';
    return card(`${p.count === 1 ? '' : `${f.count(p.count)} × `}${item.seriesName}`, [
      ['size', f.bytes(p.bytes / p.count)],
      ['took', f.ns(p.ns / p.count)],
      ['rate', f.rate(p.value[1])],
      ['at', siteLabel(run.sites[p.site])],
      p.count === 1 && ['row', String(p.row)],
    ]);
  }

  const option = () => ({
    ...base(),
    animation: false,
    tooltip: tooltip(place, hover),
    grid: { left: 74, right: 20, top: 16, bottom: 46 },
    xAxis: axis({
      type: 'log',
      logBase: 2,
      name: 'size of a copy',
      nameLocation: 'middle',
      nameGap: 28,
      axisLabel: { formatter: (v) => f.bytes(v), hideOverlap: true },
      min: extent[0],
      max: extent[1],
    }),
    yAxis: axis({ type: 'log', name: '', axisLabel: { formatter: (v) => f.rate(v) } }),
    series: [
      ...groups
        .filter((group) => !hidden.has(group.name))
        .map((group) => ({
          name: group.name,
          type: 'scatter',
          data: group.points,
          symbol: shapeOf(group),
          symbolSize: (value, params) => 8 + Math.min(14, Math.log2(params.data.count)),
          itemStyle: styleOf(group),
          emphasis: { disabled: true },
        })),
      ...lines(),
    ],
  });

  const rows = () => {
    const classes = new Map();
    for (const group of groups) {
      for (const point of group.points) {
        const octave = Math.floor(Math.log2(point.value[0]));
        const key = `${group.name} ${octave}`;
        const row = classes.get(key) ?? { name: group.name, octave, count: 0, bytes: 0, ns: 0 };
        row.count += point.count;
        row.bytes += point.bytes;
        row.ns += point.ns;
        classes.set(key, row);
      }
    }
    return table(
      'Bandwidth by size',
      [
        { title: 'Copies', text: (row) => row.name },
        { title: 'Size from', number: true, text: (row) => f.bytes(2 ** row.octave) },
        { title: 'Count', number: true, text: (row) => f.count(row.count) },
        { title: 'Bytes', number: true, text: (row) => f.bytes(row.bytes) },
        { title: 'Time', number: true, text: (row) => f.ns(row.ns) },
        { title: 'Rate', number: true, text: (row) => f.rate((row.bytes / row.ns) * 1e9) },
      ],
      [...classes.values()].sort((a, b) => (a.name === b.name ? a.octave - b.octave : a.name < b.name ? -1 : 1)),
    );
  };

  const modelled = link.classes.filter((line) => CLASSES[line.class] && line.bytes_per_s);
  const element = panel(
    'Bandwidth',
    [
      h('div', { class: 'row' }, h('h2', {}, 'Bandwidth against size')),
      h('div', { class: 'keys', role: 'group', 'aria-label': 'What is shown' }, keys),
    ],
    groups.length ? place : empty('No copy has a time: nothing to draw.'),
    note(
      host
        ? 'The trace has no device times: these are the times inside calls that blocked, ' +
            'which include whatever they waited for. '
        : 'Rates are bytes by device time. ',
      link.peak_bytes_per_s ? `Dotted: the link's peak, ${f.rate(link.peak_bytes_per_s)} each way. ` : '',
      'Lines: the time that a copy takes, fixed part and rate, fitted to this trace; dashed where it was assumed. ' +
        'Larger points are more copies. Outlines are downloads.',
      run.bandwidth.left_out ? ` ${f.count(run.bandwidth.left_out)} copies of rare sizes are left out.` : '',
    ),
    alternative('By size as a table', rows),
    modelled.length
      ? h(
          'div',
          {},
          h('h3', {}, 'Link model'),
          table(
            'Link model',
            [
              { title: 'Copies', text: (row) => CLASSES[row.class].name },
              { title: 'Fixed', number: true, text: (row) => f.ns(row.fixed_ns) },
              {
                title: 'Rate',
                number: true,
                text: (row) => `${f.rate(row.bytes_per_s)}${row.rate_assumed && !row.assumed ? ' (assumed)' : ''}`,
              },
              { title: 'From', text: (row) => (row.assumed ? 'assumed' : f.times(row.samples, 'copy', 'copies')) },
            ],
            modelled,
          ),
        )
      : null,
  );
  const chart = new Chart(place, option);
  return { element, chart, dispose: () => chart.dispose() };
}
