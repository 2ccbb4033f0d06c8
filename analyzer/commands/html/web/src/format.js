// Numbers as people read them, the same as in the report. A number and its unit stay on one line.

const three = (value) => (value >= 100 ? value.toFixed(0) : value >= 10 ? value.toFixed(1) : value.toFixed(2));

// A name as one word for a shell, as the other commands print it (schema/shell_word.h).
export function shellWord(name) {
  return /^[\w./:,+@%=\-\u0080-\uffff]+$/.test(name) ? name : `'${name.replaceAll("'", "'\\''")}'`;
}

export function ns(value) {
  if (value === null || value === undefined) return '';
  const sign = value < 0 ? '−' : '';
  const v = Math.abs(value);
  if (v < 999.5) return `${sign}${Math.round(v)}\u00a0ns`;
  if (v < 999.5e3) return `${sign}${three(v / 1e3)}\u00a0µs`;
  if (v < 999.5e6) return `${sign}${three(v / 1e6)}\u00a0ms`;
  if (v < 120e9) return `${sign}${three(v / 1e9)}\u00a0s`;
  return `${sign}${Math.floor(v / 60e9)}\u00a0min\u00a0${Math.round((v % 60e9) / 1e9)}\u00a0s`;
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

export const count = (value) => value.toLocaleString('en-US');

// How the trace of a run ended.
export const status = (run) => (run.snapshot ? 'copied while the program ran' : run.status);

// Whether a part of a run was recorded: shares are of its `recorded_ns`.
export const inPart = (run) => run.recorded_ns < run.duration_ns;

export function share(part, whole) {
  if (!whole) return '';
  const percent = (part / whole) * 100;
  if (percent > 0 && percent < 0.1) return '<0.1\u00a0%';
  return `${percent < 10 ? percent.toFixed(1) : percent.toFixed(0)}\u00a0%`;
}

// The program's texts are ASCII.
export const minus = (text) => text.replaceAll('->', '→').replace(/(^|[ (])-(?=\d)/g, '$1−');
export const units = (text) =>
  text?.replace(/(\d) us\b/g, '$1 µs').replace(/(\d) (?=%|(?:[nµm]?s|min|B|[KMGTPE]iB)\b)/g, '$1\u00a0') ?? '';

export const times = (value, one, several) => `${count(value)} ${value === 1 ? one : several}`;

export function signed(value, format) {
  if (!value) return '0';
  return `${value > 0 ? '+' : '−'}${format(Math.abs(value))}`;
}

export const date = (unixNs) =>
  unixNs > 0 ? `${new Date(unixNs / 1e6).toISOString().slice(0, 19).replace('T', ' ')} UTC` : '';
