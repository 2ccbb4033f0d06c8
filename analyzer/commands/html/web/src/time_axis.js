// The axis of time under a chart that shows the view, and what of the view the chart has nothing for.
import { axis, colour, rectangle } from './chart.js';
import * as f from './format.js';

export const RIGHT = 14; // free at the right of the chart

// The grid and the axis, as options of the chart. They are exactly where the two numbers say, whatever a label needs:
// the strip above has the same ends.
export const timeAxis = (view, left, top) => ({
  grid: { left, right: RIGHT, top, bottom: 26, outerBoundsMode: 'none' },
  // Only the axis's two ends zoom: a zoom of the chart's own on top of them would zoom twice.
  xAxis: axis({
    type: 'value',
    min: view.range[0],
    max: view.range[1],
    axisLabel: {
      formatter: (value) => f.moment(value, view.span),
      hideOverlap: true,
      // the ends are no round numbers; the title has them
      showMinLabel: false,
      showMaxLabel: false,
    },
  }),
});

// What of the view is before `first` or after `last`.
export function outsideOf(view, first, last) {
  const [from, to] = view.range;
  return [
    [from, Math.min(first, to)],
    [Math.max(last, from), to],
  ].filter(([start, end]) => end - start > 1);
}

// A renderItem for a part of the time, from the top to the bottom.
const shade = (name) => (params, api) => {
  const { x, y, width, height } = params.coordSys;
  const [x0, x1] = [0, 1].map((i) => api.coord([api.value(i), 0])[0]);
  const shape = rectangle({ x: x0, y, width: x1 - x0, height }, { x, y, width, height });
  return shape && { type: 'rect', shape, style: { fill: colour(name) } };
};
export const drawOutside = shade('outside');
export const drawGap = shade('select');
