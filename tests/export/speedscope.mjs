// speedscope.mjs CHROMIUM FOLDER "TRACE..." TRACE...: the schema for all, speedscope itself for those of the third
// argument.
import fs from 'node:fs';
import path from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import Ajv from 'ajv';
import { chromium } from 'playwright-core';

const [executablePath, folder, openedNames, ...traces] = process.argv.slice(2);
const opened = openedNames.split(' ');
const release = path.join(path.dirname(fileURLToPath(import.meta.url)), 'node_modules/speedscope/dist/release');
const schema = JSON.parse(fs.readFileSync(path.join(release, 'file-format-schema.json'), 'utf8'));
const validate = new Ajv({ strict: false }).compile(schema);
const fail = (...what) => {
  console.error('speedscope.mjs:', ...what);
  process.exit(1);
};

const browser = await chromium.launch({
  executablePath,
  headless: true,
  args: ['--no-sandbox', '--allow-file-access-from-files'],
});

// Opens a file as speedscope's own command line does. Returns what its toolbar says: the profile's name, or why there
// is none.
async function open(file) {
  const page = await browser.newPage();
  const errors = [];
  page.on('pageerror', (error) => errors.push(error.message));
  const said = [];
  page.on('console', (message) => said.push(`${message.type()}: ${message.text()}`.slice(0, 300)));
  page.on('dialog', (dialog) => (errors.push(dialog.message()), dialog.dismiss()));
  const script = `${file}.js`;
  const name = path.basename(file);
  const base64 = fs.readFileSync(file).toString('base64');
  fs.writeFileSync(script, `speedscope.loadFileFromBase64(${JSON.stringify(name)}, ${JSON.stringify(base64)})`);
  await page.goto(`${pathToFileURL(path.join(release, 'index.html'))}#localProfilePath=${script}`);
  const done = page.waitForFunction(
    () =>
      (/Time Order/.test(document.body.innerText) && !/Loading/.test(document.body.innerText)) ||
      /Something went wrong/.test(document.body.innerText),
    null,
    { timeout: 300000 },
  );
  await done.catch(() => errors.push('nothing shown: ' + name));
  const text = await page.evaluate(() => document.body.innerText);
  await page.close();
  if (/Something went wrong/.test(text) || said.some((s) => s.startsWith('error'))) errors.push(...said);
  return { text, errors };
}

if (!opened.every((trace) => traces.includes(trace))) fail('not among the traces:', opened);
const names = new Map();
for (const trace of traces) {
  const own = path.join(folder, `${trace}.speedscope.json`);
  const profile = JSON.parse(fs.readFileSync(own, 'utf8'));
  if (!validate(profile)) fail(own, JSON.stringify(validate.errors.slice(0, 3)));
  const frames = profile.shared.frames.length;
  for (const p of profile.profiles) {
    const sum = p.weights.reduce((a, b) => a + b, 0);
    if (p.samples.length !== p.weights.length || p.samples.some((s) => s.some((f) => f >= frames)))
      fail(own, 'samples and weights of', p.name);
    if (trace !== 'damaged' && sum !== p.endValue)
      fail(own, 'the weights of', p.name, 'add up to', sum, 'not', p.endValue);
  }
  names.set(trace, profile.profiles[0].name);
}
await Promise.all(
  opened.map(async (trace) => {
    const own = path.join(folder, `${trace}.speedscope.json`);
    const shown = await open(own);
    if (shown.errors.length || !shown.text.includes(names.get(trace)))
      fail(own, shown.errors, shown.text.slice(0, 300));
  }),
);
await browser.close();
console.log(`${traces.length} traces`);
