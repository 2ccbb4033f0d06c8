// What is selected, in the fragment of the page's address, so that a link shows what one saw: the view, the finding,
// the frame, the buffer, the part of the timeline, the searches, and what is hidden. A key that is not there is as the
// page opens.
const WAIT_MS = 100; // browsers refuse a page that changes its address all the time

let pending = 0;
let state = {};

export function readState() {
  state = Object.fromEntries(new URLSearchParams(location.hash.slice(1)));
  return state;
}

// All of it, as `remember` takes it.
export const wholeState = () => ({ ...state });

export const stateOf = (key) => state[key] ?? null;

export function numberOf(key) {
  const value = Number(state[key] ?? NaN);
  return Number.isFinite(value) ? value : null;
}

// Names with commas between them, as a set.
export const namesOf = (key) => new Set((state[key] ?? '').split(',').filter(Boolean));

// null takes a key away.
export function remember(changes) {
  for (const [key, value] of Object.entries(changes)) {
    if (value === null || value === undefined) delete state[key];
    else state[key] = String(value);
  }
  if (pending) return;
  pending = setTimeout(() => {
    pending = 0;
    const text = new URLSearchParams(state).toString();
    history.replaceState(null, '', text ? `#${text}` : `${location.pathname}${location.search}`);
  }, WAIT_MS);
}

// Somebody put another link into the address.
export function onLink(action) {
  addEventListener('hashchange', () => {
    readState();
    action();
  });
}
