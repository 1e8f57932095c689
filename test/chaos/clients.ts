import { createHash, randomBytes } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { type Entry, type Outcome, outcomeOf } from './journal.ts';
import { KEY } from './world.ts';

/** The doctype of the documents, all in one series. */
export const DOCTYPE = 'Chaos';
/** Milliseconds between two requests of a client. */
const PACE = 60;
const TIMEOUT = 90_000;

interface Answer {
  readonly outcome: Outcome;
  readonly text: string;
}

/** Clients that create, change and read documents and upload files, and note what they were told. */
export class Clients {
  readonly entries: Entry[] = [];
  /** Replies that the contract does not know, and reads without what was acknowledged. */
  readonly faults: string[] = [];
  requests = 0;
  readonly #url: string;

  constructor(url: string) {
    this.#url = url;
  }

  /** Works until told to stop. */
  async run(client: number, isOver: () => boolean): Promise<void> {
    for (let count = 0; !isOver(); count += 1) {
      const title = `${client}-${count}`;
      if (count % 4 === 3) await this.#upload(`${title}.bin`);
      else await this.#document(title, count % 2 === 0, isOver);
    }
  }

  /** Any request, whose reply is parsed; null unless it is a success. */
  // biome-ignore lint/suspicious/noExplicitAny: replies of every shape
  async get(path: string, body?: object): Promise<any> {
    const entry = { title: path, log: [] as string[] };
    const method = body ? 'POST' : 'GET';
    const { outcome, text } = await this.#ask(entry, method, path, body && JSON.stringify(body));
    return outcome === 'acknowledged' ? JSON.parse(text) : null;
  }

  /** The bytes of a file, as a digest; null unless they came. */
  async digest(path: string): Promise<string | null> {
    const reply = await fetch(this.#url + path, { headers: { authorization: `token ${KEY}` } }).catch(
      () => null,
    );
    if (!reply?.ok) return null;
    return digestOf(Buffer.from(await reply.arrayBuffer()));
  }

  async #document(title: string, isKeyed: boolean, isOver: () => boolean): Promise<void> {
    const entry = this.#entry('document', title);
    const body = JSON.stringify({ title, step: 0 });
    const key: Record<string, string> = isKeyed ? { 'idempotency-key': `chaos-${title}` } : {};
    let answer = await this.#ask(entry, 'POST', `/api/resource/${DOCTYPE}`, body, key);
    // With a key it is safe to send a request again, whatever became of it.
    for (let tries = 0; isKeyed && answer.outcome !== 'acknowledged' && tries < 100; tries += 1) {
      if (isOver()) break;
      const again = await this.#ask(entry, 'POST', `/api/resource/${DOCTYPE}`, body, key);
      // What was unknown once stays so until it is acknowledged.
      answer = again.outcome === 'refused' ? { ...again, outcome: answer.outcome } : again;
    }
    entry.outcome = answer.outcome;
    if (answer.outcome !== 'acknowledged') return;
    const { name } = JSON.parse(answer.text).data;
    Object.assign(entry, { name, step: 0, maybe: 0, at: Date.now() });
    await this.#change(entry, name, isOver);
  }

  async #change(entry: Entry, name: string, isOver: () => boolean): Promise<void> {
    const path = `/api/resource/${DOCTYPE}/${name}`;
    for (let step = 1; step <= entry.title.length % 4; ) {
      const read = await this.#ask(entry, 'GET', path);
      if (read.outcome === 'acknowledged' && JSON.parse(read.text).data.step !== entry.step)
        this.faults.push(`${name} was read without step ${entry.step}: ${read.text}`);
      if (isOver()) return;
      const { outcome } = await this.#ask(entry, 'PUT', path, JSON.stringify({ step }));
      if (outcome !== 'refused') entry.maybe = step;
      if (outcome === 'unknown') return;
      if (outcome === 'acknowledged') {
        Object.assign(entry, { step, at: Date.now() });
        step += 1;
      }
    }
  }

  async #upload(title: string): Promise<void> {
    const entry = this.#entry('file', title);
    const bytes = randomBytes(200 + Math.floor(Math.random() * 60_000));
    const form = new FormData();
    form.set('file', new Blob([bytes]), title);
    form.set('is_private', '1');
    const { outcome, text } = await this.#ask(entry, 'POST', '/api/method/upload_file', form);
    entry.outcome = outcome;
    if (outcome !== 'acknowledged') return;
    const { name, file_url } = JSON.parse(text).message;
    Object.assign(entry, { name, path: file_url, digest: digestOf(bytes), at: Date.now() });
  }

  #entry(kind: Entry['kind'], title: string): Entry {
    const entry: Entry = { kind, title, outcome: 'unknown', name: null, step: -1, maybe: -1, log: [] };
    this.entries.push(entry);
    return entry;
  }

  async #ask(
    entry: Pick<Entry, 'title' | 'log'>,
    method: string,
    path: string,
    body?: string | FormData,
    more: Readonly<Record<string, string>> = {},
  ): Promise<Answer> {
    await pause(PACE);
    const headers: Record<string, string> = { authorization: `token ${KEY}`, ...more };
    if (typeof body === 'string') headers['content-type'] = 'application/json';
    const began = new Date().toISOString();
    const signal = AbortSignal.timeout(TIMEOUT);
    const init = { method, headers, signal, ...(body !== undefined && { body }) };
    const reply = await fetch(this.#url + path, init)
      .then(async (got) => ({ status: got.status, headers: got.headers, text: await got.text() }))
      .catch((error: Error) => ({
        status: 0,
        headers: new Headers(),
        text: `${error.message} ${error.cause ?? ''}`,
      }));
    this.requests += 1;
    const { outcome, fault } = outcomeOf(reply);
    const line = `${began} ${method} ${path} ${JSON.stringify(more)}: ${reply.status} ${reply.text.slice(0, 300)}`;
    entry.log.push(line);
    if (fault !== null) this.faults.push(`${fault}: ${line}`);
    return { outcome, text: reply.text };
  }
}

function digestOf(bytes: Buffer): string {
  return createHash('sha256').update(bytes).digest('hex');
}
