import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Storage } from '../../file/storage.ts';
import { ServiceError } from '../../kernel/errors.ts';
import { html } from '../../kernel/html.ts';
import type { OpenSite } from '../../site/start/open-site.ts';
import { opensPage } from '../pages/opens-page.ts';
import { sendPage } from '../pages/page.ts';
import { addRoute } from '../route-table.ts';
import { APP, APP_PART, DESK, DESK_PART } from './addresses.ts';
import type { LoadUi } from './built-ui.ts';
import { sendBuilt } from './send-built.ts';

/**
 * `/app`: the admin UI, a page of scripts that uses the same API as every client. Every address below it
 * serves that page, except for the page's own files. `/desk`, Frappe's address of its UI, redirects there.
 */
export function registerAdminRoutes(app: FastifyInstance, site: OpenSite, load: LoadUi): void {
  const stored = storeOrigin(site);
  const page = async (request: FastifyRequest, reply: FastifyReply) => {
    requireUi(site);
    const ui = await load();
    if (!ui) return answerUnbuilt(request, reply);
    for (const [name, value] of pageHeaders(await stored())) reply.header(name, value);
    return sendBuilt(request, reply.header('cache-control', 'no-cache'), ui.page);
  };
  addRoute(app, APP, page);

  addRoute(app, APP_PART, async (request, reply) => {
    requireUi(site);
    const { '*': path } = request.params as { '*': string };
    const file = (await load())?.files.get(path);
    if (!file || path === 'index.html') {
      if (path.startsWith('assets/')) throw new ServiceError('DoesNotExistError', `/app/${path} not found`);
      return page(request, reply);
    }
    for (const [name, value] of FILE_HEADERS) reply.header(name, value);
    // The names of assets change with their content.
    const forGood = path.startsWith('assets/');
    reply.header('cache-control', forGood ? 'public, max-age=31536000, immutable' : 'no-cache');
    return sendBuilt(request, reply, file);
  });

  const lead = async (request: FastifyRequest, reply: FastifyReply) => {
    requireUi(site);
    // The address stays as sent, escapes included, and below /app, so it leads to no other server.
    const [path = '', query] = request.originalUrl.split('?', 2);
    const rest = /^\/desk(\/[\w%/.~-]*)?$/.exec(path)?.[1] ?? '';
    return redirect(reply, `/app${rest}${query === undefined ? '' : `?${query}`}`);
  };
  addRoute(app, DESK, lead);
  addRoute(app, DESK_PART, lead);
}

/** Redirects to a path on this server. */
export function redirect(reply: FastifyReply, path: string): FastifyReply {
  return reply.code(302).header('location', path).send();
}

function requireUi({ config }: OpenSite): void {
  if (!config.adminUi) throw new ServiceError('DoesNotExistError', 'The admin UI is switched off');
}

function answerUnbuilt(request: FastifyRequest, reply: FastifyReply): FastifyReply {
  if (!opensPage(request)) throw new ServiceError('DoesNotExistError', 'The admin UI is not built');
  return sendPage(
    reply,
    { title: 'The admin UI is not built', status: 404 },
    html`<p>The server runs, and its API answers. In a checkout <code>npm ci</code> and <code>npm run build</code> build
the UI (<code>npm start</code> does it too); a checkout that was installed without development dependencies cannot. Published packages
carry it built.</p>
<p><a class="button" href="/docs">API reference</a></p>
`,
  );
}

const FILE_HEADERS: readonly (readonly [name: string, value: string])[] = [
  ['referrer-policy', 'same-origin'],
  ['cross-origin-opener-policy', 'same-origin'],
  ['permissions-policy', 'camera=(), microphone=(), geolocation=()'],
];

function pageHeaders(store: string): readonly (readonly [name: string, value: string])[] {
  const policy = [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    `img-src 'self' data: blob:${store}`,
    "font-src 'self'",
    `connect-src 'self'${store}`,
    `media-src 'self' blob:${store}`,
    "manifest-src 'self'",
    // The preview of a printed document, which has a sandbox.
    "frame-src 'self'",
    "base-uri 'none'",
    "form-action 'self'",
    "frame-ancestors 'none'",
    "require-trusted-types-for 'script'",
  ].join('; ');
  return [...FILE_HEADERS, ['content-security-policy', policy]];
}

// The origin of the store that downloads redirect to. A page may load them from there: the only origin beside
// this one.
function storeOrigin({ config, storage }: OpenSite): () => Promise<string> {
  let found: Promise<string> | null = null;
  return () => {
    found ??= config.downloads.presign > 0 ? presignedOrigin(storage) : Promise.resolve('');
    return found;
  };
}

async function presignedOrigin(storage: Storage): Promise<string> {
  const shown = { seconds: 1, contentType: 'text/plain', disposition: 'inline' } as const;
  const url = await storage.presign?.(storage.newKey(), shown).catch(() => undefined);
  return url === undefined ? '' : ` ${new URL(url).origin}`;
}
