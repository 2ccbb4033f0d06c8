// Traces that lack something, and hostile ones.
import assert from 'node:assert/strict';
import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { check, folder, frame, tabs } from './browser.mjs';
import { unfold } from './findings_list.mjs';

check('nothing of a hostile trace is markup', 'hostile', {}, async (page) => {
  for (const tab of await tabs(page)) {
    await page.click(`#${tab}`);
    for (const summary of await page.$$('main details:not([open]) > summary'))
      if (await summary.isVisible()) await summary.click();
    await frame(page);
  }
  await page.click('#tab-findings');
  await unfold(page);
  const box = await (await page.$('.timeline canvas')).boundingBox();
  for (let x = 160; x < box.width; x += 60) await page.mouse.move(box.x + x, box.y + 16);
  assert.equal(await page.evaluate(() => window.pwned), undefined);
  assert.equal(await page.evaluate(() => document.querySelectorAll('img, iframe, object, [onerror]').length), 0);
  assert.equal(await page.evaluate(() => document.scripts.length), 3);
  assert.ok((await page.textContent('main')).includes('</script><script>window.pwned=1'), 'it is shown as text');
  const text = readFileSync(join(folder, 'hostile.html'), 'utf8');
  const [, data] = text.split('id="document">');
  const inside = data.slice(0, data.indexOf('</script>'));
  assert.ok(!/[<>&\u2028\u2029\u202e\u001b]/.test(inside), 'nothing in the document could end it');
  assert.ok(!inside.includes('A\\u003cA'.repeat(2000)), 'texts are bounded');
  assert.ok(statSync(join(folder, 'hostile.html')).size < 2 * 2 ** 20);
  assert.ok(
    await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth),
    'long texts do not widen the page',
  );
});

check('two hostile traces', 'hostile_both', {}, async (page) => {
  assert.equal(await page.evaluate(() => window.pwned), undefined);
  assert.ok((await page.$$('section[aria-label="By finding"] tbody tr')).length > 1);
});

check("the policy stops what is not the page's own", 'lines', {}, async (page, said, requests) => {
  const outcome = await page.evaluate(async () => {
    const violations = [];
    document.addEventListener('securitypolicyviolation', (event) => violations.push(event.effectiveDirective));
    const script = document.createElement('script');
    script.textContent = 'window.pwned = 1';
    document.body.append(script);
    const image = document.createElement('img');
    image.src = 'data:image/gif;base64,R0lGODlhAQABAAAAACwAAAAAAQABAAA=';
    document.body.append(image);
    const fetched = await fetch('http://127.0.0.1:9/').then(
      () => 'sent',
      () => 'refused',
    );
    await new Promise((done) => setTimeout(done, 50));
    return { pwned: window.pwned, fetched, violations: [...new Set(violations)].sort() };
  });
  assert.equal(outcome.pwned, undefined);
  assert.equal(outcome.fetched, 'refused');
  assert.deepEqual(outcome.violations, ['connect-src', 'img-src', 'script-src-elem']);
  said.length = 0; // the browser reports each of the three
  assert.ok(!requests.some((url) => url.startsWith('http')), 'nothing went out');
  requests.length = 1; // the data: URL is none that could
});

check('a trace without transfers', 'empty', {}, async (page) => {
  assert.match(await page.textContent('.lead'), /^Wasted: nothing: no transfer ran/);
  assert.match(await page.textContent('.findings'), /^No findings\./);
  assert.match(await page.textContent('.figures'), /Copying on the deviceno copies/);
  for (const tab of await tabs(page)) await page.click(`#${tab}`);
});

check('a trace in which nothing was found says what was looked at', 'nothing', {}, async (page) => {
  const text = await page.textContent('.findings');
  assert.match(text, /^No findings\.Looked at: \d+ transfers? \(.+\) and \d+ allocations?\./);
  assert.match(text, /Device times known: \d+ of \d+ transfers?\./);
  assert.doesNotMatch(await page.textContent('.list .tools'), /\d/);
  assert.equal(await page.textContent('.detail'), 'Nothing was found whose repair would save time.');
});

check('of a part of a run shares are of the time recorded', 'half', {}, async (page) => {
  assert.match(await page.textContent('.lead'), /16\.3\sms of the 100\sms recorded \(16\s%\), of a run of 200\sms/);
  assert.match(await page.textContent('.figures'), /Run200\sms 100\sms of it recorded/);
  assert.match(await page.textContent('.figures'), /8\.2\s% of the time recorded/);
  assert.match(await page.textContent('.unknown'), /^Looked at 100\sms of 200\sms/);
  assert.match(await page.textContent('.findings'), /9\.1\s% of the time recorded/);
  await page.click('#tab-run');
  assert.match(await page.textContent('#panel-run'), /Of recorded/);
  assert.match(await page.textContent('#panel-run'), /100\sms of it, in parts: shares are of that time/);
});

check('a repaired run says so', 'repaired', {}, async (page) => {
  assert.match(await page.textContent('.unknown'), /^Recorded with repairs \(XFERSPY_REPAIR\): drop-uploads/);
  assert.match(await page.textContent('.lead'), /counting calls that repairs left out or changed/);
});

check('a trace without device times', 'without_cupti', {}, async (page) => {
  assert.match(await page.textContent('.figures'), /no device times/);
  await page.click('#tab-bandwidth');
  assert.match(await page.textContent('#panel-bandwidth'), /The trace has no device times/);
  for (const tab of await tabs(page)) await page.click(`#${tab}`);
  assert.match(await page.textContent('#panel-run'), /another subscriber holds CUPTI/);
});

check('a trace without contents and call sites', 'old', {}, async (page) => {
  for (const tab of await tabs(page)) await page.click(`#${tab}`);
  assert.match(await page.textContent('#panel-sites'), /driver’s entry points/);
  assert.match(await page.textContent('#panel-run'), /Contents.*known of 0 of 600 uploads and downloads/s);
});

check("a killed program's trace", 'killed', {}, async (page) => {
  for (const tab of await tabs(page)) await page.click(`#${tab}`);
});

check('a simulated GPU says so', 'simulated', {}, async (page) => {
  assert.ok(await page.isVisible('.simulated'));
  assert.match(await page.textContent('.simulated'), /SIMULATED .* no time on this page is a measurement/);
});

check('what could not be checked is not called nothing', 'unchecked', {}, async (page) => {
  const head = await page.textContent('.figures');
  assert.match(head, /All repaired saves\s*not known/);
  assert.match(await page.textContent('.unknown'), /^10 downloads .* could not be checked: xferspy run --finger/);
  assert.match(await page.textContent('.detail'), /^Nothing was found among what was checked/);
});

check('where all was checked, nothing is nothing', 'nothing', {}, async (page) => {
  assert.match(await page.textContent('.figures'), /All repaired saves\s*nothing/);
  assert.equal(await page.$('.unknown'), null);
});
