/** The tour of README.md, typed as it stands at a server that has just started for the first time. */

import assert from 'node:assert/strict';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { freePort } from './support/free-port.ts';
import { temporaryFolder } from './support/package.ts';
import { type Background, type Block, blocksOf, pageReader } from './support/page.ts';
import { until } from './support/until.ts';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const root = temporaryFolder('readme');

test('README.md leads from the first start to a delivered webhook', async () => {
  // With what the webhook step asks for from the beginning on, so that one server is enough.
  const start: Block = {
    info: [],
    text: `CHANCERY_WEBHOOKS_ALLOW=127.0.0.0/8 npm start --prefix '${ROOT}' -- --port 0 --data '${join(root, 'data')}'`,
    place: 'npm start',
  };
  const reader = pageReader(root);
  after(() => reader.leave());
  const server = reader.start(start);
  const [, url = ''] = await server.until(/listening on (http:\S+)/);
  const [, key = ''] = await server.until(/API key +(\S+)/);
  reader.replacements.set('http://127.0.0.1:8000', url);
  reader.replacements.set('<api_key>:<api_secret>', key);
  const port = await freePort();
  reader.replacements.set('127.0.0.1:9000', `127.0.0.1:${port}`).set('listen(9000', `listen(${port}`);

  let receiver: Background | null = null;
  let typed = 0;
  let curls = 0;
  let firstTicket: Block | null = null;
  for (const block of blocksOf(join(ROOT, 'README.md'))) {
    const [language, what] = block.info;
    if (language !== 'sh' || what === 'install') continue;
    if (what === 'receiver') {
      receiver = reader.start(block);
      await untilListening(port);
      continue;
    }
    const { statuses, stdout } = await reader.run(block);
    typed += block.text.match(/^curl /gm)?.length ?? 0;
    curls += statuses.length;
    assert.ok(
      statuses.every((status) => status === 200),
      `${block.place} ${statuses}\n${stdout}`,
    );
    if (statuses.length > 0) firstTicket ??= block;
    if (stdout.includes('"secret":')) {
      // "Create another ticket and watch it arrive"
      assert.ok(receiver && firstTicket);
      await reader.run({
        ...firstTicket,
        text: firstTicket.text.slice(0, firstTicket.text.indexOf('\n\n') + 1),
      });
      await receiver.until(/^[\w+/]{43}= \{"name": "TICK-00002", "subject": "The printer/m);
    }
  }
  assert.ok(curls > 10 && curls === typed, `${curls} of ${typed} curl commands`);
  await server.stop();
});

async function untilListening(port: number): Promise<void> {
  await until(() => fetch(`http://127.0.0.1:${port}`).catch(() => null));
}
