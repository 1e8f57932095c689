import { setTimeout as pause } from 'node:timers/promises';
import { verify } from '../../src/client.ts';
import { judge, Outstanding } from '../torture/ledger.ts';
import type { Receiver } from '../torture/receiver.ts';
import type { Sender } from '../torture/sender.ts';
import { type Clients, DOCTYPE } from './clients.ts';
import { compare, gaps, type Stored } from './journal.ts';

/** Milliseconds in which every event must be delivered after the load. */
const DELIVER_WITHIN = 120_000;
const ENDPOINT = '/0/chaos';
const SENDER: Pick<Sender, 'read'> = {
  read(headers, body) {
    const { name, step } = JSON.parse(body.toString());
    return { id: String(headers['webhook-id']), change: { name, step } };
  },
};

/** Definition of a doctype whose documents have a title and a step. */
export function steppedDoctype(name: string, autoname: string): object {
  return {
    name,
    module: 'Test',
    autoname,
    fields: [
      { fieldname: 'title', fieldtype: 'Data', label: 'Title' },
      { fieldname: 'step', fieldtype: 'Int', label: 'Step' },
    ],
    permissions: [{ role: 'System Manager', read: 1, write: 1, create: 1, delete: 1 }],
  };
}

/** Makes the doctypes and a webhook of their documents. Resolves to its secret. */
export async function prepare(
  clients: Clients,
  receiver: Receiver,
  more: readonly object[] = [],
): Promise<string> {
  const webhook = {
    webhook_doctype: DOCTYPE,
    webhook_docevent: 'on_change',
    request_url: receiver.url(ENDPOINT),
    timeout: 5,
  };
  for (const body of [steppedDoctype(DOCTYPE, 'C-.#######'), ...more])
    if ((await clients.get('/api/resource/DocType', body)) === null) throw new Error('a doctype was refused');
  const made = await clients.get('/api/resource/Webhook', webhook);
  // The other nodes know both within a second.
  await pause(1_500);
  return made.data.secret ?? made.data.webhook_secret;
}

/** Compares what clients were told with what is stored and what was delivered. Each line says what is wrong. */
export async function decide(
  clients: Clients,
  receiver: Receiver,
  secret: string,
  say: (line: string) => void,
): Promise<string[]> {
  const documents = (await clients.get(listOf(DOCTYPE, ['name', 'title', 'step'])))?.data as Stored[];
  const files = ((await clients.get(listOf('File', ['name', 'file_name', 'is_folder'])))?.data ??
    []) as Record<string, string>[];
  const uploads = files.flatMap(({ name = '', file_name = '', is_folder }) =>
    is_folder ? [] : [{ name, title: file_name, step: -1 }],
  );
  const entries = Map.groupBy(clients.entries, ({ kind }) => kind);
  const stored = new Map(documents.map(({ name, step }) => [name, step]));
  const outstanding = new Outstanding(SENDER, stored, [ENDPOINT], receiver.arrivals);
  await receiver.until(() => outstanding.count === 0, DELIVER_WITHIN);
  say(`${outstanding.count} events were not delivered (${receiver.arrivals.length} requests)`);
  const { lost, ghosts, inversions, altered, duplicates } = judge(
    SENDER,
    stored,
    [ENDPOINT],
    receiver.arrivals,
  );
  const outcomes = Map.groupBy(clients.entries, ({ outcome }) => outcome);
  const count = (outcome: 'acknowledged' | 'refused' | 'unknown') => outcomes.get(outcome)?.length ?? 0;
  const creations = `${count('acknowledged')} creations acknowledged, ${count('refused')} refused`;
  say(`${clients.requests} requests; ${creations}, ${count('unknown')} unknown`);
  say(`${documents.length} documents and ${uploads.length} files stored; ${duplicates} events twice`);
  return [
    ...clients.faults,
    ...compare(entries.get('document') ?? [], documents),
    ...compare(entries.get('file') ?? [], uploads),
    ...gaps(documents.map(({ name }) => name)),
    ...(await lostFiles(clients)),
    ...Object.entries({ lost, ghosts, inversions, altered }).flatMap(([what, all]) =>
      all.map((one) => `${what}: ${one}`),
    ),
    ...(await forged(receiver, secret)),
  ];
}

/** The address of all documents of a doctype, with these fields. */
export function listOf(doctype: string, fields: readonly string[]): string {
  return `/api/resource/${doctype}?limit_page_length=0&fields=${JSON.stringify(fields)}`;
}

/** Acknowledged files whose bytes do not come back. */
async function lostFiles(clients: Clients): Promise<string[]> {
  const lost: string[] = [];
  for (const { path, digest, title, log } of clients.entries) {
    if (path === undefined) continue;
    const found = await clients.digest(path);
    if (found !== digest)
      lost.push([`the bytes of ${title} ${found === null ? 'are gone' : 'differ'}`, ...log].join('\n    '));
  }
  return lost;
}

/** Deliveries whose signature is not valid. */
async function forged(receiver: Receiver, secret: string): Promise<string[]> {
  const checked = receiver.arrivals.map(async ({ headers, body }) => {
    // A node may have had another clock.
    const now = Number(headers['webhook-timestamp']) * 1_000;
    return verify({ headers: headers as Record<string, string>, body, secret, now }).then(
      () => [],
      (error: Error) => [`${headers['webhook-id']}: ${error.message}`],
    );
  });
  return (await Promise.all(checked)).flat();
}
