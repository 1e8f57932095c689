/** A statement that fails because a doctype changed meanwhile is explained as such; any other error is a bug. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Connection, Database } from '../../src/db/database.ts';
import { sql } from '../../src/db/sql.ts';
import { loadDoctypeVersion } from '../../src/document/doctype-version.ts';
import { ServiceError } from '../../src/kernel/errors.ts';
import { explainMovedSchema } from '../../src/site/schema/definitions/explain-moved-schema.ts';
import type { Metadata } from '../../src/site/schema/definitions/metadata.ts';
import { raiseDoctypeVersion } from '../../src/site/settings/settings-table.ts';
import { describeSite } from '../support/describe-site.ts';

describeSite('a missing table', {}, (site) => {
  for (const [when, before, after, isExplained] of [
    ['without a change', 0, 0, false],
    ['before this node knows the change', -1, -1, true],
    ['while this node learns of the change', -1, 0, true],
  ] as const) {
    test(`${when} is ${isExplained ? 'answered 503' : 'a bug'}`, async () => {
      const { reader } = site.site.database;
      const error = await reader.all(sql`select 1 from "nowhere"`).then(
        () => assert.fail('the table exists'),
        (failure: unknown) => failure,
      );
      const version = await loadDoctypeVersion(reader);
      let known = version + before;
      const metadata = {
        changedAt: Number.NEGATIVE_INFINITY,
        get current() {
          return { version: known };
        },
        reload: async () => {},
      } as Metadata;
      const get: Connection['get'] = async (query) => {
        const row = await reader.get(query);
        known = version + after;
        return row;
      };
      const explained = await explainMovedSchema({ reader: { get } } as Database, metadata, error);
      assert.equal(
        explained instanceof ServiceError && explained.type === 'ServiceUnavailableError',
        isExplained,
      );
      if (!isExplained) assert.equal(explained, error);
    });
  }

  for (const [path, body] of [
    ['/api/v2/document/Gone/bulk_delete', { names: ['a', 'b'] }],
    ['/api/v2/document/Gone/bulk_update', { docs: [{ name: 'a' }, { name: 'b' }] }],
    ['/api/method/frappe.client.bulk_update', { docs: [{ doctype: 'Gone', docname: 'a' }] }],
  ] as const)
    test(`of some documents of ${path} is no bug either`, async () => {
      await site.ok('POST', '/api/resource/DocType', { body: { name: 'Gone', custom: 1, fields: [] } });
      // What another node does when it deletes the doctype.
      await site.site.database.transaction(async (db) => {
        await db.run(sql`drop table "Gone"`);
        await raiseDoctypeVersion(db);
      });
      const { text } = await site.request('POST', path, { body });
      await site.site.database.transaction((db) => db.run(sql`create table "Gone" ("name" text)`));
      await site.ok('DELETE', '/api/resource/DocType/Gone');
      assert.match(text, /The doctype was changed at this moment, please try again/);
      assert.deepEqual(
        site.observed.filter(({ kind }) => kind === 'unexpected'),
        [],
      );
    });
});
