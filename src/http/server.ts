import { type FastifyInstance, fastify } from 'fastify';
import { LIMITS } from '../kernel/limits.ts';
import type { OpenSite } from '../site/open-site.ts';
import { builtUi, type LoadUi } from './admin/built-ui.ts';
import { registerAdmission } from './admission.ts';
import { registerOneValue } from './arguments.ts';
import { registerBodyParsers } from './body.ts';
import { answerClientError, answerOddRequests } from './client-error.ts';
import { registerDoor, registerRequestLog } from './door.ts';
import { registerDrain } from './drain.ts';
import { answerFrameworkError, registerErrorReplies } from './error-reply.ts';
import { registerForwarded, trustedProxies } from './forwarded.ts';
import { frameworkLog } from './framework-log.ts';
import { registerCors, requestIds } from './headers.ts';
import { registerIdentify } from './identify.ts';
import { registerUpload } from './methods/upload-file.ts';
import { registerRateLimits } from './rate-limit.ts';
import { guardRoutes, type RegisteredRoute, refuseOtherVerbs } from './route-table.ts';
import { registerAdminRoutes } from './routes/admin.ts';
import { registerDocsRoutes } from './routes/docs.ts';
import { registerDocumentRoutes } from './routes/document.ts';
import { registerEventRoutes } from './routes/events.ts';
import { registerFileRoutes } from './routes/file.ts';
import { registerHealthRoutes } from './routes/health.ts';
import { registerLoginPage } from './routes/login-page.ts';
import { methodTable, registerMethodRoutes } from './routes/method.ts';
import { registerMetricsRoute } from './routes/metrics.ts';
import { registerNewPasswordPage } from './routes/new-password-page.ts';
import { registerOAuthRoutes } from './routes/oauth.ts';
import { registerOpenApiRoute } from './routes/openapi.ts';
import { registerResourceRoutes } from './routes/resource.ts';
import { registerSecondVersion } from './routes/second-version.ts';
import { registerSignInRoutes } from './routes/sign-in.ts';
import { registerTusRoutes } from './routes/tus.ts';
import { registerZipRoutes } from './routes/zip.ts';
import { registerSlowReaders } from './slow-readers.ts';
import { canonicalUrl, parseParameters } from './url.ts';

declare module 'fastify' {
  interface FastifyInstance {
    /** Every route, with what it requires. */
    registeredRoutes: readonly RegisteredRoute[];
  }
}

/** The limits of connections; a test shortens them. */
export type WireLimits = {
  readonly [limit in
    | 'connections'
    | 'headersTimeout'
    | 'requestTimeout'
    | 'keepAliveTimeout'
    | 'uploadIdleTimeout'
    | 'readerIdleTimeout']: number;
};

/** The HTTP face of an open site, not listening yet. Registers in the order in which requests pass. */
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
    // Node's own limit cannot tell a slow body from a large upload; body.ts and the upload have their own.
    requestTimeout: 0,
    keepAliveTimeout: limits.keepAliveTimeout,
    // A server that is closing finishes what it has accepted.
    return503OnClosing: false,
    forceCloseConnections: 'idle',
    http: {
      headersTimeout: limits.headersTimeout,
      // Node looks for late heads this often; its own half a minute would let them be three times as late.
      connectionsCheckingInterval: Math.ceil(limits.headersTimeout / 5),
      maxHeaderSize: LIMITS.headerBytes,
      // Refused in door.ts instead, in our envelope.
      requireHostHeader: false,
      // Repeated headers come joined instead of silently first-wins, so that they can be refused.
      joinDuplicateHeaders: true,
    },
    routerOptions: { maxParamLength: 2000, querystringParser: parseParameters },
    rewriteUrl: (request) => canonicalUrl(request.url),
    frameworkErrors: (error, request, reply) => answerFrameworkError(site.observe, error, request, reply),
    clientErrorHandler: (error, socket) => answerClientError(error, socket, requestId()),
  });
  app.server.maxConnections = limits.connections;
  // One more than allowed, so that too many are seen rather than dropped.
  app.server.maxHeadersCount = LIMITS.headerCount + 1;
  answerOddRequests(app.server, requestId);

  app.decorate('registeredRoutes', guardRoutes(app));
  registerErrorReplies(app, site.observe, site.explain);
  registerBodyParsers(app, limits.requestTimeout);
  registerRequestLog(app, site);
  registerForwarded(app, trustProxy);
  registerDoor(app);
  registerDrain(app);
  registerCors(app, site);
  registerSlowReaders(app, site, limits.readerIdleTimeout);
  registerAdmission(app, site.config.admission);
  registerIdentify(app, site);
  registerRateLimits(app, site.config.rateLimits);
  registerOneValue(app);

  registerHealthRoutes(app, site);
  registerMetricsRoute(app, site);
  registerResourceRoutes(app, site);
  const methods = methodTable(site);
  registerUpload(app, site, methods, limits.uploadIdleTimeout);
  refuseOtherVerbs(app, '/api/method/upload_file', ['POST']);
  registerMethodRoutes(app, site, methods);
  registerOAuthRoutes(app, site);
  registerLoginPage(app, site, loadUi);
  registerNewPasswordPage(app, site);
  registerSignInRoutes(app, site);
  registerDocumentRoutes(app, site);
  registerSecondVersion(app, site, methods);
  registerEventRoutes(app, site);
  registerFileRoutes(app, site);
  registerZipRoutes(app, site);
  registerTusRoutes(app, site, limits.uploadIdleTimeout);
  registerOpenApiRoute(app, site, methods);
  registerDocsRoutes(app);
  registerAdminRoutes(app, site, loadUi);
  return app;
}
