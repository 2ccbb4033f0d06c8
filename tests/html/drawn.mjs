// What is drawn: the pixels of each chart lie where its own axes have the data, and have the colours of the key.
import assert from 'node:assert/strict';
import { check, columns, extent, frame, texts } from './browser.mjs';

const near = (a, b, what, by = 1.5) => assert.ok(Math.abs(a - b) <= by, `${what}: ${a} and ${b}`);
const filled = (counts) => counts.flatMap((count, x) => (count ? [x] : []));
// Every column of one list is in the other, or beside one that is.
function sameColumns(drawn, wanted, what) {
  assert.ok(drawn.length && wanted.length, `${what}: ${drawn.length} columns of ${wanted.length}`);
  const beside = (list, x) => list.some((other) => Math.abs(other - x) <= 1);
  for (const x of drawn)
    assert.ok(beside(wanted, x), `${what}: column ${x} is drawn, of ${wanted[0]} to ${wanted.at(-1)}`);
  for (const x of wanted) assert.ok(beside(drawn, x), `${what}: column ${x} is not drawn`);
}

check('the chart of a buffer is drawn where its contents were', 'contents', { whole: true }, async (page) => {
  await page.click('#tab-buffers');
  await frame(page);
  const canvas = '#panel-buffers .tall canvas';
  const where = () =>
    page.evaluate(() => {
      const { chart, buffer, selection, place } = window.xferspy.open.get('buffers');
      const at = (time, bytes) => chart.instance.convertToPixel({ gridIndex: 0 }, [time, bytes]);
      const [, , times] = buffer.findings.find(([index]) => index === selection.finding);
      let time = 0;
      return {
        ends: [74, place.clientWidth - 14],
        pieces: buffer.pieces.map((piece) => [
          at(piece[0], 0)[0],
          at(piece[2] || piece[1], 0)[0],
          at(0, piece[3] + piece[4])[1],
          at(0, piece[3])[1],
        ]),
        life: [at(buffer.begin_ns, 0)[0], at(buffer.end_ns, 0)[0]],
        marks: times.map((later) => at((time += later), 0)[0]),
      };
    });
  const first = await where();
  const { pieces, marks, life, ends } = first;
  const [left, right] = await extent(page, canvas, 'content-0');
  near(left, pieces[0][0], 'the first piece begins', 2);
  near(right, pieces.at(-1)[1], 'the last piece', 4);
  const counts = await columns(page, canvas, 'content-0');
  const middle = Math.round((pieces[0][0] + pieces[0][1]) / 2) + 20; // beside the number of the content
  near(counts[middle], pieces[0][3] - pieces[0][2], 'as high as the whole buffer', 3);
  const outside = filled(await columns(page, canvas, 'outside', [20, 30], 2));
  near(outside[0], ends[0], 'shaded from the left edge', 2);
  near(outside.filter((x) => x < pieces[0][0]).at(-1), life[0], 'to its allocation', 2);
  near(outside.find((x) => x > pieces[0][0]), life[1], 'from its end', 2);
  near(outside.at(-1), ends[1], 'to the right edge', 3);
  const hot = filled(await columns(page, canvas, 'hot'));
  near(hot[0], marks[0], 'the first call of the finding', 2);
  near(hot.at(-1), marks.at(-1) + 1, 'the last call of the finding', 2);
  await page.click('#panel-buffers button:text-is("Life of the buffer")');
  await frame(page);
  const closer = await where();
  near(closer.life[0], ends[0], 'its life fills the chart');
  near(closer.life[1], ends[1], 'to the end');
  near((await extent(page, canvas, 'content-0'))[0], closer.pieces[0][0], 'the first piece', 2);
  const ticks = filled(await columns(page, canvas, 'hot'));
  sameColumns(
    ticks,
    closer.marks.flatMap((x) => [Math.round(x), Math.round(x) + 1]),
    'the calls of the finding',
  );
  const labels = await page.evaluate(() =>
    window.xferspy.open
      .get('buffers')
      .chart.instance.getZr()
      .storage.getDisplayList()
      .filter((of) => of.type === 'tspan' && /[µm]?s$/.test(of.style.text))
      .map((of) => of.style.text),
  );
  assert.ok(labels.length >= 3 && new Set(labels).size === labels.length, `no label twice: ${labels}`);
});

check('the chart of a buffer has another colour for another content', 'buffers', { whole: true }, async (page) => {
  await page.click('#tab-buffers');
  await frame(page);
  const pieces = await page.evaluate(() => {
    const { chart, buffer, ids } = window.xferspy.open.get('buffers');
    return buffer.pieces
      .filter((piece) => piece[8] >= 0)
      .map((piece) => [
        (ids.get(piece[8]) - 1) % 8,
        ...[piece[0], piece[2] || piece[1]].map(
          (time) => chart.instance.convertToPixel({ gridIndex: 0 }, [time, 0])[0],
        ),
      ]);
  });
  assert.ok(new Set(pieces.map(([number]) => number)).size >= 2, `${pieces}`);
  const colours = await Promise.all(
    [...Array(8).keys()].map((i) => columns(page, '#panel-buffers .tall canvas', `content-${i}`, undefined, 4)),
  );
  let seen = 0;
  for (const [number, from, to] of pieces.filter((piece) => piece[2] - piece[1] > 6)) {
    seen++;
    const x = Math.round((from + to) / 2);
    colours.forEach((counts, i) => assert.equal(counts[x] > 0, i === number, `column ${x}: content ${i} of ${number}`));
  }
  assert.ok(seen >= 2);
});

check('the chart of the bandwidth is drawn at size and rate', 'lines', {}, async (page) => {
  await page.click('#tab-bandwidth');
  await frame(page);
  // the colour of each point's kind, and the canvas's colour beside the middle of its symbol
  const points = () =>
    page.evaluate(() => {
      const { chart } = window.xferspy.open.get('bandwidth');
      const { bandwidth: of } = window.xferspy.run;
      const canvas = document.querySelector('#panel-bandwidth canvas');
      const copy = Object.assign(document.createElement('canvas'), { width: canvas.width, height: canvas.height });
      const context = copy.getContext('2d', { willReadFrequently: true });
      const named = (name) => {
        const probe = document.createElement('canvas').getContext('2d');
        probe.fillStyle = getComputedStyle(document.documentElement).getPropertyValue(`--${name}`).trim();
        probe.fillRect(0, 0, 1, 1);
        return [...probe.getImageData(0, 0, 1, 1).data].slice(0, 3);
      };
      context.fillStyle = `rgb(${named('panel').join()})`;
      context.fillRect(0, 0, canvas.width, canvas.height);
      context.drawImage(canvas, 0, 0);
      return of.points.map(([direction, , bytes, ns, count]) => {
        const [x, y] = chart.instance.convertToPixel({ gridIndex: 0 }, [bytes / count, (bytes / ns) * 1e9]);
        const [left, top] = [Math.round(x), Math.round(y)];
        const kind = named(direction === 1 ? 'kind-h2d' : 'kind-d2h');
        const pixel = [...context.getImageData(left, top + 3, 1, 1).data].slice(0, 3);
        const { data } = context.getImageData(left - 8, top - 8, 17, 17);
        let outline = 0; // pixels of it
        for (let i = 0; i < data.length; i += 4)
          if (kind.every((value, k) => Math.abs(value - data[i + k]) < 24)) outline++;
        return { direction, x, y, pixel, outline, kind, panel: named('panel') };
      });
    });
  const away = (a, b) => Math.hypot(...a.map((value, i) => value - b[i]));
  const isThere = ({ direction, pixel, outline, kind, panel }) =>
    direction === 1 ? away(pixel, kind) < away(pixel, panel) : outline > 8; // a download is an outline
  const all = await points();
  assert.deepEqual([...new Set(all.map((of) => of.direction))].sort(), [1, 2]);
  for (const of of all) assert.ok(isThere(of), `a point at ${of.x}, ${of.y} has ${of.pixel}, not ${of.kind}`);
  const ends = await page.evaluate(() => {
    const { chart } = window.xferspy.open.get('bandwidth');
    const { link_model: link } = window.xferspy.run.report;
    const at = (size, rate) => chart.instance.convertToPixel({ gridIndex: 0 }, [size, rate]);
    const [line] = link.classes.filter((one) => one.class === 'h2d_pinned');
    const size = 2 ** 20;
    return at(size, size / (line.fixed_ns / 1e9 + size / line.bytes_per_s));
  });
  const rows = [ends[1] - 2, ends[1] + 3].map(Math.round);
  const line = await columns(page, '#panel-bandwidth canvas', 'kind-h2d', rows, 40);
  assert.ok(line[Math.round(ends[0])] >= 1, 'the line of the model passes there');
  await page.uncheck('#panel-bandwidth label:has-text("H2D") input');
  await frame(page);
  for (const of of await points()) assert.equal(isThere(of), of.direction === 2, 'only what is not hidden is there');
});

check('the strip shows how busy each moment was, and where the finding is', 'lines', {}, async (page) => {
  await frame(page);
  const canvas = '.minimap canvas';
  // by column the share of its time in which uploads ran, and whether the finding is there; by the lanes themselves
  const wanted = await page.evaluate(() => {
    const { run } = window.xferspy;
    const { timeline } = window.xferspy.open.get('findings');
    const { width, height } = document.querySelector('.minimap canvas');
    const step = (run.last - run.first) / width;
    const busy = new Array(width).fill(0);
    const others = new Array(width).fill(0);
    const marked = new Array(width).fill(0);
    for (const lane of run.lanes.filter((one) => one.group === 'engine'))
      for (let i = 0; i < lane.size; i++)
        for (let x = 0; x < width; x++) {
          const within = Math.min(lane.end[i], (x + 1) * step) - Math.max(lane.start[i], x * step);
          if (within < 0) continue;
          (lane.kind[i] === 1 ? busy : others)[x] += within / step || 1e-9;
          if (run.marked[timeline.lanes.finding].has(lane.base + i)) marked[x] = 1;
        }
    return { busy, others, marked, height, room: height - 6 };
  });
  const tall = await columns(page, canvas, 'kind-h2d');
  sameColumns(filled(tall), filled(wanted.busy), 'uploads');
  const clear = filled(wanted.busy).filter((x) => !wanted.others[x] && wanted.busy[x] > 0.05);
  assert.ok(clear.length >= 5);
  for (const x of clear) near(tall[x], Math.max(1, (wanted.busy[x] * wanted.room) / 2), `the height of column ${x}`, 2);
  const rows = [wanted.height - 4, wanted.height];
  sameColumns(filled(await columns(page, canvas, 'hot', rows)), filled(wanted.marked), 'the finding');
  assert.equal((await extent(page, canvas, 'hot'))[0] > 0, true);
  await page.click('#finding-0');
  await frame(page);
  assert.equal((await extent(page, canvas, 'hot'))[0], Infinity, 'nothing is chosen');
});

for (const name of ['lines', 'contents', 'callsites'])
  check(`the bar of where the run went is as wide as its shares: ${name}`, name, {}, async (page) => {
    const [parts, widths, whole] = await page.evaluate(() => [
      window.xferspy.run.report.where.parts.filter((part) => part.percent),
      [...document.querySelectorAll('.where-bar > *')].map((element) => element.getBoundingClientRect().width),
      document.querySelector('.where-bar').getBoundingClientRect().width,
    ]);
    const all = parts.reduce((sum, part) => sum + part.percent, 0);
    assert.ok(parts.length >= 3 && widths.length === parts.length);
    parts.forEach((part, i) => near(widths[i], (part.percent / all) * whole, part.label, 1));
  });

// Where the chart itself has the part of the chosen finding that is in view, and what is drawn in its colour.
async function findingAsDrawn(page, what) {
  const [from, to, ends] = await page.evaluate(() => {
    const { timeline } = window.xferspy.open.get('findings');
    const { run, lanes, chart } = timeline;
    const x = (time) => chart.instance.convertToPixel({ gridIndex: 0 }, [time, 0])[0];
    const edges = [lanes.left(), lanes.place.clientWidth - 14];
    let found = [Infinity, -Infinity];
    for (const lane of run.lanes)
      for (let i = 0; i < lane.size; i++) {
        if (!run.marked[lanes.finding].has(lane.base + i)) continue;
        const [start, end] = [x(lane.start[i]), x(lane.end[i])];
        if (end >= edges[0] && start <= edges[1]) found = [Math.min(found[0], start), Math.max(found[1], end)];
      }
    return [...found, edges];
  });
  const [left, right] = await extent(page, '.timeline canvas', 'hot');
  if (from > to) assert.equal(left, Infinity, `${what}: nothing is marked`);
  else {
    near(left, Math.max(from, ends[0]), `${what}: the first`, 4);
    near(right, Math.min(to, ends[1]), `${what}: the last`, 4);
  }
  return [left, right];
}

check('what is zoomed and moved is drawn there', 'lines', { whole: true }, async (page) => {
  await frame(page);
  const whole = await findingAsDrawn(page, 'the whole run');
  const step = async (what, action) => {
    await action();
    await frame(page);
    return findingAsDrawn(page, what);
  };
  const press = (key) => () => page.keyboard.press(key);
  const closer = await step('zoomed in', () => page.click('button[aria-label="Zoom in"]'));
  assert.ok(closer[1] - closer[0] > (whole[1] - whole[0]) * 1.2, 'wider than before');
  const moved = await step('moved', () => page.click('button[aria-label="Pan left"]'));
  assert.ok(moved[0] > closer[0] + 100, 'what is to the left comes into view');
  await page.focus('.timeline-region');
  const back = await step('moved by a key', press('ArrowRight'));
  assert.ok(back[0] < moved[0]);
  await step('zoomed by a key', press('+'));
  await step('at the beginning', press('Home'));
  await step('at the end', press('End'));
  const canvas = await page.$('.timeline canvas');
  await canvas.evaluate((element) => element.scrollIntoView({ block: 'center' }));
  const box = await canvas.boundingBox();
  await page.mouse.move(box.x + 500, box.y + 40);
  await step('dragged', async () => {
    await page.mouse.down();
    await page.mouse.move(box.x + 700, box.y + 40, { steps: 3 });
    await page.mouse.up();
  });
  await step('by the wheel', async () => {
    await page.keyboard.down('Control');
    await page.mouse.wheel(0, 100);
    await page.keyboard.up('Control');
  });
  await page.focus('.timeline-region');
  const fitted = await step('the finding', press('f'));
  const ends = await page.evaluate(() => document.querySelector('.timeline').clientWidth - 14);
  assert.ok(fitted[0] > 150 && fitted[1] < ends, `its first and last transfer are in view: ${fitted}`);
  assert.deepEqual(await step('all again', press('0')), whole);
});

check('what is hidden is not drawn', 'lines', { whole: true }, async (page) => {
  await frame(page);
  const canvas = '.timeline canvas';
  const labels = () =>
    page.evaluate(() =>
      window.xferspy.open
        .get('findings')
        .timeline.chart.instance.getZr()
        .storage.getDisplayList()
        .filter((of) => of.type === 'tspan' && !/[µm]?s$/.test(of.style.text))
        .map((of) => of.style.text),
    );
  assert.ok((await extent(page, canvas, 'hot'))[0] < Infinity);
  assert.ok((await labels()).some((label) => /stream/.test(label)));
  const high = (await (await page.$(canvas)).boundingBox()).height;
  await page.uncheck('label:has-text("Streams") input');
  await frame(page);
  assert.ok(!(await labels()).some((label) => /stream/.test(label)), 'no lane of a stream');
  near((await (await page.$(canvas)).boundingBox()).height, high - 22, 'and its room is gone', 1);
  await page.uncheck('label:has-text("upload (H2D)") input');
  await frame(page);
  assert.equal((await extent(page, canvas, 'hot'))[0], Infinity, 'the finding is of uploads');
  await page.check('label:has-text("upload (H2D)") input');
  await frame(page);
  await findingAsDrawn(page, 'shown again');
});

check('colours that change while a chart is hidden', 'lines', { whole: true }, async (page) => {
  await frame(page);
  await page.click('#tab-run');
  await page.selectOption('#theme', 'dark');
  await page.click('#tab-findings');
  await frame(page);
  await findingAsDrawn(page, 'dark');
});

// How many of the rows of pixels in the lower third of what one sees have something in them: a row of one colour from
// edge to edge, but for the lines of frames, is empty.
async function emptyRows(page) {
  const picture = (await page.screenshot()).toString('base64');
  const other = await page.context().newPage();
  try {
    return await other.evaluate(async (data) => {
      const image = new Image();
      image.src = `data:image/png;base64,${data}`;
      await image.decode();
      const { width, height } = image;
      const context = Object.assign(document.createElement('canvas'), { width, height }).getContext('2d');
      context.drawImage(image, 0, 0);
      const top = Math.round((height * 2) / 3);
      const { data: pixels } = context.getImageData(0, top, width, height - top);
      let empty = 0;
      let longest = 0;
      for (let y = 0; y < height - top; y++) {
        const colours = new Map();
        for (let x = 0; x < width; x++) {
          const i = (y * width + x) * 4;
          const key = `${pixels[i]} ${pixels[i + 1]} ${pixels[i + 2]}`;
          colours.set(key, (colours.get(key) ?? 0) + 1);
        }
        const [ground, panel] = [...colours.values()].sort((a, b) => b - a);
        empty = width - ground - (panel ?? 0) < 12 ? empty + 1 : 0; // the two are there beside a panel
        longest = Math.max(longest, empty);
      }
      return { longest, rows: height - top };
    }, picture);
  } finally {
    await other.close();
  }
}

for (const name of ['lines', 'contents', 'causes', 'callsites', 'old', 'simulated', 'killed', 'both'])
  for (const width of [1600, 900])
    check(
      `the lower third is not empty, ${width} wide: ${name}`,
      name,
      { viewport: { width, height: 900 } },
      async (page) => {
        await frame(page);
        await frame(page);
        const { longest, rows } = await emptyRows(page);
        assert.equal(rows, 300);
        assert.ok(longest < 60, `${longest} rows in a row are empty`);
      },
    );

check('a run without findings says so, and the lower third shows the lanes', 'nothing', {}, async (page) => {
  await frame(page);
  assert.match((await texts(page, '.lead'))[0], /^Wasted: n/);
  const { top, bottom } = await page.$eval('section[aria-label="Timeline"]', (of) =>
    of.getBoundingClientRect().toJSON(),
  );
  assert.ok(top < 600 && bottom > 300, `the timeline is at ${top} to ${bottom}`);
});
