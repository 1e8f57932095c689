/** Any sequence of verbs leaves what a small model says, on both engines: values, rows, revision, docstatus, events. */
import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import fc from 'fast-check';
import { rowsOf } from '../../src/document/document.ts';
import { cancelDocument } from '../../src/document/verbs/cancel.ts';
import { createDocument } from '../../src/document/verbs/create.ts';
import { deleteDocument } from '../../src/document/verbs/delete.ts';
import { readDocumentWithRevision } from '../../src/document/verbs/read.ts';
import { submitDocument } from '../../src/document/verbs/submit.ts';
import { updateDocument } from '../../src/document/verbs/update.ts';
import { type ErrorType, ServiceError } from '../../src/kernel/errors.ts';
import { DOCTYPES } from '../document/doctypes.ts';
import { describeEither } from '../support/describe-site.ts';
import { refused } from '../support/errors.ts';
import { type MemorySite, memorySite } from '../support/memory-site.ts';

interface Expected {
  docstatus: number;
  total: number;
  note: string | null;
  items: readonly string[];
  revision: number;
}

interface Model {
  /** In order of creation; commands pick by position. */
  readonly documents: Map<string, Expected>;
}

interface Real {
  readonly site: MemorySite;
}

type Command = fc.AsyncCommand<Model, Real>;

// Without the sign that may begin HTML, which is not stored as it came: sanitising has tests of its own.
const text = fc.string({ unit: 'grapheme', maxLength: 20 }).map((each) => each.replaceAll('<', '>'));
const note = fc.option(text, { nil: null });
const total = fc
  .double({ min: -1e6, max: 1e6, noNaN: true })
  .map((value) => Math.round(value * 100) / 100 + 0);
const items = fc.array(fc.stringMatching(/^[a-zé✓]{1,8}$/u), { minLength: 1, maxLength: 5 });
const pick = fc.nat();

const rowsFor = (names: readonly string[]) => names.map((item) => ({ item }));

function choose(model: Model, position: number): { name: string; expected: Expected } | null {
  const names = [...model.documents.keys()];
  const name = names[position % Math.max(1, names.length)];
  const expected = name === undefined ? undefined : model.documents.get(name);
  return name !== undefined && expected ? { name, expected } : null;
}

async function matches(real: Real, name: string, expected: Expected): Promise<void> {
  const { doc, revision } = await real.site.run((ctx) => readDocumentWithRevision(ctx, 'Invoice', name));
  const rows = rowsOf(doc, 'items');
  assert.deepEqual(
    {
      docstatus: doc.docstatus,
      total: doc['total'],
      note: doc['note'],
      items: rows.map((row) => row['item']),
      revision,
    },
    expected,
  );
  for (const [index, row] of rows.entries()) {
    assert.deepEqual([row.idx, row.docstatus, row.parent], [index + 1, expected.docstatus, name]);
  }
}

/** The events of the last unit, by name; empties the log. */
function emitted(real: Real): string[] {
  return real.site.events.splice(0).map((event) => event.split(' ')[0]?.split('.')[1] ?? '');
}

class Create implements Command {
  readonly fields: Omit<Expected, 'revision'>;
  constructor(fields: Omit<Expected, 'revision'>) {
    this.fields = fields;
  }
  check = () => true;
  async run(model: Model, real: Real): Promise<void> {
    const { items: names, ...fields } = this.fields;
    const doc = await real.site.run((ctx) =>
      createDocument(ctx, 'Invoice', { ...fields, customer: 'Acme', items: rowsFor(names) }),
    );
    const submit = fields.docstatus === 1 ? ['on_submit'] : [];
    assert.deepEqual(emitted(real), ['after_insert', ...submit, 'on_change']);
    const expected = { ...this.fields, revision: 1 };
    model.documents.set(doc.name, expected);
    await matches(real, doc.name, expected);
  }
  toString = () => `create ${JSON.stringify(this.fields)}`;
}

/** One verb on one document: what should happen is decided by the model alone. */
class Act implements Command {
  readonly position: number;
  readonly action: string;
  readonly fields: Partial<Pick<Expected, 'note' | 'total' | 'items'>>;
  constructor(position: number, action: string, fields: Partial<Pick<Expected, 'note' | 'total' | 'items'>>) {
    this.position = position;
    this.action = action;
    this.fields = fields;
  }
  check = (model: Readonly<Model>) => model.documents.size > 0;

  async run(model: Model, real: Real): Promise<void> {
    const chosen = choose(model, this.position);
    if (!chosen) return;
    const { name, expected } = chosen;
    const refusal = this.refusal(expected);
    if (refusal) {
      await refused(this.perform(real, name), refusal);
      assert.deepEqual(emitted(real), []);
      return matches(real, name, expected);
    }
    await this.perform(real, name);
    assert.deepEqual(emitted(real), this.events(expected));
    if (this.action === 'delete') {
      model.documents.delete(name);
      await refused(
        real.site.run((ctx) => readDocumentWithRevision(ctx, 'Invoice', name)),
        'DoesNotExistError',
      );
      return;
    }
    this.apply(expected);
    await matches(real, name, expected);
  }

  perform(real: Real, name: string): Promise<unknown> {
    const { items: names, ...fields } = this.fields;
    const body = names ? { ...fields, items: rowsFor(names) } : fields;
    return real.site.run(async (ctx) => {
      if (this.action === 'submit') await submitDocument(ctx, 'Invoice', name, body);
      else if (this.action === 'cancel') await cancelDocument(ctx, 'Invoice', name);
      else if (this.action === 'delete') await deleteDocument(ctx, 'Invoice', name);
      else if (this.action === 'stale') await updateDocument(ctx, 'Invoice', name, body, { ifMatch: 0 });
      else await updateDocument(ctx, 'Invoice', name, body);
    });
  }

  refusal({ docstatus, total: was }: Expected): ErrorType | null {
    if (this.action === 'stale') return 'PreconditionFailedError';
    if (this.action === 'delete') return docstatus === 1 ? 'ValidationError' : null;
    if (docstatus === 2) return 'ValidationError';
    if (this.action === 'cancel') return docstatus === 0 ? 'DocstatusTransitionError' : null;
    if (docstatus === 0) return null;
    if (this.action === 'submit') return 'DocstatusTransitionError';
    // Rows sent without their names are other rows.
    const changesRows = this.fields.items !== undefined;
    const changesTotal = this.fields.total !== undefined && this.fields.total !== was;
    return changesRows || changesTotal ? 'UpdateAfterSubmitError' : null;
  }

  events({ docstatus }: Expected): string[] {
    if (this.action === 'delete') return ['on_trash'];
    if (this.action === 'submit') return ['on_submit', 'on_change'];
    if (this.action === 'cancel') return ['on_cancel', 'on_change'];
    return [docstatus === 1 ? 'on_update_after_submit' : 'on_update', 'on_change'];
  }

  apply(expected: Expected): void {
    expected.revision += 1;
    if (this.action === 'cancel') expected.docstatus = 2;
    else Object.assign(expected, this.fields);
    if (this.action === 'submit') expected.docstatus = 1;
  }

  toString = () => `${this.action} #${this.position} ${JSON.stringify(this.fields)}`;
}

const commands = fc.commands(
  [
    fc
      .record({ docstatus: fc.constantFrom(0, 0, 1), total, note, items })
      .map((fields) => new Create(fields)),
    fc
      .tuple(
        pick,
        fc.constantFrom('update', 'update', 'submit', 'cancel', 'delete', 'stale'),
        fc.record({ total, note, items }, { requiredKeys: [] }),
      )
      .map(([position, action, fields]) => new Act(position, action, fields)),
  ],
  { size: '+1' },
);

describeEither('lifecycle', memorySite({ doctypes: DOCTYPES }), (site) => {
  before(async () => {
    await site.run((ctx) => createDocument(ctx, 'Customer', { customer_name: 'Acme' }));
  });

  test('documents are what the model says', async () => {
    await fc.assert(
      fc.asyncProperty(commands, async (sequence) => {
        site.events.length = 0;
        await fc.asyncModelRun(() => ({ model: { documents: new Map() }, real: { site } }), sequence);
      }),
      { numRuns: 20 },
    );
  });

  test('any JSON as a body is stored or refused in words, and what is stored reads back the same', async () => {
    const junk = fc.oneof(fc.jsonValue({ maxDepth: 2 }), fc.string({ unit: 'binary' }));
    const mostly = (good: fc.Arbitrary<unknown>) =>
      fc.oneof({ weight: 19, arbitrary: good }, { weight: 1, arbitrary: junk });
    const text = mostly(fc.string({ unit: 'grapheme', maxLength: 30 }));
    const number = mostly(fc.oneof(fc.double({ min: -1e9, max: 1e9, noNaN: true }), fc.nat().map(String)));
    const row = fc.record(
      {
        item: mostly(fc.string({ unit: 'grapheme-ascii' }).map((name) => `x${name}`)),
        qty: mostly(fc.nat()),
        rate: number,
        remark: text,
        name: text,
        ship_to: mostly(fc.constantFrom('Acme', '', null)),
      },
      { requiredKeys: ['item'] },
    );
    const body = fc.record(
      {
        customer: mostly(fc.constant('Acme')),
        items: mostly(fc.array(row, { minLength: 1, maxLength: 3 })),
        docstatus: mostly(fc.constantFrom(0, 1, null)),
        total: number,
        due: mostly(fc.constantFrom('2026-02-28', '', null)),
        paid_at: mostly(fc.constantFrom('2026-02-28 10:11', '2026-02-28T10:11:12.5Z', null)),
        note: text,
        naming_series: mostly(fc.constantFrom('INV-', 'X-.MM.-.###')),
        modified: mostly(fc.constant('')),
        name: text,
      },
      { requiredKeys: ['customer', 'items'] },
    );
    let stored = 0;
    await fc.assert(
      fc.asyncProperty(body, async (fields) => {
        const made = await attempt(site.run((ctx) => createDocument(ctx, 'Invoice', fields)));
        if (!made) return;
        stored += 1;
        const { doc } = await site.run((ctx) => readDocumentWithRevision(ctx, 'Invoice', made.name));
        assert.deepEqual(doc, made);
        await attempt(site.run((ctx) => updateDocument(ctx, 'Invoice', made.name, fields)));
      }),
      { numRuns: 200 },
    );
    assert.ok(stored > 20, `the generator made only ${stored} documents that can be stored`);
  });
});

/** The result, or null for a refusal in words; anything else thrown is a bug. */
async function attempt<T>(work: Promise<T>): Promise<T | null> {
  try {
    return await work;
  } catch (error) {
    if (error instanceof ServiceError) return null;
    throw error;
  }
}
