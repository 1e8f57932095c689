import { spawn, spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { CreateBucketCommand, S3Client } from '@aws-sdk/client-s3';
import { inTheEnd } from './until.ts';

/** A real S3 server on loopback, with nothing in it that others put there. */
export interface S3Server {
  /** `http://127.0.0.1:<port>`, or with a certificate `https:` */
  readonly endpoint: string;
  readonly key: string;
  readonly secret: string;
  stop(): Promise<void>;
}

const SCRIPT = fileURLToPath(new URL('./s3-server.py', import.meta.url));
// Debian's own, which has Swift's libraries, whatever else is first on the PATH.
const PYTHON = '/usr/bin/python3';

/** False where there is no such server: what to say when tests are skipped, for `test`'s option `skip`. */
export const NO_S3: string | false =
  existsSync(PYTHON) && spawnSync(PYTHON, ['-c', 'import swift.proxy, swift.obj']).status === 0
    ? false
    : 'no S3 server: apt-get install swift-proxy swift-account swift-container swift-object';

/** The files of a certificate and its key. */
export interface CertificateFiles {
  readonly certificate: string;
  readonly key: string;
}

/** Starts OpenStack Swift with its S3 interface. With a certificate it speaks TLS. */
export async function startS3(tls?: CertificateFiles): Promise<S3Server> {
  // Swift keeps properties of objects as attributes of files, which only disks have on older kernels.
  const root = await mkdtemp('/var/tmp/chancery-s3-');
  const child = spawn(PYTHON, [SCRIPT, root, ...(tls ? [tls.certificate, tls.key] : [])], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const ended = new Promise<never>((_, reject) => {
    child.once('error', reject);
    child.once('exit', (code) => reject(new Error(`the S3 server ended with ${code}`)));
  });
  ended.catch(() => {});
  const port = new Promise<string>((resolve) =>
    createInterface({ input: child.stdout }).once('line', resolve),
  );
  return {
    endpoint: `${tls ? 'https' : 'http'}://127.0.0.1:${await inTheEnd(() => Promise.race([port, ended]), 'an S3 server that listens')}`,
    key: 'test:tester',
    secret: 'testing',
    async stop() {
      child.kill('SIGKILL');
      await ended.catch(() => {});
      await rm(root, { recursive: true, force: true, maxRetries: 3 });
    },
  };
}

/** Makes an empty bucket; resolves to the setting `files` for it, with credentials. */
export async function newBucket(server: S3Server, endpoint = server.endpoint): Promise<string> {
  const name = `files-${randomBytes(6).toString('hex')}`;
  const client = new S3Client({
    endpoint: server.endpoint,
    region: 'us-east-1',
    forcePathStyle: true,
    // Who makes the bucket is no part of what is tested.
    requestHandler: { httpsAgent: { rejectUnauthorized: false } },
    credentials: { accessKeyId: server.key, secretAccessKey: server.secret },
  });
  await client.send(new CreateBucketCommand({ Bucket: name }));
  client.destroy();
  return filesUrl(server, name, endpoint);
}

/** The setting `files` for a bucket of this server, or of what stands before it. */
export function filesUrl(server: S3Server, bucket: string, endpoint = server.endpoint): string {
  const { key, secret } = server;
  const user = `${encodeURIComponent(key)}:${encodeURIComponent(secret)}`;
  return `s3://${user}@${bucket}/a/site?${new URLSearchParams({ endpoint })}`;
}
