// The tab GPU idle: where the GPU waited, and whether waits pay.
import assert from 'node:assert/strict';
import { addressHas, check, frame, json, openedAnew, texts } from './browser.mjs';
import { timeline } from './timeline_view.mjs';

const ACCOUNT = '[aria-label="Idle time"] table';
const WAITS = 'section[aria-label="Waits"]';
// The two ends in time of the part that is shaded in the timeline.
const shaded = (page) =>
  page.evaluate(() => {
    const { instance } = window.xferspy.open.get('findings').timeline.chart;
    const fill = getComputedStyle(document.documentElement).getPropertyValue('--select').trim();
    const shape = instance.getZr().storage.getDisplayList().find(({ style }) => style.fill === fill)?.shape;
    const moment = (x) => instance.convertFromPixel({ gridIndex: 0 }, [x, 0])[0];
    return shape && [moment(shape.x), moment(shape.x + shape.width)];
  });
// The cells of a table's rows, as texts.
const cells = (page, selector) =>
  page.$$eval(`${selector} tbody tr`, (rows) =>
    rows.map((row) => [...row.children].map((cell) => cell.textContent.replaceAll('\u00a0', ' '))),
  );
// A time as the report prints it, to three digits.
const time = (ns) => {
  const [size, unit] = [[1e9, 's'], [1e6, 'ms'], [1e3, 'µs'], [1, 'ns']].find(([of]) => ns >= 0.9995 * of) ?? [1, 'ns'];
  return size === 1 ? `${ns} ns` : `${(ns / size).toPrecision(3)} ${unit}`;
};

check("idle time: the report's rows, with their lines", 'guide', {}, async (page) => {
  const [{ idle }] = json('guide').traces;
  const span = idle.end_ns - idle.start_ns;
  await page.click('.figure:has-text("GPU idle") .link');
  assert.ok(await page.isVisible('#panel-idle'), 'the head leads to it');
  const [said] = await texts(page, '.idle-device > p');
  assert.equal(said, `GPU 0 was idle for 282 µs of a step’s 904 µs (31 %), on average over ${idle.steps} steps.`);
  const shown = await cells(page, ACCOUNT);
  assert.equal(shown.length, idle.rows.length);
  idle.rows.forEach((row, i) =>
    assert.deepEqual(
      [shown[i][1], ...shown[i].slice(3)],
      [time(row.ns), time(Math.trunc(row.ns / idle.steps)), row.times.toLocaleString('en-US'), time(row.longest_ns)],
    ),
  );
  assert.equal(
    shown[0][0],
    'ran its own code after the download at train.cu:69 in main' +
      'CHECK(cudaMemcpy(&loss, device_loss, sizeof(float), cudaMemcpyDeviceToHost));' +
      'before the upload at train.cu:63 in main' +
      'CHECK(cudaMemcpy(device_weights, weights.data(), kWeights * sizeof(float), cudaMemcpyHostToDevice));',
  );
  const pieces = await page.$$eval('.idle-device .where-bar > *', (list) =>
    list.map((piece) => [piece.className, piece.getBoundingClientRect().width / piece.parentNode.clientWidth]),
  );
  const sum = (reason) => idle.rows.filter((row) => row.reason === reason).reduce((all, row) => all + row.ns, 0);
  assert.equal(pieces[0][0], 'idle-busy');
  for (const [name, width] of pieces) {
    const ns = name === 'idle-busy' ? idle.devices[0].busy_ns : sum(name.slice(5));
    assert.ok(Math.abs(width - ns / span) < 0.005, `${name}: ${width}`);
  }
  const colours = (selector) =>
    page.$$eval(selector, (list) => list.map((element) => getComputedStyle(element).backgroundColor));
  assert.deepEqual(await colours('.idle-device .swatch'), await colours('.idle-device .where-bar > *'));
});

check('idle time: ordered by a column, also by a link', 'guide', {}, async (page, said, requests) => {
  const [{ idle }] = json('guide').traces;
  await page.click('#tab-idle');
  await page.click(`${ACCOUNT} button.order:text-is("Times")`);
  const times = idle.rows.map((row) => row.times).sort((a, b) => b - a);
  const ordered = async () => (await cells(page, ACCOUNT)).map((row) => Number(row[4].replaceAll(',', '')));
  assert.deepEqual(await ordered(), times);
  assert.notDeepEqual(times, idle.rows.map((row) => row.times), 'another order than at first');
  assert.deepEqual(await texts(page, '[aria-sort=descending]'), ['▾Times']);
  assert.equal(await page.evaluate(() => document.activeElement.textContent), '▾Times', 'the focus stays');
  await addressHas(page, 'idle=times');
  await openedAnew(page, await page.evaluate(() => location.href));
  assert.ok(await page.isVisible('#panel-idle'));
  assert.deepEqual(await ordered(), times);
  requests.length = 1; // this file, twice, and the empty page between
});

for (const name of ['guide', 'findings'])
  check(`idle time: the longest of a row is a gap of the device: ${name}`, name, {}, async (page) => {
    await page.click('#tab-idle');
    const rows = await page.evaluate(() => window.xferspy.run.idle.rows);
    const buttons = await page.$$(`${ACCOUNT} .link`);
    assert.equal(buttons.length, rows.ns.length);
    for (const [i, button] of buttons.entries()) {
      const [from, to] = [rows.longest_at_ns[i], rows.longest_at_ns[i] + rows.longest_ns[i]];
      await button.click();
      await frame(page);
      const seen = await timeline(page);
      assert.ok(seen.from <= from && seen.to >= to, `row ${i} is in view`);
      const ends = await shaded(page);
      const pixel = (seen.to - seen.from) / 500;
      assert.ok(Math.abs(ends[0] - from) < pixel && Math.abs(ends[1] - to) < pixel, `row ${i} is shaded: ${ends}`);
      const at = await page.$eval('section[aria-label="Timeline"]', (of) => of.getBoundingClientRect().top);
      assert.ok(at < 900, 'the timeline has come into view');
      const busy = await page.evaluate(
        ([begin, end]) =>
          window.xferspy.run.lanes
            .filter((lane) => lane.group === 'engine')
            .some((lane) => [...lane.start].some((start, k) => start < end && lane.end[k] > begin)),
        [from, to],
      );
      assert.ok(!busy, `row ${i}: the device has no work from ${from} to ${to}`);
    }
    await page.click('#tab-findings');
    await page.click('#finding-0');
    await frame(page);
    assert.equal(await shaded(page), undefined, 'until a finding is chosen');
  });

check("waits: the report's numbers", 'guide', {}, async (page) => {
  const [{ run, waits }] = json('guide').traces;
  await page.click('#tab-idle');
  const shown = await cells(page, WAITS);
  assert.equal(shown.length, waits.length);
  waits.forEach((wait, i) =>
    assert.deepEqual(
      [...shown[i].slice(1, 4), ...shown[i].slice(5)],
      [
        wait.saves_ns * 1000 < run.duration_ns ? shown[i][1] : time(wait.saves_ns),
        time(wait.together_ns),
        String(wait.times),
        time(wait.waited_ns),
        time(wait.idle_ns),
      ],
    ),
  );
  assert.match(shown[0][0], /^the download at train\.cu:69 in mainCHECK\(cudaMemcpy\(&loss/);
  for (const [i, wait] of waits.entries())
    if (wait.saves_ns * 1000 < run.duration_ns)
      assert.match(shown[i][1], /^nothing/, 'less than a thousandth of the run');
  assert.equal(shown[0][4], '1.00', 'times a step');
});

check('waits: why nothing is saved', 'busy', {}, async (page) => {
  await page.click('#tab-idle');
  assert.deepEqual(
    (await cells(page, WAITS)).map(([place, saves]) => [place, saves]),
    [
      ['the wait at app/busy.py:12 in finishfor the kernel step', 'nothingthe device is busy 97 % of the run'],
      ['the wait at app/busy.py:5 in beginfor the kernel step', 'nothingthe waits take <0.1 % of the run'],
    ],
  );
});

check('idle time: the line that samples show, and its text', 'sampled', {}, async (page) => {
  await page.click('#tab-idle');
  const [[first]] = await cells(page, ACCOUNT);
  assert.match(first, /^ran its own code after the .* at .*mostly at ema\.py:23 in updateweight\.mul_\(decay\)$/);
});

check('idle time: between which lines kernels are launched', 'guide', {}, async (page) => {
  await page.click('#tab-idle');
  const row = (await cells(page, ACCOUNT)).find(([what]) => what.startsWith('was giving the GPU'));
  assert.match(row[0], /between the upload at train\.cu:64 in main.*and the download at train\.cu:69 in main/);
  assert.match(row[0], /2 launches a step, 11\.2 µs apart$/);
});

check('idle time of two devices', 'two_devices', {}, async (page) => {
  assert.match((await texts(page, '.figure:has-text("GPU idle") dd'))[0], /^51 % of the run$/);
  await page.click('#tab-idle');
  assert.deepEqual(
    (await texts(page, '.idle-device > p:first-child')).map((text) => text.match(/^GPU \d was idle for [\d.]+ ms/)[0]),
    ['GPU 0 was idle for 1.21 ms', 'GPU 1 was idle for 41.2 ms'],
  );
  const rows = (await cells(page, ACCOUNT)).map(([what]) => what);
  assert.ok(rows.every((what) => /GPU [01]$/.test(what)), 'each row names its device');
  assert.equal((await cells(page, WAITS))[0][1], 'nothingthe device is busy 100 % of this time', 'its own device');
});

check('idle time: more rows than the page has', 'more', {}, async (page) => {
  const [{ idle }] = json('more').traces;
  await page.click('#tab-idle');
  assert.equal((await cells(page, ACCOUNT)).length, 64);
  assert.ok(idle.rows.length > 500);
  const left = idle.rows.slice(64);
  const ns = left.reduce((sum, row) => sum + row.ns, 0);
  const [said] = await texts(page, '[aria-label="Idle time"] > .note');
  assert.equal(said, `${left.length} smaller rows: ${time(ns)} together.`);
  const bytes = await page.evaluate(() => JSON.stringify(window.xferspy.run.idle).length);
  assert.ok(bytes < 14000, `${bytes} bytes of the page`);
});

check('idle time that is not known', 'without_cupti', {}, async (page) => {
  assert.ok(!(await texts(page, '.figure dt')).includes('GPU idle'));
  await page.click('#tab-idle');
  assert.deepEqual(await texts(page, '#panel-idle .empty'), [
    'It is not known when the GPU was idle: no kernels were recorded, or no device had work.',
    'It is not known what a wait costs.',
  ]);
});

check('idle time of the run that is shown, of two', 'both', {}, async (page) => {
  const spans = [];
  for (const name of ['Before', 'After']) {
    await page.click(`.which button:text-is("${name}")`);
    await page.click('#tab-idle');
    const [share] = await texts(page, '.figure:has-text("GPU idle") .link');
    assert.equal((await texts(page, '.idle-device strong'))[1], share, 'as in the head');
    spans.push((await texts(page, '.idle-device > p'))[0]);
  }
  const { traces } = json('both');
  assert.notEqual(spans[0], spans[1]);
  traces.forEach(({ idle }, i) => {
    const ns = Math.trunc(idle.devices[0].idle_ns / (idle.steps || 1));
    assert.ok(spans[i].includes(`idle for ${time(ns)} of`), spans[i]);
  });
});
