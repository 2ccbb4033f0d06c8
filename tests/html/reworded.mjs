// The page shows sentences of the report and reads nothing out of them: with every sentence another one, what it shows
// beside them is the same.
import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { check, folder, openedAnew, texts } from './browser.mjs';

// A sentence has the key `text`, `headline`, or one that ends in `_text` or `_texts`.
const isSentence = (key) => /^(text|headline)$|_texts?$/.test(key);
const OTHER = 'other words; 1 = 1';

function reworded(value, key = '') {
  if (Array.isArray(value)) {
    // the page's headline: the name of a finding is between two parts of the sentence
    if (key === 'headline' && value.length > 1) return [OTHER, value[1], OTHER];
    return value.map((item) => reworded(item, key));
  }
  if (value && typeof value === 'object')
    return Object.fromEntries(Object.entries(value).map(([name, of]) => [name, reworded(of, name)]));
  return typeof value === 'string' && isSentence(key) ? OTHER : value;
}

function rewordedPage(name) {
  const html = readFileSync(join(folder, `${name}.html`), 'utf8');
  const [whole, before, data, behind] = html.match(/(id="document">)(.*?)(<\/script>)/s);
  const other = JSON.stringify(reworded(JSON.parse(data))).replaceAll('<', '\\u003c');
  assert.notEqual(other, data);
  const path = join(folder, `${name}.reworded.html`);
  writeFileSync(path, html.replace(whole, () => before + other + behind));
  return pathToFileURL(path).href;
}

// What the page shows of numbers, names and choices.
async function shown(page) {
  const classes = await page.$$eval('.figures [class], .tried', (list) => list.map((of) => of.className));
  const said = [];
  for (const selector of ['.figure dt', '.figure:nth-child(2)', '.findings .name', '.findings .gain', '.lead button'])
    said.push(await texts(page, selector));
  await page.click('#tab-sites');
  said.push(await texts(page, '#panel-sites .keys'));
  await page.click('#tab-findings');
  return { classes, said };
}

for (const trace of ['tried', 'tried_some', 'lines', 'causes', 'nothing', 'half'])
  check(`nothing is read out of the sentences of ${trace}`, trace, {}, async (page, said, requests) => {
    const before = await shown(page);
    const seen = requests.length;
    await openedAnew(page, rewordedPage(trace));
    requests.length = seen; // the other page is no request of this one
    assert.deepEqual(await shown(page), before);
    const [name] = await texts(page, '.lead button');
    if (!name) return;
    await page.click('.lead button');
    assert.equal(await page.textContent('.detail .title'), name, 'the link leads to the finding');
  });
