// Transfers by call site: a treemap of file, function and line, by any of the totals.
import { Chart, base, card, colour, tooltip } from './chart.js';
import { siteLabel } from './data.js';
import { alternative, h, table } from './dom.js';
import * as f from './format.js';

const METRICS = [
  ['device_ns', 'Device time', f.ns],
  ['host_ns', 'Time inside the calls', f.ns],
  ['saves_ns', 'Saves', f.ns],
  ['bytes', 'Bytes', f.bytes],
  ['transfers', 'Transfers', f.count],
];

const named = (inner, call) =>
  inner === call || !call ? inner : call.startsWith(':') ? `${inner}${call}` : `${inner} ${call}`;

function tree(run, key) {
  const files = new Map();
  const put = (map, name, make) => {
    if (!map.has(name)) map.set(name, make());
    return map.get(name);
  };
  run.sites.forEach((site, i) => {
    if (!site[key]) return;
    const owner = site.file
      ? site.file.split('/').slice(-2).join('/')
      : site.module
        ? site.module.split('/').pop()
        : 'no stack';
    const file = put(files, owner, () => new Map());
    const list = put(file, site.function ?? site.entry_point ?? 'unknown', () => []);
    list.push({
      name: `${site.line ? `:${site.line} ` : ''}${site.entry_point ?? ''}`,
      value: site[key],
      site: i,
      itemStyle: { color: colour(site.saves_ns ? 'area-hot' : 'area') },
    });
  });
  if (run.sites_left_out[key])
    files.set(
      'other call sites',
      new Map([
        [
          'other',
          [
            {
              name: `${f.count(run.sites_left_out.sites)} others`,
              value: run.sites_left_out[key],
              site: -1,
              itemStyle: { color: colour('area') },
            },
          ],
        ],
      ]),
    );
  const sum = (nodes) => nodes.reduce((total, node) => total + node.value, 0);
  return [...files].map(([name, functions]) => {
    // a function with one call in it is that call: a frame around each would only take room
    const children = [...functions].map(([inner, list]) =>
      list.length === 1
        ? { ...list[0], name: named(inner, list[0].name) }
        : { name: inner, children: list, value: sum(list) },
    );
    return { name, children, value: sum(children) };
  });
}

export function sites(run) {
  const usable = METRICS.filter(([key]) => run.sites.some((site) => site[key] > 0));
  let metric = usable[0] ?? METRICS[0];
  const place = h('div', { class: 'chart tall', role: 'img', 'aria-label': 'Transfers by call site, as areas' });
  const choose = h(
    'select',
    {
      'aria-label': 'Area is',
      onchange: () => {
        metric = usable[choose.selectedIndex];
        chart.draw();
      },
    },
    usable.map(([, name]) => h('option', {}, name)),
  );

  function hover(item) {
    const node = item.data;
    const total = run.sites.reduce((sum, site) => sum + site[metric[0]], 0) + run.sites_left_out[metric[0]];
    if (node?.site === undefined || node.site < 0)
      return card(item.name, [
        [metric[1].toLowerCase(), metric[2](item.value)],
        ['share', f.share(item.value, total)],
      ]);
    const site = run.sites[node.site];
    return card(
      siteLabel(site),
      [
        ['call', site.entry_point],
        ['transfers', f.count(site.transfers)],
        ['bytes', f.bytes(site.bytes)],
        ['device time', site.timed ? f.ns(site.device_ns) : ''],
        ['in the calls', f.ns(site.host_ns)],
        ['saves', site.saves_ns ? f.ns(site.saves_ns) : ''],
        ['share', f.share(item.value, total)],
      ],
      site.source,
    );
  }

  const option = () => ({
    ...base(),
    animation: false,
    tooltip: tooltip(hover),
    series: [
      {
        type: 'treemap',
        data: tree(run, metric[0]),
        left: 0,
        right: 0,
        top: 0,
        bottom: 0,
        roam: false,
        nodeClick: false,
        breadcrumb: { show: false },
        visibleMin: 20,
        label: {
          show: true,
          position: 'insideTopLeft',
          color: colour('on-area'),
          fontSize: 11,
          lineHeight: 15,
          overflow: 'truncate',
          formatter: (item) => `${item.name}\n${metric[2](item.value)}`,
        },
        upperLabel: {
          show: true,
          height: 20,
          color: colour('text'),
          fontSize: 11,
          lineHeight: 20,
          overflow: 'truncate',
          formatter: (item) => `${item.name}  ${metric[2](item.value)}`,
        },
        itemStyle: { borderColor: colour('panel'), gapWidth: 1 },
        levels: [
          { itemStyle: { borderWidth: 0, gapWidth: 4 }, upperLabel: { show: false } },
          { itemStyle: { borderWidth: 2, borderColor: colour('line'), gapWidth: 2 } },
          { itemStyle: { borderWidth: 2, borderColor: colour('line'), gapWidth: 1 } },
          {},
        ],
      },
    ],
  });

  const rows = () =>
    table(
      'Call sites',
      [
        { title: 'Where', cell: (site) => h('span', { class: 'mono' }, siteLabel(site)) },
        { title: 'Call', text: (site) => site.entry_point ?? '' },
        { title: 'Transfers', number: true, text: (site) => f.count(site.transfers) },
        { title: 'Bytes', number: true, text: (site) => f.bytes(site.bytes) },
        { title: 'Device time', number: true, text: (site) => (site.timed ? f.ns(site.device_ns) : '') },
        { title: 'In the calls', number: true, text: (site) => f.ns(site.host_ns) },
        { title: 'Saves', number: true, text: (site) => (site.saves_ns ? f.ns(site.saves_ns) : '') },
        { title: 'Source', cell: (site) => (site.source ? h('code', {}, site.source) : '') },
      ],
      run.sites,
    );

  const unknown = !run.sites.some((site) => site.function || site.file);
  const element = h(
    'section',
    { class: 'panel', 'aria-label': 'Call sites' },
    h(
      'div',
      { class: 'tools' },
      h('div', { class: 'row' }, h('h2', {}, 'Transfers by call site'), usable.length > 1 ? choose : null),
    ),
    usable.length ? place : h('p', { class: 'empty' }, 'The trace has no transfers that ran.'),
    usable.length && run.sites.some((site) => site.saves_ns)
      ? h('p', { class: 'note' }, h('span', { class: 'swatch area-hot' }), ' A repair there would save time.')
      : null,
    unknown && usable.length
      ? h(
          'p',
          { class: 'note' },
          'No stacks were recorded, or none could be resolved: these are the driver’s entry points.',
        )
      : null,
    run.report.call_sites.notes.map((note) => h('p', { class: 'note' }, `${note}.`)),
    alternative('As a table', rows),
  );
  const chart = new Chart(place, option);
  return { element, dispose: () => chart.dispose() };
}
