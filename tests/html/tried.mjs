// What `xferspy try` measured, as the page shows it. page.sh has put a result beside the trace.
import assert from 'node:assert/strict';
import { check, frame, json, texts } from './browser.mjs';

for (const colorScheme of ['light', 'dark'])
  for (const width of [1600, 900])
    check(
      `tried figures, ${colorScheme}, ${width} wide`,
      'tried',
      { colorScheme, viewport: { width, height: 900 } },
      async (page) => {
        await frame(page);
        const [report] = json('tried').traces;
        assert.deepEqual(
          report.tried.map(({ finding, delta_ns: ns }) => [finding, ns]),
          [
            ['noop-upload', -101e6],
            ['scalar-readback', 2e6],
            [null, -103e6],
          ],
          'the trace has what page.sh wrote',
        );
        const figure = await page.$eval('.figure:has(dt:text-is("All repairs tried"))', (of) => of.textContent);
        assert.equal(
          figure.replaceAll('\u00a0', ' '),
          'All repairs triedsaves 103 ms (96.0 ms to 110 ms) of 300 ms, 9 runs each, output the same',
        );
        const said = 'saves 101 ms (98.0 ms to 104 ms) of 300 ms, 9 runs each, output the same but for 2 lines that vary';
        assert.deepEqual(await texts(page, '#finding-0 .tried'), [`tried: ${said}`]);
        const fact = (name) =>
          page.evaluate(
            (wanted) =>
              [...document.querySelectorAll('.facts dt')]
                .find((of) => of.textContent === wanted)
                ?.nextElementSibling.textContent.replaceAll('\u00a0', ' ') ?? null,
            name,
          );
        assert.equal(await fact('Tried'), said);
        const other = report.findings.findIndex(({ name }) => name === 'scalar-readback');
        assert.ok(other > 0);
        await page.click(`#finding-${other}`);
        const slower = 'slower by 2.00 ms (1.00 ms to 3.00 ms) of 300 ms, 9 runs each, OUTPUT DIFFERS';
        assert.equal(await fact('Tried'), slower);
        assert.equal((await page.$$('.tried.worse')).length, 1, 'a changed output is marked in the list');
        const over = await page.$$eval('header, .figure, .findings, .detail', (list) =>
          list.map((of) => of.scrollWidth - of.clientWidth),
        );
        assert.ok(over.length > 5 && over.every((pixels) => pixels <= 0), `${over} pixels too wide`);
      },
    );

check('a try of some causes names them', 'tried_some', {}, async (page) => {
  assert.deepEqual(await texts(page, '.figure:has(dt:text-is("All repairs tried"))'), []);
  const [figure] = await texts(page, '.figure:has(dt:text-is("Not all repairs tried"))');
  assert.match(figure, /^Not all repairs triedsaves 103 ms .*, output the same; only causes 1 and 2 were tried$/);
});

check('without a try nothing is said of one', 'contents', {}, async (page) => {
  const said = await texts(page, '.figures, .findings, .facts');
  assert.equal(said.length, 3);
  assert.ok(!/tried/i.test(said.join()));
});

check('what was measured is data, and not only a sentence', 'tried_some', {}, async () => {
  const [{ tried }] = json('tried_all').traces;
  assert.deepEqual(
    tried.map((item) => [item.finding, item.result, item.output, item.before_ns, item.runs, item.varying_lines]),
    [
      ['noop-upload', 'faster', 'same', 300e6, 9, 2],
      ['scalar-readback', 'slower', 'differs', 300e6, 9, 0],
      ['one-run', 'faster', 'same', 9995e6, 1, 0],
      ['no-change', 'cannot-tell', 'same', 999400, 9, 1],
      ['ends', 'slower', 'ends-otherwise', 130e9, 9, 0],
      ['varies', 'faster', 'not-compared', 300e6, 9, 0],
      ['all-lines-vary', 'faster', 'not-compared', 300e6, 9, 12],
      ['partly', 'faster', 'same', 300e6, 9, 0],
      [null, 'faster', 'same', 300e6, 9, 0],
    ],
  );
  assert.deepEqual(
    tried.filter((item) => item.is_partly).map((item) => item.finding),
    ['partly'],
  );
  const together = tried[tried.length - 1];
  assert.deepEqual([together.causes, together.causes_tried, together.only_causes], [9, 8, null]);
  const some = json('tried_some').traces[0].tried.find((item) => item.finding === null);
  assert.deepEqual([some.causes, some.causes_tried, some.only_causes], [2, 2, [1, 2]]);
});
