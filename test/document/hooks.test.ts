import assert from 'node:assert/strict';
import { before, beforeEach, test } from 'node:test';
import type { Document } from '../../src/doctype/doctype.ts';
import type { Controller } from '../../src/document/contract.ts';
import type { HookName } from '../../src/document/controller.ts';
import { cancelDocument } from '../../src/document/verbs/cancel.ts';
import { createDocument } from '../../src/document/verbs/create.ts';
import { deleteDocument } from '../../src/document/verbs/delete.ts';
import { readDocument } from '../../src/document/verbs/read.ts';
import { submitDocument } from '../../src/document/verbs/submit.ts';
import { updateDocument } from '../../src/document/verbs/update.ts';
import { ServiceError } from '../../src/kernel/errors.ts';
import { describeEitherEngine, useStarted } from '../support/describe-site.ts';
import { refused } from '../support/errors.ts';
import { openMemorySite } from '../support/memory-site.ts';
import { DOCTYPES } from './doctypes.ts';

const HOOKS: readonly HookName[] = [
  'beforeInsert',
  'beforeValidate',
  'validate',
  'beforeSave',
  'beforeSubmit',
  'beforeCancel',
  'beforeUpdateAfterSubmit',
  'afterInsert',
  'onUpdate',
  'onSubmit',
  'onCancel',
  'onUpdateAfterSubmit',
  'onTrash',
  'afterDelete',
  'onChange',
];

/** Notes each hook it is asked to run. */
function recorder(log: string[]): Controller {
  return Object.fromEntries(HOOKS.map((hook) => [hook, () => void log.push(hook)]));
}

type Item = { qty: number; rate: number; item: string };

describeEitherEngine('hooks', (engine) => {
  const log: string[] = [];
  let name: string;
  const site = useStarted(() =>
    openMemorySite(engine, {
      doctypes: DOCTYPES,
      controllers: {
        Invoice: [recorder(log)],
        Customer: [
          {
            beforeInsert: (doc) => {
              if (doc['email']) doc.name = String(doc['email']).toLowerCase();
            },
            async onUpdate(doc, ctx) {
              if (doc['email'] === 'fails@x.y') {
                await createDocument(ctx, 'Memo', { name: 'left behind?' });
                throw new ServiceError('ValidationError', 'no');
              }
            },
          },
        ],
      },
    }),
  );
  before(async () => {
    await site.run((ctx) => createDocument(ctx, 'Customer', { customer_name: 'Acme' }));
  });
  beforeEach(async () => {
    site.controllers.set('Invoice', [recorder(log)]);
    name = (await create()).name;
    log.length = 0;
    site.events.length = 0;
  });

  const create = (fields: Record<string, unknown> = {}) =>
    site.run((ctx) =>
      createDocument(ctx, 'Invoice', { customer: 'Acme', items: [{ item: 'A' }], ...fields }),
    );
  const events = () => site.events.map((event) => event.split(' ')[0]?.split('.')[1]);

  test('each action runs its hooks in order and emits its events', async () => {
    const expect = async (work: Promise<unknown>, hooks: HookName[], emitted: string[]) => {
      await work;
      assert.deepEqual(log.splice(0), hooks);
      assert.deepEqual(events(), emitted);
      site.events.length = 0;
    };
    const update = (fields: Record<string, unknown>) =>
      site.run((ctx) => updateDocument(ctx, 'Invoice', name, fields));
    await expect(
      create(),
      ['beforeInsert', 'beforeValidate', 'validate', 'beforeSave', 'afterInsert', 'onUpdate', 'onChange'],
      ['after_insert', 'on_change'],
    );
    await expect(
      create({ docstatus: 1 }),
      [
        'beforeInsert',
        'beforeValidate',
        'validate',
        'beforeSubmit',
        'afterInsert',
        'onUpdate',
        'onSubmit',
        'onChange',
      ],
      ['after_insert', 'on_submit', 'on_change'],
    );
    await expect(
      update({ total: 1 }),
      ['beforeValidate', 'validate', 'beforeSave', 'onUpdate', 'onChange'],
      ['on_update', 'on_change'],
    );
    await expect(
      site.run((ctx) => submitDocument(ctx, 'Invoice', name)),
      ['beforeValidate', 'validate', 'beforeSubmit', 'onUpdate', 'onSubmit', 'onChange'],
      ['on_submit', 'on_change'],
    );
    await expect(
      update({ note: 'x' }),
      ['beforeUpdateAfterSubmit', 'onUpdateAfterSubmit', 'onChange'],
      ['on_update_after_submit', 'on_change'],
    );
    await expect(
      site.run((ctx) => cancelDocument(ctx, 'Invoice', name)),
      ['beforeCancel', 'onCancel', 'onChange'],
      ['on_cancel', 'on_change'],
    );
    await expect(
      site.run((ctx) => deleteDocument(ctx, 'Invoice', name)),
      ['onTrash', 'onChange', 'afterDelete'],
      ['on_trash'],
    );
  });

  test('what hooks set is stored in the form of its field; rows they add are completed', async () => {
    site.controllers.set('Invoice', [
      {
        validate: (doc) => {
          const items = doc['items'] as unknown as Item[];
          items.push({ item: 'Shipping', rate: 5 } as Item);
          doc['total'] = String(items.reduce((sum, row) => sum + (row.qty || 1) * row.rate, 0));
          doc['paid_at'] = '2026-01-01';
        },
      },
    ]);
    const made = await create({ items: [{ item: 'A', qty: 2, rate: 10 }] });
    assert.equal(made['total'], 25);
    assert.equal(made['paid_at'], '2026-01-01 00:00:00.000000');
    assert.deepEqual(made, await site.run((ctx) => readDocument(ctx, 'Invoice', made.name)));
    assert.deepEqual(
      (made['items'] as unknown as Item[]).map((row) => [row.item, row.qty]),
      [
        ['A', 2],
        ['Shipping', 0],
      ],
    );
  });

  test('hooks may fill what is mandatory, and what they set wrongly is refused', async () => {
    site.controllers.set('Invoice', [
      {
        validate: (doc) => {
          doc['customer'] = 'Acme';
        },
      },
    ]);
    await site.run((ctx) => createDocument(ctx, 'Invoice', { items: [{ item: 'A' }] }));
    site.controllers.set('Invoice', [
      {
        validate: (doc) => {
          doc['due'] = 'junk';
        },
      },
    ]);
    await refused(create(), 'ValidationError', /Due Date/);
  });

  test('a name set before insert stands', async () => {
    const fields = { customer_name: 'Mailed', email: 'Jo@X.y' };
    assert.equal((await site.run((ctx) => createDocument(ctx, 'Customer', fields))).name, 'jo@x.y');
  });

  test('a hook that throws undoes everything, events included', async () => {
    const fields = { customer_name: 'Failing', email: 'fails@x.y' };
    site.events.length = 0;
    await refused(
      site.run((ctx) => createDocument(ctx, 'Customer', fields)),
      'ValidationError',
      'no',
    );
    assert.deepEqual(site.events, []);
    for (const [doctype, gone] of [
      ['Customer', 'fails@x.y'],
      ['Memo', 'left behind?'],
    ] as const) {
      await refused(
        site.run((ctx) => readDocument(ctx, doctype, gone)),
        'DoesNotExistError',
      );
    }
  });

  test('events carry the document as written, whatever hooks and callers do to it afterwards', async () => {
    site.controllers.set('Invoice', [
      {
        afterInsert: (doc) => {
          doc['note'] = 'for the reply only';
        },
      },
    ]);
    const seen: Document[] = [];
    const made = await site.run(async (ctx) => {
      const doc = await createDocument(ctx, 'Invoice', { customer: 'Acme', items: [{ item: 'A' }] });
      seen.push(...ctx.events.map((event) => event.doc));
      return doc;
    });
    assert.equal(made['note'], 'for the reply only');
    assert.deepEqual(
      seen.map((doc) => doc['note']),
      [null, null],
    );
  });

  test('a controller narrows what roles allow', async () => {
    site.controllers.set('Invoice', [
      { hasPermission: (_ctx, doc, right) => right !== 'read' || doc.name !== name },
    ]);
    await refused(
      site.run((ctx) => readDocument(ctx, 'Invoice', name)),
      'PermissionError',
    );
  });
});
