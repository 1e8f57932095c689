import assert from 'node:assert/strict';
import { inTheEnd, until } from './until.ts';

export interface ServerEvent {
  readonly event: string;
  readonly id: string;
  // biome-ignore lint/suspicious/noExplicitAny: events of every shape
  readonly data: any;
}

/** A stream of `/api/events`, read event by event. */
export interface EventStream {
  readonly response: Response;
  /** The next event, or null when the server ended the stream. Comments and bare ids are passed over. */
  next(): Promise<ServerEvent | null>;
  /** The next `change` as `event name`. */
  change(): Promise<string>;
  /** The id of the last event. */
  readonly last: string;
  close(): Promise<void>;
}

/** Opens a stream. `query` begins after the question mark. `signal` closes it. */
export async function listen(
  url: string,
  query: string,
  authorization: string,
  headers: Readonly<Record<string, string>> = {},
  signal?: AbortSignal,
): Promise<EventStream> {
  const abort = new AbortController();
  const ask = () =>
    fetch(`${url}/api/events?${query}`, {
      headers: { ...(authorization === '' ? {} : { authorization }), ...headers },
      signal: AbortSignal.any([abort.signal, ...(signal ? [signal] : [])]),
    });
  // Another test's transaction on the same PostgreSQL may be long.
  const response = await until(ask, ({ status }) => status !== 503, `the answer to /api/events?${query}`);
  assert.equal(response.status, 200, response.status === 200 ? '' : await response.text());
  assert.ok(response.body);
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
  let text = '';
  let last = '';

  async function next(): Promise<ServerEvent | null> {
    for (;;) {
      const end = text.indexOf('\n\n');
      if (end === -1) {
        const { value, done } = await inTheEnd(
          () => reader.read(),
          () => `an event of ${query} after ${last || 'none'}; the stream holds ${JSON.stringify(text)}`,
        );
        if (done) return null;
        text += value;
        continue;
      }
      const fields = new Map(
        text
          .slice(0, end)
          .split('\n')
          .map((line) => [line.slice(0, line.indexOf(':')), line.slice(line.indexOf(':') + 1).trim()]),
      );
      text = text.slice(end + 2);
      last = fields.get('id') ?? last;
      const data = fields.get('data');
      if (data !== undefined) return { event: fields.get('event') ?? '', id: last, data: JSON.parse(data) };
    }
  }

  return {
    response,
    next,
    async change() {
      const event = await next();
      assert.equal(event?.event, 'change', JSON.stringify(event));
      return `${event.data.event} ${event.data.name}`;
    },
    get last() {
      return last;
    },
    async close() {
      abort.abort();
      await reader.cancel().catch(() => {});
    },
  };
}
