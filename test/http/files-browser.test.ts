/** Uploads that a real browser is tricked into opening: whatever they hold, nothing in them runs. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { Browser, BrowserContext } from 'playwright-core';
import { NO_BROWSER, startBrowser } from '../support/browser.ts';
import { addClientPage, PAGE } from '../support/page-host.ts';
import { startTestSite, type TestSite } from '../support/site.ts';
import { PATIENCE } from '../support/until.ts';

// Says so on the wire, wherever it runs.
const SCRIPT = "fetch('/api/method/ping?it-ran'); new Image().src = '/api/method/ping?it-ran'";
const HTML = `<!doctype html><body onload="${SCRIPT}"><script>${SCRIPT}</script><p>Hello</p>`;
const SVG = `<svg xmlns="http://www.w3.org/2000/svg" onload="${SCRIPT}"><script>${SCRIPT}</script></svg>`;
const XHTML = `<html xmlns="http://www.w3.org/1999/xhtml"><script>${SCRIPT}</script></html>`;
const PDF = `%PDF-1.1
1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj
2 0 obj<</Type/Pages/Kids[3 0 R]/Count 1>>endobj
3 0 obj<</Type/Page/Parent 2 0 R/MediaBox[0 0 200 200]>>endobj
trailer<</Root 1 0 R>>
%%EOF`;
const PNG = Buffer.from('89504e470d0a1a0a0000000d49484452', 'hex');

const FILES: readonly (readonly [name: string, type: string, content: string | Buffer])[] = [
  ['page.html', 'text/html', HTML],
  ['page.htm', 'image/png', HTML],
  ['page.xhtml', 'application/xhtml+xml', XHTML],
  ['drawing.svg', 'image/svg+xml', SVG],
  ['data.xml', 'text/xml', XHTML],
  ['photo.png', 'text/html', HTML],
  ['both.png', 'text/html', Buffer.concat([PNG, Buffer.from(HTML)])],
  ['both.html', 'image/png', Buffer.concat([PNG, Buffer.from(HTML)])],
  ['noextension', 'text/html', HTML],
  ['script.js', 'text/javascript', SCRIPT],
  ['text.txt', 'text/html', HTML],
  ['paper.pdf', 'text/html', HTML],
];

describe('uploads in a browser', { skip: NO_BROWSER }, () => {
  let site: TestSite;
  let browser: Browser;
  let context: BrowserContext;
  const ran: string[] = [];
  before(async () => {
    site = await startTestSite('sqlite');
    browser = await startBrowser();
    context = await browser.newContext({ extraHTTPHeaders: { authorization: `token ${site.adminKey}` } });
    await addClientPage(context, site.url);
    context.on('request', (request) => {
      if (request.url() === `${site.url}/api/method/ping?it-ran`) ran.push(request.url());
    });
  });
  after(async () => {
    await browser?.close();
    await site?.stop();
  });

  async function upload(name: string, type: string, content: string | Buffer, isPrivate: boolean) {
    const form = new FormData();
    form.set('is_private', isPrivate ? '1' : '0');
    form.set('file', new Blob([new Uint8Array(Buffer.from(content))], { type }), name);
    return site.call('upload_file', form);
  }

  /** Every address that answers with a file: also those that make something of it, or open it for others. */
  async function addressesOf({ name, file_url: path }: { readonly name: string; readonly file_url: string }) {
    const addresses = [path, `${path}?w=64&h=64`, `/api/method/download_file?file_url=${path}`];
    if (path.startsWith('/private/')) {
      const link = await site.call('chancery.file_link', { name });
      addresses.push(link.url, `${link.url}&w=64`);
    }
    return addresses.map((address) => site.url + address);
  }

  for (const isPrivate of [false, true]) {
    test(`${isPrivate ? 'private' : 'public'} ones run nothing, opened, framed, embedded or as a script`, async () => {
      const page = await context.newPage();
      for (const [name, type, content] of FILES) {
        const addresses = await addressesOf(await upload(name, type, content, isPrivate));
        for (const address of addresses) {
          // A download ends the attempt to open it; what is shown, shows an image that is none, or an error.
          await page.goto(address, { timeout: PATIENCE }).catch((error: unknown) => {
            assert.match(String(error), /Download is starting|ERR_ABORTED/, `${name} at ${address}`);
          });
        }
        await page.goto(site.url + PAGE);
        await page.evaluate(
          `Promise.all(${JSON.stringify(addresses)}.flatMap((url) => ['iframe', 'embed', 'object', 'img', 'script'].map((kind) => new Promise((done) => {
             const element = document.createElement(kind);
             element.onload = element.onerror = done;
             element[kind === 'object' ? 'data' : 'src'] = url;
             document.body.append(element);
             setTimeout(done, 300);
           }))))`,
        );
      }
      await page.close();
      assert.deepEqual(ran, []);
    });
  }

  test('text and PDF are shown in a sandbox where the browser has a viewer, and kept elsewhere', async () => {
    const page = await context.newPage();
    const text = await upload('note.txt', 'text/plain', 'Grüße <b>', false);
    const shown = await page.goto(site.url + text.file_url, { timeout: PATIENCE });
    assert.equal(shown?.headers()['content-security-policy'], "sandbox; default-src 'none'");
    assert.equal(await page.locator('body').innerText(), 'Grüße <b>');
    const hasViewer = await page.evaluate('navigator.pdfViewerEnabled');
    const { file_url: path } = await upload('paper.pdf', 'application/pdf', PDF, false);
    const opened = page.goto(site.url + path, { timeout: PATIENCE });
    if (hasViewer) assert.equal((await opened)?.status(), 200);
    else await assert.rejects(opened, /Download is starting/);
    for (const { file_url } of [text, { file_url: path }]) {
      const kept = page.goto(`${site.url}/api/method/download_file?file_url=${file_url}`, {
        timeout: PATIENCE,
      });
      await assert.rejects(kept, /Download is starting/);
    }
    await page.close();
  });

  test('texts of a request that come back in an answer are data', async () => {
    const page = await context.newPage();
    const text = encodeURIComponent(`<script>${SCRIPT}</script>`);
    for (const path of [
      `/api/method/${text}`,
      `/api/resource/${text}`,
      `/api/resource/User?fields=${text}`,
      `/files/${text}`,
      `/docs/${text}`,
      `/${text}`,
    ]) {
      await page.goto(site.url + path);
      assert.equal(await page.locator('script').count(), 0, path);
    }
    assert.deepEqual(ran, []);
    // And had anything run, it would have been seen.
    await page.goto(site.url + PAGE);
    const seen = page.waitForRequest(/it-ran$/);
    await page.evaluate(`{ ${SCRIPT} }`);
    await seen;
    assert.notDeepEqual(ran, []);
    await page.close();
  });
});
