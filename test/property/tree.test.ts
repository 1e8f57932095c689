/**
 * Any sequence of changes to a tree leaves the tree that a small model says, and every operator says the same
 * of it.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { ident, sql } from '../../src/db/sql.ts';
import { readContext } from '../../src/document/context.ts';
import { countDocuments, listDocuments } from '../../src/document/list/list.ts';
import { createDocument } from '../../src/document/verbs/create.ts';
import { deleteDocument } from '../../src/document/verbs/delete.ts';
import { renameDocument } from '../../src/document/verbs/rename.ts';
import { updateDocument } from '../../src/document/verbs/update.ts';
import { ServiceError } from '../../src/kernel/errors.ts';
import { describeSite } from '../support/describe-site.ts';
import { memorySite, STAFF } from '../support/memory-site.ts';

const AREA = { name: 'Area', is_tree: 1, autoname: 'Prompt', allow_rename: 1, fields: [] };
const SHOP = {
  name: 'Shop',
  autoname: 'Prompt',
  fields: [{ fieldname: 'area', label: 'Area', fieldtype: 'Link', options: 'Area' }],
};

interface Node {
  parent: string | null;
  group: boolean;
}

type Tree = Map<string, Node>;

/** Positions choose among the nodes that there are; -1 is no parent. */
type Step =
  | { readonly step: 'insert'; readonly parent: number; readonly group: boolean }
  | { readonly step: 'move'; readonly node: number; readonly parent: number }
  | { readonly step: 'group'; readonly node: number; readonly group: boolean }
  | { readonly step: 'delete' | 'rename'; readonly node: number }
  | { readonly step: 'merge'; readonly node: number; readonly into: number };

const at = fc.nat({ max: 1_000 });
const place = fc.oneof({ weight: 8, arbitrary: at }, fc.constant(-1));
const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({
      step: fc.constant('insert' as const),
      parent: place,
      group: fc.nat(9).map((n) => n > 2),
    }),
  },
  { weight: 5, arbitrary: fc.record({ step: fc.constant('move' as const), node: at, parent: place }) },
  fc.record({ step: fc.constant('group' as const), node: at, group: fc.boolean() }),
  {
    weight: 2,
    arbitrary: fc.record({ step: fc.constantFrom('delete' as const, 'rename' as const), node: at }),
  },
  fc.record({ step: fc.constant('merge' as const), node: at, into: at }),
);

function above(tree: Tree, name: string): string[] {
  const names: string[] = [];
  for (let up = tree.get(name)?.parent; up; up = tree.get(up)?.parent) names.push(up);
  return names;
}

function below(tree: Tree, name: string): string[] {
  return [...tree.keys()].filter((one) => above(tree, one).includes(name));
}

/** What the step does to the model, or null where it must be refused. */
function applied(tree: Tree, name: string, other: string | null, step: Step): (() => void) | null {
  const node = tree.get(name);
  const target = other === null ? null : tree.get(other);
  const hasChildren = [...tree.values()].some((one) => one.parent === name);
  switch (step.step) {
    case 'insert':
      if (target && !target.group) return null;
      return () => tree.set(name, { parent: other, group: step.group });
    case 'move':
      if (!node) return null;
      if (other !== node.parent) {
        if (target && !target.group) return null;
        if (other === name || (other !== null && above(tree, other).includes(name))) return null;
      }
      return () => tree.set(name, { ...node, parent: other });
    case 'group':
      if (!node || (hasChildren && !step.group)) return null;
      return () => tree.set(name, { ...node, group: step.group });
    case 'delete':
      return hasChildren ? null : () => tree.delete(name);
    default: {
      const merges = step.step === 'merge';
      if (other === null || !node || other === name) return null;
      if (merges && (target?.group !== node.group || above(tree, other).includes(name))) return null;
      return () => {
        for (const one of tree.values()) if (one.parent === name) one.parent = other;
        tree.delete(name);
        if (!merges) tree.set(other, node);
      };
    }
  }
}

describeSite('trees', memorySite({ doctypes: [AREA, SHOP] }), (site) => {
  const listed = async (doctype: string, filter: readonly unknown[]) => {
    const ctx = readContext(site, STAFF);
    const rows = await listDocuments(ctx, doctype, { filters: [filter], order_by: 'name', limit: 10_000 });
    assert.equal(await countDocuments(ctx, doctype, { filters: [filter] }), rows.length);
    return rows.map((row) => row['name']);
  };

  async function perform(name: string, other: string | null, step: Step): Promise<void> {
    await site.run(async (ctx) => {
      if (step.step === 'insert') {
        await createDocument(ctx, 'Area', { name, parent_area: other, is_group: Number(step.group) });
      } else if (step.step === 'move') await updateDocument(ctx, 'Area', name, { parent_area: other });
      else if (step.step === 'group') {
        await updateDocument(ctx, 'Area', name, { is_group: Number(step.group) });
      } else if (step.step === 'delete') await deleteDocument(ctx, 'Area', name);
      else await renameDocument(ctx, 'Area', name, other ?? '', { merge: step.step === 'merge' });
    });
  }

  async function matches(tree: Tree): Promise<void> {
    const stored = await site.database.reader.all(
      sql`select "name", "parent_area", "old_parent", "is_group" from ${ident('Area')} order by "name"`,
    );
    const names = [...tree.keys()].sort();
    assert.deepEqual(
      stored.map((row) => ({ ...row })),
      names.map((name) => {
        const node = tree.get(name);
        const parent = node?.parent ?? null;
        return { name, parent_area: parent, old_parent: parent, is_group: Number(node?.group) };
      }),
    );
    const others = (some: readonly string[]) => names.filter((name) => !some.includes(name));
    for (const name of names) {
      const up = above(tree, name).sort();
      const down = below(tree, name).sort();
      assert.deepEqual(await listed('Area', ['name', 'ancestors of', name]), up);
      assert.deepEqual(await listed('Area', ['name', 'Descendants Of', name]), down);
      const inclusive = await listed('Area', ['name', 'descendants of (inclusive)', name]);
      assert.deepEqual(inclusive, [...down, name].sort());
      assert.deepEqual(await listed('Area', ['name', 'not ancestors of', name]), others(up));
      assert.deepEqual(await listed('Area', ['name', 'not descendants of', name]), others(down));
    }
  }

  test('random changes leave what the model says, and refuse what it refuses', async () => {
    let done = 0;
    let refusals = 0;
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 10, maxLength: 40 }), async (steps) => {
        await site.database.transaction((connection) => connection.run(sql`delete from "Area"`));
        const tree: Tree = new Map();
        for (const [index, one] of steps.entries()) {
          const names = [...tree.keys()];
          if (names.length === 0 && one.step !== 'insert') continue;
          const pick = (position: number) =>
            position < 0 || names.length === 0 ? null : (names[position % names.length] ?? null);
          const name = one.step === 'insert' ? `n${index}` : (pick(one.node) ?? '');
          const fresh = one.step === 'rename' ? `r${index}` : null;
          const other = 'parent' in one ? pick(one.parent) : 'into' in one ? pick(one.into) : fresh;
          const apply = applied(tree, name, other, one);
          const performed = await perform(name, other, one).then(
            () => true,
            (error: unknown) => {
              assert.ok(error instanceof ServiceError && error.status === 417, String(error));
              return false;
            },
          );
          assert.equal(performed, apply !== null, `${JSON.stringify(one)} of ${name} (${other})`);
          apply?.();
          if (apply) done += 1;
          else refusals += 1;
        }
        await matches(tree);
      }),
      { numRuns: 30 },
    );
    assert.ok(done > 100 && refusals > 20, `${done} done, ${refusals} refused: too few to mean something`);
  });

  // No row is part of both moves, so only a lock on the tree keeps them apart.
  test('two moves at the same time never close a circle', async () => {
    await site.database.transaction((connection) => connection.run(sql`delete from "Area"`));
    const add = (name: string, parent_area: string | null) =>
      site.run((ctx) => createDocument(ctx, 'Area', { name, parent_area, is_group: 1 }));
    const move = (name: string, parent_area: string) =>
      site
        .run((ctx) => updateDocument(ctx, 'Area', name, { parent_area }))
        .then(
          () => true,
          (error: unknown) => {
            assert.ok(error instanceof ServiceError && error.status === 417, String(error));
            return false;
          },
        );
    for (let round = 0; round < 10; round += 1) {
      const [a, b] = [`a${round}`, `b${round}`];
      for (const top of [a, b]) {
        await add(top, null);
        await add(`${top} child`, top);
      }
      const moved = await Promise.all([move(a, `${b} child`), move(b, `${a} child`)]);
      assert.deepEqual(moved.toSorted(), [false, true], `round ${round}`);
    }
  });

  test('a parent stays a group while nodes are put below it', async () => {
    for (let round = 0; round < 10; round += 1) {
      const parent = `p${round}`;
      await site.run((ctx) => createDocument(ctx, 'Area', { name: parent, is_group: 1 }));
      const settled = await Promise.allSettled([
        site.run((ctx) => updateDocument(ctx, 'Area', parent, { is_group: 0 })),
        site.run((ctx) => createDocument(ctx, 'Area', { name: `q${round}`, parent_area: parent })),
      ]);
      assert.equal(settled.filter(({ status }) => status === 'fulfilled').length, 1, `round ${round}`);
    }
  });
});
