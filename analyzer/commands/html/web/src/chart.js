// Apache ECharts with the parts that the page uses, and the colours of the page's theme for what is drawn on a canvas.
import * as core from 'echarts/core';
import { CustomChart, LineChart, ScatterChart } from 'echarts/charts';
import { GridComponent, TooltipComponent } from 'echarts/components';
import { CanvasRenderer } from 'echarts/renderers';
import { h, reducedMotion } from './dom.js';
import { placeOf } from './tip.js';

core.use([
  CustomChart,
  LineChart,
  ScatterChart,
  GridComponent,
  TooltipComponent,
  CanvasRenderer,
]);

export function colour(name) {
  return getComputedStyle(document.documentElement).getPropertyValue(`--${name}`).trim();
}

// The tooltip of the chart in `element`.
export function tooltip(element, make) {
  return {
    trigger: 'item',
    confine: false,
    position: ([x, y], params, content, rectangle, { contentSize: [width, height] }) => {
      const { left, top } = element.getBoundingClientRect();
      const [toX, toY] = placeOf(left + x, top + y, width, height);
      return [toX - left, toY - top];
    },
    enterable: false,
    transitionDuration: 0,
    backgroundColor: colour('raised'),
    borderColor: colour('line-strong'),
    borderWidth: 1,
    padding: [6, 9],
    textStyle: { color: colour('text'), fontSize: 12 },
    formatter: (item) => make(item) ?? '',
  };
}

// The content of a tooltip: a title and pairs of name and value.
export function card(title, pairs) {
  const shown = pairs.filter((p) => p && p[1] !== '' && p[1] !== null && p[1] !== undefined);
  const list = h('dl', {}, shown.map(([name, value]) => [h('dt', {}, name), h('dd', {}, value)]));
  return h('div', { class: 'card' }, h('strong', {}, title), list);
}

export function axis({ axisLabel, ...others } = {}) {
  return {
    axisLine: { lineStyle: { color: colour('line-strong') } },
    axisTick: { lineStyle: { color: colour('line-strong') } },
    axisLabel: { color: colour('dim'), fontSize: 11, ...axisLabel },
    splitLine: { show: true, lineStyle: { color: colour('line') } },
    nameTextStyle: { color: colour('dim'), fontSize: 11 },
    ...others,
  };
}

// A series that `draw`, a renderItem, draws. A silent one has no tooltips.
export const custom = (id, draw, encode, data, silent = false) => ({
  id,
  type: 'custom',
  clip: true,
  silent,
  renderItem: draw,
  encode,
  data,
});

export const base = () => ({
  animation: !reducedMotion(),
  animationDuration: 150,
  animationDurationUpdate: 150,
  backgroundColor: 'transparent',
  textStyle: { fontFamily: 'system-ui, sans-serif', color: colour('text') },
});

// A chart that is made when its place is first seen, follows its size and is drawn again when the theme changes.
const charts = new Set();
export class Chart {
  constructor(element, option, prepare) {
    Object.assign(this, { element, option, prepare, instance: null, stale: false });
    charts.add(this);
    this.observer = new ResizeObserver(() => this.fit());
    this.observer.observe(element);
  }

  fit() {
    if (!this.element.clientWidth || !this.element.clientHeight) return;
    if (!this.instance) {
      this.instance = core.init(this.element, null, { renderer: 'canvas' });
      this.draw();
      this.prepare?.(this.instance);
      return;
    }
    if (
      this.instance.getWidth() === this.element.clientWidth &&
      this.instance.getHeight() === this.element.clientHeight
    ) {
      if (this.stale) this.draw();
      return;
    }
    this.instance.resize();
    this.resized?.();
  }

  // What is hidden has no size to draw for: it is drawn when it is shown.
  draw() {
    this.stale = !this.element.clientWidth;
    if (!this.stale) this.instance?.setOption(this.option(), { notMerge: true, lazyUpdate: false });
  }

  dispose() {
    charts.delete(this);
    this.observer.disconnect();
    this.instance?.dispose();
    this.instance = null;
  }
}

export function redrawAll() {
  for (const chart of charts) chart.draw();
}
// What else is drawn in the theme's colours; it needs `draw` and is taken out by what this returns.
export function redrawn(chart) {
  charts.add(chart);
  return () => charts.delete(chart);
}

export const rectangle = core.graphic.clipRectByRect;
