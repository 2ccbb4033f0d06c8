// What the timeline shows, read from the page, for the tests that look at it.
import assert from 'node:assert/strict';

export const timeline = (page) =>
  page.$eval('section[aria-label="Timeline"]', (element) => ({
    from: +element.dataset.from,
    to: +element.dataset.to,
    drawn: +element.dataset.drawn,
    hot: +element.dataset.hot,
  }));

// How many pixels of the timeline's canvas have the colour that marks a finding.
export const markedPixels = (page) =>
  page.evaluate(() => {
    const probe = document.createElement('canvas').getContext('2d');
    probe.fillStyle = getComputedStyle(document.documentElement).getPropertyValue('--hot').trim();
    probe.fillRect(0, 0, 1, 1);
    const hot = probe.getImageData(0, 0, 1, 1).data;
    const canvas = document.querySelector('.timeline canvas');
    const copy = Object.assign(document.createElement('canvas'), {
      width: canvas.width,
      height: canvas.height,
    }).getContext('2d', { willReadFrequently: true });
    copy.drawImage(canvas, 0, 0);
    const { data } = copy.getImageData(0, 0, canvas.width, canvas.height);
    let count = 0;
    for (let i = 0; i < data.length; i += 4)
      if (Math.abs(data[i] - hot[0]) < 24 && Math.abs(data[i + 1] - hot[1]) < 24 && Math.abs(data[i + 2] - hot[2]) < 24)
        count++;
    return count;
  });

// What the timeline's chart drew: the two ends of its axis, and the axis's labels; and which part the strip above
// shows.
export const drawn = (page) =>
  page.evaluate(() => {
    const { timeline } = window.xferspy.open.get('findings');
    const { instance } = timeline.chart;
    const width = document.querySelector('.timeline').clientWidth;
    const ends = [timeline.lanes.left(), width - 14];
    const strip = document.querySelector('.minimap canvas').getBoundingClientRect();
    const view = document.querySelector('.minimap-view').getBoundingClientRect();
    const { first, last } = timeline.run;
    return {
      axis: ends.map((x) => instance.convertFromPixel({ gridIndex: 0 }, [x, 0])[0]),
      ends,
      labels: instance
        .getZr()
        .storage.getDisplayList()
        .filter((of) => of.type === 'tspan' && /[µm]?s$/.test(of.style.text))
        .map((of) => of.style.text),
      strip: [view.left, view.right].map((x) => first + ((x - strip.left) / strip.width) * (last - first)),
      title: document.getElementById('where').textContent,
      pixel: (last - first) / strip.width,
    };
  });

// The lanes' own segments of a finding, also those that were not checked: the first's begin and the last's end, and
// where the chart draws them.
export const segments = (page, finding) =>
  page.evaluate((index) => {
    const { timeline } = window.xferspy.open.get('findings');
    const ends = [Infinity, -Infinity];
    for (const lane of timeline.run.lanes)
      for (let i = 0; i < lane.size; i++)
        if (timeline.run.marked[index].has(lane.base + i) || timeline.run.unchecked[index].has(lane.base + i)) {
          ends[0] = Math.min(ends[0], lane.start[i]);
          ends[1] = Math.max(ends[1], lane.end[i]);
        }
    return ends.map((time) => timeline.chart.instance.convertToPixel({ gridIndex: 0 }, [time, 0])[0]);
  }, finding);

export function agrees({ axis, strip, title, pixel, labels }, { from, to }, what) {
  const near = (a, b, by) => Math.abs(a - b) <= by;
  const span = to - from;
  assert.ok(near(axis[0], from, span / 500) && near(axis[1], to, span / 500), `${what}: the axis, ${axis}`);
  assert.ok(near(strip[0], from, 3 * pixel) && near(strip[1], to, 3 * pixel), `${what}: the strip, ${strip}`);
  const [ms, until] = title.replaceAll('\u00a0ms', '').split(' – ').map(Number);
  assert.ok(near(ms * 1e6, from, span / 20) && near(until * 1e6, to, span / 20), `${what}: the title, ${title}`);
  assert.ok(labels.length >= 2, `${what}: labels, ${labels}`);
  assert.equal(new Set(labels).size, labels.length, `${what}: no label twice, ${labels}`);
}
