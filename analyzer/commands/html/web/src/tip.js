// A tooltip of what is drawn on a canvas. It is always inside the window, also where the canvas is not.
import { fill, h } from './dom.js';

const EDGE = 4; // free between a tooltip and the window's edge

// Where the upper left corner of a tooltip is for a place in the window: below the place and to its right, but above it
// or to its left where there is no room.
export function placeOf(x, y, width, height) {
  const { clientWidth, clientHeight } = document.documentElement;
  const within = (at, most) => Math.max(EDGE, Math.min(at, most - EDGE));
  const left = x + 14 + width > clientWidth - EDGE && x - 14 - width > EDGE ? x - 14 - width : x + 14;
  const top = y + 24 + height > clientHeight - EDGE && y - 8 - height > EDGE ? y - 8 - height : y + 24;
  return [within(left, clientWidth - width), within(top, clientHeight - height)];
}

export class Tip {
  // `owner`: the element to which the places of `show` are relative.
  constructor(owner) {
    this.owner = owner;
    this.element = h('div', { class: 'tip', hidden: true });
    this.hide = () => (this.element.hidden = true);
    addEventListener('scroll', this.hide, { capture: true, passive: true }); // what it is about moves away below it
  }

  show(content, x, y) {
    this.element.hidden = false;
    fill(this.element, content);
    this.element.style.left = '0'; // what is at the right edge has no room, and would be narrower than it may be
    const { left, top } = this.owner.getBoundingClientRect();
    const { offsetWidth, offsetHeight } = this.element;
    const at = placeOf(left + x, top + y, offsetWidth, offsetHeight);
    [this.element.style.left, this.element.style.top] = at.map((value) => `${value}px`);
  }

  dispose() {
    removeEventListener('scroll', this.hide, { capture: true });
  }
}
