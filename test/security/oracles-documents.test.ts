/** A document that is kept from somebody is answered as one that there is not, by everything that takes a name. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ADDRESSES } from '../../src/http/addresses.ts';
import { methodTable } from '../../src/http/methods/methods.ts';
import { describeEitherEngine, useStarted } from '../support/describe-site.ts';
import { METHOD_USES, NO_DOCUMENT, NO_DOCUMENT_ADDRESSES, ROUTE_USES } from './oracle-documents.ts';
import { type Asked, HIDDEN, MISSING, shape, startOracle } from './oracle-site.ts';

describeEitherEngine('hidden documents', (engine) => {
  const oracle = useStarted(() => startOracle(engine));

  async function same(
    what: string,
    of: (name: string) => Asked,
    hidden: string,
    missing = MISSING,
  ): Promise<string> {
    const seen = shape(await oracle.ask(of(hidden)), hidden);
    const absent = shape(await oracle.ask(of(missing)), missing);
    assert.equal(seen, absent, what);
    assert.ok(!seen.startsWith('5'), `${what}: ${seen}`);
    return seen;
  }

  test('every method and every address is tried, or names no document', () => {
    const untried = ADDRESSES.filter(
      (address) => !ROUTE_USES[address.path] && !NO_DOCUMENT_ADDRESSES.has(address),
    );
    assert.deepEqual(untried, [], 'addresses that are in neither list of oracle-documents.ts');
    const methods = [...methodTable(oracle.site.site).keys()];
    const unknown = methods.filter((name) => !METHOD_USES[name] && !NO_DOCUMENT.has(name));
    assert.deepEqual(unknown, [], 'methods that are in neither list of oracle-documents.ts');
  });

  for (const [kind, hidden] of Object.entries(HIDDEN)) {
    test(`kept away ${kind}`, async () => {
      for (const [what, uses] of Object.entries({ ...METHOD_USES, ...ROUTE_USES })) {
        for (const [index, use] of uses.entries()) {
          await same(`${what} (${index})`, (name) => use(hidden.doctype, name), hidden.name);
        }
      }
      const read = await oracle.site.request('GET', `/api/resource/${hidden.doctype}/${hidden.name}`);
      assert.equal(read.status, 200, 'it is still there');
    });
  }
});
