import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readRemoteSchema } from '../../src/frappe/remote/read-remote-schema.ts';
import { RemoteSite } from '../../src/frappe/remote/remote-site.ts';
import { systemClock } from '../../src/kernel/clock.ts';
import { systemRandom } from '../../src/kernel/random.ts';
import { describeEither } from '../support/describe-site.ts';

const permissions = [{ role: 'System Manager', read: 1, write: 1, create: 1, delete: 1 }];
const DOCTYPES = [
  { name: 'Part', istable: 1, fields: [{ fieldname: 'qty', fieldtype: 'Float' }] },
  {
    ...{ name: 'Machine', autoname: 'prompt', permissions },
    fields: [
      { fieldname: 'label', fieldtype: 'Data' },
      { fieldname: 'next', fieldtype: 'Link', options: 'Machine' },
      { fieldname: 'parts', fieldtype: 'Table', options: 'Part' },
    ],
  },
];

describeEither(
  'a running site is imported',
  { doctypes: DOCTYPES, users: { reader: ['Desk User'] } },
  (from) => {
    const remote = (key: string) =>
      new RemoteSite({ origin: from.url, key, clock: systemClock(), random: systemRandom() });

    test('its definitions are read, and what the key may not read is told', async () => {
      const schema = await readRemoteSchema(remote(from.adminKey));
      assert.deepEqual([schema.user, schema.isSystemManager], ['Administrator', true]);
      const fields = schema.rows('DocField').filter(({ parent }) => parent === 'Machine');
      assert.deepEqual(
        fields.map(({ fieldname, fieldtype, options }) => [fieldname, fieldtype, options]).toSorted(),
        [
          ['label', 'Data', undefined],
          ['next', 'Link', 'Machine'],
          ['parts', 'Table', 'Part'],
        ],
      );
      const limited = await readRemoteSchema(remote(from.keyOf('reader').replace('token ', '')));
      assert.deepEqual([limited.user, limited.isSystemManager], ['reader@example.com', false]);
      assert.ok(limited.unreadable.has('Webhook'));
    });
  },
);
