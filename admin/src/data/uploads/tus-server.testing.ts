import { connectionError } from '../api-error.ts';
import { TUS_PATH, type TusReply, type TusRequest, type TusTransport } from './tus-upload.ts';

/** An in-memory upload server that drops connections, refuses requests and loses uploads on demand. */
export class TestTusServer {
  readonly uploads = new Map<string, { bytes: number; text: string; metadata: Record<string, string> }>();
  readonly requests: string[] = [];
  /** Bytes of a PATCH before its connection breaks. Each entry is used once. */
  readonly breaks: number[] = [];
  /** Replies to the next requests, instead of the real ones. */
  readonly answers: { readonly status: number; readonly body: string }[] = [];
  /** Requests wait until it resolves. */
  gate: Promise<void> = Promise.resolve();
  #last = 0;

  readonly transport: TusTransport = async (request) => {
    this.requests.push(`${request.verb} ${request.url.slice(TUS_PATH.length)}`);
    await Promise.race([this.gate, aborted(request.signal)]);
    request.signal.throwIfAborted();
    const answer = this.answers.shift();
    if (answer) return reply(answer.status, {}, answer.body);
    return this.#answer(request);
  };

  async #answer({ verb, url, headers, body, onProgress }: TusRequest): Promise<TusReply> {
    if (verb === 'POST') {
      this.#last += 1;
      const made = `${TUS_PATH}/u${this.#last}`;
      const metadata = Object.fromEntries((headers['upload-metadata'] ?? '').split(',').map(pairOf));
      this.uploads.set(made, { bytes: Number(headers['upload-length']), text: await textOf(body), metadata });
      return reply(201, { location: made, ...this.#stateOf(made) });
    }
    const upload = this.uploads.get(url);
    if (!upload) return reply(404, {});
    if (verb === 'DELETE') {
      this.uploads.delete(url);
      return reply(204, {});
    }
    if (verb === 'PATCH') {
      if (Number(headers['upload-offset']) !== upload.text.length) return reply(409, {});
      const text = await textOf(body);
      const broken = this.breaks.shift();
      upload.text += text.slice(0, broken ?? text.length);
      onProgress?.(broken ?? text.length);
      if (broken !== undefined) throw connectionError(null);
    }
    return reply(200, this.#stateOf(url));
  }

  #stateOf(url: string): Record<string, string> {
    const { text = '', bytes = 0 } = this.uploads.get(url) ?? {};
    const state: Record<string, string> = { 'upload-offset': String(text.length) };
    if (text.length === bytes) state['upload-document'] = `FILE%20${url.slice(-1)}`;
    return state;
  }
}

function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => signal.addEventListener('abort', () => resolve()));
}

function pairOf(pair: string): [string, string] {
  const [name = '', value = ''] = pair.split(' ');
  return [name, Buffer.from(value, 'base64').toString()];
}

async function textOf(body: Blob | undefined): Promise<string> {
  return (await body?.text()) ?? '';
}

function reply(status: number, headers: Readonly<Record<string, string>>, text = ''): TusReply {
  return { status, text, header: (name) => headers[name] ?? null };
}
