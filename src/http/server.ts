import { type FastifyInstance, fastify } from 'fastify';
import { LIMITS } from '../kernel/limits.ts';
import type { OpenSite } from '../site/start/open-site.ts';
import { builtUi, type LoadUi } from './admin/built-ui.ts';
import { registerAdminRoutes } from './admin/routes.ts';
import { admitRequests } from './call.ts';
import { registerDocsRoutes } from './docs/routes.ts';
import { registerDocumentRoutes } from './documents/routes.ts';
import { registerFileRoutes } from './files/download-routes.ts';
import { registerTusRoutes } from './files/tus-routes.ts';
import { registerUpload } from './files/upload-file.ts';
import { registerZipRoutes } from './files/zip-routes.ts';
import { registerDrain } from './limits/drain.ts';
import { registerSlowReaders } from './limits/slow-readers.ts';
import { methodTable } from './methods/methods.ts';
import { registerMethodRoutes } from './methods/routes.ts';
import { registerOAuthRoutes } from './oauth/routes.ts';
import { registerOpenApiRoute } from './openapi/route.ts';
import { errorPage } from './pages/error-page.ts';
import { registerPositions } from './position.ts';
import { registerPrintRoutes } from './print/routes.ts';
import { registerRequestLog } from './request-log.ts';
import { guardRoutes, type RegisteredRoute } from './route-table.ts';
import { registerEventRoutes } from './service/events.ts';
import { registerHealthRoutes } from './service/health.ts';
import { registerMetricsRoute } from './service/metrics.ts';
import { registerLoginPage } from './sign-in/login-page.ts';
import { registerNewPasswordPage } from './sign-in/new-password-page.ts';
import { registerSignInRoutes } from './sign-in/provider-routes.ts';
import { registerBodyParsers } from './wire/body.ts';
import { registerRequestChecks } from './wire/check-request.ts';
import { answerClientError, answerOddRequests } from './wire/client-error.ts';
import { registerCompression } from './wire/compress.ts';
import { answerFrameworkError, registerErrorReplies } from './wire/error-reply.ts';
import { registerForwarded, trustedProxies } from './wire/forwarded.ts';
import { frameworkLog } from './wire/framework-log.ts';
import { registerCors, requestIds } from './wire/headers.ts';
import { registerUnreadBodies } from './wire/unread-body.ts';
import { canonicalUrl, parseParameters } from './wire/url.ts';
import { registerForwarding } from './workers/forward.ts';
import { registerFromReaders } from './workers/from-readers.ts';

declare module 'fastify' {
  interface FastifyInstance {
    /** Every route with its requirement. */
    registeredRoutes: readonly RegisteredRoute[];
  }
}

/** Limits of connections; tests shorten them. */
export type WireLimits = {
  readonly [limit in
    | 'connections'
    | 'headersTimeout'
    | 'requestTimeout'
    | 'keepAliveTimeout'
    | 'uploadIdleTimeout'
    | 'readerIdleTimeout'
    | 'uploadLinger']: number;
};

// Operations check their arguments themselves. Without this, a start would load the compilers of JSON Schema.
const noSchema = () => () => {
  throw new Error('routes have no schemas');
};
const NO_SCHEMAS = { compilersFactory: { buildValidator: noSchema, buildSerializer: noSchema } };

/**
 * The HTTP server of an open site, not listening yet. Registers hooks in the order in which requests pass
 * them.
 */
export function createServer(
  site: OpenSite,
  shortened: Partial<WireLimits> = {},
  loadUi: LoadUi = builtUi(),
): FastifyInstance {
  const limits: WireLimits = { ...LIMITS, ...shortened };
  const requestId = requestIds(site.random);
  const trustProxy = trustedProxies(site.config.trustProxy);
  const app = fastify({
    logger: false,
    childLoggerFactory: frameworkLog(site.observe),
    trustProxy,
    genReqId: requestId,
    requestIdHeader: false,
    bodyLimit: LIMITS.bodyBytes,
    // Node's own limit cannot tell a slow body from a large upload: body.ts and the upload have their own.
    requestTimeout: 0,
    keepAliveTimeout: limits.keepAliveTimeout,
    // A closing server finishes accepted requests.
    return503OnClosing: false,
    forceCloseConnections: 'idle',
    http: {
      headersTimeout: limits.headersTimeout,
      // Node's interval for checking late headers; its default of half a minute would allow three times the
      // limit.
      connectionsCheckingInterval: Math.ceil(limits.headersTimeout / 5),
      maxHeaderSize: LIMITS.headerBytes,
      // check-request.ts refuses these requests instead, in our envelope.
      requireHostHeader: false,
      // Repeated headers arrive joined, so that they can be refused; by default the first one silently wins.
      joinDuplicateHeaders: true,
    },
    schemaController: NO_SCHEMAS,
    routerOptions: { maxParamLength: 2000, querystringParser: parseParameters },
    rewriteUrl: (request) => canonicalUrl(request.url),
    frameworkErrors: (error, request, reply) => answerFrameworkError(site.observe, error, request, reply),
    clientErrorHandler: (error, socket) => answerClientError(error, socket, requestId()),
  });
  app.server.maxConnections = limits.connections;
  // One more than allowed, so that Node does not silently drop the rest.
  app.server.maxHeadersCount = LIMITS.headerCount + 1;
  answerOddRequests(app.server, requestId);

  app.decorate('registeredRoutes', guardRoutes(app));
  registerErrorReplies(app, site.observe, site.explain, errorPage);
  registerBodyParsers(app, limits.requestTimeout);
  registerRequestLog(app, site);
  registerForwarded(app, trustProxy);
  registerRequestChecks(app);
  registerDrain(app, site.fence);
  registerCors(app, site);
  registerPositions(app, site);
  registerCompression(app);
  registerSlowReaders(app, site, limits.readerIdleTimeout);
  registerUnreadBodies(app, limits.uploadLinger);
  if (site.role === 'writer') registerFromReaders(app);
  registerForwarding(app, site, limits.uploadLinger);
  admitRequests(app, site);

  registerHealthRoutes(app, site);
  registerMetricsRoute(app, site);
  if (site.config.role === 'work') return app;
  registerDocumentRoutes(app, site);
  const methods = methodTable(site);
  registerUpload(app, site, methods, limits.uploadIdleTimeout);
  registerMethodRoutes(app, site, methods);
  registerOAuthRoutes(app, site);
  registerLoginPage(app, site, loadUi);
  registerNewPasswordPage(app, site);
  registerSignInRoutes(app, site);
  registerEventRoutes(app, site);
  registerFileRoutes(app, site);
  registerZipRoutes(app, site);
  registerTusRoutes(app, site, limits.uploadIdleTimeout);
  registerOpenApiRoute(app, site, methods);
  registerDocsRoutes(app);
  registerPrintRoutes(app, site);
  registerAdminRoutes(app, site, loadUi);
  return app;
}
