/** docs/guide/first-app.md, typed as it stands into an empty folder with the packed package. */
import assert from 'node:assert/strict';
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { after, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { linkPackages, temporaryFolder, unpackedPackage } from './support/package.ts';
import { assertShows, type Background, blocksOf, pageReader, type Ran } from './support/page.ts';

const PAGE = fileURLToPath(new URL('../docs/guide/first-app.md', import.meta.url));
const root = temporaryFolder('guide');
const unpacked = unpackedPackage(root);

test('docs/guide/first-app.md leads to a running app', async () => {
  const folder = join(root, 'library');
  mkdirSync(folder);
  const reader = pageReader(folder, { CHANCERY_PORT: '0' });
  after(() => reader.leave());
  let server: Background | null = null;
  let last: Ran | null = null;
  const blocks = blocksOf(PAGE);
  for (const [index, block] of blocks.entries()) {
    const [language, what = '', status = '200'] = block.info;
    if (language === 'sh' && block.text.startsWith('npm install ')) linkPackages(folder, unpacked);
    else if (language === 'sh' && what === 'server') {
      await server?.stop();
      server = reader.start(block);
      const [, url = ''] = await server.until(/listening on (http:\S+)/);
      reader.replacements.set('http://127.0.0.1:8000', url);
      // The variable was typed once, before the port was known to be another.
      reader.replacements.set('$URL', url);
    } else if (language === 'sh') {
      last = await reader.run(block);
      const isShown = blocks[index + 1]?.info[1] === 'reply';
      assert.ok(isShown || last.statuses.every((each) => each < 300), `${block.place} ${last.stdout}`);
    } else if (what === 'reply') {
      assert.ok(last);
      assert.deepEqual(last.statuses, [Number(status)], `${block.place} ${last.stdout}`);
      assertShows(JSON.parse(last.stdout), JSON.parse(block.text), block.place);
    } else {
      assert.match(what, /^[\w./-]+\.(ts|json)$/, `${block.place}: a block says what it is`);
      mkdirSync(join(folder, dirname(what)), { recursive: true });
      writeFileSync(join(folder, what), block.text);
    }
  }
  assert.ok(server);
  await server.stop();
});
