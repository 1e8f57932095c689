/**
 * `npm run bench:restore [-- --rows 1000000 --gigabytes 10 --kills 20 --checkout DIR --json FILE]`
 *
 * A large site on SQLite: its first backup, the next one, its restore, and a start after the server was killed while it
 * wrote. Beside the backup stands a plain copy of the same files with fsync. Needs three times the space. `--checkout`
 * names other sources for the kills, or an installed package, which starts faster.
 */
import { spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { opendir, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import crm from '../apps/crm/app.ts';
import { ADMINISTRATOR } from '../src/access/user.ts';
import { DEFAULT_CONFIG } from '../src/config/config.ts';
import { unitOfWork } from '../src/document/write/unit-of-work.ts';
import { receiveContent, uploadFile } from '../src/file/upload-file.ts';
import { type OpenSite, openSite } from '../src/site/start/open-site.ts';
import { quantile } from './load.ts';
import { report } from './results.ts';
import { type Seeded, seed } from './seed.ts';
import { startServer } from './servers.ts';

const { values: flags } = parseArgs({
  options: {
    rows: { type: 'string', default: '1000000' },
    gigabytes: { type: 'string', default: '10' },
    kills: { type: 'string', default: '20' },
    checkout: { type: 'string', default: '.' },
    json: { type: 'string' },
  },
});
const rows = Number(flags.rows);
const kills = Number(flags.kills);
/** Tickets made by the ordinary create; the others are copies of one of them. */
const MADE = 1_000;
/** Rows of one insert. */
const BATCH = 100_000;
/** Bytes of a file. */
const FILE = 4_000_000;
const MEGABYTE = 1_000_000;

const scratch = mkdtempSync(join(tmpdir(), 'chancery-restore-'));
try {
  const seeded = await seed(scratch, null, MADE);
  await fill(seeded);
  const megabytes = (await bytesBelow(seeded.data)) / MEGABYTE;
  console.log(`${megabytes.toFixed(0)} MB`);
  const plain = timed('sh', ['-c', 'cp -a "$0" "$1" && sync -f "$1"', seeded.data, join(scratch, 'plain')]);
  rmSync(join(scratch, 'plain'), { recursive: true });
  const to = join(scratch, 'backups');
  const first = chancery(seeded, ['backup', '--to', to]);
  await change(seeded);
  const next = chancery(seeded, ['backup', '--to', to]);
  const starts = await killed(seeded);
  const place = { ...seeded, data: join(scratch, 'restored') };
  const restored = chancery(place, ['restore', '--from', to]);
  const line = (what: string, { wall, cpu }: Timed) => [what, wall, megabytes / wall, cpu];
  report(
    {
      title: `SQLite, ${rows} tickets, ${megabytes.toFixed(0)} MB`,
      head: ['', 's', 'MB/s', 'CPU s'],
      rows: [
        line('plain copy with fsync', plain),
        line('first backup', first),
        line('next backup, 10,000 tickets and a file later', next),
        line('restore', restored),
      ],
      notes: [
        `First reply after ${kills} kills: median ${quantile(starts, 0.5).toFixed(0)} ms, at most ${Math.max(...starts).toFixed(0)} ms.`,
      ],
    },
    flags.json,
  );
} finally {
  rmSync(scratch, { recursive: true, force: true });
}

interface Timed {
  /** Seconds. */
  readonly wall: number;
  readonly cpu: number;
}

async function withSite(data: string, work: (site: OpenSite) => Promise<void>): Promise<void> {
  const site = await openSite({ ...DEFAULT_CONFIG, data }, { apps: [crm], observe: () => {} });
  await work(site).finally(() => site.close());
}

function fill({ data, names }: Seeded): Promise<void> {
  return withSite(data, async (site) => {
    for (let from = MADE; from < rows; from += BATCH)
      await copyTickets(site, names[0] ?? '', from, Math.min(from + BATCH, rows));
    const files = ((Number(flags.gigabytes) * 1000 * MEGABYTE - (await bytesBelow(data))) / FILE) | 0;
    for (let made = 0; made < files; made += 1) await upload(site, `file-${made}.bin`);
  });
}

/** Copies of a ticket under other names, without the ordinary create. */
async function copyTickets(site: OpenSite, name: string, from: number, to: number): Promise<void> {
  const columns = await site.database.reader.all({
    text: `select "name" from pragma_table_info('Ticket') where "name" <> 'name'`,
    values: [],
  });
  const others = columns.map((column) => `"${column['name']}"`).join();
  await site.database.transaction((db) =>
    db.run({
      text: `with recursive n (i) as (select ${from} union all select i + 1 from n where i + 1 < ${to})
        insert into "Ticket" ("name", ${others}) select 'copy-' || i, ${others} from n, "Ticket" where "name" = ?`,
      values: [name],
    }),
  );
}

async function upload(site: OpenSite, fileName: string): Promise<void> {
  const content = await receiveContent(site, Readable.from([randomBytes(FILE)]));
  const file = { content, fileName, fields: new Map<string, string>() };
  await uploadFile(site, file, (work) => unitOfWork(site, ADMINISTRATOR, work));
}

function change({ data, names }: Seeded): Promise<void> {
  return withSite(data, async (site) => {
    await copyTickets(site, names[0] ?? '', rows, rows + 10_000);
    await upload(site, 'later.bin');
  });
}

/** Kills the server while it creates tickets. Milliseconds of each start to the first authenticated reply. */
async function killed(seeded: Seeded): Promise<readonly number[]> {
  const starts: number[] = [];
  for (let kill = 0; kill <= kills; kill += 1) {
    const began = performance.now();
    const server = await startServer(seeded, { checkout: flags.checkout });
    if (kill > 0) starts.push(performance.now() - began);
    const headers = { authorization: seeded.token, 'content-type': 'application/json' };
    const create = () =>
      fetch(`${server.url}/api/resource/Ticket`, { method: 'POST', headers, body: '{"subject":"Killed"}' });
    for (let made = 0; made < 500; made += 1) await create();
    // A second after its start, the first server writes the cache of compiled code that the others read.
    if (kill === 0) await sleep(3_000);
    const last = Array.from({ length: 16 }, () => create().catch(() => null));
    process.kill(server.pid, 'SIGKILL');
    await Promise.all(last);
  }
  return starts;
}

function chancery({ data }: Pick<Seeded, 'data'>, words: readonly string[]): Timed {
  mkdirSync(data, { recursive: true });
  const command = ['--conditions=source', 'bin/chancery.mjs', ...words, '--data', data];
  return timed(process.execPath, command);
}

function timed(command: string, words: readonly string[]): Timed {
  const began = performance.now();
  const { status, stderr, stdout } = spawnSync(
    'sh',
    ['-c', '"$0" "$@"; code=$?; times; exit $code', command, ...words],
    {
      encoding: 'utf8',
      env: { ...process.env, CHANCERY_APPS: 'crm' },
    },
  );
  if (status !== 0) throw new Error(`${command} ${words.join(' ')}: ${stdout}${stderr}`);
  // The last line has the CPU of the children: `0m1.230s 0m0.450s`.
  const spent = stdout.trimEnd().split('\n').at(-1) ?? '';
  const cpu = [...spent.matchAll(/(\d+)m([\d.]+)s/g)].reduce(
    (sum, [, m, s]) => sum + 60 * Number(m) + Number(s),
    0,
  );
  return { wall: (performance.now() - began) / 1000, cpu };
}

async function bytesBelow(folder: string): Promise<number> {
  let bytes = 0;
  for await (const entry of await opendir(folder, { recursive: true }))
    if (entry.isFile()) bytes += (await stat(join(entry.parentPath, entry.name))).size;
  return bytes;
}
