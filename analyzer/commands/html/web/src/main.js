// The page: header, tabs, theme. Each tab is made when it is first opened.
import { bandwidth } from './bandwidth.js';
import { Buffers } from './buffers.js';
import { redrawAll } from './chart.js';
import { compare } from './compare.js';
import { readDocument } from './data.js';
import { fill, h } from './dom.js';
import { Findings } from './findings.js';
import * as f from './format.js';
import { headOfBoth, headOfRun } from './head.js';
import { idle } from './idle.js';
import { Narrow, narrowing } from './narrow.js';
import { run as runTab } from './run.js';
import { Selection } from './selection.js';
import { sites } from './sites.js';
import { numberOf, onLink, readState, remember, stateOf, wholeState } from './state.js';
import { Timeline } from './timeline_panel.js';

const page = document.getElementById('page');
// what is not narrowed
const WHOLE = {
  compare: 'The tables here are of both whole runs. ',
  idle: 'The tables here are of the whole run. ',
  run: 'This tab is of the whole run. ',
};

function findingsTab(selection) {
  const timeline = new Timeline(selection);
  const findings = new Findings(
    selection,
    (index) => {
      timeline.choose(index);
      selection.choose(index);
    },
    (row) => timeline.reveal(row),
  );
  const element = h(
    'div',
    { class: 'tab' },
    h('div', { class: 'work' }, findings.element, findings.detail),
    timeline.element,
  );
  // The timeline is at the end of the tab that is shown: of this one, or of another one's element.
  const lend = (to) => {
    to.append(timeline.element);
    timeline.update();
  };
  return {
    element,
    timeline,
    findings,
    lend,
    restore: () => {
      timeline.restore();
      findings.restore();
    },
    narrowed: () => {
      findings.narrowed();
      timeline.update();
    },
    viewed: () => timeline.update(),
    shown: () => lend(element),
    dispose: () => timeline.dispose(),
  };
}

// A tab with the timeline of the findings' tab below it.
function withTimeline(tab, findings) {
  const element = h('div', { class: 'tab' }, tab.element);
  return { ...tab, element, shown: () => findings().lend(element) };
}

class Page {
  constructor({ runs, diff }) {
    const run = numberOf('run');
    Object.assign(this, { runs, diff, shown: runs[run - 1] ? run - 1 : runs.length - 1 });
    const findings = () => this.open.get('findings');
    const reveal = (from, length) => findings().timeline.showGap(from, length);
    this.tabs = [
      diff && ['compare', 'Diff', () => this.compare()],
      ['findings', 'Findings', () => findingsTab(this.selection)],
      ['idle', 'GPU idle', () => withTimeline(idle(this.selection, reveal), findings)],
      ['bandwidth', 'Bandwidth', () => bandwidth(this.selection)],
      ['sites', 'Call sites', () => withTimeline(sites(this.selection, runs), findings)],
      ['buffers', 'Buffers', () => new Buffers(this.selection)],
      ['run', 'Run', () => runTab(this.selection)],
    ].filter(Boolean);
    this.open = new Map();
    this.narrow = new Narrow(() => this.narrowed());
    this.reselect();
    this.banner = h('div', { class: 'narrowed', role: 'status', hidden: true });
    document.title = `xferspy: ${runs.map((run) => run.name).join(' and ')}`;
    this.header = h('header', {});
    this.buttons = this.tabs.map(([key, name]) => {
      const tab = { type: 'button', role: 'tab', id: `tab-${key}`, 'aria-controls': `panel-${key}` };
      return h('button', { ...tab, onclick: () => this.select(key) }, name);
    });
    this.panels = this.tabs.map(([key]) =>
      h('div', { role: 'tabpanel', id: `panel-${key}`, 'aria-labelledby': `tab-${key}`, tabindex: -1 }),
    );
    const list = { role: 'tablist', 'aria-label': 'Views', onkeydown: (event) => this.key(event) };
    fill(
      page,
      h('a', { class: 'skip', href: '#main' }, 'Skip to the findings'),
      this.header,
      h('nav', { 'aria-label': 'Views' }, h('div', list, this.buttons)),
      this.banner,
      h('main', { id: 'main' }, this.panels),
      this.footer(),
      h('div', { id: 'live', 'aria-live': 'polite', class: 'hidden' }),
    );
    this.make('findings'); // they say which finding is chosen, for every tab
    this.select(this.viewOfLink());
    if (narrowing()) this.make('sites');
    onLink(() => this.follow());
  }

  // Nothing of another run stays selected.
  reselect() {
    this.selection = new Selection(
      this.run,
      this.narrow,
      (key) => {
        this.select(key, true);
        scrollTo(0, 0);
      },
      (what) => this.tell(what),
    );
  }

  tell(what) {
    for (const tab of this.open.values()) tab[what]?.();
  }

  compare() {
    return compare(this.runs, this.diff, this.narrow, (run, finding) => this.evidence(run, finding));
  }

  // What the tabs are narrowed to has changed. A tab that does not follow by itself is made anew.
  narrowed() {
    this.say();
    this.tell('narrowed');
    this.close('bandwidth');
    if (this.current === 'bandwidth') this.make('bandwidth');
  }

  // What the page is narrowed to, and how much that is; of both runs where both are shown.
  say() {
    const { current } = this.narrow;
    const comparing = this.current === 'compare';
    const part = (run) => {
      const count = [...current.sites.get(run)].reduce((sum, site) => sum + run.sites[site].transfers, 0);
      return `${f.count(count)} of ${f.times(run.report.transfers.total.count, 'transfer', 'transfers')}`;
    };
    this.banner.hidden = !current;
    if (!current) return;
    fill(
      this.banner,
      `Narrowed to calls from ${current.name}: `,
      comparing ? this.runs.map((run, i) => `${i ? ', after ' : 'before '}${part(run)}`) : part(this.run),
      '. ',
      WHOLE[this.current] ?? '',
      h('button', { type: 'button', onclick: () => this.narrow.clear() }, 'Show all'),
    );
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

  // What a link shows that somebody put into the address of this page. What follows a change of one part, say the
  // finding's buffer, must not replace the other parts of the link.
  follow() {
    const wanted = wholeState();
    const run = numberOf('run');
    const site = narrowing();
    if (this.runs[run - 1] && run - 1 !== this.shown) this.show(run - 1);
    else if (this.narrow.current && this.narrow.current.key !== site) this.narrow.clear();
    remember(wanted);
    this.select(this.viewOfLink());
    this.selection.restore();
    this.open.get('findings').restore();
    remember(wanted);
    if (site) this.make('sites');
    for (const [key, tab] of this.open) if (key !== 'findings') tab.restore?.();
  }

  get run() {
    return this.runs[this.shown];
  }

  head() {
    const comparing = this.current === 'compare'; // what both were, not one of the two
    fill(this.header, comparing ? headOfBoth(this) : headOfRun(this));
  }

  footer() {
    const { captured_by_version: version } = this.run.report.run;
    const licences = document.getElementById('notices').textContent;
    return h(
      'footer',
      {},
      h(
        'p',
        {},
        version ? `Recorded by xferspy ${version}. ` : '',
        'This page is one file: it loads nothing and sends nothing.',
      ),
      h(
        'details',
        {},
        h('summary', {}, 'Licences of what is in this page'),
        h('pre', { tabindex: 0, role: 'region', 'aria-label': 'Licences' }, licences),
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
    this.say();
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
    this.reselect();
    this.narrow.clear();
    this.make('findings');
    this.select(this.current === 'compare' ? 'findings' : this.current);
    this.head();
  }

  // A finding of a run at length.
  evidence(run, finding) {
    if (run !== this.shown) this.show(run);
    this.narrow.clear();
    this.select('findings');
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
