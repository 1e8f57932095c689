import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseDoctype } from '../../doctype/parse-doctype.ts';
import { buildRegistry } from '../../doctype/registry.ts';
import { type Bodies, renderDelivery } from './render-delivery.ts';
import { parseSpec } from './webhook-spec.ts';

const doctype = parseDoctype({
  doctype: 'DocType',
  name: 'Order',
  module: 'Test',
  fields: [{ fieldname: 'title', label: 'Title', fieldtype: 'Data' }],
});
const format = { doctypes: buildRegistry([doctype], 1), precision: 'seconds' } as const;
const stamp = { owner: 'a', creation: '', modified: '', modified_by: 'a', docstatus: 0, idx: 0 };

test('webhooks that send the same of a document share one rendering', () => {
  let reads = 0;
  const doc = {
    doctype: 'Order',
    name: 'O-1',
    ...stamp,
    get title() {
      reads += 1;
      return 'Ü';
    },
  };
  const event = { name: 'after_insert', doctype, doc, before: null, secrets: [], revision: 1 } as const;
  const bodies: Bodies = new Map();
  const send = (webhook: object, rows: readonly Record<string, unknown>[] = []) => {
    const spec = parseSpec({ name: 'w', request_url: 'http://a.test/', ...webhook }, [], rows);
    return renderDelivery(format, spec, event, bodies)?.body;
  };
  const fields = [{ fieldname: 'title', key: 'a' }];
  assert.equal(send({}, fields), '{"a": "\\u00dc"}');
  for (let index = 0; index < 100; index += 1) {
    const other = { name: `w${index}`, request_url: `http://b.test/${index}` };
    assert.equal(send(other, fields), '{"a": "\\u00dc"}');
  }
  assert.equal(reads, 1);
  assert.equal(send({}, [{ fieldname: 'title', key: 'b' }]), '{"b": "\\u00dc"}');
  assert.equal(send({ include_previous: 1 }, fields), '{"a": "\\u00dc", "__previous": null}');
  assert.equal(send({ webhook_json: '{"t": "{{ doc.title }}"}' }), '{"t": "\\u00dc"}');
  assert.equal(send({ webhook_json: '{"u": "{{ doc.title }}"}' }), '{"u": "\\u00dc"}');
  assert.equal(send({ request_structure: 'Form URL-Encoded' }, fields), 'a=%C3%9C');
});
