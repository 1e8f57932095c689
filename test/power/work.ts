/**
 * What runs while it is recorded: a site from its first start on, with everything that must survive. It promises what
 * is done by opening a file that the recorder notes. `POWER_DATA` is the data directory, `POWER_ROUNDS` the amount.
 */
import { hash } from 'node:crypto';
import { openSync } from 'node:fs';
import { join } from 'node:path';
import { ADMINISTRATOR } from '../../src/access/user.ts';
import { backUp } from '../../src/backup/backup.ts';
import { engineOf } from '../../src/backup/engines.ts';
import { chooseState } from '../../src/backup/restore.ts';
import { Repository } from '../../src/backup/store/repository.ts';
import { diskTarget } from '../../src/backup/store/target-disk.ts';
import { DEFAULT_CONFIG } from '../../src/config/config.ts';
import { createDocument } from '../../src/document/verbs/create.ts';
import { deleteDocument } from '../../src/document/verbs/delete.ts';
import { updateDocument } from '../../src/document/verbs/update.ts';
import { unitOfWork } from '../../src/document/write/unit-of-work.ts';
import { systemClock } from '../../src/kernel/clock.ts';
import { systemRandom } from '../../src/kernel/random.ts';
import { databaseUrl } from '../../src/site/data-directory.ts';
import { filesPlaceOf, openStorage } from '../../src/site/open-storage.ts';
import { addKeyToFile, keyFileContent } from '../../src/site/settings/key-file.ts';
import { rotateSecrets } from '../../src/site/settings/rotate-secrets.ts';
import { type OpenSite, openSite } from '../../src/site/start/open-site.ts';
import { restoreSite } from '../../src/site/start/restore-site.ts';
import type { Promised } from './journal.ts';

const data = process.env['POWER_DATA'] ?? '';
const rounds = Number(process.env['POWER_ROUNDS']);
const config = { ...DEFAULT_CONFIG, port: 0, data, adminPassword: 'admin-password' };
const open = () => openSite(config, { apps: [] });

function promise(promised: Promised): void {
  try {
    openSync(`/power-ack/${encodeURIComponent(JSON.stringify(promised))}`, 'r');
  } catch {
    // The recorder lets it fail.
  }
}

let site = await open();
promise({ kind: 'started' });
const entry = {
  name: 'Entry',
  module: 'Test',
  autoname: 'ENTRY-.#####',
  fields: [
    { fieldname: 'text', fieldtype: 'Data', label: 'Text' },
    { fieldname: 'secret', fieldtype: 'Password', label: 'Secret' },
  ],
};
await unitOfWork(site, ADMINISTRATOR, (ctx) => createDocument(ctx, 'DocType', entry));
promise({ kind: 'doctype', column: 'text' });
for (let round = 1; round <= rounds; round += 1) {
  await Promise.all([create(site, round), create(site, round), upload(site, round)]);
  if (round % 4 === 0) await remove(site, round);
  if (round === Math.ceil(rounds / 2)) site = await rotate(site);
  if (round === Math.ceil(rounds / 3)) await migrate(site);
  if (round % 3 === 1) await makeBackup(site);
}
await site.close();
await restore();
site = await open();
await create(site, 0);
await site.close();

async function create(site: OpenSite, round: number, text = `text ${round}`): Promise<string> {
  const secret = `secret ${round}`;
  const fields = { text, secret };
  const made = await unitOfWork(site, ADMINISTRATOR, (ctx) => createDocument(ctx, 'Entry', fields));
  promise({ kind: 'entry', name: String(made['name']), text, secret });
  return String(made['name']);
}

async function remove(site: OpenSite, round: number): Promise<void> {
  const text = `deleted ${round}`;
  const name = await create(site, round, text);
  promise({ kind: 'deleting', text });
  await unitOfWork(site, ADMINISTRATOR, (ctx) => deleteDocument(ctx, 'Entry', name));
  promise({ kind: 'deleted', text });
}

async function upload(site: OpenSite, round: number): Promise<void> {
  const content = `file ${round} `.repeat(round * 300);
  const fields = { file_name: `${round}.txt`, content, is_private: 1 };
  const made = await unitOfWork(site, ADMINISTRATOR, (ctx) => createDocument(ctx, 'File', fields));
  promise({ kind: 'file', url: String(made['file_url']), sha256: hash('sha256', content) });
}

async function rotate(site: OpenSite): Promise<OpenSite> {
  await site.close();
  await addKeyToFile(config, systemRandom());
  const next = await open();
  await rotateSecrets(next);
  promise({ kind: 'rotated' });
  return next;
}

async function migrate(site: OpenSite): Promise<void> {
  const fields = [...entry.fields, { fieldname: 'later', fieldtype: 'Int', label: 'Later' }];
  await unitOfWork(site, ADMINISTRATOR, (ctx) => updateDocument(ctx, 'DocType', 'Entry', { fields }));
  promise({ kind: 'doctype', column: 'later' });
}

async function makeBackup(site: OpenSite): Promise<void> {
  const { manifest } = await backUp({
    site,
    engine: engineOf(databaseUrl(config), site.clock),
    repository: await openPlace('site'),
    secretKeys: keyFileContent(config),
  });
  promise({ kind: 'backup', name: manifest.name });
}

/** Restores the newest backup beside the site. */
async function restore(): Promise<void> {
  const repository = await openPlace();
  const there = { ...config, data: join(data, '..', 'restored') };
  const [clock, random, observe] = [systemClock(), systemRandom(), () => {}];
  const place = filesPlaceOf(there);
  const files = { config: there, place, storage: await openStorage(place, random), observe };
  const state = await chooseState(repository, { name: null, at: null });
  const progress = { database() {}, files() {} };
  await restoreSite({ files, repository, state, progress, clock, random, observe });
  promise({ kind: 'restored' });
}

function openPlace(site?: string): Promise<Repository> {
  const target = diskTarget(join(data, '..', 'backups', 'here'));
  return Repository.open(target, { key: null, now: Date.now, ...(site !== undefined && { site }) });
}
