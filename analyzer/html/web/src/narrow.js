// What the tabs are narrowed to: the call sites below a frame of the flame graph. One for each run that is shown.
import { remember, stateOf } from './state.js';

// The frame that a link names.
export const narrowing = () => stateOf('site');

export class Narrow {
  // `changed` is called after each change.
  constructor(changed) {
    Object.assign(this, { changed, current: null });
  }

  // { key, name, sites: the indexes of the call sites below it }
  to(current) {
    this.current = current;
    remember({ site: current ? current.key : null });
    this.changed();
  }

  clear() {
    if (this.current) this.to(null);
    else remember({ site: null });
  }

  has(site) {
    return !this.current || this.current.sites.has(site);
  }
}
