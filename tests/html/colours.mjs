// What one sees of colours: kinds of blocks that nobody mistakes for each other, and lanes that can be read, in the
// colours of both themes and with each kind of colour vision.
import assert from 'node:assert/strict';
import { check, frame } from './browser.mjs';
import { contrast, ciede2000, difference, visions } from './vision.mjs';

const LEAST_DIFFERENCE = 14; // of CIEDE2000; 2.3 is what an eye just tells apart
const LEAST_CONTRAST = 3; // WCAG 2.1, 1.4.11

// The colours of this page: of each kind, of what is marked, and of the panel behind them.
const coloursOf = (page) =>
  page.evaluate(() => {
    const style = getComputedStyle(document.documentElement);
    const probe = document.createElement('canvas').getContext('2d', { willReadFrequently: true });
    const rgb = (name) => {
      probe.fillStyle = style.getPropertyValue(name).trim();
      probe.fillRect(0, 0, 1, 1);
      return [...probe.getImageData(0, 0, 1, 1).data].slice(0, 3);
    };
    const kinds = ['other', 'h2d', 'd2h', 'd2d', 'peer', 'h2h', 'kernel', 'wait', 'memset', 'alloc'];
    return {
      panel: rgb('--panel'),
      shown: [...kinds.map((kind) => [kind, rgb(`--kind-${kind}`)]), ['marked', rgb('--hot')]],
    };
  });

check('CIEDE2000 as published', 'empty', {}, async () => {
  // pairs 1, 7, 16 and 24 of Sharma, Wu and Dalal 2005
  for (const [a, b, wanted] of [
    [[50, 2.6772, -79.7751], [50, 0, -82.7485], 2.0425],
    [[50, 0, 0], [50, -1, 2], 2.3669],
    [[50, 2.5, 0], [50, 0, -2.5], 4.3065],
    [[60.2574, -34.0099, 36.2677], [60.4626, -34.1751, 39.4387], 1.2644],
  ])
    assert.ok(Math.abs(ciede2000(a, b) - wanted) < 0.0001, `${a} and ${b}: ${ciede2000(a, b)}`);
});

for (const colorScheme of ['light', 'dark'])
  check(`kinds of blocks differ for everybody: ${colorScheme}`, 'guide', { colorScheme }, async (page) => {
    const { panel, shown } = await coloursOf(page);
    assert.equal(shown.length, 11);
    for (const [name, colour] of shown)
      assert.ok(contrast(colour, panel) >= LEAST_CONTRAST, `${name} on the panel: ${contrast(colour, panel)}`);
    for (const vision of visions)
      shown.forEach(([name, colour], i) => {
        for (const [other, with_] of shown.slice(0, i)) {
          const by = difference(colour, with_, vision);
          assert.ok(by >= LEAST_DIFFERENCE, `${vision}: ${name} and ${other} differ by ${by.toFixed(1)}`);
        }
      });
  });

// The colours of the pixels in the middle of blocks that are at least six pixels wide, as they are on the panel.
const blocks = (page) =>
  page.evaluate(() => {
    const { lanes } = window.xferspy.open.get('findings').timeline;
    const canvas = document.querySelector('.timeline canvas');
    const { width, height } = canvas;
    const copy = Object.assign(document.createElement('canvas'), { width, height });
    const context = copy.getContext('2d', { willReadFrequently: true });
    context.fillStyle = getComputedStyle(document.documentElement).getPropertyValue('--panel').trim();
    context.fillRect(0, 0, width, height);
    context.drawImage(canvas, 0, 0);
    const at = (time, lane) => lanes.chart.instance.convertToPixel({ gridIndex: 0 }, [time, lane]);
    const ends = [lanes.left(), lanes.place.clientWidth - 14];
    return lanes.current.flatMap((d) => {
      const [left, y] = at(d[1], d[0]);
      const [from, to] = [Math.max(left, ends[0]), Math.min(at(d[2], d[0])[0], ends[1])];
      if (to - from < 6) return [];
      const pixel = [...context.getImageData(Math.round((from + to) / 2), Math.round(y), 1, 1).data].slice(0, 3);
      return [{ pixel, lane: lanes.lanes[d[0]].label, marked: d[8] > 0, maybe: d[13] > 0 }];
    });
  });

for (const [name, colorScheme] of ['guide', 'contents', 'callsites'].flatMap((of) => [
  [of, 'light'],
  [of, 'dark'],
]))
  check(`all lanes can be read: ${name}, ${colorScheme}`, name, { colorScheme }, async (page) => {
    for (const times of [0, 1]) {
      if (times) await page.click('section[aria-label="Timeline"] button[aria-label="Zoom out"]');
      await frame(page);
      const { panel, shown } = await coloursOf(page);
      const others = (await blocks(page)).filter(({ marked, maybe }) => !marked && !maybe);
      assert.ok(others.length >= 1, `${others.length} blocks of others`);
      for (const { pixel, lane } of others) {
        assert.ok(contrast(pixel, panel) >= LEAST_CONTRAST, `${lane} has ${pixel}, of ${contrast(pixel, panel)}`);
        assert.ok(
          shown.some(([, colour]) => colour.every((value, i) => Math.abs(value - pixel[i]) <= 2)),
          `${lane} has ${pixel}, which is not in the legend`,
        );
      }
    }
  });
