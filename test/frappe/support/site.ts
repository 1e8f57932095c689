/** A made-up Frappe site with every trap of such data, as tables. */
import { business } from './business.ts';
import { definitionTables } from './definitions.ts';
import { history } from './history.ts';
import { people } from './people.ts';
import { ANA } from './secrets.ts';
import { documents, type Table } from './shapes.ts';

export function siteTables(): Table[] {
  return [...definitionTables(), ...people(), ...business(), ...history(), ...machinery()];
}

function machinery(): Table[] {
  return [
    documents(
      'Webhook',
      {
        webhook_doctype: 'varchar(140)',
        webhook_docevent: 'varchar(140)',
        enabled: 'tinyint',
        condition: 'longtext',
        request_url: 'longtext',
        request_method: 'varchar(140)',
        request_structure: 'varchar(140)',
        webhook_json: 'longtext',
      },
      [
        {
          name: 'Invoices',
          webhook_doctype: 'Sales Invoice',
          webhook_docevent: 'on_submit',
          enabled: 1,
          request_url: 'https://example.com/hook',
          request_method: 'POST',
          condition: 'doc.grand_total > 100',
        },
        {
          name: 'Templates',
          webhook_doctype: 'Customer',
          webhook_docevent: 'on_update',
          enabled: 1,
          request_url: 'https://example.com/hook',
          request_method: 'POST',
          request_structure: 'JSON',
          webhook_json: '{% for row in doc.items %}{{ frappe.utils.now() }}{% endfor %}',
          condition: 'frappe.db.exists("Customer", doc.name)',
        },
      ],
    ),
    documents(
      'Server Script',
      { script_type: 'varchar(140)', reference_doctype: 'varchar(140)', script: 'longtext' },
      [
        {
          name: 'Check credit',
          script_type: 'DocType Event',
          reference_doctype: 'Customer',
          script: 'if doc.credit_limit < 0: frappe.throw("No")',
        },
      ],
    ),
    documents('Client Script', { dt: 'varchar(140)', script: 'longtext' }, [
      { name: 'Customer-Form', dt: 'Customer', script: 'frappe.ui.form.on("Customer", {})' },
    ]),
    documents('Error Log', { error: 'longtext' }, [{ name: 'err1', error: 'Traceback' }]),
    documents('Forgotten Thing', { title: 'varchar(140)' }, [{ name: 'ft1', title: 'No DocType' }]),
    {
      name: '__UserSettings',
      columns: { user: 'varchar(140)', doctype: 'varchar(140)', data: 'longtext' },
      rows: [{ user: ANA.user, doctype: 'Customer', data: '{}' }],
      key: ['user', 'doctype'],
    },
  ];
}
