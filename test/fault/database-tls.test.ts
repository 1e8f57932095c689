/** TLS between Chancery and PostgreSQL, with a real server that demands it. */

import assert from 'node:assert/strict';
import { chmod, chown, copyFile, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { openDatabase } from '../../src/db/open-database.ts';
import { sql } from '../../src/db/sql.ts';
import { type EmbeddedPostgres, serverIdentity, startPostgres } from '../support/embedded-postgres.ts';

const certificate = (name: string) =>
  fileURLToPath(new URL(`../support/certificates/${name}.pem`, import.meta.url));

describe('a PostgreSQL server with TLS', () => {
  let folder: string;
  let server: EmbeddedPostgres;

  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'chancery-tls-'));
    const { uid, gid = uid } = await serverIdentity();
    await chmod(folder, 0o755);
    for (const name of ['server.pem', 'server.key.pem', 'authority.pem']) {
      const path = join(folder, name);
      await copyFile(certificate(name.replace(/\.pem$/, '')), path);
      // PostgreSQL refuses a key that others may read.
      await chmod(path, name.includes('key') ? 0o600 : 0o644);
      if (uid !== undefined && gid !== undefined) await chown(path, uid, gid);
    }
    server = await startPostgres({
      ssl: 'on',
      ssl_cert_file: join(folder, 'server.pem'),
      ssl_key_file: join(folder, 'server.key.pem'),
      ssl_ca_file: join(folder, 'authority.pem'),
    });
  });
  after(async () => {
    await server.stop();
    await rm(folder, { recursive: true, force: true });
  });

  const isEncrypted = async (parameters: string, host = '127.0.0.1') => {
    const database = await openDatabase(`${server.url.replace('127.0.0.1', host)}&${parameters}`);
    try {
      const row = sql`select ssl::text as "ssl" from pg_stat_ssl where pid = pg_backend_pid()`;
      const within = await database.transaction((connection) => connection.get(row));
      assert.deepEqual(await database.reader.get(row), within);
      return within?.['ssl'];
    } finally {
      await database.close();
    }
  };
  const trusting = `sslrootcert=${certificate('authority')}`;

  for (const [what, parameters, encrypted] of [
    ['no parameter', '', 'false'],
    ['verify-full and the authority', `sslmode=verify-full&${trusting}`, 'true'],
    ['require and the authority', `sslmode=require&${trusting}`, 'true'],
    ['no-verify', 'sslmode=no-verify', 'true'],
    ['disable', 'sslmode=disable', 'false'],
    [
      'a client certificate',
      `sslmode=verify-full&${trusting}&sslcert=${certificate('client')}&sslkey=${certificate('client.key')}`,
      'true',
    ],
  ] as const)
    test(`with ${what}, connections are ${encrypted === 'true' ? '' : 'not '}encrypted`, async () => {
      assert.equal(await isEncrypted(parameters), encrypted);
    });

  for (const [what, parameters, words] of [
    ['an unknown authority', 'sslmode=verify-full', /unable to verify|self.signed|unable to get/],
    ['require with an unknown authority', 'sslmode=require', /unable to verify|self.signed|unable to get/],
    [
      'a file that is missing',
      'sslmode=verify-full&sslrootcert=/missing.pem',
      /\/missing\.pem, named by sslrootcert/,
    ],
    ['an unknown mode', 'sslmode=perhaps', /sslmode in the database URL must be disable, no-verify/],
  ] as const)
    test(`${what} is refused at start`, async () => {
      await assert.rejects(isEncrypted(parameters), { name: 'UnusableDatabase', message: words });
    });
});

test('a server without TLS is refused when the URL demands it', async () => {
  const plain = await startPostgres();
  try {
    await assert.rejects(
      async () => (await openDatabase(`${plain.url}&sslmode=verify-full`)).close(),
      /The server does not support SSL connections/,
    );
  } finally {
    await plain.stop();
  }
});
