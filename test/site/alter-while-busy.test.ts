/** Requests go on while doctypes change under them. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { engineOf } from '../support/describe-site.ts';
import { startTestSite, type TestReply, type TestSite } from '../support/site.ts';

const PERMISSIONS = [{ role: 'System Manager', read: 1, write: 1, create: 1, delete: 1 }];
const WORKERS = 6;

for (const engine of engineOf('changes under load')) {
  describe(`changes under load on ${engine}`, () => {
    let site: TestSite;
    before(async () => {
      site = await startTestSite(engine);
    });
    after(() => site.stop());

    const path = (doctype: string, name?: string) =>
      `/api/resource/${encodeURIComponent(doctype)}${name === undefined ? '' : `/${encodeURIComponent(name)}`}`;
    const create = (doctype: string, body: object) => site.request('POST', path(doctype), { body });
    const define = (name: string, fields: object[]) =>
      create('DocType', { name, module: 'Test', fields, permissions: PERMISSIONS });
    const remove = (doctype: string, name: string) => site.request('DELETE', path(doctype, name));
    const ok = (reply: TestReply) => {
      assert.equal(reply.status, 200, reply.text);
      return reply.body.data;
    };

    /** Several clients at once, until `work` is done; resolves to what they were answered. */
    async function underLoad(work: () => Promise<void>, request: (turn: number) => Promise<TestReply>) {
      let done = false;
      const replies: TestReply[] = [];
      const clients = Array.from({ length: WORKERS }, async (_, client) => {
        for (let turn = client; !done; turn += WORKERS) replies.push(await request(turn));
      });
      await work().finally(() => {
        done = true;
      });
      await Promise.all(clients);
      return replies;
    }

    function counted(replies: readonly TestReply[]): Record<string, number> {
      return Object.fromEntries(
        [...Map.groupBy(replies, ({ status }) => status)].map(([status, group]) => [status, group.length]),
      );
    }

    test('fields are added, removed, retyped and made unique while documents are written and read', async () => {
      const fields = (length: string, more: object[] = []) => [
        { fieldname: 'title', fieldtype: 'Data' },
        { fieldname: 'length', fieldtype: length },
        ...more,
      ];
      ok(await define('Song', fields('Int')));
      const made = new Map<string, number>();
      const replies = await underLoad(
        async () => {
          for (let round = 0; round < 5; round += 1) {
            ok(await create('Custom Field', { dt: 'Song', fieldname: `extra_${round}`, fieldtype: 'Data' }));
            const body = {
              fields: fields(round < 2 ? 'Int' : 'Float', [{ fieldname: `f${round}`, fieldtype: 'Int' }]),
            };
            ok(await site.request('PUT', path('DocType', 'Song'), { body }));
            ok(
              await create('Property Setter', {
                doctype_or_field: 'DocField',
                doc_type: 'Song',
                field_name: `extra_${round}`,
                property: 'unique',
                value: '1',
              }),
            );
            assert.equal((await remove('Custom Field', `Song-extra_${round}`)).status, 202);
          }
        },
        async (turn) => {
          if (turn % 3 === 0) return site.request('GET', `${path('Song')}?fields=["*"]`);
          const [known] = made.keys();
          if (turn % 3 === 1 && known !== undefined) return site.request('GET', path('Song', known));
          const reply = await create('Song', { title: `Song ${turn}`, length: turn });
          if (reply.status === 200) made.set(reply.body.data.name, turn);
          return reply;
        },
      );
      assert.deepEqual(Object.keys(counted(replies)), ['200'], JSON.stringify(counted(replies)));
      assert.ok(made.size > 0 && replies.length > made.size);
      const rows = ok(
        await site.request('GET', `${path('Song')}?fields=["name","length"]&limit_page_length=0`),
      );
      assert.deepEqual(
        new Map(rows.map((row: { name: string; length: number }) => [row.name, row.length])),
        made,
      );
      assert.deepEqual(unexpected(), []);
    });

    test('requests for a doctype being dropped give 404 or 503, never 500', async () => {
      const fields = [{ fieldname: 'title', fieldtype: 'Data' }];
      // A few creations for each life: more would keep it alive forever.
      let creations = 0;
      const replies = await underLoad(
        async () => {
          for (let round = 0; round < 12; round += 1) {
            ok(await define('Brief', fields));
            creations = WORKERS;
            // Whoever made a document first keeps the doctype alive; delete until nothing is left.
            for (;;) {
              const reply = await remove('DocType', 'Brief');
              if (reply.status === 202) break;
              assert.ok([417, 503].includes(reply.status), reply.text);
              const rows =
                (await site.request('GET', `${path('Brief')}?limit_page_length=0`)).body.data ?? [];
              for (const { name } of rows) await remove('Brief', name);
            }
          }
        },
        async (turn) => {
          if (creations > 0) {
            creations -= 1;
            return create('Brief', { title: 'x' });
          }
          return turn % 2 === 0
            ? site.request('GET', path('Brief'))
            : site.request('GET', path('Brief', 'x'));
        },
      );
      const statuses = Object.keys(counted(replies)).map(Number);
      assert.ok(
        statuses.every((status) => [200, 404, 503].includes(status)),
        JSON.stringify(counted(replies)),
      );
      assert.ok(statuses.includes(404));
      assert.deepEqual(unexpected(), []);
    });

    const unexpected = () => site.observed.filter((seen) => seen.kind === 'unexpected');
  });
}
