/** Mistakes in what an app declares stop the start with a suggestion; they never grant a right or lose a hook. */
import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { DEFAULT_CONFIG } from '../../src/config/config.ts';
import { defineDocumentMethod, defineMethod } from '../../src/index.ts';
import type { Observation } from '../../src/kernel/observation.ts';
import type { App } from '../../src/site/app.ts';
import { planSite } from '../../src/site/schema/migration/plan-site.ts';
import { openSite } from '../../src/site/start/open-site.ts';
import { StartError } from '../../src/site/start-error.ts';
import { engineOf } from '../support/describe-site.ts';
import { startTestSite, type TestSite } from '../support/site.ts';

const root = mkdtempSync(join(tmpdir(), 'chancery-misspellings-'));
after(() => rmSync(root, { recursive: true, force: true }));

const TITLE = { fieldname: 'title', fieldtype: 'Data' };
const TOTAL = { fieldname: 'total', fieldtype: 'Int', is_virtual: 1 };
const READER = { role: 'Reader', read: 1 };
const THING = { name: 'Thing', autoname: 'prompt', fields: [TITLE, TOTAL], permissions: [READER] };

/** An app that is as wrong as a JavaScript author can make it: `extra` is of any shape. */
function shop(extra: object, definition: object = THING, fixtures: readonly object[] = []): App {
  const folder = mkdtempSync(join(root, 'app-'));
  for (const [part, content] of Object.entries({ doctypes: definition, fixtures })) {
    mkdirSync(join(folder, part));
    writeFileSync(join(folder, part, 'one.json'), JSON.stringify(content));
  }
  const url = pathToFileURL(`${folder}/`);
  return { name: 'shop', doctypes: new URL('doctypes/', url), fixtures: new URL('fixtures/', url), ...extra };
}

/** Opens and closes a new site with the app; resolves to the warnings of its start. */
async function start(app: App): Promise<string[]> {
  const observed: Observation[] = [];
  const data = mkdtempSync(join(root, 'data-'));
  const config = { ...DEFAULT_CONFIG, data, secretKey: Buffer.alloc(32, 7).toString('base64') };
  const site = await openSite(config, { apps: [app], observe: (seen) => observed.push(seen) });
  await site.close();
  return observed.flatMap((seen) => (seen.kind === 'warning' ? [seen.message] : []));
}

const LEVEL = {
  doctype_or_field: 'DocField',
  doc_type: 'Thing',
  field_name: 'title',
  property: 'permlevel',
  value: '1',
};
const fields = (field: object) => ({
  ...THING,
  fields: [TITLE, TOTAL, { ...TITLE, fieldname: 'text', ...field }],
});
const hooks = (controller: unknown) => shop({ controllers: { Thing: controller } });
const noop = () => {};

describe('a start is refused', () => {
  for (const [what, app, message] of [
    [
      'a right',
      shop({}, { ...THING, permissions: [{ role: 'Reader', raed: 1 }] }),
      'raed; did you mean read?',
    ],
    [
      'a right in capitals',
      shop({}, { ...THING, permissions: [{ ...READER, Write: 1 }] }),
      'did you mean write?',
    ],
    ['a property of a field', shop({}, fields({ permlvel: 1 })), 'permlvel; did you mean permlevel?'],
    ['a property of a doctype', shop({}, { ...THING, is_submitable: 1 }), 'did you mean is_submittable?'],
    ['a key of the app', shop({ mehtods: {} }), 'the key mehtods is unknown; did you mean methods?'],
    [
      'a doctype under controllers',
      shop({ controllers: { Thnig: {} } }),
      'Thnig is unknown; did you mean Thing?',
    ],
    ['a hook', hooks({ vaildate: noop }), 'vaildate is unknown; did you mean validate?'],
    [
      'a hook of a class',
      hooks(
        new (class {
          vaildate() {}
        })(),
      ),
      'vaildate is unknown; did you mean validate?',
    ],
    [
      'a hook of a base class',
      hooks(
        new (class extends class {
          validate = noop;
          onUpdat() {}
        } {})(),
      ),
      'onUpdat is unknown; did you mean onUpdate?',
    ],
    ['a hook by its wire name', hooks({ on_update: noop }), 'did you mean onUpdate?'],
    ['a hook that is no function', hooks({ validate: 'yes' }), 'validate of Thing must be a function'],
    ['a controller that is none', hooks(noop), 'controller of Thing must be an object'],
    [
      'a virtual field',
      hooks({ virtualFields: { totla: () => 1 } }),
      'totla is unknown; did you mean total?',
    ],
    ['a virtual field that is no function', hooks({ virtualFields: { total: 1 } }), 'must be a function'],
    [
      'a function as a method',
      shop({ methods: { 'a.f': async () => 1 } }),
      'a.f must be made with defineMethod',
    ],
    [
      'an object as a method',
      shop({ methods: { 'a.f': { run: noop } } }),
      'a.f must be made with defineMethod',
    ],
    ['null as a method', shop({ methods: { 'a.f': null } }), 'a.f must be made with defineMethod'],
    ['a function as a document method', hooks({ documentMethods: { lend: noop } }), 'defineDocumentMethod'],
    [
      'a field of a fixture',
      shop({}, THING, [{ doctype: 'Thing', name: 'a', titel: 'A' }]),
      'did you mean title?',
    ],
  ] as const) {
    test(`for a mistake in ${what}`, async () => {
      await assert.rejects(start(app), (error) => {
        assert.ok(error instanceof StartError, String(error));
        assert.ok(error.message.includes(message), error.message);
        return true;
      });
    });
  }

  test('for a mistake in the definition of a method, where it is made', () => {
    const definition: object = { run: noop, role: ['Reader'] };
    // biome-ignore lint/suspicious/noExplicitAny: what a JavaScript author may pass
    for (const define of [defineMethod, (given: any) => defineDocumentMethod({ ...given, htpt: ['GET'] })]) {
      // biome-ignore lint/suspicious/noExplicitAny: as above
      assert.throws(() => define(definition as any), /did you mean (roles|http)\?/);
    }
    // biome-ignore lint/suspicious/noExplicitAny: as above
    assert.throws(() => defineMethod({} as any), /needs a run function/);
  });
});

describe('a start warns about', () => {
  for (const [what, app, message] of [
    ['other keys of definitions', shop({}, { ...THING, engine: 'InnoDB' }), 'no effect: engine'],
    [
      'a permission without a right',
      shop({}, { ...THING, permissions: [{ role: 'Reader' }] }),
      'grants none',
    ],
    ['a hook of no known name', hooks({ beforeLunch: noop }), 'beforeLunch is unknown and has no effect'],
    ['a doctype that is not there', shop({ controllers: { Invoice: {} } }), 'Invoice is unknown'],
    ['another key of the app', shop({ license: 'MIT' }), 'the key license is unknown'],
  ] as const) {
    test(what, async () => {
      const warnings = await start(app);
      assert.ok(
        warnings.some((warning) => warning.includes(message)),
        warnings.join('\n'),
      );
    });
  }

  test('nothing in an app without mistakes', async () => {
    const methods = { 'a.f': defineMethod({ run: noop }) };
    const controllers = {
      Thing: { validate: noop, virtualFields: { total: () => 1 } },
      '*': new (class {
        onTrash() {}
        countRows() {}
      })(),
    };
    assert.deepEqual(await start(shop({ methods, controllers })), []);
  });
});

test('a plan notes declarations without effect', async () => {
  const app = shop({}, { ...THING, engine: 'InnoDB', permissions: [{ role: 'Reader' }] });
  const data = join(root, 'nowhere');
  const { notes } = await planSite({ ...DEFAULT_CONFIG, data }, [app]);
  assert.deepEqual(notes, [
    'App shop: DocType Thing: Permission of Reader: names no right and grants none',
    'App shop: these properties have no effect: engine',
  ]);
});

for (const engine of engineOf('misspellings')) {
  describe(`definitions sent by clients, on ${engine}`, () => {
    let site: TestSite;
    test('start', async () => {
      site = await startTestSite(engine, { apps: [shop({})] });
    });
    after(() => site.stop());

    for (const [doctype, body] of [
      ['DocType', { ...THING, name: 'Other', permissions: [{ role: 'Reader', raed: 1 }] }],
      ['Custom Field', { dt: 'Thing', fieldname: 'more', fieldtype: 'Data', permlvel: 1 }],
      ['Custom DocPerm', { parent: 'Thing', role: 'Reader', raed: 1 }],
      ['Property Setter', { ...LEVEL, property: 'permlevle' }],
      ['Property Setter', { ...LEVEL, doctype_or_field: 'DocType', property: 'titel_field' }],
      ['Property Setter', { ...LEVEL, valeu: '1' }],
    ] as const) {
      test(`a misspelled property of a ${doctype} gives 417 and stores nothing: ${JSON.stringify(body)}`, async () => {
        const refused = await site.request('POST', `/api/resource/${doctype}`, { body });
        assert.equal(refused.status, 417, refused.text);
        assert.match(
          refused.body.exception,
          /ValidationError.*did you mean (read|permlevel|title_field|value)\?/,
        );
      });
    }

    test('a permission without a right grants none', async () => {
      const body = { parent: 'Thing', role: 'Guesser' };
      await site.request('POST', '/api/resource/Role', { body: { role_name: 'Guesser' } });
      const made = await site.request('POST', '/api/resource/Custom DocPerm', { body });
      assert.equal(made.status, 200, made.text);
      const as = await site.createUser('guesser@example.com', ['Guesser']);
      assert.equal((await site.request('GET', '/api/resource/Thing', { as })).status, 403);
    });
  });
}
