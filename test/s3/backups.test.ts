/** Backups in a bucket: of whole sites, with credentials that may not delete, and while the store has faults. */
import assert from 'node:assert/strict';
import { copyFile, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { after, before, describe, test } from 'node:test';
import { findEnd } from '../../src/backup/sqlite/log-end.ts';
import { openTarget } from '../../src/backup/store/open-target.ts';
import { Repository } from '../../src/backup/store/repository.ts';
import type { Target } from '../../src/backup/store/target.ts';
import { type Config, DEFAULT_CONFIG } from '../../src/config/config.ts';
import { parseFilesPlace } from '../../src/config/files-place.ts';
import { sql } from '../../src/db/sql.ts';
import type { Observation } from '../../src/kernel/observation.ts';
import { type OpenSite, openSite } from '../../src/site/start/open-site.ts';
import { type Ran, chancery as runCommand } from '../support/command.ts';
import { opened, servedText, storeText } from '../support/kept-files.ts';
import { NO_S3, newBucket, type S3Server, startS3 } from '../support/s3.ts';
import { type FaultyS3, MAY_NOT_DELETE, S3_FAULTS, startFaultyS3, WRITE_ONCE } from '../support/s3-faults.ts';
import { someOf } from '../support/some-of.ts';
import { inTheEnd, until } from '../support/until.ts';
import { targetConformance } from '../target-conformance.ts';

/** A repeated request suffices against these. */
const PASSING = [
  'away',
  'slowDown',
  'internal',
  'badGateway',
  'lostReply',
  'halfReply',
  'stalls',
  'silent',
] as const;
/** These are not repeated: the store means what it says. */
const LASTING = ['strangePage', 'forbidden', 'noBucket', 'errorIn200'] as const;
const KEY = Buffer.alloc(32, 7).toString('base64');

describe('backups on S3', { skip: NO_S3 }, () => {
  let server: S3Server;
  let store: FaultyS3;
  let root: string;
  let url: string;
  const targets: Target[] = [];

  before(async () => {
    root = await mkdtemp(join(tmpdir(), 'chancery-s3-backup-'));
    server = await startS3();
    store = await startFaultyS3(server);
    url = await newBucket(server);
  });
  after(async () => {
    for (const target of targets) target.close();
    await store?.stop();
    await server?.stop();
    await rm(root, { recursive: true, force: true });
  });

  async function targetAt(place: string, report: (problem: string) => void = () => {}): Promise<Target> {
    const target = await openTarget(parseFilesPlace(place, '/'), report);
    targets.push(target);
    return target;
  }

  targetConformance('on S3', () => targetAt(url));

  const faultyBucket = () => newBucket(server, store.endpoint);
  /** Another prefix in the same bucket. */
  const beside = (place: string) => place.replace('/a/site?', '/b/backups?');
  const configOf = (name: string, changes: Partial<Config> = {}): Config => ({
    ...{ ...DEFAULT_CONFIG, apps: [], data: join(root, name) },
    ...changes,
  });
  const backupTo = (to: string, more: object = {}) => ({ ...DEFAULT_CONFIG.backup, to, ...more });

  async function openedSite(config: Config): Promise<{ site: OpenSite; observed: Observation[] }> {
    const observed: Observation[] = [];
    return {
      site: await openSite(config, { apps: [], observe: (one) => void observed.push(one) }),
      observed,
    };
  }

  const runsOf = ({ database }: OpenSite) =>
    database.reader.all(sql`select * from "Backup Run" order by "creation"`);
  async function backedUp(site: OpenSite): Promise<Readonly<Record<string, unknown>>> {
    const before = (await runsOf(site)).length;
    site.jobs.ask('make_backup');
    return (
      (
        await until(
          () => runsOf(site),
          ({ length }) => length > before,
        )
      ).at(-1) ?? {}
    );
  }

  /** The last moment that the log in a place leads to. */
  async function loggedMoment(place: string, key: string | null): Promise<number> {
    const options = { key: key === null ? null : Buffer.from(key, 'base64'), now: Date.now };
    const end = await findEnd(await Repository.open(await targetAt(place), options));
    return end?.head.moment ?? 0;
  }

  const chancery = (words: readonly string[], settings?: object) => runCommand(root, words, settings);
  async function succeeded(words: readonly string[], settings?: object): Promise<string> {
    const { code, stdout, stderr } = await chancery(words, settings);
    assert.equal(code, 0, `${words.join(' ')}: ${stdout}${stderr}`);
    return stdout;
  }

  for (const [name, key, backupPlace] of [
    ['the same bucket', null, beside],
    ['another bucket, encrypted', KEY, () => newBucket(server)],
  ] as const) {
    test(`a whole site in a bucket comes back from ${name}, as it was at a moment`, async () => {
      const data = key === null ? 'same' : 'other';
      const files = await newBucket(server);
      const to = await backupPlace(files);
      const config = configOf(data, { files, backup: backupTo(to, { key }) });
      const { site, observed } = await openedSite(config);
      const urls: Record<string, string> = {};
      const put = async (text: string) => {
        urls[text] = String((await storeText(site, text)).file_url);
      };
      await put('first');
      const { status, problems } = await backedUp(site);
      assert.equal(status, 'Succeeded', String(problems));
      await put('second');
      const began = Date.now();
      await put('mark');
      const moment = await until(
        () => loggedMoment(to, key),
        (reached) => reached >= began,
      );
      await put('third');
      await site.close();
      assert.deepEqual(
        observed.filter(({ kind }) => kind === 'unexpected' || kind === 'warning'),
        [],
      );
      const settings = { backup: { key } };
      for (const [place, at] of [
        ['moment', ['--at', new Date(moment).toISOString()]],
        ['newest', []],
      ] as const) {
        const restored = configOf(`${data}-${place}`, { files: await newBucket(server) });
        const where = ['--data', restored.data, '--files', restored.files ?? '', '--from', to];
        await succeeded(['restore', ...where, ...at], settings);
        await copyFile(join(config.data, 'secret.key'), join(restored.data, 'secret.key'));
        await opened(restored, async (back) => {
          for (const text of ['first', 'second', ...(place === 'newest' ? ['third'] : [])])
            assert.equal(await servedText(back, urls[text]), text);
          if (place === 'moment') assert.equal(await servedText(back, urls['third']), null);
        });
      }
      await succeeded(['backup', 'verify', '--to', to], settings);
    });
  }

  describe('with credentials that may not delete', () => {
    for (const [name, fault] of [
      ['anything', MAY_NOT_DELETE],
      ['or replace anything', WRITE_ONCE],
    ] as const) {
      test(`${name}: backups succeed, the log goes on, and pruning says why it does not`, async () => {
        const to = await faultyBucket();
        const none = { hourly: 0, daily: 1, weekly: 0, monthly: 0, logDays: 0 };
        const config = configOf(name, { backup: backupTo(to, none) });
        store.meet(fault);
        const { site, observed } = await openedSite(config);
        await storeText(site, 'first');
        await backedUp(site);
        await storeText(site, 'second');
        const run = await backedUp(site);
        assert.equal(run['status'], 'Succeeded', String(run['problems']));
        assert.match(
          String(run['problems']),
          /not let these credentials delete: 403 AccessDenied: Access Denied/,
        );
        const where = ['--data', config.data, '--to', to];
        const last = await storeText(site, 'last');
        await site.close();
        assert.deepEqual(
          observed.filter(({ kind }) => kind === 'unexpected' || kind === 'warning'),
          [],
        );

        await succeeded(['backup', ...where]);
        assert.ok((await succeeded(['backup', 'list', ...where])).trim().split('\n').length > 2);
        await succeeded(['backup', 'verify', ...where]);
        const pruned = await chancery(['backup', 'prune', ...where], { backup: none });
        assert.deepEqual([pruned.code, pruned.stdout], [1, '']);
        assert.match(pruned.stderr, /^The backup store does not let these credentials delete: 403 .*\n$/);
        const restored = configOf(`${name} restored`);
        await succeeded(['restore', '--data', restored.data, '--from', to]);
        await copyFile(join(config.data, 'secret.key'), join(restored.data, 'secret.key'));
        await opened(restored, async (back) => assert.equal(await servedText(back, last.file_url), 'last'));
      });
    }

    test('an object that may not be replaced is compared with what was to be written', async () => {
      store.meet(WRITE_ONCE);
      const place = await faultyBucket();
      const options = { key: Buffer.from(KEY, 'base64'), site: 'site-1', now: Date.now };
      const one = await Repository.open(await targetAt(place), options);
      const problems: string[] = [];
      const target = await targetAt(place, (problem) => problems.push(problem));
      const other = await Repository.open(target, options);
      assert.equal(await one.putPart(Buffer.from('part')), await other.putPart(Buffer.from('part')));
      await one.putLog('e1', 1, Buffer.from('segment'));
      await other.putLog('e1', 1, Buffer.from('segment'));
      await assert.rejects(other.putLog('e1', 1, Buffer.from('something else')), {
        message: /refuses to replace log\/e1\/0+1: 403 AccessDenied: The object is under retention/,
      });
      // As bytes and as a stream, as parts that two backups write at once.
      for (const content of [Buffer.from('x'), Readable.from([Buffer.from('x')])])
        await assert.rejects(target.put('log/e1/000000000001', content), { message: /refuses to replace/ });
      assert.deepEqual(problems, []);
    });
  });

  describe('while the store has faults', () => {
    let to: string;
    let config: Config;
    let site: OpenSite;
    let count = 0;

    before(async () => {
      to = `${await faultyBucket()}&timeout=3`;
      config = configOf('faults');
      ({ site } = await openedSite(config));
      await storeText(site, 'kept');
      store.meet(null);
      await succeeded(['backup', '--data', config.data, '--to', to]);
    });
    after(() => site?.close());

    const at = (words: readonly string[]) => chancery([...words, '--data', config.data, '--to', to]);
    /** Each can be done again. */
    const COMMANDS: Readonly<Record<string, () => Promise<Ran>>> = {
      backup: async () => {
        count += 1;
        await storeText(site, `file ${count}`);
        return at(['backup']);
      },
      list: () => at(['backup', 'list']),
      verify: () => at(['backup', 'verify']),
      prune: () => at(['backup', 'prune']),
      restore: () => {
        count += 1;
        return chancery(['restore', '--data', join(root, `restored-${count}`), '--from', to]);
      },
    };

    for (const fault of someOf(PASSING, 4)) {
      test(`${fault}, for a few requests: every command succeeds`, async () => {
        for (const [name, go] of Object.entries(COMMANDS)) {
          store.meet(S3_FAULTS[fault], { times: 3 });
          const { code, stdout, stderr } = await go();
          assert.equal(code, 0, `${name}: ${stdout}${stderr}`);
          assert.equal(store.met.length, 3, name);
        }
        store.meet(null);
      });
    }

    // Until all attempts have failed takes seconds.
    const failing = [...LASTING, 'away', 'halfReply'] as const;
    for (const fault of someOf(failing, 3)) {
      test(`${fault}: every command says so in one line, and succeeds afterwards`, async () => {
        for (const [name, go] of Object.entries(COMMANDS)) {
          store.meet(S3_FAULTS[fault]);
          const { code, stderr } = await inTheEnd(go, `the end of ${name}`);
          assert.equal(code, 1, name);
          assert.match(stderr, /^The backup (?:store is not available: .+|is damaged: .+)\n$/, name);
          store.meet(null);
          const again = await go();
          assert.equal(again.code, 0, `${name}: ${again.stdout}${again.stderr}`);
        }
      });
    }

    test('bytes that the store has lost are damage, and are named', async () => {
      store.meet(S3_FAULTS.shortObject, { of: ({ path }) => /\/files\//.test(path) });
      const verified = await at(['backup', 'verify']);
      assert.equal(verified.code, 1);
      assert.match(verified.stdout, /object files\/\S+: it ends too early/);
      const restored = await chancery(['restore', '--data', join(root, 'short'), '--from', to]);
      store.meet(null);
      assert.equal(restored.code, 1);
      assert.match(restored.stdout, /Files that were not restored: \d+/);
    });

    test('a server stops while its place of backups is silent', async () => {
      const place = await faultyBucket();
      const { site: running, observed } = await openedSite(configOf('stops', { backup: backupTo(place) }));
      await backedUp(running);
      store.meet(S3_FAULTS.silent);
      await storeText(running, 'never sent');
      running.jobs.ask('make_backup');
      await until(() => store.met.length > 0);
      await inTheEnd(() => running.close(), 'the end of a server');
      store.meet(null);
      assert.deepEqual(
        observed.filter(({ kind }) => kind === 'unexpected'),
        [],
      );
    });
  });
});
