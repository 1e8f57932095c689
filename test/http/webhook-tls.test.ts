/** What a Webhook says of TLS: checked when it is stored, kept as a secret is, used when it sends. */
import assert from 'node:assert/strict';
import { generateKeyPairSync } from 'node:crypto';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:https';
import { test } from 'node:test';
import { describeEitherEngine, useStarted } from '../support/describe-site.ts';
import { delivered, startWebhookSite } from '../support/webhook-site.ts';

const pem = (name: string) =>
  readFileSync(new URL(`../support/certificates/${name}.pem`, import.meta.url), 'utf8');

describeEitherEngine('TLS of webhooks', (engine) => {
  const site = useStarted(() => startWebhookSite(engine));

  test('a webhook uses its own CA and certificate, and never shows its key', async () => {
    const clients: unknown[] = [];
    const options = { cert: pem('server'), key: pem('server.key'), ca: pem('authority'), requestCert: true };
    const server = createServer(options, (request, response) => {
      clients.push('authorized' in request.socket && request.socket.authorized);
      request.resume();
      response.end();
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const address = server.address();
    const port = typeof address === 'object' ? address?.port : 0;
    const { name } = await site.webhook({
      request_url: `https://127.0.0.1:${port}/`,
      tls_authority: pem('authority'),
      tls_certificate: pem('client'),
      tls_key: pem('client.key'),
    });
    const { text } = await site.request('GET', `/api/resource/Webhook/${name}`);
    assert.ok(!text.includes('PRIVATE KEY'));
    // Saved again as it is shown, it keeps the key.
    await site.put(`Webhook/${name}`, JSON.parse(text).data);
    await site.note();
    await site.logUntil(name, delivered);
    assert.deepEqual(clients, [true]);
    server.close();
    server.closeAllConnections();
  });

  test('a save refuses invalid certificates', async () => {
    const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
    const other = privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
    const texts = [
      { tls_authority: 'nonsense' },
      { tls_certificate: pem('client') },
      { tls_key: pem('client.key') },
      { tls_certificate: pem('client'), tls_key: other },
    ];
    for (const fields of texts) {
      const reply = await site.request('POST', '/api/resource/Webhook', {
        body: {
          webhook_doctype: 'Note',
          webhook_docevent: 'after_insert',
          request_url: site.receiver.url,
          ...fields,
        },
      });
      assert.deepEqual([reply.status, reply.body.exc_type], [417, 'ValidationError'], reply.text);
    }
  });
});
