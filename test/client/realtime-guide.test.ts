/** docs/guide/realtime.md: its command and its program show what the page says. */
import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import crm from '../../apps/crm/app.ts';
import { blocksOf, pageReader } from '../support/page.ts';
import { startTestSite } from '../support/site.ts';

const PAGE = fileURLToPath(new URL('../../docs/guide/realtime.md', import.meta.url));
const CLIENT = new URL('../../src/client.ts', import.meta.url).href;

test('docs/guide/realtime.md works as it stands', async () => {
  const site = await startTestSite('sqlite', { apps: [crm] });
  const folder = join(mkdtempSync(join(tmpdir(), 'chancery-realtime-')), 'app');
  mkdirSync(folder);
  const reader = pageReader(folder);
  after(async () => {
    await reader.leave();
    await site.stop();
    rmSync(folder, { recursive: true, force: true });
  });
  reader.replacements.set('http://127.0.0.1:8000', site.url);
  reader.replacements.set('<api_key>:<api_secret>', site.adminKey);
  const blocks = blocksOf(PAGE);
  const [command] = blocks.filter(({ info }) => info[0] === 'sh');
  const [program] = blocks.filter(({ info }) => info[0] === 'ts');
  assert.ok(command && program);
  const text = [...reader.replacements, ['chancery/client', CLIENT] as const].reduce(
    (all, [from, to]) => all.replace(from, to),
    program.text,
  );
  writeFileSync(join(folder, 'watch.ts'), text);
  const curl = reader.start(command);
  await curl.until(/^event: open$/m);
  const watch = reader.start({ info: [], text: 'node watch.ts\n', place: program.place });
  await watch.until(/^to be read: 0$/m);
  const made = await site.make('Ticket', { subject: 'Seen' });
  await watch.until(new RegExp(`^after_insert ${made.name}$`, 'm'));
  const [, data = ''] = await curl.until(/^event: change\nid: \S+\ndata: (.*)$/m);
  assert.deepEqual(Object.keys(JSON.parse(data)), ['doctype', 'name', 'event', 'modified']);
});
