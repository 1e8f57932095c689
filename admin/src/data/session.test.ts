import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, test } from 'node:test';
import { isApiError } from './api-error.ts';
import { sessionGivenUp, sessionRestored, sessionState, setCsrfToken } from './session.ts';
import { addressOf, send } from './wire.ts';

interface Sent {
  readonly path: string;
  readonly verb: string;
  readonly token: string | null;
}

describe('a session that ends', () => {
  const real = globalThis.fetch;
  let isSignedIn = true;
  let sent: Sent[] = [];

  beforeEach(() => {
    isSignedIn = true;
    sent = [];
    setCsrfToken('first');
    globalThis.fetch = async (path, init) => {
      const token = new Headers(init?.headers).get('x-frappe-csrf-token');
      sent.push({ path: String(path), verb: init?.method ?? 'GET', token });
      if (String(path).includes('forbidden')) return refusal(403);
      if (!isSignedIn) return refusal(403);
      return Response.json({ data: 'kept' });
    };
  });
  afterEach(() => {
    globalThis.fetch = real;
    sessionGivenUp();
  });

  const refusal = (status: number) => Response.json({ exc_type: 'PermissionError' }, { status });
  const lost = () =>
    new Promise<void>((resolve) => {
      const stop = sessionState.subscribe(() => {
        if (sessionState.get() !== 'lost') return;
        stop();
        resolve();
      });
    });

  test('requests in flight are sent again after a sign-in, with the new token', async () => {
    isSignedIn = false;
    const waiting = send('PUT', '/api/resource/Ticket/T1', { body: { subject: 'A' } });
    await lost();
    isSignedIn = true;
    setCsrfToken('second');
    sessionRestored();
    assert.deepEqual((await waiting).body, { data: 'kept' });
    assert.deepEqual(
      sent.filter(({ verb }) => verb === 'PUT').map(({ token }) => token),
      ['first', 'second'],
    );
    assert.equal(sessionState.get(), 'here');
  });

  test('a refusal stays a refusal while the session is valid', async () => {
    await assert.rejects(send('GET', '/forbidden'), (error) => isApiError(error, 'PermissionError'));
    assert.equal(sessionState.get(), 'here');
  });

  test('closing the dialog returns the refusal', async () => {
    isSignedIn = false;
    const waiting = send('GET', '/api/resource/Ticket');
    await lost();
    sessionGivenUp();
    await assert.rejects(waiting, (error) => isApiError(error, 'PermissionError'));
  });

  test('a refused sign-in opens no dialog', async () => {
    isSignedIn = false;
    await assert.rejects(send('POST', '/api/method/login', { isSignIn: true }), isApiError);
    assert.equal(sessionState.get(), 'here');
  });
});

test('an address has lists as JSON, and omits absent values', () => {
  assert.equal(addressOf('/x', { a: 'b c', l: ['1'], n: undefined, z: null }), '/x?a=b+c&l=%5B%221%22%5D');
  assert.equal(addressOf('/x', {}), '/x');
});
