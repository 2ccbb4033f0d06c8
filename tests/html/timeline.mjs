// The timeline: what is marked, zoom and pan, and what leads there.
import assert from 'node:assert/strict';
import { check, extent, frame, json, texts } from './browser.mjs';
import { selected } from './findings_list.mjs';
import { agrees, drawn, markedPixels, segments, timeline } from './timeline_view.mjs';

check('a finding chosen is marked in the timeline', 'lines', { whole: true }, async (page) => {
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
  await page.locator('section[aria-label="Timeline"] button', { hasText: /^Step \d+$/ }).click();
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

check('zoom and pan by buttons, wheel, drag and keyboard', 'lines', { whole: true }, async (page) => {
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

check('title, axis and strip of the timeline show one range', 'lines', { whole: true }, async (page) => {
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

check('a double click on a block shows it', 'lines', { whole: true }, async (page) => {
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

check('the strip above the timeline moves and stretches what is in view', 'lines', { whole: true }, async (page) => {
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

check('filters', 'lines', { whole: true }, async (page) => {
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

check('hovering shows what is there', 'lines', { whole: true }, async (page) => {
  await frame(page);
  const at = await page.evaluate(() => {
    // where a segment is drawn
    const canvas = document.querySelector('.timeline canvas');
    const probe = document.createElement('canvas').getContext('2d');
    probe.fillStyle = getComputedStyle(document.documentElement).getPropertyValue('--kind-h2d').trim();
    probe.fillRect(0, 0, 1, 1);
    const blue = [...probe.getImageData(0, 0, 1, 1).data].slice(0, 3);
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
