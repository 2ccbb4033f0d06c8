// What is shown beside the pointer and beside the evidence: tooltips inside the window, all of the evidence, code whose
// comments are in one piece, and titles that begin with a sentence.
import assert from 'node:assert/strict';
import { check, frame, json, openedAnew, addressHas, texts } from './browser.mjs';
import { timeline } from './timeline_view.mjs';

// Where a tooltip is in the window; it is looked for until it is shown.
async function tipOf(page, selector) {
  await page.waitForSelector(selector, { state: 'visible' });
  return page.$eval(selector, (element) => {
    const { left, top, right, bottom } = element.getBoundingClientRect();
    const { clientWidth, clientHeight } = document.documentElement;
    const { length } = element.textContent;
    return { left, top, right, bottom, clientWidth, clientHeight, length };
  });
}
function isInside({ left, top, right, bottom, clientWidth, clientHeight, length }, what) {
  assert.ok(length > 10 && right - left > 40, `${what}: it says something`);
  assert.ok(left >= 0 && top >= 0, `${what}: ${left}, ${top}`);
  assert.ok(right <= clientWidth && bottom <= clientHeight, `${what}: ${right}, ${bottom}`);
}

for (const [width, height] of [
  [1280, 900],
  [500, 420],
])
  check(
    `tooltips of the timeline are inside the window at its edges: ${width} wide`,
    'guide',
    { viewport: { width, height } },
    async (page) => {
      await frame(page);
      for (const block of ['end', 'start'])
        for (const side of [0, 1]) {
          // the block that is closest to an edge, with the lanes at the bottom of the window, then at its top
          const at = await page.evaluate(
            ([where, right]) => {
              const { lanes } = window.xferspy.open.get('findings').timeline;
              lanes.place.scrollIntoView({ block: where });
              const of = (d) => {
                const ends = [d[1], d[2]].map(
                  (time) => lanes.chart.instance.convertToPixel({ gridIndex: 0 }, [time, d[0]])[0],
                );
                const [from, to] = [Math.max(ends[0], lanes.left()), Math.min(ends[1], lanes.place.clientWidth - 14)];
                const [, y] = lanes.chart.instance.convertToPixel({ gridIndex: 0 }, [d[1], d[0]]);
                return [right ? to - 1 : from + 1, y];
              };
              const box = lanes.place.getBoundingClientRect();
              const all = lanes.current
                .map(of)
                .filter(([, y]) => box.top + y > 45 && box.top + y < innerHeight)
                .sort((a, b) => a[0] - b[0] || b[1] - a[1]);
              const [x, y] = right ? all.at(-1) : all[0];
              return [box.left + x, box.top + y];
            },
            [block, side],
          );
          await frame(page);
          await page.mouse.move(at[0] - (side ? 2 : -2), at[1]);
          await page.mouse.move(...at);
          isInside(await tipOf(page, '.tip'), `${block}, side ${side}, at ${at}`);
          await page.mouse.move(1, 1);
        }
      await page.mouse.wheel(0, -200);
      await page.waitForSelector('.tip', { state: 'hidden' });
    },
  );

check('the evidence has all calls of a finding, checked or not', 'guide', {}, async (page, said, requests) => {
  const [{ findings }] = json('guide').traces;
  const { sample, instances } = findings[0];
  assert.deepEqual([instances, sample.of], [58, 499]);
  assert.match((await texts(page, '.evidence h3'))[0], /^Evidence: the first 4 of 58 show all$/);
  await page.click('.evidence h3 .link');
  assert.match((await texts(page, '.evidence h3'))[0], /^Evidence: all calls /);
  assert.equal(
    (await texts(page, '.evidence .note'))[0],
    '58 calls of the finding, and 441 copies of its line that were not checked.',
  );
  const column = async (title) => {
    const at = (await texts(page, '.evidence thead th')).indexOf(title);
    return page.$$eval('.evidence tbody tr', (rows, i) => rows.map((row) => row.cells[i].textContent), at);
  };
  const checked = await column('Checked');
  const count = (wanted) => checked.filter((text) => text === wanted).length;
  assert.deepEqual([checked.length, count('yes'), count('no, estimated')], [499, 58, 441]);
  assert.equal(new Set(await column('Row')).size, 499);
  await addressHas(page, 'evidence=all');
  await page.click('.evidence tbody tr:last-child .link');
  await frame(page);
  const [from, to] = await page.evaluate(() => {
    const { run } = window.xferspy;
    const ends = run.lanes
      .filter(({ group }) => group === 'thread')
      .flatMap((lane) => [...lane.start].map((start, i) => [start, lane.end[i], lane.base + i]))
      .filter(([, , place]) => run.marked[0].has(place) || run.unchecked[0].has(place));
    return ends.sort((a, b) => a[0] - b[0]).at(-1);
  });
  const shown = await timeline(page);
  assert.ok(shown.from < from && shown.to > to && shown.to - shown.from < 1e7, 'a moment leads to the call');
  await openedAnew(page, page.url());
  assert.match((await texts(page, '.evidence h3'))[0], /^Evidence: all calls /, 'a link keeps it');
  await page.click('.evidence h3 .link');
  assert.match((await texts(page, '.evidence h3'))[0], /^Evidence: the first 4 of 58 /);
  requests.length = 1; // this file, twice, and the empty page between
});

check('what is marked stands for all copies, and the legend says which are estimated', 'guide', {}, async (page) => {
  await page.locator('section[aria-label="Timeline"] button', { hasText: /^Whole run$/ }).click();
  await frame(page);
  assert.deepEqual(await texts(page, '.marks .key'), [
    'noop-upload: 58 checked copies',
    '441 copies of this line that were not checked (estimate: about 441 are such copies)',
  ]);
  const { hot, maybe } = await page.$eval('section[aria-label="Timeline"]', (of) => ({
    hot: Number(of.dataset.hot),
    maybe: Number(of.dataset.maybe),
  }));
  assert.deepEqual([hot, maybe], [58 * 3, 441 * 3], 'in the lanes of the thread, the stream and the device');
  const swatches = await page.$$eval('.marks .swatch', (list) =>
    list.map((of) => [getComputedStyle(of).backgroundColor, getComputedStyle(of).borderTopWidth]),
  );
  assert.ok(swatches[0][0] !== swatches[1][0] && swatches[1][1] === '1px', 'an outline is what was not checked');
  await page.click('#finding-1');
  assert.match((await texts(page, '.marks .key')).join(), /^\d+ calls of scalar-readback$/);
  await page.click('#finding-1');
  assert.equal(await page.isVisible('.marks'), false, 'nothing is chosen');
});

for (const name of ['guide', 'contents', 'buffers', 'causes'])
  for (const width of [1600, 1360, 900])
    check(
      `a comment of sample code is in one piece, ${width} wide: ${name}`,
      name,
      { viewport: { width, height: 900 } },
      async (page) => {
        let seen = 0;
        for (const id of await page.$$eval('.findings [id^=finding-]', (list) => list.map((item) => item.id))) {
          if ((await page.getAttribute(`#${id}`, 'aria-selected')) !== 'true') await page.click(`#${id}`);
          if (await page.isVisible('.guide:not([open]) > summary')) await page.click('.guide > summary');
          const lines = await page.$$eval('.guide .comment', (list) =>
            list.map((of) => [of.textContent, of.getClientRects().length, of.offsetHeight]),
          );
          for (const [text, pieces, height] of lines) {
            seen++;
            // a long one is several comments, each in a line
            const parts = text.split('\n');
            for (const part of parts) assert.match(part, /^(\/\/|\/\*|#) ?\S/);
            assert.ok(pieces === 1 && height < 20 * parts.length, `${text}: ${pieces} pieces, ${height} high`);
          }
          const missed = await page.$$eval('.guide .source code', (list) =>
            list.map((of) => of.firstChild?.nodeValue ?? '').filter((text) => /(^|\s)\/\//.test(text)),
          );
          assert.deepEqual(missed, [], 'no comment is taken for code');
        }
        assert.ok(seen > 0 || name === 'buffers', `${seen} comments`);
      },
    );

check('titles begin with a sentence, and the name of the rule comes second', 'guide', {}, async (page) => {
  const [{ findings }] = json('guide').traces;
  const title = `${findings[0].title[0].toUpperCase()}${findings[0].title.slice(1)}`;
  const [head] = await texts(page, '.detail .head');
  assert.ok(head.startsWith(title) && head.endsWith(findings[0].name), head);
  assert.equal((await texts(page, '.findings .sentence'))[0], `${title} ${findings[0].name}`);
  const [large, small] = await page.$$eval('.detail .head > *', (list) =>
    list.map((of) => [parseFloat(getComputedStyle(of).fontSize), getComputedStyle(of).fontWeight]),
  );
  assert.ok(large[0] > small[0] && large[1] > small[1]);
});
