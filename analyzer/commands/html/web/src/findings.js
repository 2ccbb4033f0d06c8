// The findings: the list of their causes, and the chosen finding at length.
import { Causes, badge, gain, grouped, place } from './causes.js';
import { Evidence } from './evidence.js';
import { baseName, frameName } from './data.js';
import { announce, bullets, coded, dim, fact, fill, h, link, mono, note, shaded } from './dom.js';
import * as f from './format.js';
import { numberOf, remember } from './state.js';
import { outputChanged, triedOf } from './tried.js';

const GUIDES = XFERSPY_GUIDES; // what docs/rules/findings says of each; put in when the page is built

// Where a comment of C, C++, Python or a shell begins.
const COMMENT = /(^|\s)(\/\/|\/\*|#(?!(include|pragma|define|if|ifdef|ifndef|else|endif)\b))/;

const WIDE = 46; // characters that the narrowest place beside the evidence has room for

// A comment in lines of at most so many characters, each of which begins as a comment does.
function commentLines(text, most) {
  const [mark, ...words] = text.split(' ');
  const lines = [mark];
  for (const word of words) {
    const last = lines.length - 1;
    if (mark !== '/*' && lines[last] !== mark && lines[last].length + 1 + word.length > most)
      lines.push(`${mark} ${word}`);
    else lines[last] += ` ${word}`;
  }
  return lines.join('\n');
}

// A line of code; what does not fit goes on a little to the right of where it began. A comment is not broken by the
// page: it goes to a line of its own if it does not fit beside the code, or to several that are comments each.
function lineOf(text) {
  const at = text.match(COMMENT);
  const begin = at ? at.index + at[1].length : text.length;
  const room = WIDE - 2 - (text.length - text.trimStart().length);
  const comment = at && h('span', { class: 'comment' }, commentLines(text.slice(begin), room));
  const element = h('code', {}, text.slice(0, begin) || (comment ? '' : ' '), comment);
  const indent = text.length - text.trimStart().length + 2;
  element.style.paddingLeft = `${indent}ch`;
  element.style.textIndent = `-${indent}ch`;
  return element;
}

export class Findings {
  // `choose` is called with the index of the finding that is chosen, or null; `reveal` with a row of its evidence,
  // to show it in the timeline.
  constructor(selection, choose, reveal) {
    const { run, narrow } = selection;
    Object.assign(this, { selection, run, choose, reveal });
    this.detail = h('section', { class: 'panel detail', 'aria-label': 'Chosen finding', tabindex: 0 });
    shaded(this.detail);
    this.evidence = new Evidence(run, reveal);
    this.causes = new Causes(run, narrow, (index) => this.show(index));
    this.element = this.causes.element;
    this.restore();
    this.opened = true;
  }

  // What a link says, else the first cause.
  restore() {
    this.causes.restore();
    this.evidence.restore();
    const wanted = numberOf('finding');
    const first = this.causes.first?.index ?? null;
    this.causes.show(wanted === null ? first : this.run.findings[wanted - 1] ? wanted - 1 : null);
  }

  // A finding is not shown if the page is narrowed to other calls.
  narrowed() {
    this.causes.refill();
    const { current, shown, narrow } = this.causes;
    const chosen = this.run.findings[current];
    if (narrow.current && chosen && !narrow.has(chosen.site_index))
      this.causes.show(shown.find((row) => row.finding)?.key ?? null);
  }

  show(index) {
    remember({ finding: index === (this.causes?.first?.index ?? null) ? null : index === null ? 0 : index + 1 });
    const finding = index === null ? null : this.run.findings[index]; // none of those that the page has by name only
    fill(this.detail, finding ? this.describe(finding) : this.hint(index));
    this.detail.scrollTop = 0;
    this.choose(finding ? index : null);
    if (finding && this.opened) announce(`${finding.name}: marked in the timeline`);
  }

  hint(index) {
    if (index !== null)
      return note(
        'This finding’s evidence is not in the page: ',
        h('code', {}, `xferspy explain ${f.shellWord(this.run.name)} ${index + 1}`),
        ' shows it.',
      );
    const { causes, advice } = grouped(this.run);
    return note(
      causes.length || advice.length
        ? 'Choose a cause: its evidence is shown here, its transfers are marked in the timeline.'
        : this.run.total_unknown
          ? 'Nothing was found among what was checked: the top of the page says what was not, and what to do.'
          : 'Nothing was found whose repair would save time.',
    );
  }

  // Says what is saved; if that is an interval, also the least.
  saves(finding) {
    const most = [gain(finding), f.units(finding.share_text)].filter(Boolean).join(', ');
    const least = finding.saves && f.orMore(finding.saves);
    return [h('strong', {}, most), least ? dim(` ${least}`) : null];
  }

  // What `xferspy try` measured of its repair, or of one that the same cause offers.
  tried(finding) {
    const item = triedOf(this.run, this.causes.family(finding));
    if (!item) return null;
    const text = `${item.change} ${item.rest}`;
    return [h('dt', {}, 'Tried'), h('dd', { class: outputChanged(item) ? 'worse' : null }, text)];
  }

  // Says how many copies were checked, and what this means for the others.
  checked(finding) {
    const { sample } = finding;
    if (!finding.checked_text) return null;
    const about = (value) => f.count(Math.round(value));
    return fact(
      'Checked',
      badge(finding),
      ` ${f.count(sample.hits)} of the ${f.count(sample.checked)} checked ${sample.hits === 1 ? 'is' : 'are'} such copies. `,
      sample.checked < sample.of
        ? `Of all ${f.count(sample.of)}, about ${about(sample.instances)} are ` +
            `(95\u00a0% interval: ${about(sample.instances_low)} to ${about(sample.instances_high)}). `
        : '',
      finding.scaled_ns ? `${f.ns(finding.scaled_ns)} of what is saved is of copies that were not checked. ` : '',
      sample.unknown ? `Of ${f.times(sample.unknown, 'copy', 'copies')} nothing is known.` : '',
    );
  }

  describe(finding) {
    const source = finding.source
      ? h(
          'pre',
          { class: 'source', tabindex: 0, role: 'region', 'aria-label': 'Source line' },
          h('span', { class: 'line' }, finding.call_site?.line ?? ''),
          h('code', {}, finding.source),
        )
      : null;
    return [
      h(
        'div',
        { class: 'head' },
        h('h2', {}, `${f.sentence(finding.title)}: ${finding.amount_text}`),
        h('p', { class: 'title mono' }, finding.name),
      ),
      h(
        'dl',
        { class: 'facts' },
        fact('Saves', !finding.advice && this.saves(finding)),
        this.tried(finding),
        this.checked(finding),
        fact('Costs', f.units(finding.cost_text) || 'nothing by itself'),
        fact(
          'Where',
          mono(place(finding)),
          finding.label ? dim(` (${finding.site})`) : null,
          ' ',
          this.inFlame(finding),
          source,
        ),
        this.buffers(finding),
        fact('Released', finding.released_text),
        fact('Launched', finding.launched_text),
        fact('Work', finding.framework_text),
        fact('Detour', finding.detour_text),
        fact('Read', finding.unread_text),
        h('dt', {}, 'Do'),
        h('dd', { class: 'remedy' }, coded(finding.remedy)),
      ),
      this.others(finding),
      h('div', { class: 'beside' }, h('div', {}, this.evidence.of(finding), this.stack(finding)), this.guide(finding)),
    ];
  }

  // Where the flame graph has it.
  inFlame(finding) {
    const { leaves } = this.run.flame;
    if (!leaves.some((leaf) => leaf.site === finding.site_index)) return null;
    return link('in the flame graph', () => this.selection.open('sites'));
  }

  // The buffers that it concerns.
  buffers(finding) {
    const all = this.run.residency.buffers;
    const of = (buffer) => buffer.findings.find(([index]) => index === finding.index)?.[1] ?? 0;
    const [first, ...others] = all.filter(of).sort((a, b) => of(b) - of(a));
    if (!first) return null;
    return fact(
      'Buffer',
      link(`${f.bytes(first.bytes)} at ${first.address}`, () => this.selection.open('buffers')),
      dim(
        ` ${f.times(of(first), 'time', 'times')}`,
        others.length ? `, and ${f.times(others.length, 'other buffer', 'other buffers')}` : '',
      ),
    );
  }

  // The finding's page: what it looks like in code, and the repair.
  guide(finding) {
    const guide = GUIDES[finding.id];
    if (!guide) return null;
    const block = ({ text, list, code }) =>
      code !== undefined
        ? h('pre', { class: 'source', tabindex: 0, role: 'region', 'aria-label': 'Code' }, code.split('\n').map(lineOf))
        : list
          ? bullets(list.map(coded))
          : h('p', {}, coded(text));
    // where it does not fit beside the evidence, only its title is there
    return h(
      'details',
      { class: 'guide', open: matchMedia('(min-width: 1341px)').matches },
      h('summary', {}, 'What it looks like in code, and the repair'),
      guide.look.length ? [h('h3', {}, 'What it looks like'), guide.look.map(block)] : null,
      guide.repair.length ? [h('h3', {}, 'The repair'), guide.repair.map(block)] : null,
    );
  }

  // For the first finding of a cause, says what else can be done; for the others, which cause they belong to.
  others(finding) {
    const cause = this.causes.groups.causes.find(({ first, others }) => first === finding || others.includes(finding));
    if (!cause || !cause.others.length) return null;
    const to = (other) => link(other.name, () => this.causes.show(other.index));
    if (cause.first !== finding)
      return note(`It is a part of cause ${f.count(cause.first.rank)}, `, to(cause.first), '.');
    if (!cause.alternatives.length) return null;
    return h(
      'div',
      {},
      h('h3', {}, 'If this is not possible'),
      h(
        'ul',
        { class: 'instead' },
        cause.alternatives.map((other) =>
          h('li', {}, to(other), dim(` saves ${gain(other)}: `), coded(other.remedy)),
        ),
      ),
    );
  }

  stack(finding) {
    if (!finding.stack?.length) return null;
    // frames of libraries fold into one line, as in `xferspy explain`
    const frames = [];
    for (const frame of finding.stack) {
      const last = frames[frames.length - 1];
      if (!frame.library) frames.push({ frame });
      else if (last?.library) last.library.push(frame);
      else frames.push({ library: [frame] });
    }
    const item = ({ frame, library }) => {
      if (library)
        return h(
          'li',
          { class: 'library' },
          `… ${f.times(library.length, 'frame', 'frames')} of ` +
            `${[...new Set(library.map((l) => baseName(l.module ?? l.file ?? 'a library')))].slice(0, 3).join(', ')}`,
        );
      return h(
        'li',
        {},
        mono(frameName(frame)),
        frame.file
          ? h(
              'span',
              { class: 'dim mono' },
              ` ${frame.file.split('/').slice(-2).join('/')}${frame.line ? `:${frame.line}` : ''}`,
            )
          : null,
      );
    };
    return h('div', {}, h('h3', {}, 'Called from'), h('ol', { class: 'stack' }, frames.map(item)));
  }
}
