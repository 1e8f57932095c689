import fc from 'fast-check';
import * as oauth from '../../src/http/oauth/addresses.ts';
import type { RegisteredRoute } from '../../src/http/route-table.ts';
import { documentBody } from './documents.ts';
import { argumentsOf, fileNames } from './methods.ts';
import { listParameters } from './queries.ts';
import { escaping, type FuzzRequest, type Plan, requestOf } from './requests.ts';
import { tus } from './tus.ts';
import { hostileText, junk, mostly, textOf } from './values.ts';
import { NAMES, type World } from './world.ts';

interface Fuzzed {
  /** How many of the requests go there, relative to the others. */
  readonly weight: number;
  plan(world: World): fc.Arbitrary<Plan>;
}

/** One generator for each path of the route table. */
export const FUZZED_ROUTES: Readonly<Record<string, Fuzzed>> = {
  '/health': { weight: 1, plan: () => fc.constant({ path: '/health' }) },
  '/ready': { weight: 1, plan: () => fc.constant({ path: '/ready' }) },
  '/metrics': { weight: 1, plan: () => fc.constant({ path: '/metrics' }) },
  '/api/resource/:doctype': { weight: 60, plan: (world) => collection(world, '/api/resource/') },
  '/api/resource/:doctype/*': { weight: 60, plan: (world) => single(world, '/api/resource/', '') },
  '/api/method/upload_file': { weight: 8, plan: (world) => upload(world, '/api/method/upload_file') },
  '/api/method/:method': { weight: 60, plan: (world) => call(world, '/api/method/', '') },
  '/api/method/:method/*': { weight: 3, plan: (world) => call(world, '/api/method/', '/more/x') },
  '/': { weight: 6, plan: door },
  '/api/v2/document/:doctype': { weight: 25, plan: (world) => collection(world, '/api/v2/document/') },
  '/api/v2/document/:doctype/*': { weight: 30, plan: (world) => single(world, '/api/v2/document/', '/') },
  '/api/v2/document/:doctype/:name/attachments': {
    weight: 5,
    plan: (world) => attachments(world),
  },
  '/api/v2/method/:method': { weight: 15, plan: (world) => call(world, '/api/v2/method/', '') },
  '/api/v2/doctype/:doctype/meta': { weight: 3, plan: (world) => about(world, '/meta') },
  '/api/v2/doctype/:doctype/count': { weight: 5, plan: (world) => about(world, '/count') },
  '/api/v2/doctype/:doctype/search': { weight: 5, plan: search },
  '/files/*': { weight: 5, plan: (world) => file(world, '') },
  '/private/files/*': { weight: 5, plan: (world) => file(world, '') },
  '/api/method/download_file': { weight: 4, plan: (world) => file(world, '/api/method/download_file') },
  '/api/v2/method/download_file': { weight: 3, plan: (world) => file(world, '/api/v2/method/download_file') },
  '/api/files/tus': { weight: 4, plan: () => tus('/api/files/tus') },
  '/api/files/tus/:upload': { weight: 4, plan: () => tus('/api/files/tus/') },
  '/api/openapi.json': { weight: 1, plan: () => fc.constant({ path: '/api/openapi.json' }) },
  '/api/events': { weight: 3, plan: events },
  '/login': {
    weight: 2,
    plan: () => form('/login', { usr: 'staff@example.com', pwd: 'x', 'redirect-to': '//x' }),
  },
  '/update-password': {
    weight: 1,
    plan: () => form('/update-password', { key: '0', new_password: 'a lagoon of trombones' }),
  },
  '/api/auth/:provider/start': { weight: 1, plan: () => signIn('start') },
  '/api/auth/:provider/callback': { weight: 1, plan: () => signIn('callback') },
  [oauth.AUTHORIZE.path]: { weight: 3, plan: (world) => asked(world, oauth.AUTHORIZE.path) },
  [oauth.APPROVE.path]: { weight: 2, plan: (world) => asked(world, oauth.APPROVE.path) },
  [oauth.TOKEN.path]: { weight: 3, plan: (world) => asked(world, oauth.TOKEN.path) },
  [oauth.REVOKE.path]: { weight: 1, plan: (world) => asked(world, oauth.REVOKE.path) },
  [oauth.INTROSPECT.path]: { weight: 1, plan: (world) => asked(world, oauth.INTROSPECT.path) },
  [oauth.PROFILE.path]: { weight: 1, plan: () => fc.constant({ path: oauth.PROFILE.path }) },
  [oauth.METADATA.path]: { weight: 1, plan: () => fc.constant({ path: oauth.METADATA.path }) },
  '/docs': { weight: 1, plan: () => fc.constant({ path: '/docs' }) },
  '/docs/:asset': {
    weight: 1,
    plan: () => below('/docs/'),
  },
  '/app': { weight: 1, plan: () => fc.constant({ path: '/app' }) },
  '/app/*': { weight: 1, plan: () => below('/app/') },
  '/desk': { weight: 1, plan: () => fc.constant({ path: '/desk' }) },
  '/desk/*': { weight: 1, plan: () => below('/desk/') },
  '/api/method/frappe.core.api.file.zip_files': {
    weight: 2,
    plan: (world) => zip(world, '/api/method/frappe.core.api.file.zip_files'),
  },
  '/api/v2/method/frappe.core.api.file.zip_files': {
    weight: 1,
    plan: (world) => zip(world, '/api/v2/method/frappe.core.api.file.zip_files'),
  },
  '/api/v2/method/upload_file': { weight: 4, plan: (world) => upload(world, '/api/v2/method/upload_file') },
};

/** Requests over all routes by their weights. */
export function anyRequest(world: World, routes: readonly RegisteredRoute[]): fc.Arbitrary<FuzzRequest> {
  const offered = new Map<string, string[]>();
  for (const { path, method, offered: isOffered } of routes) {
    if (isOffered) offered.set(path, [...(offered.get(path) ?? []), method]);
  }
  return fc.oneof(
    ...[...offered].map(([path, verbs]) => {
      const fuzzed = FUZZED_ROUTES[path];
      // That one is missing is what the test of the table says.
      if (!fuzzed) return { weight: 1, arbitrary: requestOf(world, path, verbs, fc.constant({ path })) };
      return { weight: fuzzed.weight, arbitrary: requestOf(world, path, verbs, fuzzed.plan(world)) };
    }),
  );
}

function below(folder: string): fc.Arbitrary<Plan> {
  return fc.tuple(hostileText, escaping).map(([name, encode]) => ({ path: `${folder}${encode(name)}` }));
}

// The doctypes of the site by name, so that a doctype made meanwhile is met too; sometimes one that is not there.
function doctypeName(world: World): fc.Arbitrary<string> {
  return fc.oneof(
    { weight: 12, arbitrary: fc.constantFrom('Leaf', 'Everything', 'Order', 'Grove', 'Config', 'Guarded') },
    { weight: 5, arbitrary: fc.constantFrom('DocType', 'DocType', 'Custom Field', 'Property Setter') },
    { weight: 3, arbitrary: fc.constantFrom('File', 'User', 'Webhook', 'Role', 'Comment') },
    { weight: 2, arbitrary: fc.constantFrom('Sensor', 'Gauge', 'Row', 'Webhook Request Log') },
    { weight: 4, arbitrary: fc.nat().map((pick) => world.nameOf('DocType', pick)) },
    { weight: 1, arbitrary: hostileText },
  );
}

function name(world: World, doctype: string): fc.Arbitrary<string> {
  return fc.oneof(
    { weight: 10, arbitrary: fc.nat().map((pick) => world.nameOf(doctype, pick)) },
    { weight: 2, arbitrary: fc.constantFrom(...NAMES) },
    { weight: 1, arbitrary: hostileText },
  );
}

function collection(world: World, prefix: string): fc.Arbitrary<Plan> {
  return doctypeName(world).chain((doctype) =>
    fc
      .tuple(
        escaping,
        listParameters(world, world.doctype(doctype)),
        documentBody(world, world.doctype(doctype)),
        fc.integer({ min: 0, max: 9 }),
      )
      .map(([encode, query, payload, chance]) => {
        const path = prefix + encode(doctype);
        if (chance < 4) return { path, query: query, method: chance === 0 ? 'HEAD' : 'GET' };
        return { path, payload: chance === 9 ? query : payload, method: 'POST' };
      }),
  );
}

const DOCUMENT_METHODS = [
  'submit',
  'cancel',
  'rename',
  'add_comment',
  'total',
  'echo',
  'whole',
  'constructor',
  'validate',
];

function single(world: World, prefix: string, version: '' | '/'): fc.Arbitrary<Plan> {
  return doctypeName(world).chain((doctype) =>
    fc
      .tuple(
        escaping,
        name(world, doctype),
        documentBody(world, world.doctype(doctype)),
        fc.constantFrom(...DOCUMENT_METHODS),
        fc.integer({ min: 0, max: 29 }),
        fc.array(documentBody(world, world.doctype(doctype)), { maxLength: 3 }),
      )
      .map(([encode, named, given, method, chance, bodies]): Plan => {
        // A name that is another is refused before anything else.
        const { name: sentName, ...rest } = given;
        const body = chance === 16 ? { ...rest, name: sentName } : rest;
        const path = `${prefix}${encode(doctype)}/${encode(named)}`;
        if (chance < 8) return { path, method: 'GET' };
        if (chance < 17)
          return { path, method: version === '/' && chance < 11 ? 'PATCH' : 'PUT', payload: body };
        if (chance < 19) return { path, method: 'DELETE' };
        if (chance < 21) return { path, payload: body };
        const verb = chance % 2 ? 'GET' : 'POST';
        const args = { ...body, name: named, text: 'x' };
        if (version === '') {
          const query = { run_method: method, ...(verb === 'GET' ? { name: 'B' } : {}) };
          return { path, method: verb, query, payload: args };
        }
        if (chance < 26) return { path: `${path}/method/${encode(method)}`, method: verb, payload: args };
        if (chance < 28) return { path: `${path}/copy`, method: 'GET' };
        const bulk = chance === 28 ? 'bulk_update' : 'bulk_delete';
        const docs = bodies.map((fields) => ({ ...fields, name: named }));
        return {
          path: `${prefix}${encode(doctype)}/${bulk}`,
          method: 'POST',
          payload: { docs, names: docs.map((doc) => doc.name) },
        };
      }),
  );
}

function attachments(world: World): fc.Arbitrary<Plan> {
  return doctypeName(world).chain((doctype) =>
    fc.tuple(escaping, name(world, doctype), upload(world, '')).map(([encode, named, plan]) => ({
      ...plan,
      path: `/api/v2/document/${encode(doctype)}/${encode(named)}/attachments`,
    })),
  );
}

function methodName(world: World): fc.Arbitrary<string> {
  return fc.oneof(
    { weight: 20, arbitrary: fc.constantFrom(...world.operations.keys()) },
    { weight: 1, arbitrary: hostileText },
  );
}

function call(world: World, prefix: string, suffix: string): fc.Arbitrary<Plan> {
  return fc.tuple(methodName(world), doctypeName(world)).chain(([method, doctype]) =>
    fc
      .tuple(escaping, argumentsOf(world, method, world.doctype(doctype)), fc.integer({ min: 0, max: 19 }))
      .map(([encode, args, chance]): Plan => {
        const path = prefix + encode(method) + suffix;
        if (chance < 7) return { path, query: args };
        return { path, payload: args, ...(chance < 19 ? { method: 'POST' } : {}) };
      }),
  );
}

function door(world: World): fc.Arbitrary<Plan> {
  return fc
    .tuple(methodName(world), doctypeName(world))
    .chain(([cmd, doctype]) =>
      fc
        .tuple(argumentsOf(world, cmd, world.doctype(doctype)), mostly(fc.constant(cmd)), fc.boolean())
        .map(
          ([args, command, inQuery]): Plan =>
            inQuery
              ? { path: '/', query: { cmd: command, ...args } }
              : { path: '/', payload: { cmd: command, ...args } },
        ),
    );
}

function about(world: World, part: string): fc.Arbitrary<Plan> {
  return doctypeName(world).chain((doctype) =>
    fc.tuple(escaping, listParameters(world, world.doctype(doctype))).map(([encode, query]) => ({
      path: `/api/v2/doctype/${encode(doctype)}${part}`,
      query: query,
    })),
  );
}

function search(world: World): fc.Arbitrary<Plan> {
  return doctypeName(world).chain((doctype) =>
    fc
      .tuple(
        escaping,
        argumentsOf(world, 'frappe.desk.search.search_link', world.doctype(doctype)),
        hostileText,
      )
      .map(([encode, { doctype: _doctype, ...query }, noise]) => ({
        path: `/api/v2/doctype/${encode(doctype)}/search`,
        query: { ...query, q: noise, search: noise },
      })),
  );
}

function file(world: World, method: string): fc.Arbitrary<Plan> {
  return fc
    .tuple(fc.nat(), hostileText, fc.integer({ min: 0, max: 9 }), escaping)
    .map(([pick, noise, chance, encode]): Plan => {
      const known = world.oneOf(world.files, pick);
      const odd = `${chance % 2 ? '/private' : ''}/files/${encode(noise)}`;
      if (method !== '') return { path: method, query: { file_url: chance < 7 ? known : odd } };
      return { path: chance < 7 ? encodeURI(known) : odd };
    });
}

function zip(world: World, path: string): fc.Arbitrary<Plan> {
  return fc
    .tuple(fileNames(world), fc.boolean())
    .map(([files, inQuery]): Plan => (inQuery ? { path, query: { files } } : { path, payload: { files } }));
}

function signIn(step: string): fc.Arbitrary<Plan> {
  return fc.tuple(hostileText, escaping, junk).map(([name, encode, state]) => ({
    path: `/api/auth/${encode(name)}/${step}`,
    query: { code: 'x', state },
  }));
}

// What an OAuth client may send, some of it replaced by junk, in the query or the body.
function form(path: string, usual: Readonly<Record<string, string>>): fc.Arbitrary<Plan> {
  const fields = Object.entries(usual).map(([name, value]) => [name, mostly(fc.constant(value), junk)]);
  return fc
    .tuple(fc.record(Object.fromEntries(fields), { requiredKeys: [] }), fc.boolean())
    .map(
      ([args, inQuery]): Plan => (inQuery ? { path, query: args } : { path, method: 'POST', payload: args }),
    );
}

function asked(world: World, path: string): fc.Arbitrary<Plan> {
  return fc.nat().chain((pick) =>
    form(path, {
      client_id: world.nameOf('OAuth Client', pick),
      client_secret: 'secret',
      redirect_uri: 'https://client.example/cb',
      response_type: 'code',
      scope: 'all',
      state: 'x',
      code_challenge: 'x'.repeat(43),
      code_challenge_method: 'S256',
      grant_type: pick % 2 ? 'authorization_code' : 'refresh_token',
      code: 'x'.repeat(43),
      code_verifier: 'x'.repeat(43),
      refresh_token: 'a.b',
      token: 'x'.repeat(43),
      csrf_token: 'x',
      decision: 'allow',
    }),
  );
}

function events(world: World): fc.Arbitrary<Plan> {
  return fc
    .tuple(mostly(doctypeName(world)), mostly(fc.nat().map((pick) => world.nameOf('Leaf', pick))), junk)
    .map(
      ([doctype, named, id]): Plan => ({
        path: '/api/events',
        query: { doctype, name: named, last_event_id: id },
      }),
    );
}

const BOUNDARY = 'fuzz-boundary';

function upload(world: World, path: string): fc.Arbitrary<Plan> {
  const value = mostly(
    fc.oneof(
      fc.constantFrom('0', '1', 'Home', 'Leaf', 'Order', 'A', 'title', 'attach'),
      fc.nat().map((pick) => world.nameOf('Leaf', pick)),
      fc.nat().map((pick) => world.oneOf(world.files, pick)),
    ),
  );
  const field = fc.tuple(
    mostly(
      fc.constantFrom(
        'is_private',
        'folder',
        'doctype',
        'docname',
        'fieldname',
        'file_url',
        'file_name',
        'optimize',
      ),
    ),
    value,
  );
  const part = fc
    .tuple(mostly(fc.constantFrom('a.txt', 'b.svg', 'é 1.png', 'no-extension')), junk, fc.nat({ max: 19 }))
    .map(([fileName, content, chance]) => {
      const shown = textOf(fileName).replaceAll(/["\r\n]/g, '_');
      const names = chance === 0 ? '' : `; filename="${shown}"`;
      const as = chance === 1 ? 'x' : 'file';
      return `content-disposition: form-data; name="${as}"${names}\r\ncontent-type: text/plain\r\n\r\n${textOf(content)}`;
    });
  return fc
    .tuple(
      fc.array(field, { maxLength: 4 }),
      fc.array(part, { minLength: 0, maxLength: 2 }),
      fc.integer({ min: 0, max: 19 }),
      hostileText,
      fc.nat(),
    )
    .map(([fields, parts, chance, noise, at]): Plan => {
      const payload = Object.fromEntries(fields.map(([key, one]) => [textOf(key), one]));
      if (chance < 3) return { path, method: 'POST', payload };
      const some = [
        ...fields.map(
          ([key, one]) =>
            `content-disposition: form-data; name="${textOf(key).replaceAll(/["\r\n]/g, '_')}"\r\n\r\n${textOf(one)}`,
        ),
        ...parts.slice(0, chance === 3 ? 2 : 1),
      ];
      if (chance % 2) some.reverse();
      const text = `${some.map((one) => `--${BOUNDARY}\r\n${one}\r\n`).join('')}--${BOUNDARY}--\r\n`;
      const bytes = Buffer.from(text);
      const type = `multipart/form-data; boundary=${BOUNDARY}`;
      if (chance === 4) return raw(path, type, bytes.subarray(0, at % bytes.length));
      if (chance === 5) return raw(path, 'multipart/form-data', bytes);
      if (chance === 6) return raw(path, type, Buffer.from(noise));
      return raw(path, type, bytes);
    });
}

function raw(path: string, type: string, bytes: Buffer): Plan {
  return { path, method: 'POST', raw: { type, bytes } };
}
