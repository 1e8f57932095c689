/** Lists without a limit, longer than what is read at a time. */
import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import crm from '../../apps/crm/app.ts';
import { ADMINISTRATOR } from '../../src/access/user.ts';
import { readContext } from '../../src/document/context.ts';
import type { Context } from '../../src/document/contract.ts';
import { listDocumentsText } from '../../src/document/list/list.ts';
import { createDocument } from '../../src/document/verbs/create.ts';
import { deleteDocument } from '../../src/document/verbs/delete.ts';
import { unitOfWork } from '../../src/document/write/unit-of-work.ts';
import { describeEither } from '../support/describe-site.ts';

const LEADS = 2_300;
const EVERYTHING = { fields: '["name","lead_name"]', order_by: 'lead_name asc', limit_page_length: '0' };

describeEither('everything at once', { apps: [crm] }, (site) => {
  const wanted: { name: string; lead_name: string }[] = [];
  before(async () => {
    // In several transactions: on a busy machine one would run into its time limit.
    while (wanted.length < LEADS) wanted.push(...(await unitOfWork(site.site, ADMINISTRATOR, someLeads)));
  });

  async function someLeads(ctx: Context): Promise<typeof wanted> {
    const made: typeof wanted = [];
    for (let at = wanted.length; made.length < 100; at += 1) {
      const lead_name = `lead ${String(at).padStart(4, '0')}`;
      made.push({ name: (await createDocument(ctx, 'Lead', { lead_name })).name, lead_name });
    }
    return made;
  }

  test('every document comes once, in order', async () => {
    const reply = await site.request('GET', `/api/resource/Lead?${new URLSearchParams(EVERYTHING)}`);
    assert.equal(reply.status, 200);
    assert.match(reply.headers.get('content-type') ?? '', /^application\/json/);
    assert.deepEqual(reply.body.data, wanted);
  });

  test('filters and an offset hold; nothing found is an empty list', async () => {
    const get = (more: Record<string, string>) =>
      site.request('GET', `/api/resource/Lead?${new URLSearchParams({ ...EVERYTHING, ...more })}`);
    const some = await get({ filters: '[["lead_name",">=","lead 0100"]]', limit_start: '1' });
    assert.deepEqual(some.body.data, wanted.slice(101));
    assert.deepEqual((await get({ filters: '[["lead_name","=","nobody"]]' })).body, { data: [] });
  });

  test('what is deleted while the list is read is left out, the rest still comes', async () => {
    const pieces = await listDocumentsText(readContext(site.site, ADMINISTRATOR), 'Lead', EVERYTHING);
    assert.ok(typeof pieces !== 'string');
    let text = '';
    for await (const piece of pieces) {
      if (text === '') {
        const { name } = wanted[1_500] ?? { name: '' };
        await unitOfWork(site.site, ADMINISTRATOR, (ctx) => deleteDocument(ctx, 'Lead', name));
      }
      text += piece;
    }
    assert.deepEqual(
      JSON.parse(text),
      wanted.filter((_, index) => index !== 1_500),
    );
  });
});
