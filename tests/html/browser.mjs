// What the tests of the page share: the browser, and a list of checks that run a few at a time. A check that fails
// names itself, and the others go on.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { chromium } from 'playwright-core';

export const [, , executablePath, folder] = process.argv;
const browser = await chromium.launch({ executablePath, args: ['--no-sandbox', '--disable-gpu'] });
const only = process.env.ONLY;
let failed = 0;
const waiting = []; // run at the end, a few at a time: a page waits for frames more than it computes
const AT_ONCE = 3;
export function check(...of) {
  waiting.push(of);
}

// Opens a page, runs the check, and then asserts what holds of every page: nothing on the console, nothing requested.
// `options` are those of the browser, and `whole`: the whole run is shown, and not what the page opens on.
async function run(what, name, { whole, ...options }, action) {
  if (only && !what.includes(only)) return;
  const began = Date.now();
  const context = await browser.newContext({
    viewport: { width: 1280, height: 900 },
    colorScheme: 'light',
    reducedMotion: 'reduce',
    ...options,
  });
  try {
    const page = await context.newPage();
    page.setDefaultTimeout(300000); // for what never comes, on the busiest machine
    const said = [];
    const requests = [];
    page.on('console', (message) => said.push(`${message.type()}: ${message.text()}`));
    page.on('pageerror', (error) => said.push(`error: ${error.stack}`));
    const protocol = await context.newCDPSession(page);
    await protocol.send('Network.enable');
    protocol.on('Network.requestWillBeSent', ({ request }) => requests.push(request.url));
    const url = `file://${join(folder, `${name}.html`)}`;
    await page.goto(url);
    await page.waitForSelector('html[data-ready="true"]');
    if (whole) await page.evaluate(() => window.xferspy.selection.view.whole());
    if (whole) await frame(page);
    await action(page, said, requests);
    assert.deepEqual(said, [], 'console');
    assert.deepEqual(
      requests.filter((request) => request !== url),
      [],
      'requests',
    );
    assert.ok(requests.length === 1, 'the page itself was seen by the protocol');
    console.log(`ok   ${what} (${Date.now() - began} ms)`);
  } catch (error) {
    failed++;
    console.log(`FAIL ${what}: ${error.stack}`);
  } finally {
    await context.close();
  }
}

export const tabs = (page) => page.$$eval('[role=tab]', (list) => list.map((tab) => tab.id));
export const frame = (page) =>
  page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));
// Waits until the page's address, which follows what is selected after a while, has what `wanted` says.
export async function addressHas(page, wanted) {
  const part = typeof wanted === 'string' ? wanted : await page.evaluate(wanted);
  const hash = () => page.evaluate(() => `${location.hash.replace('#', '&')}&`);
  for (let i = 0; i < 600 && !(await hash()).includes(`&${part}&`); i++) await frame(page);
  assert.ok((await hash()).includes(`&${part}&`), `${part} in ${await hash()}`);
}
// Opens a link as somebody who was given it.
export async function openedAnew(page, link) {
  await page.goto('about:blank');
  await page.goto(link);
  await page.waitForSelector('html[data-ready="true"]');
  await frame(page);
}
export const json = (name) => JSON.parse(readFileSync(join(folder, `${name}.json`), 'utf8'));

export const texts = (page, selector) =>
  page.$$eval(selector, (list) => list.map((element) => element.textContent.replaceAll('\u00a0', ' ')));

// The causes that a report shows by name.
export const named = (report) => report.causes.filter((cause, i) => i < 5 && !cause.folded && cause.saves.most_ns);

// The leftmost and the rightmost column of a canvas that has the page's colour of this name, or one that is hardly
// another, however faint.
export const extent = (page, selector, name, by = 12) =>
  page.evaluate(
    ([wanted, variable, most]) => {
      const probe = document.createElement('canvas').getContext('2d');
      probe.fillStyle = getComputedStyle(document.documentElement).getPropertyValue(`--${variable}`).trim();
      probe.fillRect(0, 0, 1, 1);
      const rgb = probe.getImageData(0, 0, 1, 1).data;
      const canvas = document.querySelector(wanted);
      const { width, height } = canvas;
      const copy = Object.assign(document.createElement('canvas'), { width, height });
      const context = copy.getContext('2d', { willReadFrequently: true });
      context.drawImage(canvas, 0, 0);
      const { data } = context.getImageData(0, 0, width, height);
      let ends = [Infinity, -Infinity];
      for (let i = 0; i < data.length; i += 4)
        if (data[i + 3] && [0, 1, 2].every((k) => Math.abs(data[i + k] - rgb[k]) < most)) {
          const x = (i / 4) % width;
          ends = [Math.min(ends[0], x), Math.max(ends[1], x)];
        }
      return ends;
    },
    [selector, name, by],
  );

// By column of a canvas how many of its pixels have the page's colour of this name, or one that is hardly another, as
// it is seen: what is faint has the colour of the panel mixed in. `rows` picks some of its rows, from the first to
// before the second.
export const columns = (page, selector, name, rows = [0, Infinity], by = 12) =>
  page.evaluate(
    ([wanted, variable, [top, bottom], most]) => {
      const probe = document.createElement('canvas').getContext('2d');
      const named = (one) => getComputedStyle(document.documentElement).getPropertyValue(`--${one}`).trim();
      probe.fillStyle = named(variable);
      probe.fillRect(0, 0, 1, 1);
      const rgb = probe.getImageData(0, 0, 1, 1).data;
      const canvas = document.querySelector(wanted);
      const { width, height } = canvas;
      const copy = Object.assign(document.createElement('canvas'), { width, height });
      const context = copy.getContext('2d', { willReadFrequently: true });
      context.fillStyle = named('panel'); // what is seen through what is drawn faintly
      context.fillRect(0, 0, width, height);
      context.drawImage(canvas, 0, 0);
      const { data } = context.getImageData(0, 0, width, height);
      const counts = new Array(width).fill(0);
      for (let y = Math.max(0, top); y < Math.min(height, bottom); y++)
        for (let x = 0; x < width; x++) {
          const i = (y * width + x) * 4;
          if ([0, 1, 2].every((k) => Math.abs(data[i + k] - rgb[k]) < most)) counts[x]++;
        }
      return counts;
    },
    [selector, name, rows, by],
  );

export async function runAll() {
  await Promise.all(
    Array.from({ length: AT_ONCE }, async () => {
      while (waiting.length) await run(...waiting.shift());
    }),
  );
  await browser.close();
  console.log(failed ? `${failed} failed` : 'all passed');
  process.exit(failed ? 1 : 0);
}
