import assert from 'node:assert/strict';
import type { TestSite } from '../support/site.ts';
import { clientOf, type Facts, resource } from './story.ts';

/** Differences that are meant. */
const MEANT: ReadonlySet<string> = new Set([
  // Since format 17-8, 0 is a precision of its own.
  'Custom Field/Order-colour.precision: "" in place of 0',
]);

/** The documents and the files are as the old program answered. Later fields may be there, too. */
export async function assertKept(site: TestSite, facts: Facts): Promise<void> {
  const { ask } = clientOf(site.url);
  const differing: string[] = [];
  for (const [key, doc] of Object.entries(facts.documents)) {
    const slash = key.indexOf('/');
    const { body } = await ask('GET', resource(key.slice(0, slash), key.slice(slash + 1)));
    differing.push(...differences(body.data, doc, key));
  }
  assert.deepEqual(
    differing.filter((line) => !MEANT.has(line)),
    [],
  );
  for (const [url, text] of Object.entries(facts.files)) {
    assert.equal((await ask('GET', url)).text, text);
    const { status } = await site.request('GET', url, { as: null });
    assert.equal(status, url.startsWith('/private/') ? 403 : 200);
  }
}

/** Where `found` lacks or changes something of `wanted`, a line each. */
function differences(found: unknown, wanted: unknown, path: string): string[] {
  if (Array.isArray(wanted) && Array.isArray(found)) {
    if (found.length !== wanted.length) return [`${path}: ${found.length} in place of ${wanted.length}`];
    return wanted.flatMap((each, index) => differences(found[index], each, `${path}[${index}]`));
  }
  if (typeof wanted === 'object' && wanted !== null && typeof found === 'object' && found !== null) {
    return Object.entries(wanted).flatMap(([key, each]) =>
      differences(Reflect.get(found, key), each, `${path}.${key}`),
    );
  }
  if (Object.is(found, wanted)) return [];
  return [`${path}: ${JSON.stringify(found)} in place of ${JSON.stringify(wanted)}`];
}
