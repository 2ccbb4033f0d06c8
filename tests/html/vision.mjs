// How colours differ for people with normal and with other colour vision: CIEDE2000 between colours as they are seen
// with deuteranopia, protanopia and tritanopia (Machado, Oliveira and Fernandes 2009, severity 1), and the contrast of
// WCAG 2. A colour is [red, green, blue], each from 0 to 255.
const VISIONS = {
  normal: [1, 0, 0, 0, 1, 0, 0, 0, 1],
  deuteranopia: [0.367322, 0.860646, -0.227968, 0.280085, 0.672501, 0.047413, -0.01182, 0.04294, 0.968881],
  protanopia: [0.152286, 1.052583, -0.204868, 0.114503, 0.786281, 0.099216, -0.003882, -0.048116, 1.051998],
  tritanopia: [1.255528, -0.076749, -0.178779, -0.078411, 0.930809, 0.147602, 0.004733, 0.691367, 0.3039],
};
export const visions = Object.keys(VISIONS);

const clip = (value) => Math.min(1, Math.max(0, value));
const linear = (value) => (value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4);
const times = (m, [a, b, c]) => [0, 3, 6].map((row) => m[row] * a + m[row + 1] * b + m[row + 2] * c);

// A colour as linear light, seen with one of the visions.
const seen = (colour, vision) => times(VISIONS[vision], colour.map((value) => linear(value / 255))).map(clip);

// CIE L*a*b* for the white of sRGB.
function lab(light) {
  const xyz = times(
    [0.4124564, 0.3575761, 0.1804375, 0.2126729, 0.7151522, 0.072175, 0.0193339, 0.119192, 0.9503041],
    light,
  );
  const [x, y, z] = xyz
    .map((value, i) => value / [0.95047, 1, 1.08883][i])
    .map((value) => (value > 216 / 24389 ? Math.cbrt(value) : ((24389 / 27) * value + 16) / 116));
  return [116 * y - 16, 500 * (x - y), 200 * (y - z)];
}

const degrees = (radians) => (radians * 180) / Math.PI;
const cos = (angle) => Math.cos((angle * Math.PI) / 180);
const sin = (angle) => Math.sin((angle * Math.PI) / 180);

// CIEDE2000 (Sharma, Wu and Dalal 2005) of two colours in L*a*b*.
export function ciede2000([l1, a1, b1], [l2, a2, b2]) {
  const seventh = (value) => Math.sqrt(value ** 7 / (value ** 7 + 25 ** 7));
  const g = 0.5 * (1 - seventh((Math.hypot(a1, b1) + Math.hypot(a2, b2)) / 2));
  const polar = (a, b) => [Math.hypot(a * (1 + g), b), (degrees(Math.atan2(b, a * (1 + g))) + 360) % 360];
  const [[c1, h1], [c2, h2]] = [polar(a1, b1), polar(a2, b2)];
  const grey = c1 * c2 === 0;
  const turn = grey ? 0 : ((h2 - h1 + 540) % 360) - 180;
  const [l, c] = [(l1 + l2) / 2, (c1 + c2) / 2];
  const h = grey ? h1 + h2 : (h1 + turn / 2 + 360) % 360;
  const t = 1 - 0.17 * cos(h - 30) + 0.24 * cos(2 * h) + 0.32 * cos(3 * h + 6) - 0.2 * cos(4 * h - 63);
  const light = (l2 - l1) / (1 + (0.015 * (l - 50) ** 2) / Math.sqrt(20 + (l - 50) ** 2));
  const chroma = (c2 - c1) / (1 + 0.045 * c);
  const hue = (2 * Math.sqrt(c1 * c2) * sin(turn / 2)) / (1 + 0.015 * c * t);
  const turned = -2 * seventh(c) * sin(60 * Math.exp(-(((h - 275) / 25) ** 2)));
  return Math.sqrt(light ** 2 + chroma ** 2 + hue ** 2 + turned * chroma * hue);
}

// How much two colours differ with one of the visions.
export const difference = (a, b, vision) => ciede2000(lab(seen(a, vision)), lab(seen(b, vision)));

export function contrast(a, b) {
  const [bright, dark] = [a, b]
    .map((colour) => lab(seen(colour, 'normal'))[0])
    .map((l) => (l > 8 ? ((l + 16) / 116) ** 3 : (l * 27) / 24389))
    .sort((x, y) => y - x);
  return (bright + 0.05) / (dark + 0.05);
}
