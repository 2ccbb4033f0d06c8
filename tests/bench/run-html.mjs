// When a browser has painted a page: node run-html.mjs CHROMIUM FILE. A new browser each time, so that nothing is
// cached.
import { chromium } from 'playwright-core';

const [, , executablePath, file] = process.argv;
const times = [];
for (let i = 0; i < 5; i++) {
  const browser = await chromium.launch({ executablePath, args: ['--no-sandbox'] });
  const page = await browser.newPage({ viewport: { width: 1280, height: 900 } });
  await page.goto(`file://${file}`);
  await page.waitForSelector('html[data-ready="true"] .timeline canvas');
  times.push(
    await page.evaluate(
      () =>
        new Promise((done) =>
          requestAnimationFrame(() =>
            done([performance.getEntriesByName('first-contentful-paint')[0].startTime, performance.now()]),
          ),
        ),
    ),
  );
  await browser.close();
}
const median = (which) => times.map((time) => time[which]).sort((a, b) => a - b)[2];
console.log(` ${(median(0) / 1000).toFixed(2)} s | ${(median(1) / 1000).toFixed(2)} s |`);
