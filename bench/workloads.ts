import { randomBytes } from 'node:crypto';
import type { MakeRequest } from './load.ts';
import type { Seeded } from './seed.ts';

export interface Workload {
  readonly name: string;
  readonly ours: MakeRequest;
  /** The same request to the floor; absent where the floor has no counterpart. */
  readonly floor?: MakeRequest;
}

const LIST_FIELDS = encodeURIComponent(JSON.stringify(['name', 'subject', 'status', 'priority', 'modified']));
const JSON_HEADERS = { 'content-type': 'application/json' };

/** The workloads that this project's performance goals name, in the order they are run. */
export function workloads(seeded: Seeded): Workload[] {
  const anyName = () => seeded.names[Math.floor(Math.random() * seeded.names.length)] ?? '';
  const get: MakeRequest = () => ({ method: 'GET', path: `/api/resource/Ticket/${anyName()}` });
  const create: MakeRequest = () => ({
    method: 'POST',
    path: '/api/resource/Ticket',
    headers: JSON_HEADERS,
    body: JSON.stringify({
      subject: 'The printer on the second floor',
      status: 'Open',
      priority: 'High',
      raised_by: 'someone@example.com',
      description: 'It makes a sound like a kettle and prints every page twice. '.repeat(3),
    }),
  });
  const update: MakeRequest = () => ({
    method: 'PUT',
    path: `/api/resource/Ticket/${anyName()}`,
    headers: JSON_HEADERS,
    body: JSON.stringify({ priority: Math.random() < 0.5 ? 'Low' : 'Urgent' }),
  });
  const filter = listOf('filter', [
    ['status', '=', 'Open'],
    ['priority', '=', 'High'],
  ]);
  const ourMix: MakeRequest = () => mix(get, filter.ours, update, create);
  const floorMix: MakeRequest = () => mix(get, filter.floor, update, create);
  const deepStart = Math.floor(seeded.names.length * 0.9);
  const bytes = randomBytes(100_000);
  return [
    { name: 'get', ours: get, floor: get },
    { name: 'list', ...listOf('list', []) },
    { name: 'filter', ...filter },
    { name: 'like', ...listOf('like', [['subject', 'like', '%printer%']]) },
    { name: 'deep (offset)', ...listOf('list', [], deepStart) },
    { name: 'create', ours: create, floor: create },
    { name: 'update', ours: update, floor: update },
    { name: 'mixed', ours: ourMix, floor: floorMix },
    {
      name: 'upload 100 kB',
      ours: () => multipart(bytes),
      floor: () => ({ method: 'POST', path: '/upload', body: bytes }),
    },
    {
      name: 'download 100 kB',
      ours: () => ({ method: 'GET', path: seeded.fileUrl }),
      floor: () => ({ method: 'GET', path: `/files/${seeded.floorFile}` }),
    },
  ];
}

function mix(get: MakeRequest, filter: MakeRequest, update: MakeRequest, create: MakeRequest) {
  const dice = Math.random();
  return dice < 0.5 ? get() : dice < 0.8 ? filter() : dice < 0.9 ? update() : create();
}

function listOf(kind: string, filters: readonly (readonly string[])[], start = 0) {
  const wanted = `fields=${LIST_FIELDS}&order_by=${encodeURIComponent('modified desc')}&limit_start=${start}`;
  const path = `/api/resource/Ticket?${wanted}&filters=${encodeURIComponent(JSON.stringify(filters))}`;
  const ours: MakeRequest = () => ({ method: 'GET', path });
  const floor: MakeRequest = () => ({
    method: 'GET',
    path: `/api/resource/Ticket/?kind=${kind}&limit_start=${start}`,
  });
  return { ours, floor };
}

const BOUNDARY = 'chancery-bench-boundary';

function multipart(bytes: Buffer): ReturnType<MakeRequest> {
  const name = `${randomBytes(6).toString('hex')}.bin`;
  const head = `--${BOUNDARY}\r\nContent-Disposition: form-data; name="file"; filename="${name}"\r\nContent-Type: application/octet-stream\r\n\r\n`;
  return {
    method: 'POST',
    path: '/api/method/upload_file',
    headers: { 'content-type': `multipart/form-data; boundary=${BOUNDARY}` },
    // Each file differs, because the server keeps equal ones once and deletes the others again.
    body: Buffer.concat([Buffer.from(head + name), bytes, Buffer.from(`\r\n--${BOUNDARY}--\r\n`)]),
  };
}
