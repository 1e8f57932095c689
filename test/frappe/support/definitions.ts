/** Doctypes of a made-up Frappe site: rows of DocType, DocField and DocPerm. */
import { children, documents, type Table, type Value } from './shapes.ts';

interface Shape {
  readonly module?: string;
  readonly custom?: 1;
  readonly istable?: 1;
  readonly issingle?: 1;
  readonly is_submittable?: 1;
  readonly is_tree?: 1;
  readonly autoname?: string;
  /** `fieldname:Fieldtype:options` */
  readonly fields: readonly string[];
}

const SELLING = 'Selling';
const CORE = 'Core';

export const SHAPES: Readonly<Record<string, Shape>> = {
  User: {
    module: CORE,
    autoname: 'field:email',
    fields: ['email:Data', 'first_name:Data', 'roles:Table:Has Role'],
  },
  'Server Script': {
    module: CORE,
    autoname: 'Prompt',
    fields: ['script_type:Data', 'reference_doctype:Link:DocType', 'script:Code'],
  },
  'Client Script': { module: 'Custom', autoname: 'Prompt', fields: ['dt:Link:DocType', 'script:Code'] },
  'Error Log': { module: CORE, fields: ['error:Code'] },
  ToDo: {
    module: 'Desk',
    fields: [
      'status:Select:Open\nClosed\nCancelled',
      'description:Text Editor',
      'reference_type:Link:DocType',
      'reference_name:Dynamic Link:reference_type',
      'allocated_to:Link:User',
    ],
  },
  Territory: {
    module: SELLING,
    is_tree: 1,
    autoname: 'field:territory_name',
    fields: ['territory_name:Data', 'is_group:Check', 'parent_territory:Link:Territory'],
  },
  Customer: {
    module: SELLING,
    autoname: 'naming_series:',
    fields: [
      'naming_series:Select:CUST-.#####',
      'customer_name:Data',
      'territory:Link:Territory',
      'credit_limit:Currency',
      'since:Date',
      'notes:Text Editor',
      'portal_password:Password',
      'represents:Link:Company',
      'website:Data',
      'renewal:Date',
    ],
  },
  'Sales Invoice': {
    module: SELLING,
    is_submittable: 1,
    autoname: 'naming_series:',
    fields: [
      'naming_series:Select:SINV-.#####',
      'customer:Link:Customer',
      'posting_date:Date',
      'posting_time:Time',
      'grand_total:Currency',
      'items:Table:Sales Invoice Item',
      'party_type:Link:DocType',
      'party:Dynamic Link:party_type',
      'amended_from:Link:Sales Invoice',
    ],
  },
  'Sales Invoice Item': {
    module: SELLING,
    istable: 1,
    fields: ['item_code:Data', 'qty:Float', 'rate:Currency'],
  },
  'Selling Settings': {
    module: SELLING,
    issingle: 1,
    fields: [
      'default_territory:Link:Territory',
      'allow_discount:Check',
      'rate:Float',
      'api_password:Password',
      'goals:Table:Sales Invoice Item',
    ],
  },
  'Stock Tick': { module: SELLING, autoname: 'autoincrement', fields: ['title:Data'] },
  'Bottle Label': {
    custom: 1,
    autoname: 'Prompt',
    fields: ['title:Data', 'body:Long Text', 'picture:Attach', 'customer:Link:Customer'],
  },
};

const FLAGS = {
  custom: 'tinyint',
  istable: 'tinyint',
  issingle: 'tinyint',
  is_submittable: 'tinyint',
  is_tree: 'tinyint',
} as const;

export function definitionTables(): Table[] {
  const shapes = Object.entries(SHAPES);
  const doctypes = shapes.map(([name, { fields: _, module = 'Custom', autoname = null, ...flags }]) => ({
    name,
    module,
    autoname,
    ...flags,
    sort_field: 'modified',
    sort_order: 'DESC',
    track_changes: flags.istable ? 0 : 1,
    naming_rule: '',
  }));
  const fields = shapes.flatMap(([parent, shape]) =>
    shape.fields.map((text, index) => {
      const [fieldname = '', fieldtype = '', ...options] = text.split(':');
      const row: Record<string, Value> = {
        name: `f-${parent}-${index}`,
        parent,
        parentfield: 'fields',
        parenttype: 'DocType',
      };
      return {
        ...row,
        idx: index + 1,
        fieldname,
        label: fieldname,
        fieldtype,
        options: options.join(':') || null,
      };
    }),
  );
  const permissions = shapes
    .filter(([, shape]) => !shape.istable)
    .map(([parent]) => ({
      name: `p-${parent}`,
      parent,
      parentfield: 'permissions',
      parenttype: 'DocType',
      idx: 1,
      role: 'Sales Manager',
      read: 1,
      write: 1,
      create: 1,
      delete: 1,
      submit: shape(parent),
      cancel: shape(parent),
    }));
  return [
    documents(
      'DocType',
      {
        module: 'varchar(140)',
        autoname: 'varchar(140)',
        ...FLAGS,
        sort_field: 'varchar(140)',
        sort_order: 'varchar(140)',
        track_changes: 'tinyint',
        naming_rule: 'varchar(140)',
      },
      doctypes,
    ),
    children(
      'DocField',
      {
        fieldname: 'varchar(140)',
        label: 'varchar(140)',
        fieldtype: 'varchar(140)',
        options: 'longtext',
        reqd: 'tinyint',
        in_list_view: 'tinyint',
        precision: 'varchar(140)',
      },
      fields,
    ),
    children(
      'DocPerm',
      {
        role: 'varchar(140)',
        permlevel: 'int',
        if_owner: 'tinyint',
        read: 'tinyint',
        write: 'tinyint',
        create: 'tinyint',
        delete: 'tinyint',
        submit: 'tinyint',
        cancel: 'tinyint',
      },
      permissions,
    ),
    documents(
      'Custom Field',
      {
        dt: 'varchar(140)',
        fieldname: 'varchar(140)',
        label: 'varchar(140)',
        fieldtype: 'varchar(140)',
        options: 'longtext',
        insert_after: 'varchar(140)',
      },
      [
        {
          name: 'User-bio',
          dt: 'User',
          fieldname: 'bio',
          label: 'Bio',
          fieldtype: 'Small Text',
          insert_after: 'first_name',
        },
        {
          name: 'User-phone',
          dt: 'User',
          fieldname: 'phone',
          label: 'Phone',
          fieldtype: 'Data',
          insert_after: 'first_name',
        },
        {
          name: 'Customer-loyalty',
          dt: 'Customer',
          fieldname: 'loyalty',
          label: 'Loyalty',
          fieldtype: 'Select',
          options: 'Gold\nSilver',
          insert_after: 'customer_name',
        },
      ],
    ),
    documents(
      'Property Setter',
      {
        doctype_or_field: 'varchar(140)',
        doc_type: 'varchar(140)',
        field_name: 'varchar(140)',
        property: 'varchar(140)',
        property_type: 'varchar(140)',
        value: 'longtext',
      },
      [
        {
          name: 'Customer-gone-label',
          doctype_or_field: 'DocField',
          doc_type: 'Customer',
          field_name: 'gone',
          property: 'label',
          property_type: 'Data',
          value: 'Gone',
        },
        {
          name: 'Customer-customer_name-label',
          doctype_or_field: 'DocField',
          doc_type: 'Customer',
          field_name: 'customer_name',
          property: 'label',
          property_type: 'Data',
          value: 'Name of the customer',
        },
      ],
    ),
    documents(
      'Custom DocPerm',
      {
        parent: 'varchar(140)',
        role: 'varchar(140)',
        permlevel: 'int',
        read: 'tinyint',
        write: 'tinyint',
        create: 'tinyint',
      },
      [{ name: 'cdp1', parent: 'Territory', role: 'Sales Manager', read: 1 }],
    ),
    documents('Module Def', { app_name: 'varchar(140)' }, [
      { name: CORE, app_name: 'frappe' },
      { name: 'Desk', app_name: 'frappe' },
      { name: 'Custom', app_name: 'frappe' },
      { name: SELLING, app_name: 'shopkeeper' },
    ]),
  ];
}

function shape(doctype: string): 0 | 1 {
  return SHAPES[doctype]?.is_submittable ?? 0;
}
