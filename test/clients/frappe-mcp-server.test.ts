/** frappe-mcp-server, unmodified, started over stdio as an assistant starts it. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import crm from '../../apps/crm/app.ts';
import { describeEither } from '../support/describe-site.ts';
import { type McpServer, startMcpServer, type ToolReply } from '../support/mcp.ts';

const names = (reply: ToolReply): string[] => reply.json.map((row: { name: string }) => row.name);

describeEither('frappe-mcp-server', { apps: [crm] }, (site) => {
  let mcp: McpServer;
  before(async () => {
    const [key = '', secret = ''] = site.adminKey.split(':');
    mcp = await startMcpServer('frappe-mcp-server', {
      FRAPPE_URL: site.url,
      FRAPPE_API_KEY: key,
      FRAPPE_API_SECRET: secret,
    });
  });
  after(async () => {
    await mcp?.stop();
  });

  async function call(tool: string, args: object = {}): Promise<ToolReply> {
    const reply = await mcp.call(tool, args);
    assert.equal(reply.isError, false, `${tool}: ${reply.text}`);
    return reply;
  }

  test('starts and offers its tools', async () => {
    assert.deepEqual(mcp.serverInfo, { name: 'frappe-mcp-server', version: '0.6.0' });
    assert.ok((await mcp.tools()).includes('create_document'));
    assert.equal((await call('ping')).text, 'pong');
  });

  test('creates, reads, updates, lists, counts and deletes', async () => {
    const document = { doctype: 'Customer', name: 'Beta/1 ü' };
    await call('create_document', { doctype: 'Customer', values: { customer_name: document.name } });
    await call('update_document', { ...document, values: { territory: 'North' } });
    assert.equal((await call('get_document', document)).json.territory, 'North');
    const listed = await call('list_documents', {
      doctype: 'Customer',
      fields: ['name', 'territory'],
      limit: 5,
      order_by: 'name asc',
    });
    assert.deepEqual(listed.json, [{ name: document.name, territory: 'North' }]);
    assert.deepEqual((await call('get_document_count', { doctype: 'Customer' })).json, { count: 1 });
    assert.deepEqual((await call('check_document_exists', document)).json, { exists: true });
    await call('delete_document', document);
    assert.match((await mcp.call('get_document', document)).text, /Customer Beta\/1 ü not found/);
  });

  test('creates a document with a table', async () => {
    await call('create_document', { doctype: 'Customer', values: { customer_name: 'Rows' } });
    const items = [{ item_code: 'A', qty: 2, rate: 3 }];
    const made = await call('create_document', {
      doctype: 'Sales Invoice',
      values: { customer: 'Rows', items },
    });
    const name = /Name: (\S+)/.exec(made.text)?.[1];
    assert.equal((await call('get_document', { doctype: 'Sales Invoice', name })).json.grand_total, 6);
  });

  test('finds doctypes and reads what they are made of', async () => {
    const schema = await call('get_doctype_schema', { doctype: 'Ticket' });
    const subject = schema.json.fields.find((field: { fieldname: string }) => field.fieldname === 'subject');
    assert.deepEqual([subject.fieldtype, subject.reqd], ['Data', 1]);
    const required = await call('get_required_fields', { doctype: 'Ticket' });
    assert.deepEqual(
      required.json.map((field: { fieldname: string }) => field.fieldname),
      ['subject'],
    );
    const status = await call('get_field_options', { doctype: 'Ticket', fieldname: 'status' });
    assert.equal(status.json.length, 4);
    await call('create_document', { doctype: 'Customer', values: { customer_name: 'Linked' } });
    const link = await call('get_field_options', { doctype: 'Ticket', fieldname: 'customer' });
    assert.ok(link.json.some((option: { value: string }) => option.value === 'Linked'));
    const naming = await call('get_naming_info', { doctype: 'Ticket' });
    assert.equal(naming.json.autoname, 'naming_series:');
    assert.ok(names(await call('find_doctypes', { search_term: 'Invoice' })).includes('Sales Invoice'));
    assert.ok(names(await call('get_doctypes_in_module', { module: 'CRM' })).includes('Lead'));
    assert.deepEqual((await call('check_doctype_exists', { doctype: 'Ticket' })).json, { exists: true });
  });

  test('runs methods', async () => {
    const reply = await call('call_method', { method: 'frappe.auth.get_logged_user' });
    assert.match(reply.text, /"message": "Administrator"/);
  });

  test('tells its user what was wrong', async () => {
    const refused = await mcp.call('create_document', { doctype: 'Ticket', values: { status: 'Open' } });
    assert.equal(refused.isError, true);
    assert.match(refused.text, /MandatoryError: .*subject/);
    // There are no reports: a refusal, not an empty success.
    assert.equal((await mcp.call('run_query_report', { report_name: 'Sales' })).isError, true);
  });
});
