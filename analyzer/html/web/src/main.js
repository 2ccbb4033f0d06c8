// The page: header, tabs, theme. Each tab is made when it is first opened.
import { bandwidth } from './bandwidth.js';
import { buffers } from './buffers.js';
import { outputChanged, triedText } from './causes.js';
import { redrawAll } from './chart.js';
import { compare } from './compare.js';
import { readDocument } from './data.js';
import { fill, h } from './dom.js';
import { Findings } from './findings.js';
import * as f from './format.js';
import { run as runTab } from './run.js';
import { Narrow, narrowing } from './narrow.js';
import { sites } from './sites.js';
import { numberOf, onLink, readState, remember, stateOf } from './state.js';
import { Timeline } from './timeline.js';

const COPYING = 'Copying on the device';
const ALL_REPAIRED = 'All repaired saves';

const page = document.getElementById('page');

function findingsTab(run, narrow) {
  const timeline = new Timeline(run, narrow);
  const findings = new Findings(
    run,
    (index) => timeline.choose(index),
    (row) => timeline.reveal(row),
    narrow,
  );
  return {
    element: h('div', {}, h('div', { class: 'work' }, findings.element, findings.detail), timeline.element),
    timeline,
    findings,
    restore: () => {
      timeline.restore();
      findings.restore();
    },
    narrowed: () => {
      findings.narrowed();
      timeline.update();
    },
    shown: () => timeline.update(),
    dispose: () => timeline.dispose(),
  };
}

class Page {
  constructor({ runs, diff }) {
    const run = numberOf('run');
    Object.assign(this, { runs, diff, shown: runs[run - 1] ? run - 1 : runs.length - 1 });
    this.tabs = [
      diff && ['compare', 'Diff', () => compare(runs, diff, (run, finding) => this.evidence(run, finding))],
      ['findings', 'Findings', () => findingsTab(this.run, this.narrow)],
      ['bandwidth', 'Bandwidth', () => bandwidth(this.run, this.narrow)],
      ['sites', 'Call sites', () => sites(this.run, this.narrow)],
      ['buffers', 'Buffers', () => buffers(this.run)],
      ['run', 'Run', () => runTab(this.run)],
    ].filter(Boolean);
    this.open = new Map();
    this.narrow = new Narrow(() => this.narrowed());
    this.banner = h('div', { class: 'narrowed', role: 'status', hidden: true });
    document.title = `xferspy: ${runs.map((run) => run.name).join(' and ')}`;
    this.header = h('header', {});
    this.buttons = this.tabs.map(([key, name]) =>
      h(
        'button',
        {
          type: 'button',
          role: 'tab',
          id: `tab-${key}`,
          'aria-controls': `panel-${key}`,
          onclick: () => this.select(key),
        },
        name,
      ),
    );
    this.panels = this.tabs.map(([key]) =>
      h('div', { role: 'tabpanel', id: `panel-${key}`, 'aria-labelledby': `tab-${key}`, tabindex: -1 }),
    );
    fill(
      page,
      h('a', { class: 'skip', href: '#main' }, 'Skip to the findings'),
      this.header,
      h(
        'nav',
        { 'aria-label': 'Views' },
        h('div', { role: 'tablist', 'aria-label': 'Views', onkeydown: (event) => this.key(event) }, this.buttons),
      ),
      this.banner,
      h('main', { id: 'main' }, this.panels),
      this.footer(),
      h('div', { id: 'live', 'aria-live': 'polite', class: 'hidden' }),
    );
    this.select(this.viewOfLink());
    if (narrowing()) this.make('sites');
    onLink(() => this.follow());
  }

  // What the tabs are narrowed to has changed. A tab that does not follow by itself is made anew.
  narrowed() {
    const { current } = this.narrow;
    const { sites: all } = this.run;
    const count = current ? [...current.sites].reduce((sum, site) => sum + all[site].transfers, 0) : 0;
    this.banner.hidden = !current;
    fill(
      this.banner,
      current
        ? [
            `Narrowed to calls from ${current.name}: ${f.count(count)} of ` +
              `${f.times(this.run.report.transfers.total.count, 'transfer', 'transfers')}. `,
            h('button', { type: 'button', onclick: () => this.narrow.clear() }, 'Show all'),
          ]
        : null,
    );
    for (const key of ['findings', 'sites']) this.open.get(key)?.narrowed();
    this.close('bandwidth');
    if (this.current === 'bandwidth') this.make('bandwidth');
  }

  make(key) {
    const i = this.tabs.findIndex(([name]) => name === key);
    if (this.open.has(key)) return;
    this.open.set(key, this.tabs[i][2]());
    fill(this.panels[i], this.open.get(key).element);
  }

  close(key) {
    if (!this.open.has(key)) return;
    this.open.get(key).dispose();
    this.open.delete(key);
    fill(this.panels[this.tabs.findIndex(([name]) => name === key)]);
  }

  viewOfLink() {
    const view = stateOf('view');
    return this.tabs.some(([key]) => key === view) ? view : this.tabs[0][0];
  }

  // What a link shows that somebody put into the address of this page.
  follow() {
    const run = numberOf('run');
    if (this.runs[run - 1] && run - 1 !== this.shown) this.show(run - 1);
    this.select(this.viewOfLink());
    if (this.narrow.current && this.narrow.current.key !== narrowing()) {
      const wanted = narrowing();
      this.narrow.clear();
      remember({ site: wanted });
    }
    if (narrowing()) this.make('sites');
    for (const tab of this.open.values()) tab.restore?.();
  }

  get run() {
    return this.runs[this.shown];
  }

  // Where the run went: a bar, and its key with the same in words.
  where() {
    const { where } = this.run.report;
    if (!where) return null;
    const shown = where.parts.filter((part) => part.percent);
    const key = (part) =>
      h(
        'span',
        { class: 'key' },
        h('span', { class: `swatch where-${part.part}`, 'aria-hidden': 'true' }),
        `${part.label} ${part.percent}\u00a0%`,
      );
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

  // What all repairs save, and what becomes of the run.
  repaired(run) {
    const [saves, ...becomes] = f.minus(f.units(run.total_text)).replace(/\.$/, '').split(', ');
    return [saves.replace(/^All repaired: saves /, '') || 'nothing', becomes.join(', ')];
  }

  // What `xferspy try` measured of all repairs together: "-140 ms (-145 ms to -131 ms), 9 runs each, output the same".
  tried() {
    const text = triedText(this.run);
    const [, gain, more] = text.match(/^(.*?)( \(.*|, .*|)$/) ?? [];
    if (!gain) return null;
    return h(
      'div',
      { class: 'figure' },
      h('dt', {}, 'All repairs tried'),
      h('dd', {}, gain, h('span', { class: outputChanged(text) ? 'worse' : 'dim' }, ` ${more.replace(/^[, ]+/, '')}`)),
    );
  }

  head() {
    const { report } = this.run;
    const all = report.transfers.total;
    const simulated = this.runs.some((run) => run.report.run.simulated);
    const note = simulated
      ? h(
          'p',
          { class: 'simulated', role: 'note' },
          h('strong', {}, 'SIMULATED'),
          ' The device was a simulated GPU: no time on this page is a measurement.',
        )
      : null;
    const comparing = this.current === 'compare'; // what both were, not one of the two
    const failing = (comparing ? this.runs : [this.run])
      .filter((run) => run.failures_text)
      .map((run) =>
        h('p', { class: 'failing', role: 'note' }, `${comparing ? `${run.name}: ` : ''}${run.failures_text}.`),
      );
    const figure = (name, value, more) =>
      h(
        'div',
        { class: 'figure' },
        h('dt', {}, name),
        h('dd', {}, value, more ? h('span', { class: 'dim' }, ` ${more}`) : null),
      );
    const themes = h(
      'select',
      { id: 'theme', 'aria-label': 'Colours', onchange: () => this.theme(themes.value) },
      [
        ['', 'System colours'],
        ['light', 'Light'],
        ['dark', 'Dark'],
      ].map(([value, name]) => h('option', { value }, name)),
    );
    themes.value = document.documentElement.dataset.theme ?? '';
    const which =
      this.runs.length > 1
        ? h(
            'div',
            { class: 'which', role: 'group', 'aria-label': 'Run shown' },
            this.runs.map((run, i) =>
              h(
                'button',
                {
                  type: 'button',
                  'aria-pressed': i === this.shown && !comparing ? 'true' : 'false',
                  onclick: () => this.show(i),
                },
                i ? 'After' : 'Before',
              ),
            ),
          )
        : null;
    if (comparing) {
      const both = (value) => this.runs.map((run) => value(run.report) || '–').join(' → ');
      const commands = [...new Set(this.runs.map((run) => run.report.run.command || run.name))];
      fill(
        this.header,
        note,
        failing,
        h(
          'div',
          { class: 'row' },
          h('h1', {}, h('span', { class: 'mono' }, this.runs.map((run) => run.name).join(' → '))),
          which,
          themes,
        ),
        h(
          'p',
          { class: 'dim' },
          commands.flatMap((command, i) => [i ? ' → ' : '', h('span', { class: 'mono' }, command)]),
        ),
        h(
          'dl',
          { class: 'figures' },
          figure(
            'Run',
            both((of) => f.ns(of.run.duration_ns)),
            this.diff.verdict.own_text ? 'with xferspy’s own time' : '',
          ),
          figure(ALL_REPAIRED, this.runs.map((run) => this.repaired(run)[0]).join(' → ')),
          figure(
            'Transfers',
            both((of) => f.count(of.transfers.total.count)),
            both((of) => f.bytes(of.transfers.total.bytes)),
          ),
          this.runs.every((run) => run.report.transfers.total.timed_count)
            ? figure(
                COPYING,
                both((of) => f.ns(of.transfers.total.device_ns)),
              )
            : null,
        ),
      );
      return;
    }
    fill(
      this.header,
      note,
      failing,
      h(
        'div',
        { class: 'row' },
        h('h1', {}, h('span', { class: 'mono' }, report.run.command || this.run.name)),
        which,
        themes,
      ),
      h(
        'p',
        { class: 'dim' },
        [
          report.devices
            .map((device) => device.name)
            .filter(Boolean)
            .join(', '),
          report.run.host && `on ${report.run.host}`,
          f.date(report.run.start_unix_ns),
          report.run.status !== 'complete' && `trace ${report.run.status}`,
        ]
          .filter(Boolean)
          .join(' · '),
      ),
      h(
        'dl',
        { class: 'figures' },
        figure('Run', f.ns(report.run.duration_ns), report.run.duration_estimated ? 'estimated' : ''),
        figure(ALL_REPAIRED, ...this.repaired(this.run)),
        this.tried(),
        figure('Transfers', f.count(all.count), f.bytes(all.bytes)),
        all.timed_count
          ? figure(COPYING, f.ns(all.device_ns), `${f.share(all.device_ns, report.run.duration_ns)} of the run`)
          : all.count
            ? figure('Inside the calls', f.ns(all.host_ns), 'no device times')
            : figure(COPYING, 'no copies'),
        report.devices.some((device) => device.copy_overlap !== null)
          ? figure(
              'Beside kernels',
              f.share(
                report.devices.reduce((sum, device) => sum + device.both_busy_ns, 0),
                report.devices.reduce((sum, device) => sum + device.copy_busy_ns, 0),
              ) || '0 %',
              'of the copying',
            )
          : null,
      ),
      this.where(),
      this.run.unknown_texts.map((text) => h('p', { class: 'unknown', role: 'note' }, f.units(text))),
    );
  }

  footer() {
    const { report } = this.run;
    return h(
      'footer',
      {},
      h(
        'p',
        {},
        `${report.run.captured_by_version ? `Recorded by xferspy ${report.run.captured_by_version}. ` : ''}` +
          `This page is one file: it loads nothing and sends nothing.`,
      ),
      h(
        'details',
        {},
        h('summary', {}, 'Licences of what is in this page'),
        h(
          'pre',
          { tabindex: 0, role: 'region', 'aria-label': 'Licences' },
          document.getElementById('notices').textContent,
        ),
      ),
    );
  }

  select(key, focus) {
    this.tabs.forEach(([name], i) => {
      const chosen = name === key;
      this.buttons[i].setAttribute('aria-selected', chosen ? 'true' : 'false');
      this.buttons[i].tabIndex = chosen ? 0 : -1;
      this.panels[i].hidden = !chosen;
      if (chosen && focus) this.buttons[i].focus();
      if (!chosen) return;
      this.make(name);
      this.open.get(name).shown?.();
    });
    const heads = this.current === undefined || (key === 'compare') !== (this.current === 'compare');
    this.current = key;
    remember({ view: key === this.tabs[0][0] ? null : key });
    if (heads) this.head();
  }

  key(event) {
    const at = this.tabs.findIndex(([key]) => key === this.current);
    const to = { ArrowRight: at + 1, ArrowLeft: at - 1, Home: 0, End: this.tabs.length - 1 }[event.key];
    if (to === undefined) return;
    event.preventDefault();
    this.select(this.tabs[(to + this.tabs.length) % this.tabs.length][0], true);
  }

  // The other run of two: everything but the diff is made anew.
  show(index) {
    this.shown = index;
    remember({ run: index + 1, finding: null, from: null, to: null, site: null, buffer: null });
    this.tabs.filter(([name]) => name !== 'compare').forEach(([name]) => this.close(name));
    this.narrow.clear();
    this.select(this.current === 'compare' ? 'findings' : this.current);
    this.head();
  }

  // A finding of a run at length.
  evidence(run, finding) {
    this.show(run);
    this.open.get('findings').findings.causes.show(finding);
    scrollTo(0, 0);
  }

  theme(name) {
    if (name) document.documentElement.dataset.theme = name;
    else delete document.documentElement.dataset.theme;
    redrawAll();
  }
}

try {
  readState();
  const view = new Page(readDocument());
  matchMedia('(prefers-color-scheme: dark)').addEventListener('change', redrawAll);
  document.documentElement.dataset.ready = 'true';
  Object.defineProperty(window, 'xferspy', { value: view });
} catch (error) {
  fill(page, h('p', { class: 'plain' }, `This page could not be shown: ${error.message}`));
  throw error;
}
