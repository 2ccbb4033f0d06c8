// The list of causes and the findings beneath them, with their evidence.
import assert from 'node:assert/strict';
import { check, frame, json, named, tabs, texts } from './browser.mjs';
import { plain, selected, unfold } from './findings_list.mjs';
import { markedPixels } from './timeline_view.mjs';

check("the numbers are the report's", 'lines', {}, async (page) => {
  const [report] = json('lines').traces;
  assert.equal(await page.$('.simulated'), null, 'measured on a real GPU');
  assert.equal(report.causes.length, 2);
  assert.deepEqual(await texts(page, '.findings .name'), [
    named(report)[0].findings[0].name,
    '1 smaller cause',
  ]);
  assert.deepEqual(await texts(page, '.findings .gain'), ['saves up to 522 ms', '212 µs together']);
  assert.match(
    (await texts(page, '.figures'))[0],
    /All repaired savesup to 522 ms \(5\.57 ms or more\); 1\.58 s would become 1\.06 s \(−33 %\)/,
  );
  assert.match(
    await page.textContent('.figures'),
    new RegExp(`Transfers${report.transfers.total.count.toLocaleString('en-US')} `),
  );
  assert.deepEqual(await selected(page), ['finding-0'], 'the first cause is chosen when the page opens');
  const detail = (await texts(page, '.detail'))[0];
  const least = (report.findings[0].saves.least_ns / 1e6).toPrecision(3);
  assert.ok(detail.includes(`Savesup to 522 ms, 33 % of the run (${least} ms or more)`), 'what it saves');
  assert.ok(detail.includes(plain(report.findings[0].remedy)), 'the remedy');
  assert.ok(detail.includes('in cupy.asarray; before each upload CuPy probably copies'), 'what the framework did');
  assert.deepEqual(
    await texts(page, '.detail .remedy code'),
    report.findings[0].remedy.match(/(?<=`)[^`]+(?=`)/g).filter((of, i) => i % 2 === 0),
    'code of the remedy is code',
  );
  const parts = report.where.parts.filter((part) => part.percent);
  assert.deepEqual(
    await texts(page, '.where .key'),
    parts.map((part) => `${part.label} ${part.percent} %`),
    'where the run went, in the order of the bar',
  );
  const colours = (selector) =>
    page.$$eval(selector, (list) => list.map((element) => getComputedStyle(element).backgroundColor));
  assert.deepEqual(await colours('.where .swatch'), await colours('.where-bar > *'), 'the key has the colours');
  assert.ok(detail.includes('wasteful.py:13'), 'the line');
  assert.ok(detail.includes('Called from'), 'the stack');
  assert.ok((await page.$$('.detail tbody tr')).length >= 4, 'evidence rows');
  const licences = await page.textContent('footer pre');
  for (const holder of ['The Apache Software Foundation', 'Mike Bostock', 'Baidu', 'Microsoft'])
    assert.match(licences, new RegExp(`Copyright [^\\n]*${holder}`));
});

check('causes: five by name, with what they save, where, and what to do', 'causes', {}, async (page) => {
  const [report] = json('causes').traces;
  const first = named(report);
  assert.equal(first.length, 5);
  assert.equal(report.causes.length, 7);
  const rows = await page.$$eval('.findings [role=treeitem]', (list) =>
    list.map((item) => [...item.children].map((cell) => cell.textContent.replaceAll('\u00a0', ' '))),
  );
  assert.equal(rows.length, 7); // smaller causes and advice are a row each
  first.forEach((cause, i) => {
    const [rank, name, saves, where, share, remedy] = rows[i];
    const [{ title, name: rule }] = cause.findings;
    const said = `${title[0].toUpperCase()}${title.slice(1)} ${rule}`;
    assert.deepEqual([rank, name, remedy], [String(cause.rank), said, plain(cause.remedy)]);
    assert.equal(saves, `saves ${cause.saves.up_to ? 'up to ' : ''}${(cause.saves.most_ns / 1e6).toPrecision(3)} ms`);
    assert.equal(where, `app/causes.py:${cause.call_site.line} in steps`);
    assert.match(share, /^\d\.\d % of the run$/);
  });
  assert.deepEqual(await texts(page, '.findings .badge'), ['checked 19 of 39'], 'only what was not looked at in full');
  const detail = (await texts(page, '.detail'))[0];
  for (const part of [
    'checked 19 of 39 19 of the 19 checked are such copies. ',
    'Of all 39, about 39 are (95 % interval: 35 to 39). ',
    ' ms of what is saved is of copies that were not checked.',
  ])
    assert.ok(detail.includes(part), part);
  const rest = report.causes.slice(5).reduce((sum, cause) => sum + cause.saves.most_ns, 0);
  assert.deepEqual(
    rows[5].slice(1),
    ['2 smaller causes', `${(rest / 1e6).toPrecision(3)} ms together`],
    'the rest, with its sum',
  );
  await page.click('#group-smaller');
  assert.deepEqual(
    (await texts(page, '.findings .level-2 .name')).slice(-2),
    report.causes.slice(5).map((cause) => cause.findings[0].name),
  );
  assert.deepEqual(await selected(page), ['finding-0'], 'unfolding chooses nothing');
  await page.click('#group-smaller');
  assert.equal((await page.$$('.findings [role=treeitem]')).length, 7);
});

check("causes: a cause's other findings", 'causes', {}, async (page) => {
  const [report] = json('causes').traces;
  const [, other] = report.causes[0].findings;
  const row = `#finding-${other.rank - 1}`;
  assert.equal(await page.$(row), null, 'folded');
  assert.equal(await page.getAttribute('#finding-0', 'aria-expanded'), 'false');
  assert.deepEqual((await texts(page, '#finding-0 .words'))[0], '1 other finding of this cause');
  await page.click('#finding-0 .twist');
  assert.equal(await page.getAttribute('#finding-0', 'aria-expanded'), 'true');
  assert.deepEqual(await selected(page), ['finding-0'], 'unfolding chooses nothing else');
  assert.ok((await page.textContent(row)).includes(other.name));
  await page.click('#finding-0 .twist');
  assert.equal(await page.$(row), null, 'folded again');
  const beneath = (await texts(page, '.detail .instead'))[0];
  assert.equal(beneath, `${other.name} saves 24.9 ms: ${plain(other.remedy)}`, 'what to do in its place');
  await page.click(`.detail .instead button`);
  assert.deepEqual(await selected(page), [row.slice(1)], 'unfolded where it is');
  assert.equal(await page.textContent('.detail .title'), other.name);
  assert.match((await texts(page, '.detail'))[0], /It is a part of cause 1, noop-upload\./);
  await page.click('.detail .note .link');
  assert.deepEqual(await selected(page), ['finding-0']);
  await page.fill('input[type=search]', other.name);
  assert.deepEqual(await texts(page, '.findings .name'), ['noop-upload', other.name], 'a filter unfolds');
});

for (const width of [1366, 1560])
  check(`a finding's page beside its evidence, ${width} wide`, 'lines', { viewport: { width, height: 900 } }, async (page) => {
    const guide = (await texts(page, '.guide'))[0];
    assert.ok(guide.includes('What it looks like') && guide.includes('The repair'), guide);
    assert.equal((await texts(page, '.guide pre')).length, 2, 'code before and after');
    assert.ok(!/\]\(|\*\*|`/.test(guide), 'no Markdown is left');
    const tops = await page.$$eval('.beside > *', (list) => list.map((element) => element.getBoundingClientRect().top));
    assert.ok(tops.length === 2 && tops[0] === tops[1], 'beside');
    const [shown, all] = await page.$eval('.beside .scroll', (of) => [of.clientWidth, of.scrollWidth]);
    assert.ok(all <= shown, `the evidence takes ${all} of ${shown} pixels`);
  });

check("a finding's page below its evidence where there is no room", 'lines', {}, async (page) => {
  assert.ok(!(await page.isVisible('.guide pre')));
  await page.click('.guide summary');
  assert.ok(await page.isVisible('.guide pre'));
});

check('more causes and findings than the page has the evidence of', 'more', {}, async (page) => {
  const [report] = json('more').traces;
  const first = named(report);
  const rest = report.causes.slice(first.length);
  assert.ok(first.length === 5 && rest.length > 200);
  const ns = rest.reduce((sum, cause) => sum + cause.saves.most_ns, 0);
  assert.deepEqual(
    [(await texts(page, '.findings .name')).at(-1), (await texts(page, '.findings .gain')).at(-1)],
    [`${rest.length} smaller causes`, `${(ns / 1e6).toPrecision(3)} ms together`],
    'the sum is of all',
  );
  assert.match(await page.textContent('.foot'), new RegExp(`evidence of ${report.findings.length - 200} findings`));
  await page.click('#finding-0 .twist');
  const [, other] = report.causes[0].findings;
  assert.ok(other.rank > 200);
  await page.click(`#finding-${other.rank - 1}`);
  assert.match(await page.textContent('.detail'), new RegExp(`xferspy explain more\\.db ${other.rank}`));
  await frame(page);
  assert.equal(await markedPixels(page), 0);
});

// One vocabulary: "saves", "saves up to", "checked N of M". Names of findings are what `explain` takes.
const OTHER_WORDS = /gives? back|given back|at most|upper bound|(?<!\/)\blikely\b|(?<!making )\bsure\b/i;

for (const name of ['lines', 'causes', 'both', 'simulated', 'callsites']) {
  check(`words: ${name}`, name, {}, async (page) => {
    for (const tab of await tabs(page)) {
      await page.click(`#${tab}`);
      if (await page.isVisible('.findings')) await unfold(page);
      for (const summary of await page.$$('main details:not([open]) > summary'))
        if (await summary.isVisible()) await summary.click();
      await frame(page);
      const said = await page.evaluate(() =>
        [...document.querySelectorAll('header, nav, main, main *')].flatMap((element) => [
          ...[...element.childNodes].filter((node) => node.nodeType === 3).map((node) => node.data),
          element.getAttribute('aria-label') ?? '',
          element.getAttribute('title') ?? '',
        ]),
      );
      assert.ok(said.join(' ').length > 200);
      assert.deepEqual(
        said.filter((text) => OTHER_WORDS.test(text)),
        [],
        tab,
      );
    }
  });
}

for (const name of ['lines', 'contents', 'callsites'])
  for (const width of [1600, 900])
    check(`a finding at length, ${width} wide: ${name}`, name, { viewport: { width, height: 900 } }, async (page) => {
      const parts = '.detail .scroll, .guide pre, .findings, .figures, .lead, .tools';
      if (await page.isVisible('.guide:not([open]) > summary')) await page.click('.guide > summary');
      const over = await page.$$eval(parts, (list) =>
        list.map((of) => [of.className || of.tagName, of.scrollWidth - of.clientWidth]),
      );
      assert.ok(over.length > 4);
      assert.deepEqual(
        over.filter(([, pixels]) => pixels > 0),
        [],
        'pixels too wide',
      );
    });
