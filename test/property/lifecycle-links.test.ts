/**
 * Any sequence of amending, copying, renaming and merging, among the other verbs, leaves what a small model
 * says: no link ever dangles, nothing submitted links to what is cancelled since, and names lead to the right
 * documents.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { rowsOf } from '../../src/document/document.ts';
import { amendDocument } from '../../src/document/verbs/amend.ts';
import { cancelDocument } from '../../src/document/verbs/cancel.ts';
import { copyDocument } from '../../src/document/verbs/copy.ts';
import { createDocument } from '../../src/document/verbs/create.ts';
import { deleteDocument } from '../../src/document/verbs/delete.ts';
import { readDocument } from '../../src/document/verbs/read.ts';
import { renameDocument } from '../../src/document/verbs/rename.ts';
import { submitDocument } from '../../src/document/verbs/submit.ts';
import { updateDocument } from '../../src/document/verbs/update.ts';
import type { ErrorType } from '../../src/kernel/errors.ts';
import { describeEither } from '../support/describe-site.ts';
import { refused } from '../support/errors.ts';
import { type MemorySite, memorySite } from '../support/memory-site.ts';

const LINE = {
  name: 'Line',
  istable: 1,
  fields: [
    { fieldname: 'item', label: 'Item', fieldtype: 'Data' },
    { fieldname: 'from', label: 'From', fieldtype: 'Link', options: 'Order' },
  ],
};
const ORDER = {
  name: 'Order',
  autoname: 'O-.####',
  is_submittable: 1,
  allow_rename: 1,
  fields: [
    { fieldname: 'total', label: 'Total', fieldtype: 'Int' },
    { fieldname: 'note', label: 'Note', fieldtype: 'Data', allow_on_submit: 1 },
    { fieldname: 'scratch', label: 'Scratch', fieldtype: 'Data', no_copy: 1 },
    { fieldname: 'replaces', label: 'Replaces', fieldtype: 'Link', options: 'Order' },
    { fieldname: 'lines', label: 'Lines', fieldtype: 'Table', options: 'Line' },
  ],
};

interface Expected {
  docstatus: number;
  total: number;
  note: string;
  scratch: string | null;
  amends: string | null;
  replaces: string | null;
  /** What each line links to. */
  lines: (string | null)[];
}

type Model = Map<string, Expected>;
interface Real {
  readonly site: MemorySite;
  renamed: number;
}

const ACTIONS = [
  ...['create', 'create', 'update', 'submit', 'submit', 'cancel', 'cancel', 'amend', 'amend'],
  ...['copy', 'rename', 'rename onto', 'merge', 'delete', 'note', 'note'],
] as const;

/** One verb on the document at `position`; `other` picks a second one where there are two. */
class Act implements fc.AsyncCommand<Model, Real> {
  readonly action: string;
  readonly position: number;
  readonly other: number;
  readonly links: boolean;
  constructor(action: string, position: number, other: number, links: boolean) {
    this.action = action;
    this.position = position;
    this.other = other;
    this.links = links;
  }
  check = (model: Readonly<Model>) => model.size > 0 || this.action === 'create';
  toString = () => `${this.action} #${this.position} #${this.other} ${this.links ? 'linked' : ''}`;

  async run(model: Model, real: Real): Promise<void> {
    const names = [...model.keys()];
    const name = names[this.position % Math.max(1, names.length)] ?? '';
    const other = names[this.other % Math.max(1, names.length)] ?? '';
    const refusal = this.refusal(model, name, other);
    if (refusal === null) {
      const result = await this.perform(real, name, other);
      this.apply(model, name, other, result);
    } else await refused(this.perform(real, name, other), refusal);
    await matches(real, model);
  }

  perform({ site, ...real }: Real, name: string, other: string): Promise<string> {
    const target = this.links && other !== '' ? other : null;
    const fields = {
      total: this.other,
      note: 'n',
      scratch: 's',
      replaces: target,
      lines: [{ item: 'i', from: target }],
    };
    return site.run(async (ctx) => {
      switch (this.action) {
        case 'create':
          return (await createDocument(ctx, 'Order', fields)).name;
        case 'update':
          return (await updateDocument(ctx, 'Order', name, fields)).name;
        case 'note':
          return (await updateDocument(ctx, 'Order', name, { note: `later ${this.other}` })).name;
        case 'submit':
          return (await submitDocument(ctx, 'Order', name)).name;
        case 'cancel':
          return (await cancelDocument(ctx, 'Order', name)).name;
        case 'amend':
          return (await amendDocument(ctx, 'Order', name, { total: this.other })).name;
        case 'copy': {
          const source = await readDocument(ctx, 'Order', name);
          const { name: _name, ...copy } = copyDocument(ctx, ctx.doctypes.get('Order'), source);
          return (await createDocument(ctx, 'Order', copy)).name;
        }
        case 'rename':
          return renameDocument(ctx, 'Order', name, `renamed/${real.renamed} ✓`);
        case 'rename onto':
          return renameDocument(ctx, 'Order', name, other);
        case 'merge':
          return renameDocument(ctx, 'Order', name, other, { merge: true });
        default:
          await deleteDocument(ctx, 'Order', name);
          return name;
      }
    });
  }

  refusal(model: Model, name: string, other: string): ErrorType | null {
    const cancelled = (target: string | null) => target !== null && model.get(target)?.docstatus === 2;
    const target = this.links && other !== '' ? other : null;
    if (this.action === 'create') return cancelled(target) ? 'CancelledLinkError' : null;
    const doc = model.get(name);
    if (!doc) return 'DoesNotExistError';
    const linksTo = [doc.replaces, ...doc.lines];
    const refers = (from: Expected) => from.replaces === name || from.lines.includes(name);
    const others = [...model].filter(([key]) => key !== name).map(([, expected]) => expected);
    switch (this.action) {
      case 'update':
      case 'note': {
        if (doc.docstatus === 2) return 'ValidationError';
        if (this.action === 'note') return null;
        // The rows are new ones, so their links count as set; a field's only when it changes.
        if (cancelled(target)) return 'CancelledLinkError';
        return doc.docstatus === 1 ? 'UpdateAfterSubmitError' : null;
      }
      case 'submit':
        if (doc.docstatus === 2) return 'ValidationError';
        if (doc.docstatus === 1) return 'DocstatusTransitionError';
        return linksTo.some(cancelled) ? 'CancelledLinkError' : null;
      case 'cancel':
        if (doc.docstatus === 2) return 'ValidationError';
        if (doc.docstatus === 0) return 'DocstatusTransitionError';
        return others.some((one) => one.docstatus === 1 && refers(one)) ? 'LinkExistsError' : null;
      case 'amend':
        if (linksTo.some(cancelled)) return 'CancelledLinkError';
        if (doc.docstatus !== 2) return 'ValidationError';
        return [...model.values()].some((one) => one.amends === name && one.docstatus !== 2)
          ? 'ValidationError'
          : null;
      case 'copy':
        return linksTo.some(cancelled) ? 'CancelledLinkError' : null;
      case 'rename':
        return null;
      case 'rename onto':
        return 'ValidationError';
      case 'merge':
        if (name === other || doc.docstatus === 1) return 'ValidationError';
        return doc.docstatus === 0 && cancelled(other) ? 'ValidationError' : null;
      default:
        if (doc.docstatus === 1) return 'ValidationError';
        return others.some((one) => refers(one) || one.amends === name) ? 'LinkExistsError' : null;
    }
  }

  apply(model: Model, name: string, other: string, result: string): void {
    const target = this.links && other !== '' ? other : null;
    const sent = { total: this.other, note: 'n', scratch: 's', replaces: target, lines: [target] };
    const doc = model.get(name);
    if (this.action === 'create') {
      model.set(result, { docstatus: 0, amends: null, ...sent });
      return;
    }
    if (!doc) return;
    const copied = { ...doc, lines: [...doc.lines], scratch: null, docstatus: 0 };
    switch (this.action) {
      case 'update':
        return void Object.assign(doc, sent);
      case 'note':
        return void Object.assign(doc, { note: `later ${this.other}` });
      case 'submit':
        return void Object.assign(doc, { docstatus: 1 });
      case 'cancel':
        return void Object.assign(doc, { docstatus: 2 });
      case 'amend':
        assert.match(result, /-\d+$/);
        assert.equal(model.has(result), false);
        return void model.set(result, { ...copied, total: this.other, amends: name });
      case 'copy':
        return void model.set(result, { ...copied, amends: null });
      case 'rename':
      case 'merge': {
        model.delete(name);
        if (this.action === 'rename') model.set(result, doc);
        const moved = (link: string | null) => (link === name ? result : link);
        for (const one of model.values()) {
          one.amends = moved(one.amends);
          one.replaces = moved(one.replaces);
          one.lines = one.lines.map(moved);
        }
        return;
      }
      default:
        model.delete(name);
    }
  }
}

async function matches({ site }: Real, model: Model): Promise<void> {
  const rows = await site.database.reader.all({ text: 'select "name" from "Order"', values: [] });
  assert.deepEqual(rows.map((row) => row['name']).sort(), [...model.keys()].sort());
  for (const [name, expected] of model) {
    const doc = await site.run((ctx) => readDocument(ctx, 'Order', name));
    const lines = rowsOf(doc, 'lines');
    assert.deepEqual(
      {
        docstatus: doc.docstatus,
        total: doc['total'],
        note: doc['note'],
        scratch: doc['scratch'],
        amends: doc['amended_from'],
        replaces: doc['replaces'],
        lines: lines.map((row) => row['from']),
      },
      expected,
      name,
    );
    for (const row of lines) assert.deepEqual([row.parent, row.docstatus], [name, expected.docstatus]);
  }
}

const commands = fc.commands(
  [
    fc
      .tuple(fc.constantFrom(...ACTIONS), fc.nat(50), fc.nat(50), fc.boolean())
      .map(([action, position, other, links]) => new Act(action, position, other, links)),
  ],
  { size: '+1' },
);

describeEither('lifecycle of linked documents', memorySite({ doctypes: [LINE, ORDER] }), (site) => {
  let renamed = 0;

  test('documents and links are what the model says', async () => {
    const sequences = fc.asyncProperty(commands, async (sequence) => {
      await site.database.transaction(async (connection) => {
        for (const table of ['Order', 'Line'])
          await connection.run({ text: `delete from "${table}"`, values: [] });
      });
      const real = {
        site,
        get renamed() {
          renamed += 1;
          return renamed;
        },
      };
      await fc.asyncModelRun(() => ({ model: new Map(), real }), sequence);
    });
    await fc.assert(sequences, { numRuns: 30 });
  });
});
