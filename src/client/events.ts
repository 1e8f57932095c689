import { ChanceryError, connectionError, errorOf } from './errors.ts';
import type { Transport } from './transport.ts';

/** The documents to follow. */
export interface Listening<D extends string> {
  readonly doctype: D | readonly D[];
  /** Limits the events to these documents of a single doctype. */
  readonly name?: string | number | readonly (string | number)[];
  /** The `id` of an earlier event; the stream continues after it. */
  readonly after?: string;
  /** Ends the loop. */
  readonly signal?: AbortSignal;
}

/** A change of a document. The event has no fields of the document: read it for those. */
export interface ChangeEvent<D extends string> {
  readonly type: 'change';
  readonly id: string;
  readonly doctype: D;
  readonly name: string | number;
  /**
   * `after_insert`, `on_update`, `on_submit`, `on_cancel`, `on_update_after_submit`, `on_trash`, `after_rename`,
   * or `on_mark`: a tag, like, assignment or share changed, and `modified` did not.
   */
  readonly event: string;
  readonly modified: string;
  /** The name before `after_rename`. */
  readonly old_name?: string | number;
}

/** Read all shown documents again: `open` at the start, `reset` after missed changes. */
export interface BeginEvent {
  readonly type: 'open' | 'reset';
  readonly id: string;
}

export type ClientEvent<D extends string> = BeginEvent | ChangeEvent<D>;

/** Milliseconds without any data after which a connection is closed; the server writes every 20 seconds. */
const SILENCE = 60_000;
const LONGEST_WAIT = 30_000;

interface EventLine {
  /** The id of the last event. */
  last: string;
  /** Milliseconds before the next connection, as the server requests. */
  retry: number;
  hasOpened: boolean;
}

/**
 * Events as they happen. A broken connection is opened again and continues after the last event, so that no
 * event is missed or repeated. Rejects with a ChanceryError when the server refuses and asks for no retry, or does not
 * answer the first time.
 */
export async function* listen<D extends string>(
  transport: Transport,
  listening: Listening<D>,
): AsyncGenerator<ClientEvent<D>, void, undefined> {
  const { signal } = listening;
  const line: EventLine = { last: listening.after ?? '', retry: 2_000, hasOpened: false };
  let failures = 0;
  while (!signal?.aborted) {
    try {
      for await (const event of connect(transport, listening, line)) {
        failures = 0;
        transport.noteNews();
        yield event;
      }
    } catch (error) {
      if (signal?.aborted) return;
      const asked = error instanceof ChanceryError ? (error.retryAfter ?? 0) * 1_000 : 0;
      if (!isPassing(error) || (!line.hasOpened && asked === 0)) throw error;
      failures += 1;
      await pause(Math.max(asked, Math.min(LONGEST_WAIT, line.retry * 2 ** (failures - 1))), signal);
      continue;
    }
    await pause(line.retry, signal);
  }
}

function isPassing(error: unknown): boolean {
  return (
    error instanceof ChanceryError && (error.status === 0 || error.status === 429 || error.status >= 500)
  );
}

/** One connection, until it ends. */
async function* connect<D extends string>(
  transport: Transport,
  listening: Listening<D>,
  line: EventLine,
): AsyncGenerator<ClientEvent<D>, void, undefined> {
  const call = transport.options.fetch ?? globalThis.fetch;
  const silence = new AbortController();
  const stop = () => silence.abort(listening.signal?.reason);
  listening.signal?.addEventListener('abort', stop, { once: true });
  let timer = setTimeout(stop, SILENCE);
  let reader: ReadableStreamDefaultReader<Uint8Array> | null = null;
  try {
    const response = await call(addressOf(transport, listening), {
      headers: {
        ...transport.credentials(),
        accept: 'text/event-stream',
        ...(line.last === '' ? {} : { 'last-event-id': line.last }),
      },
      credentials: transport.options.token === undefined ? 'include' : 'omit',
      cache: 'no-store',
      signal: silence.signal,
    });
    if (response.status !== 200 || !response.body) {
      throw errorOf(response.status, await response.text(), (name) => response.headers.get(name));
    }
    reader = response.body.getReader();
    const decoder = new TextDecoder();
    let text = '';
    for (;;) {
      const { value, done } = await reader.read();
      if (done) return;
      clearTimeout(timer);
      timer = setTimeout(stop, SILENCE);
      text += decoder.decode(value, { stream: true });
      for (let end = text.indexOf('\n\n'); end !== -1; end = text.indexOf('\n\n')) {
        const event = take<D>(text.slice(0, end), line);
        text = text.slice(end + 2);
        if (event) yield event;
      }
    }
  } catch (error) {
    throw error instanceof ChanceryError ? error : connectionError(error);
  } finally {
    clearTimeout(timer);
    listening.signal?.removeEventListener('abort', stop);
    await reader?.cancel().catch(() => {});
  }
}

function addressOf<D extends string>(transport: Transport, { doctype, name }: Listening<D>): string {
  return transport.address('/api/events', {
    doctype: JSON.stringify([doctype].flat()),
    ...(name === undefined ? {} : { name: JSON.stringify([name].flat().map(String)) }),
  });
}

/** Parses one block of the stream; null when it holds no event for the caller. */
function take<D extends string>(block: string, line: EventLine): ClientEvent<D> | null {
  const fields = new Map<string, string>();
  for (const each of block.split('\n')) {
    const colon = each.indexOf(':');
    fields.set(each.slice(0, colon), each.slice(colon + 1).trimStart());
  }
  line.last = fields.get('id') ?? line.last;
  if (fields.has('retry')) line.retry = Number(fields.get('retry'));
  const data = fields.get('data');
  if (data === undefined) return null;
  const type = fields.get('event');
  const id = line.last;
  const content = JSON.parse(data) as Omit<ChangeEvent<D>, 'type' | 'id'>;
  if (type === 'change') return { type, id, ...content };
  if (type !== 'open' && type !== 'reset') return null;
  const isFirst = !line.hasOpened;
  line.hasOpened = true;
  // The caller does not see a reconnection.
  return type === 'open' && !isFirst ? null : { type, id };
}

function pause(millis: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      clearTimeout(timer);
      signal?.removeEventListener('abort', done);
      resolve();
    };
    const timer = setTimeout(done, millis);
    signal?.addEventListener('abort', done, { once: true });
    if (signal?.aborted) done();
  });
}
