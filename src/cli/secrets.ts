import { systemRandom } from '../kernel/random.ts';
import { addKeyToFile } from '../site/settings/key-file.ts';
import { inspectSecrets, rotateSecrets } from '../site/settings/rotate-secrets.ts';
import type { OpenSite } from '../site/start/open-site.ts';
import { type Command, type Invocation, runAction } from './command.ts';
import { withOpenSite } from './with-site.ts';

export const secretsCommand: Command = {
  help: 'check the keys that encrypt secrets, and replace them',
  usage: ['check', 'new-key', 'rotate'],
  run: (invocation) => runAction(ACTIONS, invocation),
};

const ACTIONS: Readonly<Record<string, (invocation: Invocation) => Promise<number>>> = {
  check: ({ config, print }) => withOpenSite(config, (site) => check(site, print)),
  'new-key': async (invocation) => newKey(invocation),
  rotate: ({ config, print }) => withOpenSite(config, (site) => rotate(site, print)),
};

type Print = Invocation['print'];

async function check(site: OpenSite, print: Print): Promise<number> {
  const { byKey, unreadable } = await inspectSecrets(site);
  const { configured } = site.keys;
  for (const id of new Set([...site.keys.byId.keys(), ...byKey.keys()])) {
    const called = id === 'first' ? 'in the first layout, under any key' : `under key ${id.slice(0, 8)}`;
    const role = id === configured.id ? ' (configured)' : byKey.has(id) ? ' (needed)' : ' (no longer needed)';
    print(`${byKey.get(id) ?? 0} values ${called}${role}`);
  }
  return report(unreadable, print);
}

async function rotate(site: OpenSite, print: Print): Promise<number> {
  const { changed, unreadable } = await rotateSecrets(site);
  print(`${changed} values were re-encrypted with key ${site.keys.configured.id.slice(0, 8)}.`);
  if (unreadable.length === 0) print('Older keys are no longer needed.');
  return report(unreadable, print);
}

function report(unreadable: readonly string[], print: Print): number {
  for (const place of unreadable) print(`No key opens ${place}`);
  return unreadable.length === 0 ? 0 : 1;
}

async function newKey({ config, print }: Invocation): Promise<number> {
  if (config.secretKey === null) {
    print(
      `${await addKeyToFile(config, systemRandom())} contains a new key. Restart every node, then run: chancery secrets rotate`,
    );
    return 0;
  }
  print(systemRandom().bytes(32).toString('base64'));
  return 0;
}
