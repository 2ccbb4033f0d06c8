// The page as a person meets it, in a real browser: node page.mjs CHROMIUM FOLDER. page.sh has made the pages.
import { runAll } from './browser.mjs';

import './accessible.mjs';
import './both.mjs';
import './causes.mjs';
import './colours.mjs';
import './drawn.mjs';
import './idle.mjs';
import './inside.mjs';
import './linked.mjs';
import './opening.mjs';
import './reworded.mjs';
import './sites.mjs';
import './tables.mjs';
import './timeline.mjs';
import './tried.mjs';
import './unusual.mjs';

await runAll();
