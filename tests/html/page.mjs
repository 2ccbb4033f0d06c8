// The page as a person meets it, in a real browser: node page.mjs CHROMIUM FOLDER. page.sh has made the pages.
import assert from 'node:assert/strict';
import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import './both.mjs';
import { check, extent, folder, frame, json, named, runAll, tabs, texts } from './browser.mjs';

import './drawn.mjs';
import './linked.mjs';
import './tried.mjs';

const axe = readFileSync(new URL('./node_modules/axe-core/axe.min.js', import.meta.url), 'utf8');
const timeline = (page) =>
  page.$eval('section[aria-label="Timeline"]', (element) => ({
    from: +element.dataset.from,
    to: +element.dataset.to,
    drawn: +element.dataset.drawn,
    hot: +element.dataset.hot,
  }));
// How many pixels of the timeline's canvas have the colour that marks a finding.
const markedPixels = (page) =>
  page.evaluate(() => {
    const probe = document.createElement('canvas').getContext('2d');
    probe.fillStyle = getComputedStyle(document.documentElement).getPropertyValue('--hot').trim();
    probe.fillRect(0, 0, 1, 1);
    const hot = probe.getImageData(0, 0, 1, 1).data;
    const canvas = document.querySelector('.timeline canvas');
    const copy = Object.assign(document.createElement('canvas'), {
      width: canvas.width,
      height: canvas.height,
    }).getContext('2d', { willReadFrequently: true });
    copy.drawImage(canvas, 0, 0);
    const { data } = copy.getImageData(0, 0, canvas.width, canvas.height);
    let count = 0;
    for (let i = 0; i < data.length; i += 4)
      if (Math.abs(data[i] - hot[0]) < 24 && Math.abs(data[i + 1] - hot[1]) < 24 && Math.abs(data[i + 2] - hot[2]) < 24)
        count++;
    return count;
  });

// A text of the program as the page shows it: code without its backticks.
const plain = (text) => text.replaceAll('`', '');
// Shows all that is folded in the list of causes.
async function unfold(page) {
  for (;;) {
    const folded = await page.$('.findings [aria-expanded=false] .twist');
    if (!folded) return;
    await folded.click();
  }
}
const selected = (page) => page.$$eval('.findings [aria-selected=true]', (list) => list.map((item) => item.id));

check("the numbers are the report's", 'lines', {}, async (page) => {
  const [report] = json('lines').traces;
  assert.equal(await page.$('.simulated'), null, 'measured on a real GPU');
  assert.equal(report.causes.length, 2);
  assert.deepEqual(await texts(page, '.findings .name'), [named(report)[0].findings[0].name, '1 smaller cause']);
  assert.deepEqual(await texts(page, '.findings .gain'), ['saves up to 522 ms', '212 µs together']);
  assert.match(
    (await texts(page, '.figures'))[0],
    /All repaired savesup to 522 ms \(5\.57 ms or more\); 1\.58 s would become 1\.06 s \(−33 %\)/,
  );
  assert.match(
    await page.textContent('.figures'),
    new RegExp(`Transfers${report.transfers.total.count.toLocaleString('en-US')} `),
  );
  assert.deepEqual(await selected(page), ['finding-0'], 'the first cause is chosen when the page opens');
  const detail = (await texts(page, '.detail'))[0];
  const least = (report.findings[0].saves.least_ns / 1e6).toPrecision(3);
  assert.ok(detail.includes(`Savesup to 522 ms, 33 % of the run (${least} ms or more)`), 'what it saves');
  assert.ok(detail.includes(plain(report.findings[0].remedy)), 'the remedy');
  assert.ok(detail.includes('in cupy.asarray; before each upload CuPy probably copies'), 'what the framework did');
  assert.deepEqual(
    await texts(page, '.detail .remedy code'),
    report.findings[0].remedy.match(/(?<=`)[^`]+(?=`)/g).filter((of, i) => i % 2 === 0),
    'code of the remedy is code',
  );
  const parts = report.where.parts.filter((part) => part.percent);
  assert.deepEqual(
    await texts(page, '.where .key'),
    parts.map((part) => `${part.label} ${part.percent} %`),
    'where the run went, in the order of the bar',
  );
  const colours = (selector) =>
    page.$$eval(selector, (list) => list.map((element) => getComputedStyle(element).backgroundColor));
  assert.deepEqual(await colours('.where .swatch'), await colours('.where-bar > *'), 'the key has the colours');
  assert.ok(detail.includes('wasteful.py:13'), 'the line');
  assert.ok(detail.includes('Called from'), 'the stack');
  assert.ok((await page.$$('.detail tbody tr')).length >= 4, 'evidence rows');
  const licences = await page.textContent('footer pre');
  for (const holder of ['The Apache Software Foundation', 'Mike Bostock', 'Baidu', 'Microsoft'])
    assert.match(licences, new RegExp(`Copyright [^\\n]*${holder}`));
});

check('a finding chosen is marked in the timeline', 'lines', {}, async (page) => {
  const [report] = json('lines').traces;
  await frame(page);
  // in the thread's lane, the stream's and the engine's
  assert.equal((await timeline(page)).hot, report.findings[0].transfers * 3);
  assert.ok((await markedPixels(page)) > 500);
  await page.click('button:text-is("Finding")');
  await frame(page);
  const { from, to, hot } = await timeline(page);
  assert.ok(
    from > 0 && to < report.run.duration_ns && hot === report.findings[0].transfers * 3,
    'zoomed to it, all of it in view',
  );
  await page.click('summary:has-text("segments in view")');
  await page.waitForSelector('.alternative[open] tbody tr');
  assert.equal((await page.$$('.alternative[open] tbody tr')).length, report.findings[0].transfers * 3);
  await page.click('#finding-0');
  await frame(page);
  assert.equal(await markedPixels(page), 0, 'chosen again, it is not');
  await page.click('#finding-0');
  await frame(page);
  assert.ok((await markedPixels(page)) > 500);
});

check('causes: five by name, with what they save, where, and what to do', 'causes', {}, async (page) => {
  const [report] = json('causes').traces;
  const first = named(report);
  assert.equal(first.length, 5);
  assert.equal(report.causes.length, 7);
  const rows = await page.$$eval('.findings [role=treeitem]', (list) =>
    list.map((item) => [...item.children].map((cell) => cell.textContent.replaceAll('\u00a0', ' '))),
  );
  assert.equal(rows.length, 6);
  first.forEach((cause, i) => {
    const [rank, name, saves, where, share, remedy] = rows[i];
    assert.deepEqual([rank, name, remedy], [String(cause.rank), cause.findings[0].name, plain(cause.remedy)]);
    assert.equal(saves, `saves ${(cause.saves.most_ns / 1e6).toPrecision(3)} ms`);
    assert.equal(where, `app/causes.py:${cause.call_site.line} in steps`);
    assert.match(share, /^\d\.\d % of the run$/);
  });
  assert.deepEqual(await texts(page, '.findings .badge'), ['checked 19 of 39'], 'only what was not looked at in full');
  const detail = (await texts(page, '.detail'))[0];
  for (const part of [
    'checked 19 of 39 19 of the 19 checked are such copies. ',
    'Of all 39, about 39 are (95 % interval: 35 to 39). ',
    ' ms of what is saved is of copies that were not checked.',
  ])
    assert.ok(detail.includes(part), part);
  const rest = report.causes.slice(5).reduce((sum, cause) => sum + cause.saves.most_ns, 0);
  assert.deepEqual(
    rows[5].slice(1),
    ['2 smaller causes', `${(rest / 1e6).toPrecision(3)} ms together`],
    'the rest, with its sum',
  );
  await page.click('#group-smaller');
  assert.deepEqual(
    (await texts(page, '.findings .level-2 .name')).slice(-2),
    report.causes.slice(5).map((cause) => cause.findings[0].name),
  );
  assert.deepEqual(await selected(page), ['finding-0'], 'unfolding chooses nothing');
  await page.click('#group-smaller');
  assert.equal((await page.$$('.findings [role=treeitem]')).length, 6);
});

check("causes: a cause's other findings", 'causes', {}, async (page) => {
  const [report] = json('causes').traces;
  const [, other] = report.causes[0].findings;
  const row = `#finding-${other.rank - 1}`;
  assert.equal(await page.$(row), null, 'folded');
  assert.equal(await page.getAttribute('#finding-0', 'aria-expanded'), 'false');
  assert.deepEqual((await texts(page, '#finding-0 .words'))[0], '1 other finding of this cause');
  await page.click('#finding-0 .twist');
  assert.equal(await page.getAttribute('#finding-0', 'aria-expanded'), 'true');
  assert.deepEqual(await selected(page), ['finding-0'], 'unfolding chooses nothing else');
  assert.ok((await page.textContent(row)).includes(other.name));
  await page.click('#finding-0 .twist');
  assert.equal(await page.$(row), null, 'folded again');
  const beneath = (await texts(page, '.detail .instead'))[0];
  assert.equal(beneath, `${other.name} saves 24.9 ms: ${plain(other.remedy)}`, 'what to do in its place');
  await page.click(`.detail .instead button`);
  assert.deepEqual(await selected(page), [row.slice(1)], 'unfolded where it is');
  assert.equal(await page.textContent('.detail h2'), other.name);
  assert.match((await texts(page, '.detail'))[0], /It is a part of cause 1, noop-upload\./);
  await page.click('.detail .note .link');
  assert.deepEqual(await selected(page), ['finding-0']);
  await page.fill('input[type=search]', other.name);
  assert.deepEqual(await texts(page, '.findings .name'), ['noop-upload', other.name], 'a filter unfolds');
});

check("a finding's page beside its evidence", 'lines', { viewport: { width: 1560, height: 900 } }, async (page) => {
  const guide = (await texts(page, '.guide'))[0];
  assert.ok(guide.includes('What it looks like') && guide.includes('The repair'), guide);
  assert.equal((await texts(page, '.guide pre')).length, 2, 'code before and after');
  assert.ok(!/\]\(|\*\*|`/.test(guide), 'no Markdown is left');
  const tops = await page.$$eval('.beside > *', (list) => list.map((element) => element.getBoundingClientRect().top));
  assert.ok(tops.length === 2 && tops[0] === tops[1], 'beside');
});
check("a finding's page below its evidence where there is no room", 'lines', {}, async (page) => {
  assert.ok(!(await page.isVisible('.guide pre')));
  await page.click('.guide summary');
  assert.ok(await page.isVisible('.guide pre'));
});

check('a row of the evidence leads to its call in the timeline', 'lines', {}, async (page) => {
  await frame(page);
  const row = await page.evaluate(() => window.xferspy.run.findings[0].examples[2].evidence[0]);
  await page.click(`.detail td button:text-is("${(await texts(page, '.detail td button'))[4]}")`);
  await frame(page);
  const { from, to } = await timeline(page);
  assert.ok(from < row.enter_ns && row.return_ns < to && to - from < 1e8, `${from} to ${to} has ${row.enter_ns}`);
  agrees(await drawn(page), await timeline(page), 'the call');
  assert.ok((await markedPixels(page)) > 100, 'it is drawn');
});

check('a link restores what was selected', 'contents', {}, async (page, said, requests) => {
  const hash = () => page.evaluate(() => location.hash);
  const settled = async (wanted) => {
    for (let i = 0; i < 200 && !wanted.test(await hash()); i++) await frame(page);
    assert.match(await hash(), wanted);
  };
  assert.equal(await hash(), '', 'nothing is selected when the page opens');
  await page.click('#finding-1');
  await page.click('button[aria-label="Zoom in"]');
  await page.click('button[aria-label="Zoom in"]');
  await frame(page);
  const range = await timeline(page);
  await settled(/finding=2.*from=\d+&to=\d+/);
  await page.click('#tab-buffers');
  await page.selectOption('select[aria-label="Buffer"]', { index: 1 });
  await settled(/buffer=2/);
  const note = await page.textContent('#panel-buffers .note');
  const link = page.url();
  const opened = async (what) => {
    await page.waitForSelector('html[data-ready="true"]');
    assert.ok(await page.isVisible('#panel-buffers'), `${what}: the view`);
    assert.equal(await page.textContent('#panel-buffers .note'), note, `${what}: the buffer`);
    await page.click('#tab-findings');
    await frame(page);
    assert.deepEqual(await selected(page), ['finding-1'], `${what}: the finding`);
    const { from, to } = await timeline(page);
    assert.ok(Math.abs(from - range.from) <= 1 && Math.abs(to - range.to) <= 1, `${what}: the range`);
    agrees(await drawn(page), await timeline(page), what);
  };
  await page.goto('about:blank');
  await page.goto(link);
  await opened('opened anew');
  await page.click('#finding-0');
  await page.click('button:text-is("Whole run")');
  await settled(/^#?(?!.*(finding|from))/);
  await page.evaluate((to) => location.assign(to), link);
  await frame(page);
  await opened('put into the address');
  await page.goto('about:blank');
  await page.goto(link.replace(/#.*/, '#view=none&finding=99999&from=x&to=-1&buffer=77&site=nothing'));
  await page.waitForSelector('html[data-ready="true"]');
  assert.ok(await page.isVisible('#panel-findings'), 'nonsense is as if nothing had been selected');
  requests.length = 1; // this file, three times, and the empty page between
});

check('more causes and findings than the page has the evidence of', 'more', {}, async (page) => {
  const [report] = json('more').traces;
  const first = named(report);
  const rest = report.causes.slice(first.length);
  assert.ok(first.length === 5 && rest.length > 200);
  const ns = rest.reduce((sum, cause) => sum + cause.saves.most_ns, 0);
  assert.deepEqual(
    [(await texts(page, '.findings .name')).at(-1), (await texts(page, '.findings .gain')).at(-1)],
    [`${rest.length} smaller causes`, `${(ns / 1e6).toPrecision(3)} ms together`],
    'the sum is of all',
  );
  assert.match(await page.textContent('.foot'), new RegExp(`evidence of ${report.findings.length - 200} findings`));
  await page.click('#finding-0 .twist');
  const [, other] = report.causes[0].findings;
  assert.ok(other.rank > 200);
  await page.click(`#finding-${other.rank - 1}`);
  assert.match(await page.textContent('.detail'), new RegExp(`xferspy explain more\\.db ${other.rank}`));
  await frame(page);
  assert.equal(await markedPixels(page), 0);
});

// One vocabulary: "saves", "saves up to", "checked N of M". Names of findings are what `explain` takes.
const OTHER_WORDS = /gives? back|given back|at most|upper bound|(?<!\/)\blikely\b|(?<!making )\bsure\b/i;
for (const name of ['lines', 'causes', 'both', 'simulated', 'callsites']) {
  check(`words: ${name}`, name, {}, async (page) => {
    for (const tab of await tabs(page)) {
      await page.click(`#${tab}`);
      if (await page.isVisible('.findings')) await unfold(page);
      for (const summary of await page.$$('main details:not([open]) > summary'))
        if (await summary.isVisible()) await summary.click();
      await frame(page);
      const said = await page.evaluate(() =>
        [...document.querySelectorAll('header, nav, main, main *')].flatMap((element) => [
          ...[...element.childNodes].filter((node) => node.nodeType === 3).map((node) => node.data),
          element.getAttribute('aria-label') ?? '',
          element.getAttribute('title') ?? '',
        ]),
      );
      assert.ok(said.join(' ').length > 200);
      assert.deepEqual(
        said.filter((text) => OTHER_WORDS.test(text)),
        [],
        tab,
      );
    }
  });
}

check('the block of a batch call has the bytes of all its copies', 'batch', {}, async (page) => {
  await page.click('summary:has-text("segments in view")');
  await page.waitForSelector('.alternative[open] tbody tr');
  const rows = await page.$$eval('.alternative[open] tbody tr', (list) =>
    list.map((row) => [...row.cells].map((cell) => cell.textContent)),
  );
  assert.deepEqual(
    rows.map((cells) => [cells[0], cells[2], cells[5], cells.at(-1)]),
    [
      ['batches 9001', '1', '7.00\u00a0MiB', '9001'],
      ['others 9002', '1', '128\u00a0KiB', '9002'],
    ],
  );
});

check('zoom and pan by buttons, wheel, drag and keyboard', 'lines', {}, async (page) => {
  await frame(page);
  const whole = await timeline(page);
  const span = ({ from, to }) => to - from;
  await page.click('button[aria-label="Zoom in"]');
  await frame(page);
  const closer = await timeline(page);
  assert.ok(Math.abs(span(closer) - span(whole) / 2) < 10);
  const canvas = await page.$('.timeline canvas');
  await canvas.scrollIntoViewIfNeeded();
  let box = await canvas.boundingBox();
  await page.mouse.move(box.x + 700, box.y + 40);
  await page.mouse.wheel(0, -100);
  await frame(page);
  assert.equal(span(await timeline(page)), span(closer), 'the wheel alone scrolls the page');
  await page.evaluate(() => scrollTo(0, 1e6));
  await frame(page);
  box = await canvas.boundingBox();
  await page.mouse.move(box.x + 700, box.y + 40);
  await page.keyboard.down('Control');
  await page.mouse.wheel(0, -100);
  await page.keyboard.up('Control');
  await frame(page);
  const wheeled = await timeline(page);
  assert.ok(span(wheeled) < span(closer));
  await page.mouse.move(box.x + 700, box.y + 40);
  await page.mouse.down();
  await page.mouse.move(box.x + 600, box.y + 40, { steps: 4 });
  await page.mouse.up();
  await frame(page);
  const dragged = await timeline(page);
  assert.ok(dragged.from > wheeled.from && Math.abs(span(dragged) - span(wheeled)) < 10);
  await page.focus('.timeline-region');
  await page.keyboard.press('ArrowLeft');
  await frame(page);
  assert.ok((await timeline(page)).from < dragged.from);
  await page.keyboard.press('+');
  await frame(page);
  assert.ok(span(await timeline(page)) < span(dragged));
  await page.keyboard.press('0');
  await frame(page);
  assert.deepEqual([(await timeline(page)).from, (await timeline(page)).to], [whole.from, whole.to]);
});

// What the timeline's chart drew: the two ends of its axis, and the axis's labels; and which part the strip above
// shows.
const drawn = (page) =>
  page.evaluate(() => {
    const { timeline } = window.xferspy.open.get('findings');
    const { instance } = timeline.chart;
    const width = document.querySelector('.timeline').clientWidth;
    const ends = [timeline.lanes.left(), width - 14];
    const strip = document.querySelector('.minimap canvas').getBoundingClientRect();
    const view = document.querySelector('.minimap-view').getBoundingClientRect();
    const { first, last } = timeline.run;
    return {
      axis: ends.map((x) => instance.convertFromPixel({ gridIndex: 0 }, [x, 0])[0]),
      ends,
      labels: instance
        .getZr()
        .storage.getDisplayList()
        .filter((of) => of.type === 'tspan' && /[µm]?s$/.test(of.style.text))
        .map((of) => of.style.text),
      strip: [view.left, view.right].map((x) => first + ((x - strip.left) / strip.width) * (last - first)),
      title: document.getElementById('where').textContent,
      pixel: (last - first) / strip.width,
    };
  });
// The lanes' own segments of a finding: the first's begin and the last's end, and where the chart draws them.
const segments = (page, finding) =>
  page.evaluate((index) => {
    const { timeline } = window.xferspy.open.get('findings');
    const ends = [Infinity, -Infinity];
    for (const lane of timeline.run.lanes)
      for (let i = 0; i < lane.size; i++)
        if (timeline.run.marked[index].has(lane.base + i)) {
          ends[0] = Math.min(ends[0], lane.start[i]);
          ends[1] = Math.max(ends[1], lane.end[i]);
        }
    return ends.map((time) => timeline.chart.instance.convertToPixel({ gridIndex: 0 }, [time, 0])[0]);
  }, finding);
function agrees({ axis, strip, title, pixel, labels }, { from, to }, what) {
  const near = (a, b, by) => Math.abs(a - b) <= by;
  const span = to - from;
  assert.ok(near(axis[0], from, span / 500) && near(axis[1], to, span / 500), `${what}: the axis, ${axis}`);
  assert.ok(near(strip[0], from, 3 * pixel) && near(strip[1], to, 3 * pixel), `${what}: the strip, ${strip}`);
  const [ms, until] = title.replaceAll('\u00a0ms', '').split(' – ').map(Number);
  assert.ok(near(ms * 1e6, from, span / 20) && near(until * 1e6, to, span / 20), `${what}: the title, ${title}`);
  assert.ok(labels.length >= 2, `${what}: labels, ${labels}`);
  assert.equal(new Set(labels).size, labels.length, `${what}: no label twice, ${labels}`);
}

check('title, axis and strip of the timeline show one range', 'lines', {}, async (page) => {
  await frame(page);
  for (let times = 0; times < 8; times++) {
    agrees(await drawn(page), await timeline(page), `zoomed ${times} times`);
    await page.click('button[aria-label="Zoom in"]');
    await frame(page);
  }
  await page.click('button[aria-label="Pan right"]');
  await frame(page);
  agrees(await drawn(page), await timeline(page), 'panned');
  await page.click('button:text-is("Whole run")');
  await frame(page);
  agrees(await drawn(page), await timeline(page), 'the whole run');
});

for (const name of ['lines', 'contents', 'causes'])
  check(`a finding is drawn from its first transfer to its last: ${name}`, name, {}, async (page) => {
    await frame(page);
    await page.click('button:text-is("Finding")');
    await frame(page);
    const [first, last] = await segments(page, 0);
    const { ends } = await drawn(page);
    assert.ok(first >= ends[0] && last <= ends[1], `${first} to ${last} is within ${ends}`);
    assert.ok(last - first > (ends[1] - ends[0]) * 0.8, 'and fills the view');
    const [left, right] = await extent(page, '.timeline canvas', 'hot');
    assert.ok(Math.abs(left - first) < 4 && Math.abs(right - last) < 4, `${left} to ${right} has its colour`);
    agrees(await drawn(page), await timeline(page), 'the finding');
  });

check('a double click on a block shows it', 'lines', {}, async (page) => {
  await frame(page);
  const at = await page.evaluate(() => {
    // the middle of the widest block
    const { timeline } = window.xferspy.open.get('findings');
    const [block] = [...timeline.lanes.current].sort((a, b) => b[2] - b[1] - (a[2] - a[1]));
    const [x, y] = timeline.chart.instance.convertToPixel({ gridIndex: 0 }, [(block[1] + block[2]) / 2, block[0]]);
    return { x, y, block };
  });
  const canvas = await page.$('.timeline canvas');
  await canvas.scrollIntoViewIfNeeded();
  const box = await canvas.boundingBox();
  await page.mouse.dblclick(box.x + at.x, box.y + at.y);
  await frame(page);
  const [from, to] = await page.evaluate(
    ([, start, end]) =>
      [start, end].map(
        (time) =>
          window.xferspy.open.get('findings').timeline.chart.instance.convertToPixel({ gridIndex: 0 }, [time, 0])[0],
      ),
    at.block,
  );
  const { ends } = await drawn(page);
  assert.ok(from >= ends[0] && to <= ends[1], `the block, ${from} to ${to}, is within ${ends}`);
  assert.ok(to - from > (ends[1] - ends[0]) / 4, 'and as wide as a third of the view');
  agrees(await drawn(page), await timeline(page), 'the block');
});

check('the strip above the timeline moves and stretches what is in view', 'lines', {}, async (page) => {
  await frame(page);
  await page.click('button[aria-label="Zoom in"]');
  await page.click('button[aria-label="Zoom in"]');
  await frame(page);
  const before = await timeline(page);
  const drag = async (selector, by) => {
    const element = await page.$(selector);
    await element.scrollIntoViewIfNeeded();
    const box = await element.boundingBox();
    const [x, y] = [box.x + box.width / 2, box.y + box.height / 2];
    await page.mouse.move(x, y);
    await page.mouse.down();
    await page.mouse.move(x + by, y, { steps: 3 });
    await page.mouse.up();
    await frame(page);
  };
  const span = ({ from, to }) => to - from;
  await drag('.minimap-view', 100);
  const moved = await timeline(page);
  assert.ok(moved.from > before.from && Math.abs(span(moved) - span(before)) < 10, 'moved');
  await drag('.minimap-end.to', 60);
  const wider = await timeline(page);
  assert.ok(Math.abs(wider.from - moved.from) < 10 && span(wider) > span(moved), 'stretched');
  agrees(await drawn(page), wider, 'stretched');
  const strip = await (await page.$('.minimap')).boundingBox();
  await page.mouse.click(strip.x + 5, strip.y + 5);
  await frame(page);
  assert.equal((await timeline(page)).from, 0, 'a click beside it goes there');
});

check('filters', 'lines', {}, async (page) => {
  await frame(page);
  const all = (await timeline(page)).drawn;
  await page.uncheck('label:has-text("upload (H2D)") input');
  await frame(page);
  const fewer = (await timeline(page)).drawn;
  assert.ok(fewer > 0 && fewer < all);
  await page.uncheck('label:has-text("Streams") input');
  await frame(page);
  assert.ok((await timeline(page)).drawn < fewer);
  await page.fill('input[type=search]', 'unused-allocation :14');
  assert.deepEqual(await page.$$eval('.findings .name', (list) => list.map((element) => element.textContent)), [
    'unused-allocation/likely',
  ]);
  await page.fill('input[type=search]', 'no such thing');
  assert.match(await page.textContent('.findings'), /No finding matches/);
  await page.click('#tab-bandwidth');
  await page.uncheck('label:has-text("H2D") input >> nth=0');
  await page.click('#tab-sites');
  await page.selectOption('select[aria-label="Width is"]', { label: 'Bytes' });
});

// The frames of the flame graph: their texts, and the share of the width that each has.
const flame = (page) =>
  page.evaluate(() => {
    const all = document.querySelector('.flame').getBoundingClientRect();
    return [...document.querySelectorAll('.flame .frame')].map((element) => {
      const box = element.getBoundingClientRect();
      return { text: element.textContent, width: box.width / all.width, top: box.top - all.top };
    });
  });

check('call sites: a flame graph of whole stacks', 'callsites', {}, async (page) => {
  await page.click('#tab-sites');
  const leaves = await page.evaluate(() => window.xferspy.run.flame.leaves);
  const share = (key, entry) =>
    leaves.filter((leaf) => leaf.entry_point === entry).reduce((sum, leaf) => sum + leaf[key], 0) /
    leaves.reduce((sum, leaf) => sum + leaf[key], 0);
  for (const [metric, key] of [
    ['Saves', 'saves_ns'],
    ['Bytes', 'bytes'],
    ['Transfers', 'transfers'],
  ]) {
    await page.selectOption('select[aria-label="Width is"]', { label: metric });
    const frames = await flame(page);
    assert.equal(frames[0].text, 'all calls');
    assert.ok(Math.abs(frames[0].width - 1) < 0.01);
    const width = frames
      .filter(({ text }) => text === 'cuMemcpyDtoH_v2')
      .reduce((sum, { width: one }) => sum + one, 0);
    assert.ok(Math.abs(width - share(key, 'cuMemcpyDtoH_v2')) < 0.01, `${metric}: ${width}`);
  }
  const frames = await flame(page);
  const [main, step] = ['main train.py:33', 'step train.py:12'].map((text) => frames.find((of) => of.text === text));
  assert.ok(main.top < step.top && step.width <= main.width, 'what is called is below, and no wider');
  const before = frames.length;
  await page.uncheck('label:has-text("Libraries as one frame") input');
  assert.ok((await flame(page)).length > before, 'every frame of the libraries');
  assert.ok((await flame(page)).some(({ text }) => text.startsWith('at::native::copy_kernel_cuda')), 'native ones');
  await page.fill('input[aria-label="Search call sites"]', 'train.py step');
  assert.match(await page.textContent('#panel-sites .note'), /^\d+ frames? match/);
  assert.deepEqual(
    [...new Set(await texts(page, '.frame.hit'))].filter((text) => !text.startsWith('step train.py')),
    [],
  );
  assert.ok((await page.$$('.frame.hit')).length >= 1);
});

check('call sites: a click narrows the other tabs', 'callsites', {}, async (page, said, requests) => {
  const all = await texts(page, '.findings .name');
  await page.click('#tab-sites');
  await page.click('.frame:has-text("read_back")');
  const banner = (await texts(page, '.narrowed'))[0];
  assert.match(banner, /^Narrowed to calls from read_back \(reader\.c:77\): 10 of 37 transfers\. Show all$/);
  assert.ok(Math.abs((await flame(page)).find(({ text }) => text.startsWith('read_back')).width - 1) < 0.01);
  assert.equal((await page.$$('#panel-sites tbody tr')).length, 1, 'the table');
  await page.click('#tab-findings');
  await frame(page);
  const there = await texts(page, '.findings .name');
  assert.ok(there.length >= 1 && there.length < all.length);
  assert.ok(there.every((name) => name.startsWith('scalar-readback')));
  assert.equal(await page.textContent('.detail h2'), there[0], 'a finding from there');
  agrees(await drawn(page), await timeline(page), 'drawn after it was hidden');
  await page.click('summary:has-text("segments in view")');
  await page.waitForSelector('#panel-findings .alternative[open] tbody tr');
  assert.deepEqual(
    [...new Set(await texts(page, '#panel-findings .alternative[open] tbody td:nth-child(7)'))],
    ['reader/reader.c:77 in read_back'],
    'the timeline',
  );
  await page.click('#tab-bandwidth');
  assert.deepEqual(
    (await texts(page, '#panel-bandwidth .key'))
      .filter((text) => /H2D|D2H|D2D/.test(text))
      .map((text) => text.slice(0, 3)),
    ['D2H'],
  );
  for (let i = 0; i < 200 && !/site=/.test(await page.evaluate(() => location.hash)); i++) await frame(page);
  const link = page.url();
  await page.goto('about:blank');
  await page.goto(link);
  await page.waitForSelector('html[data-ready="true"]');
  assert.equal((await texts(page, '.narrowed'))[0], banner, 'a link restores it');
  await page.click('.narrowed button');
  assert.ok(!(await page.isVisible('.narrowed')));
  await page.click('#tab-findings');
  assert.deepEqual(await texts(page, '.findings .name'), all);
  requests.length = 1; // this file, twice, and the empty page between
});

check('hovering shows what is there', 'lines', {}, async (page) => {
  await frame(page);
  const at = await page.evaluate(() => {
    // where a segment is drawn
    const canvas = document.querySelector('.timeline canvas');
    const blue = [47, 111, 206];
    const { data, width } = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height);
    for (let i = 0; i < data.length; i += 4)
      if (blue.every((c, k) => Math.abs(data[i + k] - c) < 6)) return [(i / 4) % width, Math.floor(i / 4 / width) + 5];
    return null;
  });
  const canvas = await page.$('.timeline canvas');
  await canvas.scrollIntoViewIfNeeded();
  const box = await canvas.boundingBox();
  await page.mouse.move(box.x + at[0] - 3, box.y + at[1]);
  await page.mouse.move(box.x + at[0], box.y + at[1]);
  await page.waitForSelector('.tip .card', { state: 'visible' });
  assert.match(await page.textContent('.tip .card'), /upload \(H2D\).*moved/s);
});

check('the keyboard alone', 'lines', {}, async (page) => {
  await page.keyboard.press('Tab');
  assert.equal(await page.evaluate(() => document.activeElement.className), 'skip');
  const seen = new Set();
  for (let i = 0; i < 60; i++) {
    await page.keyboard.press('Tab');
    const [key, visible] = await page.evaluate(() => {
      const element = document.activeElement;
      const style = getComputedStyle(element);
      return [
        element.id || element.className || element.getAttribute('aria-label') || element.tagName,
        element === document.body || (style.outlineStyle !== 'none' && parseFloat(style.outlineWidth) >= 2),
      ];
    });
    assert.ok(visible, `the focus shows on ${key}`);
    if (key === 'BODY') break; // once around
    seen.add(key);
  }
  for (const wanted of ['tab-findings', 'findings', 'timeline-region', 'theme'])
    assert.ok(seen.has(wanted), `${wanted} can be reached`);
  await page.focus('.findings');
  assert.equal(await page.getAttribute('.findings', 'aria-activedescendant'), 'finding-0');
  const after = async (...keys) => {
    for (const key of keys) await page.keyboard.press(key);
    return page.getAttribute('.findings', 'aria-activedescendant');
  };
  assert.equal(await after('ArrowDown'), 'group-smaller');
  assert.match(await page.textContent('.detail'), /^Choose a cause/);
  assert.equal(await after('ArrowRight', 'ArrowDown'), 'finding-1');
  assert.equal(await page.getAttribute('#finding-1', 'aria-selected'), 'true');
  assert.equal(await after('ArrowLeft'), 'group-smaller');
  assert.equal(await after('ArrowLeft'), 'group-smaller');
  assert.equal(await page.$('#finding-1'), null, 'folded');
  assert.equal(await after('Enter', 'End'), 'finding-1');
  assert.equal(await after('Home'), 'finding-0');
  assert.equal(await after('Escape'), null);
  assert.deepEqual(await selected(page), []);
  await page.focus('#tab-findings');
  await page.keyboard.press('ArrowRight');
  assert.equal(await page.evaluate(() => document.activeElement.id), 'tab-bandwidth');
  assert.ok(await page.isVisible('#panel-bandwidth'));
  await page.keyboard.press('End');
  assert.ok(await page.isVisible('#panel-run'));
});

check('buffers: contents over time', 'contents', {}, async (page) => {
  await page.click('#tab-buffers');
  await page.click('#panel-buffers summary');
  await page.waitForSelector('#panel-buffers tbody tr');
  const rows = await page.$$eval('#panel-buffers tbody tr', (list) =>
    list.map((row) => [...row.children].map((cell) => cell.textContent)),
  );
  assert.ok(rows.length >= 1);
  assert.ok(
    rows.some((row) => /^content 1$/.test(row[0]) && /^[0-9a-f]{32}$/.test(row[8])),
    'a content with its fingerprint',
  );
  const before = await page.textContent('#panel-buffers .note');
  assert.match(before.replaceAll('\u00a0', ' '), /^The same 8\.00 MiB \(content 1\) were uploaded 200 times\. /);
  await page.selectOption('select[aria-label="Buffer"]', { index: 1 });
  assert.notEqual(await page.textContent('#panel-buffers .note'), before);
});

for (const name of ['lines', 'contents', 'callsites'])
  for (const width of [1600, 900])
    check(`a finding at length, ${width} wide: ${name}`, name, { viewport: { width, height: 900 } }, async (page) => {
      const parts = '.detail .scroll, .guide pre, .findings, .figures, .lead, .tools';
      if (await page.isVisible('.guide:not([open]) > summary')) await page.click('.guide > summary');
      const over = await page.$$eval(parts, (list) =>
        list.map((of) => [of.className || of.tagName, of.scrollWidth - of.clientWidth]),
      );
      assert.ok(over.length > 4);
      assert.deepEqual(
        over.filter(([, pixels]) => pixels > 0),
        [],
        'pixels too wide',
      );
    });

check('nothing of a hostile trace is markup', 'hostile', {}, async (page) => {
  for (const tab of await tabs(page)) {
    await page.click(`#${tab}`);
    for (const summary of await page.$$('main details:not([open]) > summary'))
      if (await summary.isVisible()) await summary.click();
    await frame(page);
  }
  await page.click('#tab-findings');
  await unfold(page);
  const box = await (await page.$('.timeline canvas')).boundingBox();
  for (let x = 160; x < box.width; x += 60) await page.mouse.move(box.x + x, box.y + 16);
  assert.equal(await page.evaluate(() => window.pwned), undefined);
  assert.equal(await page.evaluate(() => document.querySelectorAll('img, iframe, object, [onerror]').length), 0);
  assert.equal(await page.evaluate(() => document.scripts.length), 3);
  assert.ok((await page.textContent('main')).includes('</script><script>window.pwned=1'), 'it is shown as text');
  const text = readFileSync(join(folder, 'hostile.html'), 'utf8');
  const [, data] = text.split('id="document">');
  const inside = data.slice(0, data.indexOf('</script>'));
  assert.ok(!/[<>&\u2028\u2029\u202e\u001b]/.test(inside), 'nothing in the document could end it');
  assert.ok(!inside.includes('A\\u003cA'.repeat(2000)), 'texts are bounded');
  assert.ok(statSync(join(folder, 'hostile.html')).size < 2 * 2 ** 20);
  assert.ok(
    await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth),
    'long texts do not widen the page',
  );
});
check('two hostile traces', 'hostile_both', {}, async (page) => {
  assert.equal(await page.evaluate(() => window.pwned), undefined);
  assert.ok((await page.$$('section[aria-label="By finding"] tbody tr')).length > 1);
});

check("the policy stops what is not the page's own", 'lines', {}, async (page, said, requests) => {
  const outcome = await page.evaluate(async () => {
    const violations = [];
    document.addEventListener('securitypolicyviolation', (event) => violations.push(event.effectiveDirective));
    const script = document.createElement('script');
    script.textContent = 'window.pwned = 1';
    document.body.append(script);
    const image = document.createElement('img');
    image.src = 'data:image/gif;base64,R0lGODlhAQABAAAAACwAAAAAAQABAAA=';
    document.body.append(image);
    const fetched = await fetch('http://127.0.0.1:9/').then(
      () => 'sent',
      () => 'refused',
    );
    await new Promise((done) => setTimeout(done, 50));
    return { pwned: window.pwned, fetched, violations: [...new Set(violations)].sort() };
  });
  assert.equal(outcome.pwned, undefined);
  assert.equal(outcome.fetched, 'refused');
  assert.deepEqual(outcome.violations, ['connect-src', 'img-src', 'script-src-elem']);
  said.length = 0; // the browser reports each of the three
  assert.ok(!requests.some((url) => url.startsWith('http')), 'nothing went out');
  requests.length = 1; // the data: URL is none that could
});

check('a trace without transfers', 'empty', {}, async (page) => {
  assert.match(await page.textContent('.lead'), /^Wasted: nothing: no transfer ran/);
  assert.match(await page.textContent('.findings'), /^No findings\./);
  assert.match(await page.textContent('.figures'), /Copying on the deviceno copies/);
  for (const tab of await tabs(page)) await page.click(`#${tab}`);
});
check('a trace without device times', 'without_cupti', {}, async (page) => {
  assert.match(await page.textContent('.figures'), /no device times/);
  await page.click('#tab-bandwidth');
  assert.match(await page.textContent('#panel-bandwidth'), /The trace has no device times/);
  for (const tab of await tabs(page)) await page.click(`#${tab}`);
  assert.match(await page.textContent('#panel-run'), /another subscriber holds CUPTI/);
});
check('a trace without contents and call sites', 'old', {}, async (page) => {
  for (const tab of await tabs(page)) await page.click(`#${tab}`);
  assert.match(await page.textContent('#panel-sites'), /driver’s entry points/);
  assert.match(await page.textContent('#panel-run'), /Contents.*not recorded/s);
});
check('text that is withheld', 'callsites', {}, async (page) => {
  for (const tab of await tabs(page)) await page.click(`#${tab}`);
  const said = (await page.textContent('#panel-run')).split('The text of 5 lines is not shown: it is not in the trace');
  assert.equal(said.length, 2);
});
check("a killed program's trace", 'killed', {}, async (page) => {
  for (const tab of await tabs(page)) await page.click(`#${tab}`);
});
check('a simulated GPU says so', 'simulated', {}, async (page) => {
  assert.ok(await page.isVisible('.simulated'));
  assert.match(await page.textContent('.simulated'), /SIMULATED .* no time on this page is a measurement/);
});

// WCAG 2.1 AA as far as axe can tell, contrast included, with every tab open and a finding chosen. Dark differs in its
// colours alone. axe takes long over what is hidden, so each tab is looked at by itself, and the rest with the first.
const levels = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa'];
for (const [name, scheme, width, rules] of [
  ['callsites', 'light', 1280, levels],
  ['causes', 'light', 1280, levels],
  ['callsites', 'dark', 1280, ['color-contrast']],
  ['both', 'dark', 1280, levels],
  ['simulated', 'light', 390, levels],
]) {
  check(
    `accessible: ${name}, ${scheme}, ${width} wide`,
    name,
    { colorScheme: scheme, viewport: { width, height: 850 } },
    async (page) => {
      assert.equal(await page.evaluate(() => getComputedStyle(document.documentElement).colorScheme), scheme);
      await page.evaluate(axe);
      const all = await tabs(page);
      for (const tab of name === 'both' ? all.slice(0, 1) : all) {
        await page.click(`#${tab}`);
        if (tab === 'tab-findings') await unfold(page);
        for (const summary of await page.$$('main details:not([open]) > summary'))
          if (await summary.isVisible()) await summary.click();
        const { violations, passes } = await page.evaluate(
          ([panel, runOnly]) =>
            window.axe.run(panel ? { include: [panel] } : document, {
              runOnly,
              preload: false,
              resultTypes: ['violations', 'passes'],
            }),
          [tab === all[0] ? null : `#panel-${tab.slice(4)}`, rules],
        );
        assert.deepEqual(
          violations.map(
            (v) =>
              `${v.id}: ${v.nodes
                .slice(0, 3)
                .map((node) => `${node.target} ${node.failureSummary}`)
                .join(' | ')}`,
          ),
          [],
          tab,
        );
        assert.ok(
          passes.some((rule) => rule.id === 'color-contrast'),
          `axe saw nothing in ${tab}`,
        );
      }
    },
  );
}
check('the switch of colours', 'lines', { colorScheme: 'light' }, async (page) => {
  const ground = () => page.evaluate(() => getComputedStyle(document.body).backgroundColor);
  const light = await ground();
  await page.selectOption('#theme', 'dark');
  const dark = await ground();
  assert.notEqual(dark, light);
  await page.selectOption('#theme', 'light');
  assert.equal(await ground(), light);
  await page.emulateMedia({ colorScheme: 'dark' });
  assert.equal(await ground(), light, 'the choice counts, not the system');
  await page.selectOption('#theme', '');
  assert.equal(await ground(), dark);
});
check(
  'nothing sticks out at 390 wide',
  'both',
  { viewport: { width: 390, height: 844 }, hasTouch: true },
  async (page) => {
    for (const tab of await tabs(page)) {
      await page.click(`#${tab}`);
      await frame(page);
      assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth), tab);
    }
  },
);

await runAll();
