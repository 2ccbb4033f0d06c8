// Everybody can use the page: by keyboard alone, in each of its colours, on a narrow screen.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { check, frame, tabs } from './browser.mjs';
import { selected, unfold } from './findings_list.mjs';

check('the keyboard alone', 'lines', {}, async (page) => {
  await page.keyboard.press('Tab');
  assert.equal(await page.evaluate(() => document.activeElement.className), 'skip');
  const seen = new Set();
  for (let i = 0; i < 60; i++) {
    await page.keyboard.press('Tab');
    const [key, visible] = await page.evaluate(() => {
      const element = document.activeElement;
      const style = getComputedStyle(element);
      return [
        element.id || element.className || element.getAttribute('aria-label') || element.tagName,
        element === document.body || (style.outlineStyle !== 'none' && parseFloat(style.outlineWidth) >= 2),
      ];
    });
    assert.ok(visible, `the focus shows on ${key}`);
    if (key === 'BODY') break; // once around
    seen.add(key);
  }
  for (const wanted of ['tab-findings', 'findings', 'timeline-region', 'theme'])
    assert.ok(seen.has(wanted), `${wanted} can be reached`);
  await page.focus('.findings');
  assert.equal(await page.getAttribute('.findings', 'aria-activedescendant'), 'finding-0');
  const after = async (...keys) => {
    for (const key of keys) await page.keyboard.press(key);
    return page.getAttribute('.findings', 'aria-activedescendant');
  };
  assert.equal(await after('ArrowDown'), 'group-smaller');
  assert.match(await page.textContent('.detail'), /^Choose a cause/);
  assert.equal(await after('ArrowRight', 'ArrowDown'), 'finding-1');
  assert.equal(await page.getAttribute('#finding-1', 'aria-selected'), 'true');
  assert.equal(await after('ArrowLeft'), 'group-smaller');
  assert.equal(await after('ArrowLeft'), 'group-smaller');
  assert.equal(await page.$('#finding-1'), null, 'folded');
  assert.equal(await after('Enter', 'End'), 'finding-1');
  assert.equal(await after('Home'), 'finding-0');
  assert.equal(await after('Escape'), null);
  assert.deepEqual(await selected(page), []);
  await page.focus('#tab-findings');
  await page.keyboard.press('ArrowRight');
  assert.equal(await page.evaluate(() => document.activeElement.id), 'tab-idle');
  assert.ok(await page.isVisible('#panel-idle'));
  await page.keyboard.press('End');
  assert.ok(await page.isVisible('#panel-run'));
});

const axe = readFileSync(new URL('./node_modules/axe-core/axe.min.js', import.meta.url), 'utf8');

// WCAG 2.1 AA as far as axe can tell, contrast included, with every tab open and a finding chosen. Dark differs in its
// colours alone. axe takes long over what is hidden, so each tab is looked at by itself, and the rest with the first.
const levels = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa'];

for (const [name, scheme, width, rules] of [
  ['callsites', 'light', 1280, levels],
  ['causes', 'light', 1280, levels],
  ['callsites', 'dark', 1280, ['color-contrast']],
  ['both', 'dark', 1280, levels],
  ['simulated', 'light', 390, levels],
]) {
  check(
    `accessible: ${name}, ${scheme}, ${width} wide`,
    name,
    { colorScheme: scheme, viewport: { width, height: 850 } },
    async (page) => {
      assert.equal(await page.evaluate(() => getComputedStyle(document.documentElement).colorScheme), scheme);
      await page.evaluate(axe);
      const all = await tabs(page);
      for (const tab of name === 'both' ? all.slice(0, 1) : all) {
        await page.click(`#${tab}`);
        if (tab === 'tab-findings') await unfold(page);
        for (const summary of await page.$$('main details:not([open]) > summary'))
          if (await summary.isVisible()) await summary.click();
        const { violations, passes } = await page.evaluate(
          ([panel, runOnly]) =>
            window.axe.run(panel ? { include: [panel] } : document, {
              runOnly,
              preload: false,
              resultTypes: ['violations', 'passes'],
            }),
          [tab === all[0] ? null : `#panel-${tab.slice(4)}`, rules],
        );
        assert.deepEqual(
          violations.map(
            (v) =>
              `${v.id}: ${v.nodes
                .slice(0, 3)
                .map((node) => `${node.target} ${node.failureSummary}`)
                .join(' | ')}`,
          ),
          [],
          tab,
        );
        assert.ok(
          passes.some((rule) => rule.id === 'color-contrast'),
          `axe saw nothing in ${tab}`,
        );
      }
    },
  );
}

check('the switch of colours', 'lines', { colorScheme: 'light' }, async (page) => {
  const ground = () => page.evaluate(() => getComputedStyle(document.body).backgroundColor);
  const light = await ground();
  await page.selectOption('#theme', 'dark');
  const dark = await ground();
  assert.notEqual(dark, light);
  await page.selectOption('#theme', 'light');
  assert.equal(await ground(), light);
  await page.emulateMedia({ colorScheme: 'dark' });
  assert.equal(await ground(), light, 'the choice counts, not the system');
  await page.selectOption('#theme', '');
  assert.equal(await ground(), dark);
});

check(
  'nothing sticks out at 390 wide',
  'both',
  { viewport: { width: 390, height: 844 }, hasTouch: true },
  async (page) => {
    for (const tab of await tabs(page)) {
      await page.click(`#${tab}`);
      await frame(page);
      assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth), tab);
    }
  },
);
