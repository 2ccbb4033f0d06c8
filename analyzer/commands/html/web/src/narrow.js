// What the tabs are narrowed to: the call sites below a frame of the flame graph of the run that is shown, and below
// the frames of the same names in the other run, if there are two.
import { remember, stateOf } from './state.js';

// The frame that a link names.
export const narrowing = () => stateOf('site');

export class Narrow {
  // `changed` is called after each change.
  constructor(changed) {
    Object.assign(this, { changed, current: null });
  }

  // { key, name, sites: by run the indexes of the call sites below it }
  to(current) {
    this.current = current;
    remember({ site: current ? current.key : null });
    this.changed();
  }

  clear() {
    if (this.current) this.to(null);
    else remember({ site: null });
  }

  // For one run: `current` as above, and whether a call site is among those that are left.
  of(run) {
    const narrow = this;
    return {
      get current() {
        return narrow.current;
      },
      has: (site) => !narrow.current || Boolean(narrow.current.sites.get(run)?.has(site)),
    };
  }
}
