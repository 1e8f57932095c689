import { hash, randomBytes } from 'node:crypto';
import type { TestReply, TestSite } from './site.ts';

const METHOD = '/api/method/frappe.integrations.oauth2.';
const PASSWORD = 'correct horse battery';

export const CALLBACK = 'https://client.example/callback';

/** A client of the site's, and a browser with a user signed in: everything that OAuth flows need. */
export class OAuthParty {
  readonly site: TestSite;
  readonly verifier = randomBytes(32).toString('base64url');
  readonly challenge = hash('sha256', this.verifier, 'base64url');
  constructor(site: TestSite) {
    this.site = site;
  }

  /** Makes an OAuth Client; resolves to its document, with the secret. */
  async client(fields: object = {}): Promise<{ readonly name: string; readonly client_secret: string }> {
    const body = { app_name: 'Planner', default_redirect_uri: CALLBACK, ...fields };
    const reply = await this.site.request('POST', '/api/resource/OAuth%20Client', { body });
    if (reply.status !== 200) throw new Error(reply.text);
    return reply.body.data;
  }

  /** Makes a user with a password and signs in; resolves to the cookie. */
  async signedIn(name: string, roles: readonly string[] = []): Promise<string> {
    await this.site.createUser(name, roles);
    const body = { new_password: PASSWORD };
    const set = await this.site.request('PUT', `/api/resource/User/${name}`, { body });
    if (set.status !== 200) throw new Error(set.text);
    return this.signIn(name);
  }

  async signIn(usr: string): Promise<string> {
    const reply = await this.site.request('POST', '/api/method/login', {
      as: null,
      body: { usr, pwd: PASSWORD },
    });
    if (reply.status !== 200) throw new Error(reply.text);
    return (reply.headers.getSetCookie()[0] ?? '').split(';')[0] ?? '';
  }

  /** What a client asks for, with PKCE; undefined leaves a parameter out. */
  ask(client: string, changes: Readonly<Record<string, string | undefined>> = {}): Record<string, string> {
    const all = {
      client_id: client,
      redirect_uri: CALLBACK,
      response_type: 'code',
      scope: 'all openid',
      state: 'xyz &=',
      code_challenge: this.challenge,
      code_challenge_method: 'S256',
      ...changes,
    };
    const given = Object.entries(all).filter((entry): entry is [string, string] => entry[1] !== undefined);
    return Object.fromEntries(given);
  }

  authorize(cookie: string | null, asked: Readonly<Record<string, string>>): Promise<TestReply> {
    const headers = cookie === null ? {} : { cookie };
    return this.site.request('GET', `${METHOD}authorize?${new URLSearchParams(asked)}`, {
      as: null,
      headers,
    });
  }

  /** Reads the form of the page that asks and sends it, like a browser after a click. */
  async answer(cookie: string, page: TestReply, decision = 'allow'): Promise<TestReply> {
    const fields = Object.fromEntries(
      [...page.text.matchAll(/type="hidden" name="([^"]*)" value="([^"]*)"/g)].map(
        ([, name = '', value = '']) => [
          name,
          value.replace(/&#(\d+);/g, (_all, code) => String.fromCharCode(Number(code))),
        ],
      ),
    );
    return this.form('approve', { ...fields, decision }, { cookie });
  }

  /** The address of the client that the user comes back to, after allowing it. */
  async allowed(cookie: string, asked: Readonly<Record<string, string>>): Promise<URL> {
    const page = await this.authorize(cookie, asked);
    if (page.status !== 200) throw new Error(`${page.status} ${page.text}`);
    const reply = await this.answer(cookie, page);
    return new URL(reply.headers.get('location') ?? `failed:${reply.status} ${reply.text}`);
  }

  /** A code for this client. */
  async code(cookie: string, client: string, changes: Readonly<Record<string, string | undefined>> = {}) {
    return (await this.allowed(cookie, this.ask(client, changes))).searchParams.get('code') ?? '';
  }

  /** Sends a form to a method of the authorization server. */
  form(
    method: string,
    fields: Readonly<Record<string, string>>,
    headers: Readonly<Record<string, string>> = {},
  ): Promise<TestReply> {
    const type = { 'content-type': 'application/x-www-form-urlencoded' };
    const body = new URLSearchParams(fields).toString();
    return this.site.request('POST', METHOD + method, { as: null, body, headers: { ...type, ...headers } });
  }

  redeem(client: string, code: string, changes: Readonly<Record<string, string>> = {}): Promise<TestReply> {
    return this.form('get_token', {
      grant_type: 'authorization_code',
      client_id: client,
      code,
      redirect_uri: CALLBACK,
      code_verifier: this.verifier,
      ...changes,
    });
  }

  refresh(client: string, token: string, changes: Readonly<Record<string, string>> = {}): Promise<TestReply> {
    const fields = { grant_type: 'refresh_token', client_id: client, refresh_token: token };
    return this.form('get_token', { ...fields, ...changes });
  }

  who(token: string): Promise<TestReply> {
    const path = '/api/method/frappe.auth.get_logged_user';
    return this.site.request('GET', path, { as: `Bearer ${token}` });
  }
}
