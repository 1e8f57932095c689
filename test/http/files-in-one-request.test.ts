import assert from 'node:assert/strict';
import { test } from 'node:test';
import { engineOf } from '../support/describe-site.ts';
import { startFileSite } from '../support/files.ts';
import { until } from '../support/until.ts';

for (const engine of engineOf('files in one request')) {
  test(`several Files with content in one request have their bytes, or leave none, on ${engine}`, async () => {
    const on = await startFileSite(engine);
    try {
      // More than are stored before the transaction, and two with the same bytes.
      const texts = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'a'];
      const docs = texts.map((text, index) => ({
        doctype: 'File',
        file_name: `${index}.txt`,
        content: text,
      }));
      const insert = (all: readonly object[]) =>
        on.request('POST', '/api/method/frappe.client.insert_many', { body: { docs: all } });
      const refused = await insert([...docs, { doctype: 'File', file_name: 'no content.txt' }]);
      assert.equal(refused.status, 417, refused.text);
      await until(async () => (await on.keys()) === 0);

      const made = await insert(docs);
      assert.equal(made.status, 200, made.text);
      for (const [index, text] of texts.entries()) {
        const reply = await on.get(`/files/${index}.txt`);
        assert.deepEqual([reply.status, reply.text], [200, text]);
      }
      await until(async () => (await on.keys()) === new Set(texts).size);
    } finally {
      await on.stop();
    }
  });
}
