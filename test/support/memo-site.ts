import assert from 'node:assert/strict';
import type { TestSite } from './site.ts';

export const MEMO = {
  name: 'Memo',
  module: 'Test',
  autoname: 'prompt',
  allow_rename: 1,
  is_submittable: 1,
  fields: [{ fieldname: 'title', fieldtype: 'Data' }],
  permissions: [
    { role: 'System Manager', read: 1, write: 1, create: 1, delete: 1, submit: 1, cancel: 1 },
    { role: 'Memo Reader', read: 1 },
    { role: 'Memo Author', if_owner: 1, read: 1, write: 1, create: 1, delete: 1 },
  ],
};

/** Gives the site roles and two doctypes, Memo and Quiet Memo, with the same permissions. */
export async function defineMemos(site: TestSite): Promise<void> {
  for (const role of ['Memo Reader', 'Memo Author']) await ok(site, 'POST', 'Role', { role_name: role });
  await ok(site, 'POST', 'DocType', MEMO);
  await ok(site, 'POST', 'DocType', { ...MEMO, name: 'Quiet Memo' });
}

/** A request to `/api/resource/` that must succeed; resolves to `data`. */
export async function ok(site: TestSite, method: string, path: string, body?: object, as?: string) {
  const reply = await site.request(method, `/api/resource/${path}`, { body, ...(as ? { as } : {}) });
  assert.ok(reply.status === 200 || reply.status === 202, `${method} ${path}: ${reply.text}`);
  return reply.body.data;
}
