// One selection for every tab: the chosen finding, the frame that the page is narrowed to, the part of the time in
// view; and a link that restores all of it.
import assert from 'node:assert/strict';
import { addressHas, check, columns, extent, frame, openedAnew, texts } from './browser.mjs';

const near = (a, b, what, by = 1.5) => assert.ok(Math.abs(a - b) <= by, `${what}: ${a} and ${b}`);
const note = async (page, selector) => (await texts(page, selector)).join(' ');
// The texts of the frames that are marked, and the colour of the mark.
const marked = (page) =>
  page.$$eval('.frame.marked', (list) =>
    list.map((element) => [element.textContent, getComputedStyle(element).boxShadow.match(/rgb[^)]*\)/g).pop()]),
  );
// The two ends of the axis of the buffers' chart, and of the timeline's.
const axes = (page) =>
  page.evaluate(() => {
    const { open } = window.xferspy;
    const { timeline } = open.get('findings');
    const of = (instance, ends) => ends.map((x) => instance.convertFromPixel({ gridIndex: 0 }, [x, 0])[0]);
    return {
      buffers: of(open.get('buffers').chart.instance, [74, open.get('buffers').place.clientWidth - 14]),
      timeline: timeline.view.range,
    };
  });

check('a chosen finding is marked in the flame graph', 'callsites', {}, async (page) => {
  await page.click('#tab-sites');
  const hot = await page.evaluate(() => {
    const probe = document.createElement('i');
    probe.style.color = getComputedStyle(document.documentElement).getPropertyValue('--hot');
    return document.body.appendChild(probe) && getComputedStyle(probe).color;
  });
  assert.deepEqual(
    await marked(page),
    ['all calls', 'read_back reader.c:77', 'libcuda.so.1', 'cuMemcpyDtoH_v2'].map((text) => [text, hot]),
    'the first cause, as the page opens',
  );
  assert.match(await note(page, '#panel-sites .keys.note'), /calls of scalar-readback$/);
  const names = await page.evaluate(() => window.xferspy.run.findings.map((finding) => finding.name));
  const other = names.findIndex((name) => name.startsWith('noop-upload'));
  await page.click('#panel-sites .keys .link');
  assert.ok(await page.isVisible('#panel-findings'), 'the name leads to the finding');
  await page.click(`#finding-${other}`);
  await page.click('.detail .link:text-is("in the flame graph")');
  assert.ok(await page.isVisible('#panel-sites'), 'and back');
  const now = (await marked(page)).map(([text]) => text);
  assert.ok(now.includes('step train.py:12') && !now.includes('read_back reader.c:77'), now.join());
  await page.click('#tab-findings');
  await page.click(`#finding-${other}`);
  await page.click('#tab-sites');
  assert.deepEqual(await marked(page), [], 'nothing is chosen');
});

check('a frame that is too narrow is there if it is chosen', 'lines', {}, async (page) => {
  const index = await page.evaluate(() => window.xferspy.run.findings.findIndex((of) => /^unused/.test(of.name)));
  await page.click('#tab-sites');
  assert.equal((await texts(page, '.frame')).filter((text) => text === 'cuMemAlloc_v2').length, 0);
  await page.evaluate((of) => window.xferspy.open.get('findings').findings.causes.show(of), index);
  assert.ok((await marked(page)).some(([text]) => text === 'cuMemAlloc_v2'));
});

check('a chosen finding brings its buffer and is marked in it', 'contents', {}, async (page) => {
  const of = (name) =>
    page.evaluate((wanted) => {
      const { run } = window.xferspy;
      const index = run.findings.findIndex((finding) => finding.name === wanted);
      return run.residency.buffers.map((buffer) => buffer.findings.find(([one]) => one === index)?.[1] ?? 0);
    }, name);
  assert.deepEqual(await of('noop-upload'), [199, 0, 0]);
  assert.deepEqual(await of('scalar-readback'), [0, 0, 200]);
  assert.match(await note(page, '.facts'), /Buffer8\.00 MiB at 0x[0-9a-f]+ 199 times/);
  await page.click('.facts .link:text("MiB at 0x")');
  assert.ok(await page.isVisible('#panel-buffers'));
  const chosen = () => page.$eval('select[aria-label="Buffer"]', (select) => select.value.replaceAll('\u00a0', ' '));
  assert.match(await chosen(), /^8\.00 MiB at .* 200 transfers, 199 of noop-upload$/);
  assert.match(await note(page, '#panel-buffers .note'), / 199 calls of noop-upload, at the bottom of the chart\./);
  await page.click('#tab-findings');
  await page.click('#finding-1');
  await page.click('#tab-buffers');
  assert.match(await chosen(), /^4 B at .* 200 of scalar-readback$/);
  await page.selectOption('select[aria-label="Buffer"]', { index: 1 });
  assert.match(await note(page, '#panel-buffers .note'), /No call of scalar-readback concerns this buffer\./);
  await frame(page);
  assert.equal((await extent(page, '#panel-buffers .tall canvas', 'hot'))[0], Infinity, 'nothing is marked');
});

check('timeline and buffers show one part of the time', 'contents', {}, async (page) => {
  await frame(page);
  await page.click('button[aria-label="Zoom in"]');
  await page.click('button[aria-label="Pan right"]');
  await frame(page);
  await page.click('#tab-buffers');
  await frame(page);
  const agree = async (what) => {
    const { buffers, timeline } = await axes(page);
    const pixel = (timeline[1] - timeline[0]) / 500;
    near(buffers[0], timeline[0], what, pixel);
    near(buffers[1], timeline[1], what, pixel);
    return timeline;
  };
  const first = await agree('zoomed in the timeline');
  const canvas = await (await page.$('#panel-buffers .tall canvas')).boundingBox();
  await page.mouse.move(canvas.x + 600, canvas.y + 100);
  await page.keyboard.down('Control');
  await page.mouse.wheel(0, -100);
  await page.keyboard.up('Control');
  await frame(page);
  const wheeled = await agree('by the wheel');
  assert.ok(wheeled[1] - wheeled[0] < (first[1] - first[0]) * 0.8);
  await page.mouse.down();
  await page.mouse.move(canvas.x + 500, canvas.y + 100, { steps: 3 });
  await page.mouse.up();
  await frame(page);
  assert.ok((await agree('dragged'))[0] > wheeled[0]);
  await page.focus('#panel-buffers .timeline-region');
  await page.keyboard.press('0');
  await frame(page);
  const [buffer, last] = await page.evaluate(() => [window.xferspy.run.residency.buffers[0], window.xferspy.run.last]);
  assert.deepEqual(await agree('the whole run'), [0, last]);
  await page.click('#panel-buffers button:text-is("Life of the buffer")');
  await frame(page);
  assert.deepEqual(await agree('its life'), [buffer.begin_ns, buffer.end_ns]);
  await page.click('#tab-findings');
  await frame(page);
  const title = await page.textContent('#where');
  near(parseFloat(title) * 1e6, buffer.begin_ns, `the timeline's title, ${title}`, 1e6);
});

check('a frame narrows the buffers', 'contents', { whole: true }, async (page) => {
  await page.click('#tab-buffers');
  const listed = async () =>
    (await texts(page, 'select[aria-label="Buffer"] option')).map((text) => text.replace(/,.*/, ''));
  const all = await listed();
  assert.equal(all.length, 3);
  const solid = () => columns(page, '#panel-buffers .tall canvas', 'content-0', [20, 200]);
  await page.click('#tab-sites');
  await page.click('.frame:text-is("cuMemcpyDtoH_v2")');
  await page.click('#tab-buffers');
  const left = await listed();
  assert.equal(left.length, 1);
  assert.match(left[0], /^4 B at /);
  await page.click('.narrowed button');
  assert.deepEqual(await listed(), all);
  await page.selectOption('select[aria-label="Buffer"]', { index: 0 });
  await frame(page);
  const before = (await solid()).filter(Boolean).length;
  assert.ok(before > 100);
  const narrowTo = (sites) =>
    page.evaluate((list) => {
      const { selection, run } = window.xferspy;
      selection.to({ key: '0', name: 'some', sites: new Map([[run, new Set(list)]]) });
    }, sites);
  await page.evaluate(() => {
    // as if two places had brought what lies there
    const [buffer] = window.xferspy.run.residency.buffers;
    buffer.sites = [[0, 100], [1, 100]];
    buffer.pieces.forEach((piece, i) => (piece[10] = i < 100 ? 0 : 1));
  });
  await narrowTo([0]);
  await frame(page);
  const after = await solid();
  const half = await page.evaluate(() => {
    const { chart, buffer } = window.xferspy.open.get('buffers');
    return chart.instance.convertToPixel({ gridIndex: 0 }, [buffer.pieces[100][0], 0])[0];
  });
  const columnsOf = (list, from, to) => list.slice(Math.round(from), Math.round(to)).filter(Boolean).length;
  assert.ok(columnsOf(after, 0, half - 2) > 100, 'what calls from there brought is as it was');
  assert.equal(columnsOf(after, half + 2, after.length), 0, 'what another place brought is pale');
  await narrowTo([]);
  assert.ok(!(await page.isVisible('select[aria-label="Buffer"]')));
  assert.match(await note(page, '#panel-buffers .empty'), /copied to and from none of the buffers/);
});

check('a frame narrows both timelines', 'both', {}, async (page) => {
  const canvas = (i) => `.of-run:nth-of-type(${i + 2}) .timeline canvas`;
  const strong = () =>
    Promise.all([0, 1].flatMap((i) => ['kind-h2d', 'kind-d2h'].map((kind) => columns(page, canvas(i), kind))));
  await frame(page);
  await page.click('.joined tr.chosen button'); // nothing is chosen: all is as strong as it was used
  await page.evaluate(() => window.xferspy.open.get('compare').pair.view.show(0, 2.5e7, true));
  await frame(page);
  const count = (list) => list.map((of) => of.filter(Boolean).length);
  const all = count(await strong());
  assert.ok(all[0] > 20 && all[2] > 20, `${all}`);
  await page.click('#tab-sites');
  await page.selectOption('select[aria-label="Width is"]', { label: 'Transfers' });
  await page.click('.frame:text-is("cuMemcpyDtoHAsync_v2")');
  assert.match(await note(page, '.narrowed'), /^Narrowed to calls from cuMemcpyDtoHAsync_v2: 4 of 205 transfers\./);
  await page.click('#tab-compare');
  await frame(page);
  assert.match(
    await note(page, '.narrowed'),
    /before 0 of 600 transfers, after 4 of 205 transfers\. The tables here are of both whole runs\./,
  );
  const left = count(await strong());
  assert.equal(left[0], 0, 'the other run has no such call: all of it is pale');
  assert.equal(left[2], 0, 'uploads of this run are pale');
  await page.click('.narrowed button');
  await frame(page);
  assert.deepEqual(count(await strong()), all);
});

check('the same names in the other run are narrowed to', 'both_same', {}, async (page) => {
  await page.click('#tab-sites');
  await page.click('.frame:has-text("step train.py:12") >> nth=0');
  await page.click('#tab-compare');
  await frame(page);
  const [, before, of, after, all] = (await note(page, '.narrowed')).match(
    /before (\d+) of (\d+) transfers, after (\d+) of (\d+) transfers/,
  );
  assert.deepEqual([before, of], [after, all]);
  assert.ok(+before > 0 && +before < +of);
});

check('a link restores how the flame graph is drawn', 'callsites', {}, async (page, said, requests) => {
  const picture = () =>
    page.$$eval('.flame .frame', (list) =>
      list.map((one) => [one.textContent, one.className, one.getAttribute('style')].join(' ')),
    );
  await page.click('#tab-sites');
  await page.uncheck('label:has-text("Libraries as one frame") input');
  await page.selectOption('select[aria-label="Width is"]', { label: 'Bytes' });
  await page.click('.frame:has-text("at::native::copy_kernel_cuda")');
  await page.fill('input[aria-label="Search call sites"]', 'at:: cuda');
  const drawn = await picture();
  const banner = (await texts(page, '.narrowed'))[0];
  assert.match(banner, /^Narrowed to calls from at::native::copy_kernel_cuda/);
  await addressHas(page, 'frames=at%3A%3A+cuda');
  const link = page.url();
  const same = async (what) => {
    assert.deepEqual(await picture(), drawn, what);
    assert.equal((await texts(page, '.narrowed'))[0], banner, what);
    assert.equal(await page.isChecked('label:has-text("Libraries as one frame") input'), false, what);
    assert.match(await page.evaluate(() => location.hash), /site=[\d.]+/, `${what}: the frame is still in the address`);
  };
  await openedAnew(page, link);
  await same('opened anew');
  await openedAnew(page, link.replace(/#.*/, '#view=sites'));
  assert.notDeepEqual(await picture(), drawn);
  await page.evaluate((to) => location.assign(to), link);
  await frame(page);
  await same('put into the address');
  requests.length = 1; // this file, three times, and the empty page between
});

check('a link restores what is hidden and searched for', 'lines', { whole: true }, async (page, said, requests) => {
  await frame(page);
  await page.uncheck('#panel-findings label:has-text("upload (H2D)") input');
  await page.uncheck('#panel-findings label:has-text("Streams") input');
  await page.fill('input[aria-label="Filter findings"]', 'noop');
  await page.click('#tab-bandwidth');
  await page.uncheck('#panel-bandwidth label:has-text("D2H") input');
  await addressHas(page, 'rates-hide=D2H+pageable');
  const link = page.url();
  assert.match(link, /[#&]hide=h2d%2Cstream&/);
  assert.match(link, /filter=noop/);
  const same = async (what) => {
    const ticked = (name) => page.isChecked(`label:has-text("${name}") input`);
    assert.deepEqual(
      await Promise.all(['D2H pageable', 'H2D pinned', 'upload (H2D)', 'kernel', 'Streams', 'Devices'].map(ticked)),
      [false, true, false, true, false, true],
      what,
    );
    await page.click('#tab-findings');
    await frame(page);
    const lanes = await page.evaluate(() => {
      const { timeline } = window.xferspy.open.get('findings');
      const { data } = timeline.chart.instance.getOption().yAxis[0];
      return { data, kinds: [...new Set(timeline.lanes.current.map((block) => block[3]))] };
    });
    assert.ok(lanes.data.length && !lanes.data.some((label) => /stream/.test(label)), `${what}: ${lanes.data}`);
    assert.ok(lanes.kinds.length && !lanes.kinds.includes(1), `${what}: ${lanes.kinds}`);
    assert.equal((await extent(page, '#panel-findings .timeline canvas', 'hot'))[0], Infinity, what);
    assert.deepEqual(await texts(page, '.findings .name'), ['noop-upload'], what);
    await page.click('#tab-bandwidth');
  };
  await openedAnew(page, link);
  await same('opened anew');
  await openedAnew(page, link.replace(/#.*/, ''));
  assert.ok(await page.isChecked('#panel-findings label:has-text("Streams") input'));
  await page.evaluate((to) => location.assign(to), link);
  await frame(page);
  await same('put into the address');
  requests.length = 1;
});

check('a link to the other run keeps its finding and range', 'both', {}, async (page, said, requests) => {
  const link = `${page.url()}#view=findings&run=1&finding=2&from=110000000&to=190000000&buffer=2`;
  await page.click('button:text-is("After")');
  await page.click('#tab-buffers');
  await page.evaluate((to) => location.assign(to), link);
  await frame(page);
  assert.equal(await page.textContent('.which [aria-pressed=true]'), 'Before');
  assert.ok(await page.isVisible('#panel-findings'));
  const name = await page.evaluate(() => window.xferspy.runs[0].findings[1].name);
  assert.equal(await page.textContent('.detail .title'), name);
  assert.match((await note(page, '#where')).trim(), /^110\.?0* ms – 190\.?0* ms$/);
  await page.click('#tab-buffers');
  assert.equal(await page.$eval('select[aria-label="Buffer"]', (select) => select.selectedIndex), 1, 'its buffer');
  requests.length = 1;
});

check('the head says what was wasted, and its link leads there', 'lines', {}, async (page) => {
  assert.match(
    await note(page, '.lead'),
    /^Wasted: up to 522 ms of the run's 1\.58 s \(33 %\), by 2 causes; start with number 1, noop-upload, at /,
  );
  await page.click('#finding-0');
  assert.match(await note(page, '.detail'), /^Choose a cause/);
  await page.click('#tab-run');
  await page.click('.lead .link');
  assert.ok(await page.isVisible('#panel-findings'));
  assert.equal(await page.textContent('.detail .title'), 'noop-upload');
});

check('steps: time, transfers and bytes, and the warm-up', 'lines', {}, async (page) => {
  assert.match(await note(page, '.figures'), /A step9\.98 ms 1 transfer, 64\.0 MiB, after 327 ms of warm-up$/);
  await page.click('#tab-run');
  const rows = await page.$$eval('section[aria-label="Steps"] tbody tr', (list) =>
    list.map((row) => [...row.cells].map((cell) => cell.textContent.replaceAll('\u00a0', ' '))),
  );
  assert.deepEqual(rows, [
    ['a step: the median of 47', '9.98 ms', '1', '64.0 MiB'],
    ['warm-up: the first 2 steps together', '327 ms', '2', '128 MiB'],
  ]);
  assert.match(
    await note(page, 'section[aria-label="Steps"] .note'),
    /^Each step begins with the copy at upload_every_step\/wasteful\.py:13 in step .* The steps differ by 6\.5 %/,
  );
});
