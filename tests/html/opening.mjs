// What the timeline shows when the page opens: a representative step, or where the first finding is.
import assert from 'node:assert/strict';
import { addressHas, check, frame, json, openedAnew, texts } from './browser.mjs';
import { agrees, drawn, timeline } from './timeline_view.mjs';

const button = (page, text) => page.locator('section[aria-label="Timeline"] button', { hasText: text });

for (const name of ['guide', 'contents', 'lines', 'callsites'])
  check(`the timeline opens on a step: ${name}`, name, {}, async (page) => {
    await frame(page);
    const { from, to } = await timeline(page);
    const { typical, steps, first, last } = await page.evaluate(() => {
      const { run } = window.xferspy;
      return { typical: run.typical_step, steps: run.report.steps, first: run.first, last: run.last };
    });
    const length = typical.end_ns - typical.begin_ns;
    assert.ok(from <= typical.begin_ns && to >= typical.end_ns, `${from} to ${to} has all of the step`);
    assert.ok(to - from >= length * 1.2 && to - from <= length * 2, 'and a little beside it');
    assert.ok(Math.abs(length / steps.median.ns - 1) < 0.05, `${length} ns, the median is ${steps.median.ns}`);
    assert.ok(typical.number > steps.warm_up.count && typical.number <= steps.count);
    assert.ok(typical.begin_ns >= steps.begin_ns && typical.end_ns <= steps.end_ns);
    agrees(await drawn(page), { from, to }, 'as it opens');
    const said = (await texts(page, 'section[aria-label="Timeline"] .note')).join(' ');
    assert.match(said, new RegExp(`Shown first: step ${typical.number} of ${steps.count}, `));
    // the strip above the lanes is of the whole run
    const ends = await page.evaluate(() => {
      const view = document.querySelector('.minimap-view').getBoundingClientRect();
      const strip = document.querySelector('.minimap canvas').getBoundingClientRect();
      return [(view.left - strip.left) / strip.width, view.width / strip.width];
    });
    assert.ok(Math.abs(ends[0] - (from - first) / (last - first)) < 0.01 && ends[1] < 0.3, `the strip: ${ends}`);
    await page.focus('section[aria-label="Timeline"] .timeline-region');
    await page.keyboard.press('0');
    await frame(page);
    assert.deepEqual([(await timeline(page)).from, (await timeline(page)).to], [first, last], '0: the whole run');
    await page.keyboard.press('s');
    await frame(page);
    assert.deepEqual([(await timeline(page)).from, (await timeline(page)).to], [from, to], 'S: the step again');
    await button(page, /^Whole run$/).click();
    await button(page, /^Step [\d,]+$/).click();
    await frame(page);
    assert.deepEqual([(await timeline(page)).from, (await timeline(page)).to], [from, to], 'and by its button');
  });

check('a link keeps the whole run of a page that opens on a step', 'guide', {}, async (page, said, requests) => {
  await button(page, /^Whole run$/).click();
  const last = await page.evaluate(() => window.xferspy.run.last);
  await addressHas(page, `from=0&to=${last}`);
  await openedAnew(page, page.url());
  assert.deepEqual([(await timeline(page)).from, (await timeline(page)).to], [0, last]);
  await button(page, /^Step \d+$/).click();
  await page.waitForFunction(() => location.hash === '');
  requests.length = 1; // this file, twice, and the empty page between
});

check('without steps the timeline opens where the first finding is', 'more', {}, async (page) => {
  assert.equal(json('more').traces[0].steps, null);
  await frame(page);
  const { from, to, hot } = await timeline(page);
  const last = await page.evaluate(() => window.xferspy.run.last);
  assert.ok(to - from < last * 0.8, `${from} to ${to} of ${last}`);
  assert.ok(hot >= 10, `${hot} blocks of the finding`);
  await button(page, /^Whole run$/).click();
  await button(page, /^Busiest$/).click();
  await frame(page);
  assert.deepEqual([(await timeline(page)).from, (await timeline(page)).to], [from, to]);
});

for (const name of ['nothing', 'killed', 'busy'])
  check(`a short run without steps is shown whole: ${name}`, name, {}, async (page) => {
    await frame(page);
    const { first, last } = await page.evaluate(() => window.xferspy.run);
    assert.deepEqual([(await timeline(page)).from, (await timeline(page)).to], [first, last]);
    assert.equal(await button(page, /^(Step|Busiest)/).count(), 0);
  });
