// A picture of a page's first screen: node picture.mjs CHROMIUM PAGE PNG. For scripts/update-picture.
import { chromium } from 'playwright-core';

const [, , executablePath, page, path] = process.argv;
const browser = await chromium.launch({ executablePath, args: ['--no-sandbox', '--disable-gpu'] });
const context = await browser.newContext({
  viewport: { width: 1280, height: 800 },
  colorScheme: 'light',
  reducedMotion: 'reduce',
});
const view = await context.newPage();
await view.goto(`file://${page}`);
await view.waitForSelector('html[data-ready="true"]');
await view.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));
await view.screenshot({ path });
await browser.close();
