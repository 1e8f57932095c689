import fc from 'fast-check';
import { ADDRESSES } from '../../src/http/addresses.ts';
import { described } from './described.ts';
import { documentBody } from './documents.ts';
import { argumentsOf } from './methods.ts';
import { listParameters } from './queries.ts';
import { escaping, type FuzzRequest, type Plan, requestOf } from './requests.ts';
import { tus } from './tus.ts';
import { hostileText, junk, mostly, textOf } from './values.ts';
import { NAMES, type World } from './world.ts';

interface Fuzzed {
  /** How many of the requests go there, relative to the others. */
  readonly weight: number;
  plan(world: World, path: string): fc.Arbitrary<Plan>;
}

/** Addresses whose requests depend on documents, methods or protocols. OpenAPI describes all others. */
const PLANS: Readonly<Record<string, Fuzzed>> = {
  '/api/resource/:doctype': { weight: 60, plan: (world) => collection(world, '/api/resource/') },
  '/api/resource/:doctype/*': { weight: 60, plan: (world) => single(world, '/api/resource/', '') },
  '/api/v2/document/:doctype': { weight: 25, plan: (world) => collection(world, '/api/v2/document/') },
  '/api/v2/document/:doctype/*': { weight: 30, plan: (world) => single(world, '/api/v2/document/', '/') },
  '/api/v2/document/:doctype/:name/attachments': { weight: 5, plan: attachments },
  '/api/v2/doctype/:doctype/meta': { weight: 3, plan: (world) => about(world, '/meta') },
  '/api/v2/doctype/:doctype/count': { weight: 5, plan: (world) => about(world, '/count') },
  '/api/v2/doctype/:doctype/search': { weight: 5, plan: search },
  '/api/method/:method': { weight: 60, plan: (world) => call(world, '/api/method/', '') },
  '/api/method/:method/*': { weight: 3, plan: (world) => call(world, '/api/method/', '/more/x') },
  '/api/v2/method/:method': { weight: 15, plan: (world) => call(world, '/api/v2/method/', '') },
  '/': { weight: 6, plan: door },
  '/api/method/upload_file': { weight: 8, plan: upload },
  '/api/method/uploadfile': { weight: 1, plan: upload },
  '/api/v2/method/upload_file': { weight: 4, plan: upload },
  '/files/*': { weight: 5, plan: file },
  '/private/files/*': { weight: 5, plan: file },
  '/api/files/tus': { weight: 4, plan: (_world, path) => tus(path) },
  '/api/files/tus/:upload': { weight: 4, plan: () => tus('/api/files/tus/') },
};

/** Addresses with a plan, for the test that there is none too many. */
export const PLANNED: readonly string[] = Object.keys(PLANS);

/** Requests to all addresses by their weights. */
export function anyRequest(world: World): fc.Arbitrary<FuzzRequest> {
  const byPath = new Map(ADDRESSES.map((address) => [address.path, address]));
  return fc.oneof(
    ...ADDRESSES.map((address) => {
      const { path, verbs, sameAs = path } = address;
      const { weight, plan } = PLANS[path] ?? {
        weight: 2,
        plan: () => described(world, path, byPath.get(sameAs) ?? address),
      };
      const offered = [...Object.keys(verbs), ...(verbs.GET ? ['HEAD'] : [])];
      return { weight, arbitrary: requestOf(world, path, offered, plan(world, path)) };
    }),
  );
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

function file(world: World): fc.Arbitrary<Plan> {
  return fc
    .tuple(fc.nat(), hostileText, fc.integer({ min: 0, max: 9 }), escaping)
    .map(([pick, noise, chance, encode]): Plan => {
      const odd = `${chance % 2 ? '/private' : ''}/files/${encode(noise)}`;
      return { path: chance < 7 ? encodeURI(world.oneOf(world.files, pick)) : odd };
    });
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
