// The page as a person meets it, in a real browser: node page.mjs CHROMIUM FOLDER. page.sh has made the pages.
import { runAll } from './browser.mjs';

import './accessible.mjs';
import './both.mjs';
import './causes.mjs';
import './drawn.mjs';
import './idle.mjs';
import './linked.mjs';
import './reworded.mjs';
import './sites.mjs';
import './timeline.mjs';
import './tried.mjs';
import './unusual.mjs';

await runAll();
