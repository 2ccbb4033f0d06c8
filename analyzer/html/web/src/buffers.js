// What lay in a buffer and when: an allocation's bytes upwards, time to the right, a colour for each content. A content
// that comes back has its colour again.
import { Chart, axis, base, card, colour, rectangle, tooltip } from './chart.js';
import { alternative, announce, fill, h, table } from './dom.js';
import * as f from './format.js';
import { numberOf, remember } from './state.js';

const HOW = [
  'upload',
  'memset',
  'copy from device memory',
  'a kernel, as a download shows',
  'several, one after the other',
];
const COLOURS = 8;

export function buffers(run) {
  const { buffers: list, contents, allocations } = run.residency;
  const ofLink = () => list[(numberOf('buffer') ?? 1) - 1] ?? list[0];
  let buffer = ofLink();
  let ids = new Map();
  const place = h('div', { class: 'chart tall', role: 'img' });
  const about = h('p', { class: 'note' });
  const name = (b) =>
    `${f.bytes(b.bytes)} at ${b.address}${b.label ? `, ${b.label}` : ''}` +
    ` — ${f.times(b.transfers, 'transfer', 'transfers')}`;
  const choose = h(
    'select',
    {
      'aria-label': 'Buffer',
      onchange: () => {
        buffer = list[choose.selectedIndex];
        remember({ buffer: choose.selectedIndex ? choose.selectedIndex + 1 : null });
        show();
        announce('Another buffer is shown');
      },
    },
    list.map((b) => h('option', {}, name(b))),
  );

  // Contents are numbered in the order in which they come, for this buffer alone.
  function number() {
    ids = new Map();
    for (const piece of buffer.pieces) if (piece[8] >= 0 && !ids.has(piece[8])) ids.set(piece[8], ids.size + 1);
  }

  const what = (piece) =>
    piece[8] >= 0
      ? `content ${ids.get(piece[8])}`
      : piece[9] === 4
        ? 'several contents'
        : piece[9] === 1
          ? 'memset'
          : 'content not known';
  const paint = (piece) =>
    piece[8] >= 0
      ? colour(`content-${(ids.get(piece[8]) - 1) % COLOURS}`)
      : colour(piece[9] === 4 ? 'several' : piece[9] === 1 ? 'kind-memset' : 'unknown');

  function draw(params, api) {
    const piece = buffer.pieces[params.dataIndex];
    const area = {
      x: params.coordSys.x,
      y: params.coordSys.y,
      width: params.coordSys.width,
      height: params.coordSys.height,
    };
    const [x0, y0] = api.coord([piece[0], piece[3] + piece[4]]);
    const [x1, y1] = api.coord([piece[1], piece[3]]);
    const shape = rectangle(
      { x: x0, y: y0, width: Math.max(1, x1 - x0 - 0.5), height: Math.max(1, y1 - y0 - 0.5) },
      area,
    );
    if (!shape) return null;
    const children = [{ type: 'rect', shape, style: { fill: paint(piece) } }];
    if (piece[2] && piece[2] < piece[1]) {
      // from here on a kernel may have changed it
      const [xc] = api.coord([Math.max(piece[2], piece[0]), piece[3]]);
      const changed = rectangle(
        { x: xc, y: y0, width: Math.max(1, x1 - xc - 0.5), height: Math.max(1, y1 - y0 - 0.5) },
        area,
      );
      if (changed) children.push({ type: 'rect', shape: changed, style: { fill: colour('panel'), opacity: 0.55 } });
    }
    const digits = piece[8] >= 0 ? `${ids.get(piece[8])}` : '';
    if (digits && shape.width > 22 && shape.height > 14)
      children.push({
        type: 'text',
        style: {
          x: shape.x + 5,
          y: shape.y + shape.height / 2,
          text: digits,
          fill: colour('on-content'),
          font: '11px system-ui',
          textVerticalAlign: 'middle',
        },
      });
    return { type: 'group', children };
  }

  const pairs = (piece) => [
    ['from', f.moment(piece[0], run.duration)],
    ['until', f.moment(piece[1], run.duration)],
    ['bytes', `${f.bytes(piece[4])} at offset ${f.bytes(piece[3])}`],
    ['brought by', HOW[piece[9]]],
    ['written', f.times(piece[5], 'time', 'times')],
    ['read back', piece[6] ? f.times(piece[6], 'time', 'times') : 'never'],
    ['may have changed', piece[2] ? `from ${f.moment(piece[2], run.duration)} on` : 'no'],
    ['fingerprint', piece[8] >= 0 ? contents[piece[8]] : ''],
    ['row', piece[7] ? String(piece[7]) : ''],
  ];

  const option = () => ({
    ...base(),
    animation: false,
    tooltip: tooltip((item) => card(what(buffer.pieces[item.dataIndex]), pairs(buffer.pieces[item.dataIndex]))),
    grid: { left: 74, right: 20, top: 10, bottom: 62 },
    xAxis: axis({
      type: 'value',
      min: buffer.begin_ns,
      max: buffer.end_ns ?? run.last,
      axisLabel: {
        formatter: (v) => f.moment(v, (buffer.end_ns ?? run.last) - buffer.begin_ns),
        hideOverlap: true,
        showMaxLabel: false,
      },
    }),
    yAxis: axis({
      type: 'value',
      min: 0,
      max: buffer.bytes,
      interval: buffer.bytes / 4,
      axisLabel: { formatter: (v) => f.bytes(v) },
    }),
    dataZoom: [
      {
        type: 'slider',
        xAxisIndex: 0,
        height: 20,
        bottom: 8,
        filterMode: 'none',
        showDetail: false,
        borderColor: colour('line-strong'),
        fillerColor: colour('select'),
        backgroundColor: 'transparent',
        handleStyle: { color: colour('raised'), borderColor: colour('dim') },
        moveHandleSize: 0,
        brushSelect: false,
      },
    ],
    series: [
      {
        type: 'custom',
        clip: true,
        renderItem: draw,
        encode: { x: [0, 1], y: [3] },
        data: buffer.pieces.map((piece) => piece.slice(0, 5)),
      },
    ],
  });

  const rows = () =>
    table(
      'What lay in the buffer',
      [
        { title: 'Content', text: what },
        { title: 'From', number: true, text: (p) => f.moment(p[0], run.duration) },
        { title: 'Until', number: true, text: (p) => f.moment(p[1], run.duration) },
        { title: 'Offset', number: true, text: (p) => f.bytes(p[3]) },
        { title: 'Bytes', number: true, text: (p) => f.bytes(p[4]) },
        { title: 'Brought by', text: (p) => HOW[p[9]] },
        { title: 'Written', number: true, text: (p) => f.count(p[5]) },
        { title: 'Read', number: true, text: (p) => f.count(p[6]) },
        { title: 'Fingerprint', cell: (p) => (p[8] >= 0 ? h('span', { class: 'mono' }, contents[p[8]]) : '') },
      ],
      buffer.pieces,
    );

  // What follows of the contents: the one that was brought most often.
  function conclusion() {
    const uploads = new Map();
    for (const piece of buffer.pieces) {
      if (piece[8] < 0 || piece[9] !== 0) continue;
      const key = `${piece[8]} ${piece[4]}`;
      const known = uploads.get(key) ?? { bytes: piece[4], times: 0, content: piece[8] };
      known.times += piece[5];
      uploads.set(key, known);
    }
    const [most] = [...uploads.values()].sort((a, b) => b.times * b.bytes - a.times * a.bytes || b.times - a.times);
    return most?.times > 1
      ? `The same ${f.bytes(most.bytes)} (content ${ids.get(most.content)}) were uploaded ${f.count(most.times)} times. `
      : '';
  }

  const asTable = alternative('As a table', rows);
  let chart = null;
  function show() {
    number();
    const back = buffer.pieces.length - ids.size;
    fill(
      about,
      h('strong', {}, conclusion()),
      `${f.times(buffer.pieces.length, 'piece', 'pieces')} of ` +
        `${f.times(ids.size, 'known content', 'known contents')}. ` +
        `Allocated at ${f.moment(buffer.begin_ns, run.duration)}${buffer.label ? ` by ${buffer.label}` : ''} ` +
        `(${buffer.entry_point}), ` +
        `${buffer.end_ns === null ? 'never freed' : `freed at ${f.moment(buffer.end_ns, run.duration)}`}. `,
      back > 0 && ids.size ? 'Equal numbers and colours are equal bytes. ' : '',
      'Pale: a kernel was given a pointer and may have changed it.',
      buffer.events_left_out ? ' Too much happened to show all of it.' : '',
    );
    place.setAttribute(
      'aria-label',
      `What lay in the buffer of ${f.bytes(buffer.bytes)}: ${buffer.pieces.length} pieces`,
    );
    chart?.draw();
    asTable.refresh();
  }

  const element = h(
    'section',
    { class: 'panel', 'aria-label': 'Buffers' },
    h(
      'div',
      { class: 'tools' },
      h('div', { class: 'row' }, h('h2', {}, 'What lay in a buffer'), list.length ? choose : null),
    ),
    list.length
      ? [
          place,
          about,
          allocations > list.length
            ? h(
                'p',
                { class: 'note' },
                `The ${list.length} allocations that most was copied to and from, of ${f.count(allocations)}.`,
              )
            : null,
          asTable,
        ]
      : h('p', { class: 'empty' }, 'No transfer concerned an allocation whose beginning the trace has.'),
  );
  const restore = () => {
    if (!list.length) return;
    buffer = ofLink();
    choose.selectedIndex = list.indexOf(buffer);
    show();
  };
  restore();
  if (list.length) chart = new Chart(place, option);
  return { element, restore, dispose: () => chart?.dispose() };
}
