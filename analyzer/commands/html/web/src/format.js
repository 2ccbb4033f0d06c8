// Numbers as people read them, the same as in the report. A number and its unit stay on one line.

// Rounds as printf does: what is in the middle goes to the even digit.
function fixed(value, digits) {
  const scaled = value * 10 ** digits;
  const isMiddle = scaled % 1 === 0.5 && Number.isInteger(value * 2 ** (digits + 1)); // that is, exactly
  return (isMiddle ? (2 * Math.round(scaled / 2)) / 10 ** digits : value).toFixed(digits);
}

// Three digits, and `more`.
export const three = (value, more = 0) => fixed(value, (value < 9.995 ? 2 : value < 99.95 ? 1 : 0) + more);

// A name as one word for a shell, as the other commands print it (schema/shell_word.h).
export function shellWord(name) {
  return /^[\w./:,+@%=\-\u0080-\uffff]+$/.test(name) ? name : `'${name.replaceAll("'", "'\\''")}'`;
}

export function ns(value, more = 0) {
  if (value === null || value === undefined) return '';
  const sign = value < 0 ? '−' : '';
  const v = Math.abs(value);
  if (v < 999.5) return `${sign}${Math.round(v)}\u00a0ns`;
  if (v < 120e9) {
    let unit = 0;
    let of = v;
    for (; of >= 999.5 && unit < 3; unit++) of /= 1000;
    return `${sign}${three(of, more)}\u00a0${['ns', 'µs', 'ms', 's'][unit]}`;
  }
  const s = Math.round(v / 1e9);
  const two = (part) => String(part).padStart(2, '0');
  return s < 3600
    ? `${sign}${Math.floor(s / 60)}\u00a0min\u00a0${two(s % 60)}\u00a0s`
    : `${sign}${Math.floor(s / 3600)}\u00a0h\u00a0${two(Math.floor(s / 60) % 60)}\u00a0min`;
}

// Two times with as many digits as tell them apart.
export function twoNs(a, b) {
  let more = 0;
  while (more < 3 && a !== b && ns(a, more) === ns(b, more)) more++;
  return [ns(a, more), ns(b, more)];
}

// A moment, as exactly as a span of this length shows it.
export function moment(value, span) {
  const [unit, size] = span < 2e4 ? ['µs', 1e3] : span < 2e9 ? ['ms', 1e6] : ['s', 1e9];
  const digits = Math.max(0, Math.min(6, Math.ceil(-Math.log10(span / size / 20))));
  const text = (value / size).toFixed(digits);
  return `${Number(text) ? text.replace('-', '−') : text.replace('-', '')}\u00a0${unit}`;
}

export function bytes(value) {
  const units = ['B', 'KiB', 'MiB', 'GiB', 'TiB', 'PiB', 'EiB'];
  let unit = 0;
  let v = Math.abs(value);
  while (v >= 1023.5 && unit < units.length - 1) {
    v /= 1024;
    unit++;
  }
  return `${value < 0 ? '−' : ''}${unit ? three(v) : Math.round(v)}\u00a0${units[unit]}`;
}

export function rate(value) {
  // bytes a second
  const units = ['B/s', 'kB/s', 'MB/s', 'GB/s', 'TB/s'];
  let unit = 0;
  let v = value;
  while (v >= 999.5 && unit < units.length - 1) {
    v /= 1000;
    unit++;
  }
  return `${three(v)}\u00a0${units[unit]}`;
}

// What a text as of the functions above says, to order such texts: the first number in it, in the smallest unit. A text
// without a number comes below all numbers.
export function quantity(text) {
  const found = text.match(/([−-]?)([\d.,]+)\s*(ns|µs|ms|min|s|h|[KMGTPE]iB|[kMGT]?B\/s|B)?(?![a-z])/);
  if (!found) return -Infinity;
  const [, sign, digits, unit] = found;
  const power = (letters, base) => base ** (letters.indexOf(unit[0]) + 1);
  const sizes = { ns: 1, µs: 1e3, ms: 1e6, s: 1e9, min: 60e9, h: 3600e9 };
  const size = !unit ? 1 : (sizes[unit] ?? (unit.endsWith('iB') ? power('KMGTPE', 1024) : power('kMGT', 1000)));
  // the rest of "2 min 05 s"
  const rest = unit === 'min' || unit === 'h' ? quantity(text.slice(found.index + found[0].length)) : 0;
  return (sign ? -1 : 1) * (Number(digits.replaceAll(',', '')) * size + Math.max(0, rest));
}

export const count = (value) => value.toLocaleString('en-US');

// How the trace of a run ended.
export const status = (run) => (run.snapshot ? 'copied while the program ran' : run.status);

// Whether a part of a run was recorded: shares are of its `recorded_ns`.
export const inPart = (run) => run.recorded_ns < run.duration_ns;

export function share(part, whole) {
  if (!whole) return '';
  const percent = (part / whole) * 100;
  if (percent > 0 && percent < 0.1) return '<0.1\u00a0%';
  if (percent >= 99999.5) return '>99999\u00a0%';
  return `${fixed(percent, percent < 9.95 ? 1 : 0)}\u00a0%`;
}

// What a repair saves at most, and "up to" where that is a range.
export const most = (saves) => `${saves.up_to ? 'up to ' : ''}${ns(saves.most_ns)}`;

// "(147 ms or more)": what it saves at least, where that is worth saying beside the most.
export function orMore(saves) {
  const { least_ns: least, most_ns: of } = saves;
  return saves.up_to && least && least >= Math.trunc(of / 100) ? `(${ns(least)} or more)` : '';
}

// The program's texts are ASCII.
export const minus = (text) => text.replaceAll('->', '→').replace(/(^|[ (])-(?=\d)/g, '$1−');
export const units = (text) =>
  text?.replace(/(\d) us\b/g, '$1 µs').replace(/(\d) (?=%|(?:[nµm]?s|min|B|[KMGTPE]iB)\b)/g, '$1\u00a0') ?? '';

// A text with a capital at its beginning.
export const sentence = (text) => `${text.slice(0, 1).toUpperCase()}${text.slice(1)}`;

export const times = (value, one, several) => `${count(value)} ${value === 1 ? one : several}`;

export function signed(value, format) {
  if (!value) return '0';
  return `${value > 0 ? '+' : '−'}${format(Math.abs(value))}`;
}

export const date = (unixNs) =>
  unixNs > 0 ? `${new Date(unixNs / 1e6).toISOString().slice(0, 19).replace('T', ' ')} UTC` : '';
