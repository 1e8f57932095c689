#!/usr/bin/env node
/**
 * Starts the Firefox of `FIREFOX_PATH` and stands between it and Playwright. Everything passes unchanged but this:
 *
 * - Firefox ESR does not know the command `emulation.setMediaFeaturesOverride`, which Playwright sends for every
 *   window; the relay answers it itself. The theme of the system then comes from Firefox's own settings.
 * - An event stream is complete as soon as it begins, as in Chromium. Otherwise the network of a page that listens
 *   to one is never idle.
 * - The download of a blob gets an identity, which is its unique address. Otherwise Playwright ignores it.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { connect, createServer } from 'node:net';

const UNKNOWN = 'emulation.setMediaFeaturesOverride';
const STREAM = 'text/event-stream';
const DOWNLOAD = 'browsingContext.download';
const TEXT = 0x81;

const firefox = spawn(process.env['FIREFOX_PATH'], process.argv.slice(2), {
  stdio: ['ignore', 'inherit', 'pipe'],
});
firefox.on('exit', (code) => process.exit(code ?? 1));
process.on('SIGTERM', () => firefox.kill());

let said = '';
firefox.stderr.setEncoding('utf8').on('data', (text) => {
  said += text;
  const lines = said.split('\n');
  said = lines.pop() ?? '';
  for (const line of lines) void tell(line);
});

async function tell(line) {
  const [, port] = /listening on ws:\/\/127\.0\.0\.1:(\d+)/.exec(line) ?? [];
  if (port === undefined) return void process.stderr.write(`${line}\n`);
  const server = createServer((client) => relay(client, connect(Number(port), '127.0.0.1'), port));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  process.stderr.write(`WebDriver BiDi listening on ws://127.0.0.1:${server.address().port}\n`);
}

function relay(client, browser, port) {
  let isHead = true;
  let toBrowser = Buffer.alloc(0);
  let toClient = Buffer.alloc(0);
  let isOpen = false;
  client.on('data', (bytes) => {
    toBrowser = Buffer.concat([toBrowser, bytes]);
    if (isHead) {
      const end = toBrowser.indexOf('\r\n\r\n');
      if (end < 0) return;
      // Firefox refuses a Host that is not its own, and frames must stay readable here.
      const head = toBrowser.subarray(0, end + 4).toString('latin1');
      browser.write(
        head
          .replace(/^host: .*$/im, `Host: 127.0.0.1:${port}`)
          .replace(/^sec-websocket-extensions: .*\r\n/im, ''),
        'latin1',
      );
      toBrowser = toBrowser.subarray(end + 4);
      isHead = false;
    }
    toBrowser = eachFrame(toBrowser, (frame, payload) => {
      const text = payload().toString();
      if (!text.includes(UNKNOWN)) return void browser.write(frame);
      const { id, method } = JSON.parse(text);
      if (method === UNKNOWN) client.write(textFrame(JSON.stringify({ type: 'success', id, result: {} })));
      else browser.write(frame);
    });
  });
  // Whole frames, so that an answer of the relay never stands within one.
  browser.on('data', (bytes) => {
    toClient = Buffer.concat([toClient, bytes]);
    if (!isOpen) {
      const end = toClient.indexOf('\r\n\r\n');
      if (end < 0) return;
      client.write(toClient.subarray(0, end + 4));
      toClient = toClient.subarray(end + 4);
      isOpen = true;
    }
    toClient = eachFrame(toClient, (frame, payload) => {
      for (const one of asPlaywrightNeeds(frame, payload)) client.write(one);
    });
  });
  client.on('close', () => browser.destroy()).on('error', () => browser.destroy());
  browser.on('close', () => client.destroy()).on('error', () => client.destroy());
}

/** The frames that Playwright gets instead of one from Firefox. */
function asPlaywrightNeeds(frame, payload) {
  if (!frame.includes(STREAM) && !frame.includes(DOWNLOAD)) return [frame];
  const event = JSON.parse(payload().toString());
  const { method, params } = event;
  if (method === 'network.responseStarted' && params.response.mimeType.startsWith(STREAM))
    return [frame, textFrame(JSON.stringify({ ...event, method: 'network.responseCompleted' }))];
  if (method?.startsWith(DOWNLOAD) && params.navigation === null)
    return [textFrame(JSON.stringify({ ...event, params: { ...params, download: params.url } }))];
  return [frame];
}

/** Takes the whole frames at the beginning of some bytes. Returns the rest. */
function eachFrame(bytes, take) {
  let rest = bytes;
  for (;;) {
    if (rest.length < 2) return rest;
    const isMasked = (rest[1] & 0x80) !== 0;
    const short = rest[1] & 0x7f;
    const lengthBytes = short === 126 ? 2 : short === 127 ? 8 : 0;
    const begin = 2 + lengthBytes + (isMasked ? 4 : 0);
    if (rest.length < begin) return rest;
    const length =
      short === 126 ? rest.readUInt16BE(2) : short === 127 ? Number(rest.readBigUInt64BE(2)) : short;
    if (rest.length < begin + length) return rest;
    const frame = rest.subarray(0, begin + length);
    take(frame, () => {
      const payload = Buffer.from(frame.subarray(begin));
      if (isMasked) for (let at = 0; at < length; at += 1) payload[at] ^= frame[begin - 4 + (at % 4)];
      return payload;
    });
    rest = rest.subarray(begin + length);
  }
}

/** The frame of a text from the server, of less than 64 KiB. */
function textFrame(text) {
  const payload = Buffer.from(text);
  const { length } = payload;
  const head = length < 126 ? [TEXT, length] : [TEXT, 126, length >> 8, length & 0xff];
  return Buffer.concat([Buffer.from(head), payload]);
}
