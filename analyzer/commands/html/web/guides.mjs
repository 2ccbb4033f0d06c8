// What the pages of docs/rules/findings say of a finding: what it looks like and the repair, as blocks that the page
// shows beside the evidence. { 'noop-upload': { look: [block...], repair: [block...] } }; a block is { text }, { list }
// or { code }, with code between backticks in texts.
import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';

// Links are to other files, which the page does not have: their texts stay.
const plain = (text) => text.replace(/\[([^\]]+)\]\([^)]*\)/g, '$1').replace(/\*\*?([^*]+)\*\*?/g, '$1');

function blocks(section) {
  const all = [];
  const parts = section.split(/^```(\w*)\n([\s\S]*?)^```$/m);
  for (let i = 0; i < parts.length; i += 3) {
    for (const paragraph of parts[i].split(/\n\s*\n/).map((of) => of.trim())) {
      if (!paragraph || paragraph.startsWith('|') || paragraph.startsWith('<!--')) continue;
      const joined = (of) => plain(of.replace(/\s*\n\s*/g, ' '));
      if (/^- /.test(paragraph))
        all.push({
          list: paragraph
            .slice(2)
            .split(/\n- /)
            .map(joined),
        });
      else all.push({ text: joined(paragraph) });
    }
    if (parts[i + 2] !== undefined) all.push({ code: parts[i + 2].trimEnd() });
  }
  return all;
}

export function guides(folder) {
  const found = {};
  for (const file of readdirSync(folder).sort()) {
    if (!file.endsWith('.md') || file === 'README.md') continue;
    const sections = readFileSync(join(folder, file), 'utf8').split(/^## /m);
    const of = (title) => {
      const section = sections.find((text) => text.startsWith(title));
      return section ? blocks(section.slice(section.indexOf('\n'))) : [];
    };
    found[file.replace(/\.md$/, '')] = { look: of('What it looks like\n'), repair: of('The repair') };
  }
  return found;
}
