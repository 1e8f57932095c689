import { createHash, createSign, generateKeyPairSync } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import Provider, { type Configuration } from 'oidc-provider';
import { inTheEnd } from './until.ts';

export const CLIENT = { id: 'chancery', secret: 'a-secret-at-the-provider-0123456789' } as const;

type Claims = Readonly<Record<string, unknown>>;

async function listening(server: Server): Promise<string> {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

function stopped(server: Server): Promise<void> {
  server.closeAllConnections();
  return inTheEnd(
    () => new Promise((resolve) => server.close(() => resolve())),
    'the end of the identity provider',
  );
}

const signing = generateKeyPairSync('rsa', { modulusLength: 2048 });

/** A real server of OpenID Connect, at which `subject` signs in without being asked. */
export class IdentityProvider {
  readonly issuer: string;
  readonly #server: Server;
  /** What it says of people, by subject. */
  readonly people = new Map<string, Claims>();
  subject = 'sub-1';

  private constructor(issuer: string, server: Server) {
    this.issuer = issuer;
    this.#server = server;
  }

  /** `inToken`: claims come in the ID token, and not only from the userinfo endpoint. */
  static async start(callbacks: readonly string[], inToken = true): Promise<IdentityProvider> {
    const server = createServer();
    const issuer = await listening(server);
    const made = new IdentityProvider(issuer, server);
    const configuration: Configuration = {
      clients: [
        {
          client_id: CLIENT.id,
          client_secret: CLIENT.secret,
          redirect_uris: [...callbacks],
          token_endpoint_auth_method: 'client_secret_post',
          grant_types: ['authorization_code'],
          response_types: ['code'],
        },
      ],
      claims: { openid: ['sub'], email: ['email', 'email_verified'], profile: ['given_name', 'family_name'] },
      conformIdTokenClaims: !inToken,
      pkce: { required: () => true },
      jwks: {
        keys: [{ ...signing.privateKey.export({ format: 'jwk' }), kid: '1', alg: 'RS256', use: 'sig' }],
      },
      features: { devInteractions: { enabled: false } },
      cookies: { keys: ['cookies of a test'] },
      ttl: { AccessToken: 60, AuthorizationCode: 60, Grant: 60, IdToken: 60, Interaction: 60, Session: 60 },
      findAccount: (_ctx, accountId) => ({
        accountId,
        claims: async () => ({ sub: accountId, ...made.people.get(accountId) }),
      }),
      async loadExistingGrant(ctx) {
        const { client, session, provider } = ctx.oidc;
        const grant = new provider.Grant({
          clientId: client?.clientId ?? '',
          accountId: session?.accountId ?? '',
        });
        grant.addOIDCScope('openid email profile');
        await grant.save();
        return grant;
      },
      interactions: { url: (_ctx, { uid }) => `/interaction/${uid}` },
    };
    const provider = new Provider(issuer, configuration);
    const answer = provider.callback();
    server.on('request', (request: IncomingMessage, response: ServerResponse) => {
      if (!request.url?.startsWith('/interaction/')) return answer(request, response);
      void provider.interactionFinished(request, response, { login: { accountId: made.subject } });
    });
    return made;
  }

  stop(): Promise<void> {
    return stopped(this.#server);
  }
}

/** A server that says what it likes: what it must not be believed. */
export class FalseProvider {
  readonly issuer: string;
  readonly #server: Server;
  readonly #keys = generateKeyPairSync('rsa', { modulusLength: 2048 });
  /** Claims of its ID tokens, over true ones. */
  claims: Claims = {};
  alg: 'RS256' | 'none' | 'HS256' = 'RS256';
  /** Over its metadata. */
  metadata: Claims = {};
  /** Bytes before its metadata. */
  padding = 0;
  tokenRequests = 0;

  private constructor(issuer: string, server: Server) {
    this.issuer = issuer;
    this.#server = server;
  }

  static async start(): Promise<FalseProvider> {
    const server = createServer();
    const made = new FalseProvider(await listening(server), server);
    server.on('request', (request, response) => made.#answer(request, response));
    return made;
  }

  stop(): Promise<void> {
    return stopped(this.#server);
  }

  #answer(request: IncomingMessage, response: ServerResponse): void {
    const { issuer } = this;
    const path = request.url?.split('?')[0];
    const send = (body: object) => {
      response.setHeader('content-type', 'application/json');
      response.end(' '.repeat(this.padding) + JSON.stringify(body));
    };
    if (path === '/.well-known/openid-configuration') {
      send({
        issuer,
        authorization_endpoint: `${issuer}/auth`,
        token_endpoint: `${issuer}/token`,
        jwks_uri: `${issuer}/jwks`,
        response_types_supported: ['code'],
        subject_types_supported: ['public'],
        id_token_signing_alg_values_supported: ['RS256'],
        ...this.metadata,
      });
    } else if (path === '/jwks') {
      send({
        keys: [{ ...this.#keys.publicKey.export({ format: 'jwk' }), kid: '1', alg: 'RS256', use: 'sig' }],
      });
    } else if (path === '/token') {
      this.tokenRequests += 1;
      send({ access_token: 'x', token_type: 'Bearer', expires_in: 60, id_token: this.#token() });
    } else response.writeHead(404).end();
  }

  #token(): string {
    const now = Math.floor(Date.now() / 1000);
    const usual = { iss: this.issuer, aud: CLIENT.id, sub: 'sub-1', iat: now, exp: now + 60 };
    const header = { alg: this.alg, kid: '1', typ: 'JWT' };
    const encode = (part: object) => Buffer.from(JSON.stringify(part)).toString('base64url');
    const text = `${encode(header)}.${encode({ ...usual, ...this.claims })}`;
    if (this.alg === 'none') return `${text}.`;
    if (this.alg === 'HS256') return `${text}.${createHash('sha256').update(text).digest('base64url')}`;
    return `${text}.${createSign('sha256').update(text).sign(this.#keys.privateKey, 'base64url')}`;
  }
}

/** A browser without windows: cookies by origin, redirects one by one. */
export class Browser {
  readonly #cookies = new Map<string, Map<string, string>>();

  /** Cookies for an origin, as its header. */
  cookies(origin: string): string {
    return [...(this.#cookies.get(origin) ?? [])].map(([name, value]) => `${name}=${value}`).join('; ');
  }

  async get(address: string): Promise<Response> {
    const { origin } = new URL(address);
    const response = await inTheEnd(
      () => fetch(address, { redirect: 'manual', headers: { cookie: this.cookies(origin) } }),
      `the answer to ${address}`,
    );
    const jar = this.#cookies.get(origin) ?? new Map<string, string>();
    this.#cookies.set(origin, jar);
    for (const cookie of response.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(cookie) ?? [];
      if (value === '' || /max-age=0\b/i.test(cookie)) jar.delete(name);
      else jar.set(name, value);
    }
    return response;
  }

  /** Goes where it is sent until `stop` begins an address, which is not asked for any more. */
  async follow(address: string, stop: string): Promise<string> {
    let next = address;
    for (let hops = 0; hops < 15; hops += 1) {
      const response = await this.get(next);
      const location = response.headers.get('location');
      if (location === null) throw new Error(`${next}: ${response.status} ${await response.text()}`);
      next = new URL(location, next).href;
      if (next.startsWith(stop)) return next;
    }
    throw new Error('too many redirects');
  }
}
