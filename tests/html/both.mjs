// The page of two traces: findings joined by line, and both timelines under each other.
import assert from 'node:assert/strict';
import { addressHas, check, extent, frame, json, named, tabs, texts } from './browser.mjs';

const BY = { count: 'number', bytes: 'size', device_ns: 'time', host_ns: 'time', saves_ns: 'saving' };
const word = ({ change, decided_by: by }) =>
  ({
    disappeared: 'gone',
    appeared: 'new',
    unchanged: 'same',
    'not-checked': 'unchecked',
    'cannot-tell': 'time only',
  })[change] ?? `${change} in ${BY[by]}`;

check('two traces', 'both', {}, async (page) => {
  const [before, after] = json('both').traces;
  assert.equal((await tabs(page))[0], 'tab-compare');
  const diff = json('diff');
  const cells = (section) =>
    page.$$eval(`section[aria-label="${section}"] tbody tr`, (list) =>
      list.map((row) => [...row.children].map((cell) => cell.textContent)),
    );
  // what a row begins with: the title of the finding in either of the reports
  const sentence = (of) => {
    const all = [...before.findings, ...after.findings];
    const { title } = all.find(({ name }) => name === of.name_before || name === of.name_after);
    return `${title[0].toUpperCase()}${title.slice(1)}`;
  };
  const findings = await cells('By finding');
  assert.deepEqual(
    findings.map((row) => row[0]),
    diff.findings.map(
      (of) =>
        sentence(of) +
        `${of.name_before ?? of.name_after}${word(of)}${(of.site_after ?? of.site_before).entry_point}`,
    ),
  );
  assert.ok(
    findings.some((row) => row[0].includes('noop-uploadgone') && row[3].startsWith('−')),
    'what the repair is about',
  );
  assert.equal((await cells('By call site')).length, diff.call_sites.length);
  const transfers = (await cells('Numbers of the run')).find((row) => row[0] === 'copies');
  assert.deepEqual(
    transfers.slice(1, 3),
    [before, after].map((trace) => trace.transfers.total.count.toLocaleString('en-US')),
  );
  assert.deepEqual(await texts(page, '.verdict'), [diff.conclusion.text], 'what the change did');
  const said = await texts(page, '.said');
  assert.match(said[0], /^24\.9 ms of the run before and 11\.6 ms of .* xferspy's own time, which is not counted\.$/);
  assert.match(said[1], /^Predicted: saves 111 ms; measured: 138 ms less \(one run each\)\.$/);
  assert.match((await texts(page, '.figures'))[0], /Run278 ms → 126 ms with xferspy’s own time/);
  assert.match((await texts(page, '.figures'))[0], /All repaired saves111 ms → up to 610 µs/);
  const pageable = findings.find((row) => row[0].includes('memorypageable'));
  assert.match(pageable[1].replaceAll('\u00a0', ' '), /71\.3 ms → up to 610 µs/);
  assert.match(
    await page.textContent('.figures'),
    new RegExp(`Transfers${before.transfers.total.count} → ${after.transfers.total.count} `),
  );
  assert.equal(await page.$('.which [aria-pressed=true]'), null, 'the diff is of neither run');
  await page.click('button:text-is("Before")');
  assert.equal(await page.textContent('.which [aria-pressed=true]'), 'Before');
  assert.ok(await page.isVisible('#panel-findings'));
  assert.deepEqual(
    await texts(page, '.findings .name'),
    named(before).map((cause) => cause.findings[0].name),
  );
  assert.equal((await texts(page, '.figures'))[0].includes('All repaired saves111 ms 278 ms would become'), true);
  await page.click('button:text-is("After")');
  assert.deepEqual(await texts(page, '.findings .name'), [
    ...named(after).map((cause) => cause.findings[0].name),
    '1 piece of advice',
  ]);
  await page.click('#group-advice');
  assert.equal((await texts(page, '.findings .gain')).at(-1), 'advice');
});

for (const name of ['both', 'both_lines'])
  check(
    `no column of the comparison is cut off at 900 wide: ${name}`,
    name,
    { viewport: { width: 900, height: 800 } },
    async (page) => {
      await frame(page);
      const tables = await page.$$eval('#panel-compare .scroll', (list) =>
        list.map((place) => [place.getAttribute('aria-label'), place.scrollWidth - place.clientWidth]),
      );
      assert.equal(tables.length, 3);
      for (const [label, over] of tables) assert.ok(over <= 0, `${label} is ${over} pixels too wide`);
    },
  );

// Of each of the two charts: where it draws the run's first call that copies, how wide 10 ms are, the two ends of its
// axis, all its texts, where it draws the begin and the end of what the joined finding marks, of all of it and of what
// is in view, and where the run ends.
const charts = (page) =>
  page.evaluate(() =>
    window.xferspy.open.get('compare').pair.sides.map(({ lanes }) => {
      const { instance } = lanes.chart;
      const { run, origin } = lanes;
      const x = (time) => instance.convertToPixel({ gridIndex: 0 }, [time - origin, 0])[0];
      const ends = [lanes.left(), lanes.place.clientWidth - 14];
      const calls = run.lanes
        .filter((lane) => lane.group === 'thread')
        .flatMap((lane) => [...lane.start].filter((start, i) => lane.kind[i] < 6));
      const marked = run.marked[lanes.finding];
      const segments = run.lanes.flatMap((lane) =>
        [...lane.start].map((start, i) => [start, lane.end[i], lane.base + i]).filter(([, , at]) => marked?.has(at)),
      );
      const around = (list) =>
        list.length ? [x(Math.min(...list.map(([start]) => start))), x(Math.max(...list.map(([, end]) => end)))] : null;
      return {
        ends,
        first: x(Math.min(...calls)),
        scale: x(origin + 1e7) - x(origin),
        axis: ends.map((at) => instance.convertFromPixel({ gridIndex: 0 }, [at, 0])[0]),
        texts: instance
          .getZr()
          .storage.getDisplayList()
          .filter((of) => of.type === 'tspan')
          .map((of) => of.style.text),
        lanes: lanes.lanes.map((lane) => lane.label),
        marked: around(segments),
        seen: around(segments.filter(([start, end]) => x(end) >= ends[0] && x(start) <= ends[1])),
        last: x(run.last),
      };
    }),
  );
const CANVASES = [0, 1].map((i) => `.of-run:nth-of-type(${i + 2}) .timeline canvas`);
const near = (a, b, what, by = 1.5) => assert.ok(Math.abs(a - b) <= by, `${what}: ${a} and ${b}`);
// What has the colour of a finding is where the charts have its segments, and nothing has it where there are none.
async function markedAsDrawn(page, what) {
  const drawn = await charts(page);
  for (const [i, { seen, ends }] of drawn.entries()) {
    const [left, right] = await extent(page, CANVASES[i], 'hot');
    if (!seen) assert.equal(left, Infinity, `${what}: nothing is marked in ${i}`);
    else {
      near(left, Math.max(seen[0], ends[0]), `${what}: the first in ${i}`, 4);
      near(right, Math.min(seen[1], ends[1]), `${what}: the last in ${i}`, 4);
    }
  }
  return drawn;
}
function sameAxes([before, after], what) {
  near(before.axis[0], after.axis[0], what, 2);
  near(before.axis[1], after.axis[1], what, 2);
  near(before.scale, after.scale, what, 0.01);
  for (const { texts: all } of [before, after]) {
    const labels = all.filter((text) => /[µm]?s$/.test(text));
    assert.ok(labels.length >= 2 && new Set(labels).size === labels.length, `${what}: ${labels}`);
  }
}

for (const colorScheme of ['light', 'dark'])
  for (const width of [1600, 900])
    check(
      `two timelines, ${colorScheme}, ${width} wide: aligned, marked, and nothing cut off`,
      'both',
      { colorScheme, viewport: { width, height: 900 } },
      async (page) => {
        await frame(page);
        const drawn = await markedAsDrawn(page, 'as it opens');
        assert.ok(drawn[0].marked && !drawn[1].marked, 'the first finding is chosen, and it is gone');
        sameAxes(drawn, 'as it opens');
        for (const { first, ends } of drawn) near(first, ends[0], 'the first transfer is at the left edge');
        const [left, right] = await extent(page, CANVASES[1], 'outside', 2);
        near(left, drawn[1].last, 'grey begins where the shorter run ended', 3);
        near(right, drawn[1].ends[1], 'and goes on to the right edge', 3);
        for (const { lanes, texts: all } of drawn)
          for (const label of lanes) assert.ok(all.includes(label), `the label ${label} is whole, of ${all}`);
        const over = await page.evaluate(() => {
          const panel = document.querySelector('.pair').getBoundingClientRect();
          const wide = [...document.querySelectorAll('#panel-compare .scroll, .pair .tools, .pair .side')];
          const inside = [...document.querySelectorAll('.pair canvas, .pair button, .pair select, .pair .key')];
          return [
            document.documentElement.scrollWidth - innerWidth,
            ...wide.map((of) => of.scrollWidth - of.clientWidth),
            ...inside
              .map((of) => of.getBoundingClientRect())
              .map((box) => (box.width ? Math.max(panel.left - box.left, box.right - panel.right) : 0)),
          ];
        });
        assert.ok(over.length > 20);
        assert.deepEqual(
          over.filter((pixels) => pixels > 0),
          [],
          'pixels beyond what is around it',
        );
      },
    );

check('two timelines: what is zoomed or moved in one is so in the other', 'both', {}, async (page) => {
  await frame(page);
  const [whole] = await charts(page);
  const box = async (i) => {
    const canvas = await page.$(CANVASES[i]);
    await canvas.evaluate((element) => element.scrollIntoView({ block: 'center' }));
    await frame(page);
    return canvas.boundingBox();
  };
  let at = await box(0);
  await page.mouse.move(at.x + 600, at.y + 40);
  await page.keyboard.down('Control');
  await page.mouse.wheel(0, -300);
  await page.keyboard.up('Control');
  await frame(page);
  const wheeled = await markedAsDrawn(page, 'zoomed in the first');
  sameAxes(wheeled, 'zoomed in the first');
  assert.ok(wheeled[1].scale > whole.scale * 1.2, 'zoomed');
  at = await box(1);
  await page.mouse.move(at.x + 600, at.y + 40);
  await page.mouse.down();
  await page.mouse.move(at.x + 500, at.y + 40, { steps: 4 });
  await page.mouse.up();
  await frame(page);
  const dragged = await markedAsDrawn(page, 'dragged in the second');
  sameAxes(dragged, 'dragged in the second');
  near(dragged[0].first, wheeled[0].first - 100, 'by as many pixels', 2);
  await page.focus('.of-run:nth-of-type(3) .timeline-region');
  await page.keyboard.press('+');
  await frame(page);
  const closer = await charts(page);
  sameAxes(closer, 'zoomed by the keyboard');
  near(closer[0].scale, dragged[0].scale * 2, 'twice as wide', 0.5);
  const strip = await (await page.$('.of-run:nth-of-type(3) .minimap')).boundingBox();
  await page.mouse.click(strip.x + 4, strip.y + 20);
  await frame(page);
  const moved = await charts(page);
  sameAxes(moved, 'moved by the strip');
  assert.ok(moved[0].axis[0] < closer[0].axis[0]);
  await page.keyboard.press('0');
  await page.click('.pair button:text-is("Both runs")');
  await frame(page);
  const all = await charts(page);
  sameAxes(all, 'both runs');
  assert.ok(all.every(({ last, ends }) => last <= ends[1] + 1) && all[0].first > all[0].ends[0] + 20, 'all of both');
  await page.selectOption('select[aria-label="Both begin at"]', 'run');
  await frame(page);
  const fromStart = await charts(page);
  sameAxes(fromStart, 'from the start of the run');
  assert.ok(Math.abs(fromStart[0].first - fromStart[1].first) > 1, 'then the transfers begin at moments of their own');
});

check('a joined finding is marked in both timelines', 'both', {}, async (page) => {
  const diff = json('diff');
  await frame(page);
  for (const [i, row] of diff.findings.entries()) {
    if (i) await page.click(`.joined tbody tr:nth-child(${i + 1}) .dim`);
    await frame(page);
    const drawn = await markedAsDrawn(page, row.kind);
    assert.deepEqual(
      drawn.map(({ marked }) => marked !== null),
      [row.name_before !== null, row.name_after !== null],
      row.kind,
    );
    assert.deepEqual(await texts(page, '.joined button[aria-pressed=true]'), [row.name_before ?? row.name_after]);
    assert.deepEqual(
      (await texts(page, '.side')).map((text) => text.includes('does not have this finding')),
      [row.name_before === null, row.name_after === null],
    );
    await page.click('.pair button:text-is("Finding")');
    await frame(page);
    const fitted = await markedAsDrawn(page, `${row.kind}, fitted`);
    sameAxes(fitted, row.kind);
    for (const { marked, ends } of fitted.filter((of) => of.marked))
      assert.ok(marked[0] >= ends[0] && marked[1] <= ends[1], `all of ${row.kind} is in view: ${marked}`);
  }
  const both = diff.findings.findIndex((row) => row.name_before !== null && row.name_after !== null);
  assert.ok(both >= 0, 'one is in both');
  await page.click(`.joined tbody tr:nth-child(${both + 1}) button`);
  await page.selectOption('select[aria-label="Both begin at"]', 'finding');
  await frame(page);
  for (const { marked, ends } of await markedAsDrawn(page, 'aligned at the finding'))
    near(marked[0], ends[0], 'its first segment is at the left edge');
  await page.click(`.joined tbody tr:nth-child(${both + 1}) button`);
  await frame(page);
  assert.ok((await markedAsDrawn(page, 'chosen again')).every(({ marked }) => marked === null));
  await page.click(`.joined tbody tr:nth-child(${both + 1}) button`);
  await page.click('button[aria-label="Evidence of the finding after"]');
  assert.equal(await page.textContent('.which [aria-pressed=true]'), 'After');
  assert.equal(await page.textContent('.detail .title'), diff.findings[both].name_after, 'its evidence');
});

check('a link restores the joined finding, the range and the alignment', 'both', {}, async (page, said, requests) => {
  await frame(page);
  await page.click('.joined tbody tr:nth-child(2) button');
  await page.selectOption('select[aria-label="Both begin at"]', 'run');
  await page.click('.pair button[aria-label="Zoom in"]');
  await page.click('.pair button[aria-label="Pan left"]');
  await frame(page);
  const before = await charts(page);
  await addressHas(page, () => `since=${Math.round(window.xferspy.open.get('compare').pair.view.range[0])}`);
  const link = page.url();
  assert.match(link, /joined=2/);
  assert.match(link, /align=run/);
  await page.goto('about:blank');
  await page.goto(link);
  await page.waitForSelector('html[data-ready="true"]');
  await frame(page);
  const again = await markedAsDrawn(page, 'opened anew');
  assert.deepEqual(await texts(page, '.joined tr.chosen button'), [json('diff').findings[1].name_after]);
  for (const i of [0, 1]) near(again[i].axis[i], before[i].axis[i], 'the range', 100);
  near(again[1].scale, before[1].scale, 'the scale', 0.01);
  await page.goto('about:blank');
  await page.goto(link.replace(/#.*/, '#joined=999&since=5&until=x&align=nonsense'));
  await page.waitForSelector('html[data-ready="true"]');
  await frame(page);
  const plain = await charts(page);
  for (const { first, ends } of plain) near(first, ends[0], 'nonsense is as if nothing had been selected');
  requests.length = 1; // this file, three times, and the empty page between
});

check('findings are joined by their line and kind', 'both_more', {}, async (page) => {
  const diff = json('diff_more');
  const rows = await page.$$eval('.joined tbody tr', (list) =>
    list.map((row) => [
      row.querySelector('button').textContent,
      row.querySelector('.badge').textContent,
      row.querySelector('.mono').textContent,
    ]),
  );
  const shown = diff.findings.slice(0, 300); // as many as a page has
  assert.equal(rows.length, shown.length);
  shown.forEach((of, i) => {
    const { place, call_site: at } = of.site_after ?? of.site_before;
    assert.deepEqual(rows[i], [of.name_before ?? of.name_after, word(of), place]);
    assert.ok(place.includes(`:${at.line}`), place);
  });
  const words = new Set(rows.map(([, said]) => said));
  assert.ok(words.has('new') && shown.some((of) => of.name_before && of.name_after), [...words].join());
});

// Of each section its rows: the row's word, and the class of each of its differences.
const colors = (page, section) =>
  page.$$eval(`section[aria-label="${section}"] tbody tr`, (list) =>
    list.map((row) => [
      row.querySelector('.badge')?.textContent ?? row.children[0].textContent,
      [...row.querySelectorAll('td.number > span, th.number > span')].map((of) => of.className),
    ]),
  );

check('a colour is what the verdict says: one run a side', 'both', {}, async (page) => {
  await frame(page);
  const numbers = Object.fromEntries(await colors(page, 'Numbers of the run'));
  assert.deepEqual(numbers['wall time of the run'], [''], 'how much runs differ is not known');
  assert.deepEqual(numbers.copies, ['better'], 'a number is the same in every run');
  assert.deepEqual(numbers['allocations of all kinds'], ['worse']);
  const findings = await colors(page, 'By finding');
  const [, gone] = findings.find(([word]) => word === 'gone');
  assert.ok(gone.length && gone.every((of) => of === 'better' || of === 'dim'), gone.join());
  const [, shrank] = findings.find(([word]) => word === 'shrank in size');
  assert.equal(shrank.filter((of) => of === 'better').length, 1, 'its size alone');
});

check('what is the same has no colour', 'both_times', {}, async (page) => {
  await frame(page);
  const diff = json('diff_times');
  assert.ok(
    diff.findings.some((row) => row.change === 'unchanged' && row.device_ns.delta),
    'a time differs',
  );
  for (const section of ['By finding', 'By call site', 'Numbers of the run'])
    for (const [word, classes] of await colors(page, section))
      assert.ok(!classes.some((of) => of === 'better' || of === 'worse'), `${section}: ${word}: ${classes}`);
});

check('a time alone has no verdict: one run a side', 'both_faster', {}, async (page) => {
  await frame(page);
  for (const section of ['By finding', 'By call site']) {
    const rows = await colors(page, section);
    for (const [word, classes] of rows)
      assert.ok(!classes.some((of) => of === 'better' || of === 'worse'), `${section}: ${word}: ${classes}`);
    const words = (await texts(page, `section[aria-label="${section}"] .badge`)).filter((of) => of !== 'same');
    assert.ok(words.length, section);
    assert.deepEqual([...new Set(words)], ['time only'], section);
  }
  const badge = await page.$$eval('.badge', (list) => list.map((of) => [of.textContent, getComputedStyle(of).color]));
  const of = (wanted) => badge.find(([word]) => word === wanted)?.[1];
  assert.equal(of('time only'), of('same'), 'the word has none either');
});

check('a place is written in one way', 'both_times', {}, async (page) => {
  await frame(page);
  const places = new Set(await texts(page, '.joined .mono'));
  assert.ok([...places].some((of) => of.startsWith('train.py:12 in step')), [...places].join());
  await page.click('button:text-is("Before")');
  const labels = (await texts(page, '.findings .place')).map((of) => of.replace(/ \(.*$/, ''));
  for (const label of labels.filter((of) => of.includes('train.py'))) assert.ok(places.has(label), label);
});

check('two traces without a call', 'both_empty', {}, async (page) => {
  await frame(page);
  assert.deepEqual(
    (await texts(page, '.side')).map((text) => text.includes('has no calls to show')),
    [true, true],
  );
  assert.equal(await page.textContent('.chosen'), '');
  assert.match(await page.textContent('section[aria-label="By finding"]'), /Neither run has findings/);
  await page.click('.pair button[aria-label="Zoom in"]');
  await frame(page);
  const [before, after] = await charts(page);
  near(before.axis[0], after.axis[0], 'still one range', 2);
});
