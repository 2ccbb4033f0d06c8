// Tables: a click on the head of a column orders the rows, everywhere.
import assert from 'node:assert/strict';
import { check, tabs } from './browser.mjs';

// Each cell of a column as a number, by its text alone: "1.20 ms", "8.00 MiB", "1,500".
function valueOf(text) {
  const quantity = /([−-]?)([\d.,]+) ?(ns|µs|ms|s\b|[KMG]iB|[kMG]?B\/s|B)?/;
  const [, sign, digits, unit] = text.replaceAll('\u00a0', ' ').match(quantity) ?? [];
  if (digits === undefined) return -Infinity;
  const sizes = { ns: 1, µs: 1e3, ms: 1e6, s: 1e9, min: 6e10, B: 1, KiB: 2 ** 10, MiB: 2 ** 20, GiB: 2 ** 30 };
  const rates = { 'B/s': 1, 'kB/s': 1e3, 'MB/s': 1e6, 'GB/s': 1e9 };
  return (sign ? -1 : 1) * Number(digits.replaceAll(',', '')) * (sizes[unit] ?? rates[unit] ?? 1);
}

for (const name of ['guide', 'both', 'callsites'])
  check(`every table can be ordered by each of its columns: ${name}`, name, {}, async (page) => {
    let [tables, ordered] = [0, 0];
    for (const tab of await tabs(page)) {
      await page.click(`#${tab}`);
      for (const summary of await page.$$('main details.alternative:not([open]) > summary'))
        if (await summary.isVisible()) await summary.click();
      for (const table of await page.$$('main table')) {
        const rows = async () =>
          table.$$eval('tbody tr', (list) => list.map((row) => [...row.cells].map((cell) => cell.textContent)));
        if (!(await table.isVisible()) || (await rows()).length < 2) continue;
        tables++;
        const caption = await table.$eval('caption', (element) => element.textContent);
        const heads = await table.$$eval('thead th', (list) => list.map((head) => head.className.includes('number')));
        const before = await rows();
        for (const [i, number] of heads.entries()) {
          const head = () => table.$(`thead th:nth-child(${i + 1}) button`);
          assert.ok(await head(), `${caption}: column ${i + 1} has a button`);
          // The mouse presses one button of each table, because it waits for frames.
          const press = async () => {
            if (!i) return (await head()).click();
            return (await head()).evaluate((button) => {
              button.focus();
              button.click();
            });
          };
          await press();
          const first = await rows();
          const sort = await table.$eval(`thead th:nth-child(${i + 1})`, (th) => th.getAttribute('aria-sort'));
          assert.equal(sort, number ? 'descending' : 'ascending', `${caption}: column ${i + 1}`);
          assert.ok(await (await head()).evaluate((of) => of === document.activeElement), 'the focus stays there');
          assert.deepEqual([...first].sort(), [...before].sort(), `${caption}: the same rows`);
          await press();
          const turned = await rows();
          const last = await table.$('tr.total'); // stays at the end
          const values = (list) => list.slice(0, last ? -1 : undefined).map((row) => valueOf(row[i]));
          if (last) assert.deepEqual(turned.at(-1), before.at(-1), `${caption}: the total stays at the end`);
          if (!number || caption.includes('before and after') || caption === 'Waits') continue; // more than a number
          ordered++;
          const down = [...values(first)].sort((a, b) => b - a);
          assert.deepEqual(values(first), down, `${caption}, column ${i + 1}: from the largest on`);
          assert.deepEqual(values(turned), [...down].reverse(), `${caption}, column ${i + 1}: turned around`);
        }
      }
    }
    assert.ok(tables >= 5 && ordered >= 10, `${tables} tables, ${ordered} columns of numbers`);
  });

check('an order stays when the table is made anew', 'guide', {}, async (page) => {
  await page.click('summary:has-text("segments in view")');
  const head = '.alternative[open] thead th:has-text("Took")';
  await page.click(`${head} button`);
  const sizes = () =>
    page.$$eval('.alternative[open] tbody tr', (list) => list.map((row) => row.cells[4].textContent));
  const before = await sizes();
  await page.click('section[aria-label="Timeline"] button[aria-label="Pan right"]');
  await page.waitForFunction((old) => {
    const now = [...document.querySelectorAll('.alternative[open] tbody tr')].map((row) => row.cells[4].textContent);
    return now.join() !== old;
  }, before.join());
  assert.equal(await page.getAttribute(head, 'aria-sort'), 'descending');
  const now = (await sizes()).map(valueOf);
  assert.deepEqual(now, [...now].sort((a, b) => b - a));
});
