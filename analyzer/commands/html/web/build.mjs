// Bundles the page: node build.mjs FOLDER, where FOLDER/node_modules has the modules of package-lock.json. Writes
// FOLDER/head.html and FOLDER/tail.html; the trace's document goes between them. The same sources give the same bytes.
import { createHash } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { guides } from './guides.mjs';

const folder = resolve(process.argv[2]);
const here = dirname(fileURLToPath(import.meta.url));
const modules = join(folder, 'node_modules');
const esbuild = createRequire(join(folder, 'package.json'))('esbuild');

async function bundle(entry) {
  const result = await esbuild.build({
    entryPoints: [join(here, 'src', entry)],
    absWorkingDir: here,
    nodePaths: [modules],
    bundle: true,
    minify: true,
    write: false,
    format: 'iife',
    target: ['chrome100', 'firefox100', 'safari15.4'],
    define: {
      'process.env.NODE_ENV': '"production"',
      XFERSPY_GUIDES: JSON.stringify(guides(join(here, '../../../../docs/rules/findings'))),
    },
    legalComments: 'none', // all licences are in the page at full length instead
    charset: 'ascii',
  });
  return result.outputFiles[0].text.trim();
}

// Nothing of a library may end the element that it stands in.
const inScript = (text) => text.replace(/<\/(script)/gi, '<\\/$1').replace(/<!--/g, '<\\!--');
const hash = (text) => `'sha256-${createHash('sha256').update(text).digest('base64')}'`;

const script = inScript(await bundle('main.js'));
const style = await bundle('style.css');
const notices = ['echarts', 'zrender', 'tslib']
  .map((name) => {
    const read = (file) => readFileSync(join(modules, name, file), 'utf8').trim();
    const { version } = JSON.parse(read('package.json'));
    const licence = {
      echarts: ['NOTICE', 'LICENSE', 'licenses/LICENSE-d3'],
      zrender: ['LICENSE'],
      tslib: ['LICENSE.txt'],
    }[name];
    return `${name} ${version}\n\n${licence.map(read).join('\n\n')}`;
  })
  .join('\n\n\n');
if (/<\/script|<!--/i.test(notices)) throw new Error('a licence text would end its element');

// Scripts and styles by hash alone; nothing is fetched, sent, framed or submitted.
const policy = `default-src 'none'; script-src ${hash(script)}; style-src ${hash(style)}; base-uri 'none'; form-action 'none'`;
const fill = { policy, style, script, notices };
const page = readFileSync(join(here, 'src', 'page.html'), 'utf8').replace(
  /\{\{(\w+)\}\}/g,
  (all, name) => fill[name] ?? all,
);
const [head, tail] = page.split('{{document}}');
if (tail === undefined) throw new Error('page.html has no place for the document');
writeFileSync(join(folder, 'head.html'), head);
writeFileSync(join(folder, 'tail.html'), tail);
