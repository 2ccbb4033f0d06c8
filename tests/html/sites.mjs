// Call sites, and the contents of buffers.
import assert from 'node:assert/strict';
import { check, frame, texts } from './browser.mjs';
import { agrees, drawn, timeline } from './timeline_view.mjs';

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
  await frame(page);
  assert.ok(await page.isVisible('#panel-sites section[aria-label="Timeline"]'), 'the timeline is below');
  agrees(await drawn(page), await timeline(page), 'drawn below the flame graph');
  await page.click('#tab-findings');
  await frame(page);
  assert.ok(await page.isVisible('#panel-findings section[aria-label="Timeline"]'), 'and is back');
  const there = await texts(page, '.findings .name');
  assert.ok(there.length >= 1 && there.length < all.length);
  assert.ok(there.every((name) => name.startsWith('scalar-readback')));
  assert.equal(await page.textContent('.detail .title'), there[0], 'a finding from there');
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
