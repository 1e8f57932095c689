/** @casys/mcp-erpnext, unmodified, started over stdio as an assistant starts it. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import crm from '../../apps/crm/app.ts';
import { describeEither } from '../support/describe-site.ts';
import { type McpServer, startMcpServer, type ToolReply } from '../support/mcp.ts';

describeEither('@casys/mcp-erpnext', { apps: [crm] }, (site) => {
  let mcp: McpServer;
  before(async () => {
    // What its tools expect of ERPNext and the CRM app does not have.
    await addField('Customer', 'customer_group', 'Data');
    await addField('Ticket', 'screenshot', 'Attach');
    const [key = '', secret = ''] = site.adminKey.split(':');
    mcp = await startMcpServer('mcp-erpnext', {
      ERPNEXT_URL: site.url,
      ERPNEXT_API_KEY: key,
      ERPNEXT_API_SECRET: secret,
      ERPNEXT_METHOD_ALLOWLIST: '*',
    });
  });
  after(async () => {
    await mcp?.stop();
  });

  async function addField(dt: string, fieldname: string, fieldtype: string): Promise<void> {
    const body = { dt, fieldname, label: fieldname, fieldtype };
    await site.make('Custom Field', body);
  }

  async function call(tool: string, args: object = {}): Promise<ToolReply> {
    const reply = await mcp.call(tool, args);
    assert.equal(reply.isError, false, `${tool}: ${reply.text}`);
    return reply;
  }

  test('starts and offers its tools', async () => {
    assert.deepEqual(mcp.serverInfo, { name: 'mcp-erpnext', version: '3.0.4' });
    const tools = await mcp.tools();
    assert.equal(tools.length, 125);
    assert.ok(tools.includes('erpnext_doc_create'));
  });

  test('creates, reads, updates, lists and deletes any document', async () => {
    const made = await call('erpnext_doc_create', { doctype: 'Ticket', data: { subject: 'From MCP' } });
    const { name } = made.json.data;
    await call('erpnext_doc_update', { doctype: 'Ticket', name, data: { status: 'Replied' } });
    const read = await call('erpnext_doc_get', { doctype: 'Ticket', name });
    assert.deepEqual([read.json.data.subject, read.json.data.status], ['From MCP', 'Replied']);
    const listed = await call('erpnext_doc_list', {
      doctype: 'Ticket',
      fields: ['name', 'status'],
      filters: [['subject', '=', 'From MCP']],
      limit: 5,
      order_by: 'modified desc',
    });
    assert.deepEqual([listed.json.count, listed.json.data], [1, [{ name, status: 'Replied' }]]);
    const counted = { doctype: 'Ticket', filters: { subject: 'From MCP' } };
    const count = { method: 'frappe.client.get_count', args: counted };
    assert.equal((await call('erpnext_method_call', count)).json.data, 1);
    assert.equal((await call('erpnext_doc_delete', { doctype: 'Ticket', name })).json.deleted, true);
    assert.equal((await call('erpnext_method_call', count)).json.data, 0);
  });

  test('runs its own tools for customers and users', async () => {
    await call('erpnext_customer_create', { customer_name: 'Acme & Sons/2', territory: 'North' });
    await call('erpnext_customer_update', { name: 'Acme & Sons/2', territory: 'South' });
    const { json } = await call('erpnext_customer_get', { name: 'Acme & Sons/2' });
    assert.equal(json.data.territory, 'South');
    const listed = await call('erpnext_customer_list', { territory: 'South' });
    assert.deepEqual(
      listed.json.data.map((row: { name: string }) => row.name),
      ['Acme & Sons/2'],
    );
    await site.createUser('agent@example.com', ['Support Agent']);
    const users = await call('erpnext_user_list');
    assert.deepEqual(
      users.json.data.map((row: { name: string }) => row.name),
      ['agent@example.com'],
    );
  });

  test('submits and cancels', async () => {
    await call('erpnext_customer_create', { customer_name: 'MCP Ltd' });
    const data = { customer: 'MCP Ltd', items: [{ item_code: 'A', qty: 2, rate: 3 }] };
    const { name } = (await call('erpnext_doc_create', { doctype: 'Sales Invoice', data })).json.data;
    const document = { doctype: 'Sales Invoice', name };
    assert.equal((await call('erpnext_doc_submit', document)).json.data.docstatus, 1);
    assert.equal((await call('erpnext_doc_cancel', document)).json.data.docstatus, 2);
    assert.equal((await call('erpnext_sales_invoice_get', { name })).json.data.grand_total, 6);
  });

  test('uploads a file and sets the field it is for', async () => {
    const { json } = await call('erpnext_doc_create', { doctype: 'Ticket', data: { subject: 'Shown' } });
    const upload = await call('erpnext_file_upload', {
      file_name: 'größe.txt',
      content_base64: Buffer.from('bytes').toString('base64'),
      attached_to_doctype: 'Ticket',
      attached_to_name: json.data.name,
      attached_to_field: 'screenshot',
    });
    const file = upload.json.data;
    assert.deepEqual([file.file_name, file.is_private], ['größe.txt', 1]);
    const ticket = await call('erpnext_doc_get', { doctype: 'Ticket', name: json.data.name });
    assert.equal(ticket.json.data.screenshot, file.file_url);
    assert.equal((await site.request('GET', encodeURI(file.file_url))).text, 'bytes');
  });

  test('assigns a document and takes the assignment back', async () => {
    const { json } = await call('erpnext_doc_create', { doctype: 'Ticket', data: { subject: 'Yours' } });
    const { name } = json.data;
    const assignment = { doctype: 'Ticket', name, assign_to: 'Administrator' };
    await call('erpnext_doc_assign', {
      ...assignment,
      assignment_description: 'Please look',
      assignment_priority: 'High',
    });
    const assigned = async () =>
      (await site.ok('GET', `/api/resource/Ticket?fields=["_assign"]&filters={"name":"${name}"}`))[0]._assign;
    assert.equal(await assigned(), '["Administrator"]');
    await call('erpnext_doc_unassign', assignment);
    assert.notEqual(await assigned(), '["Administrator"]');
  });

  test('calls methods of an app and by GET', async () => {
    const { json } = await call('erpnext_doc_create', { doctype: 'Ticket', data: { subject: 'Up' } });
    const escalated = await call('erpnext_method_call', {
      method: 'crm.escalate',
      args: { ticket: json.data.name },
    });
    assert.equal(escalated.json.data.priority, 'High');
    const who = { method: 'frappe.auth.get_logged_user', http_method: 'GET' };
    assert.equal((await call('erpnext_method_call', who)).json.data, 'Administrator');
  });

  test('tells its user what was wrong', async () => {
    const refused = await mcp.call('erpnext_doc_create', { doctype: 'Ticket', data: {} });
    assert.equal(refused.isError, true);
    assert.match(refused.text, /MandatoryError: .*Subject \(HTTP 417\)/);
    const missing = await mcp.call('erpnext_company_list');
    assert.match(missing.text, /DoesNotExistError: .*Company not found \(HTTP 404\)/);
  });
});
