/** A tree of 10,000 nodes is built, moved and walked; what each took is printed, not judged. */
import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { readContext } from '../../src/document/context.ts';
import { countDocuments, listDocuments } from '../../src/document/list/list.ts';
import { createDocument } from '../../src/document/verbs/create.ts';
import { updateDocument } from '../../src/document/verbs/update.ts';
import type { ListParameters } from '../../src/query/list-query.ts';
import { describeEither } from '../support/describe-site.ts';
import { memorySite, STAFF } from '../support/memory-site.ts';

const NODES = 10_000;
const AREA = {
  name: 'Area',
  is_tree: 1,
  autoname: 'Prompt',
  fields: [{ fieldname: 'note', label: 'Note', fieldtype: 'Data' }],
};

// Each node below one of those before it, by a fixed rule that looks like chance: as deep and as wide as real
// trees are.
let last = 1;
const PARENT = Array.from({ length: NODES }, (_, index) => {
  last = (last * 48_271) % 2_147_483_647;
  return index === 0 ? null : last % index;
});
const nameOf = (index: number) => `area-${index}`;

function below(node: number): number {
  const inside = new Set([node]);
  for (let index = node + 1; index < NODES; index += 1) {
    if (inside.has(PARENT[index] ?? -1)) inside.add(index);
  }
  return inside.size - 1;
}

describeEither('10,000 nodes', memorySite({ doctypes: [AREA] }), (site, engine) => {
  async function timed<T>(t: TestContext, what: string, work: () => Promise<T>): Promise<T> {
    const started = performance.now();
    const result = await work();
    t.diagnostic(`${engine}: ${what}: ${(performance.now() - started).toFixed(1)} ms`);
    return result;
  }

  test('are built, moved and walked', async (t) => {
    await timed(t, `${NODES} nodes created, 200 in a transaction`, async () => {
      for (let start = 0; start < NODES; start += 200) {
        await site.run(async (ctx) => {
          for (let index = start; index < start + 200; index += 1) {
            const parent = PARENT[index] ?? null;
            await createDocument(ctx, 'Area', {
              name: nameOf(index),
              parent_area: parent === null ? null : nameOf(parent),
              is_group: 1,
            });
          }
        });
      }
    });
    const ctx = readContext(site, STAFF);
    const count = (...filter: readonly unknown[]) => countDocuments(ctx, 'Area', { filters: [filter] });
    const list = (parameters: ListParameters) => listDocuments(ctx, 'Area', parameters);

    const all = await timed(t, 'count below the root', () => count('name', 'descendants of', nameOf(0)));
    assert.equal(all, NODES - 1);

    const children = PARENT.flatMap((parent, index) => (parent === 0 ? [index] : []));
    const [largest = 0, other = 0] = children.sort((a, b) => below(b) - below(a));
    const size = below(largest);
    assert.ok(size > 1_000, `the largest subtree has only ${size} nodes`);
    const page = await timed(t, `a page of 20 of the ${size} below a node`, () =>
      list({ filters: [['name', 'descendants of', nameOf(largest)]], order_by: 'modified desc' }),
    );
    assert.equal(page.length, 20);

    const before = await count('name', 'descendants of', nameOf(other));
    await timed(t, `a subtree of ${size + 1} nodes moved`, () =>
      site.run((ctx) => updateDocument(ctx, 'Area', nameOf(largest), { parent_area: nameOf(other) })),
    );
    assert.equal(await count('name', 'descendants of', nameOf(other)), before + size + 1);

    const above = await timed(t, 'the ancestors of a node', () =>
      list({ filters: [['name', 'ancestors of', nameOf(NODES - 1)]], limit: 1_000 }),
    );
    assert.ok(above.some((row) => row['name'] === nameOf(0)));
    const rest = await timed(t, 'count of all that are not below a node', () =>
      count('name', 'not descendants of', nameOf(other)),
    );
    assert.equal(rest, NODES - before - size - 1);
  });
});
