/** Texts that other servers would have rendered or run: here they are texts. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { describeSite } from '../support/describe-site.ts';

const TEXTS = [
  '{{ 7*7 }}',
  '{% for x in range(9) %}x{% endfor %}',
  // biome-ignore lint/suspicious/noTemplateCurlyInString: it is a text that looks like one
  '${7*7}',
  '#{7*7}',
  '{title}',
  '{{title}}',
  'eval:doc.title',
  'eval:process.exit(1)',
  '__user',
  '@Today',
  '=1+1',
  '$(id)',
  '`id`',
  '%(name)s',
  '\\u0041',
  '__import__("os").system("id")',
];

const SITE = {
  doctypes: [
    {
      name: 'Literal',
      autoname: 'format:L-{title}',
      title_field: 'title',
      fields: [
        { fieldname: 'title', fieldtype: 'Data' },
        { fieldname: 'story', fieldtype: 'Text' },
        { fieldname: 'rich', fieldtype: 'Text Editor' },
      ],
      permissions: [{ role: 'System Manager', read: 1, write: 1, create: 1 }],
    },
  ],
};

describeSite('literals', SITE, (site) => {
  test('what looks like a template or code comes back as it was sent', async () => {
    for (const text of TEXTS) {
      const { name } = await site.make('Literal', { title: text, story: text });
      // A name is put together once: what it is put together from is not looked at again.
      assert.equal(name, `L-${text}`);
      const { data } = (await site.request('GET', `/api/resource/Literal/${encodeURIComponent(name)}`)).body;
      assert.equal(data.title, text);
      assert.equal(data.story, text);
      await site.call('frappe.desk.form.utils.add_comment', {
        reference_doctype: 'Literal',
        reference_name: name,
        content: text,
      });
      const file = await site.request('POST', '/api/resource/File', {
        body: { file_name: 'literal.txt', content: text },
      });
      assert.equal((await site.request('GET', file.body.data.file_url, { as: null })).text, text);
    }
  });

  test('a definition holds no code to run', async () => {
    for (const code of [
      'eval:process.exit(1)',
      'eval:globalThis.x=1',
      'eval:(()=>1)()',
      'eval:doc.constructor',
    ]) {
      const reply = await site.request('POST', '/api/resource/DocType', {
        body: {
          name: 'Coded',
          fields: [{ fieldname: 'title', fieldtype: 'Data', mandatory_depends_on: code }],
        },
      });
      assert.equal(reply.status, 417, `${code}: ${reply.text}`);
    }
  });
});
