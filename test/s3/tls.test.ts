/** TLS between Chancery and an S3 store with a certificate of the operator's own authority. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { mkdtempSync, readFileSync } from 'node:fs';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { temporaryFolder } from '../support/package.ts';
import { filesUrl, NO_S3, newBucket, type S3Server, startS3 } from '../support/s3.ts';
import { startServerProcess } from '../support/server-process.ts';

const KEY = 'admin:admin-secret-0123456789';
const root = temporaryFolder('s3-tls');
const pem = (name: string) => fileURLToPath(new URL(`../support/certificates/${name}.pem`, import.meta.url));
/** Starts a new site that trusts this authority beside the public ones. */
const serve = (files: string, authority: string) => {
  const data = mkdtempSync(join(root, 'data-'));
  return startServerProcess(['--data', data, '--apps', ''], {
    env: { CHANCERY_FILES: files, CHANCERY_ADMIN_API_KEY: KEY, NODE_EXTRA_CA_CERTS: pem(authority) },
  });
};

describe('an S3 store with TLS', { skip: NO_S3 }, () => {
  let store: S3Server;

  before(async () => {
    store = await startS3({ certificate: pem('server'), key: pem('server.key') });
  });
  after(() => store?.stop());

  test('with the authority in NODE_EXTRA_CA_CERTS, files are stored and read', async () => {
    const server = await serve(await newBucket(store), 'authority');
    const headers = { authorization: `token ${KEY}` };
    const form = new FormData();
    form.set('file', new Blob(['over TLS']), 'a.txt');
    const init = { method: 'POST', headers, body: form };
    const uploaded = await fetch(`${server.url}/api/method/upload_file`, init);
    const { message } = (await uploaded.json()) as { message: { file_url: string } };
    const read = await fetch(server.url + message.file_url, { headers });
    assert.equal(await read.text(), 'over TLS');
    await server.end('SIGTERM');
  });

  test('with another authority, the start is refused, and the log names the setting', async () => {
    await assert.rejects(
      serve(await newBucket(store), 'elsewhere'),
      /No trusted authority has signed the certificate of the store \(UNABLE_TO_VERIFY_LEAF_SIGNATURE\)\. NODE_EXTRA_CA_CERTS can name[\s\S]*The file storage is not available/,
    );
  });

  test('a certificate for another name is refused', async () => {
    // What refuses the connection needs no store behind it.
    const tls = { cert: readFileSync(pem('elsewhere')), key: readFileSync(pem('elsewhere.key')) };
    const elsewhere = createServer(tls).listen(0, '127.0.0.1');
    await once(elsewhere, 'listening');
    const { port } = elsewhere.address() as AddressInfo;
    await assert.rejects(
      serve(filesUrl(store, 'bucket', `https://127.0.0.1:${port}`), 'authority'),
      /The file storage failed: ERR_TLS_CERT_ALTNAME_INVALID: Hostname\/IP does not match/,
    );
    elsewhere.close();
  });
});
