import { children, documents, type Table } from './shapes.ts';

/** Documents of apps and of the site, with every trap. */
export function business(): Table[] {
  const item = (name: string, parent: string, idx: number, rate: string) => ({
    name,
    parent,
    parenttype: 'Sales Invoice',
    parentfield: 'items',
    idx,
    item_code: `Item ${idx}`,
    qty: '1.500000000',
    rate,
  });
  return [
    documents(
      'Territory',
      {
        territory_name: 'varchar(140)',
        is_group: 'tinyint',
        parent_territory: 'varchar(140)',
        lft: 'int',
        rgt: 'int',
        old_parent: 'varchar(140)',
      },
      [
        { name: 'World', territory_name: 'World', is_group: 1, lft: 1, rgt: 6 },
        { name: 'North', territory_name: 'North', parent_territory: 'World', lft: 2, rgt: 3 },
        { name: 'Zürich', territory_name: 'Zürich', parent_territory: 'World', lft: 4, rgt: 5 },
      ],
    ),
    documents(
      'Customer',
      {
        naming_series: 'varchar(140)',
        customer_name: 'varchar(140)',
        territory: 'varchar(140)',
        credit_limit: 'decimal',
        since: 'date',
        notes: 'longtext',
        portal_password: 'longtext',
        represents: 'varchar(140)',
        loyalty: 'varchar(140)',
        fax: 'varchar(140)',
      },
      [
        {
          name: 'CUST-00001',
          customer_name: 'O\'Brien "& Söhne"',
          territory: 'north',
          credit_limit: '123456789012.123456789',
          since: '0000-00-00',
          notes: '<p>Line 1\nLine 2\ttab\\n</p>',
          portal_password: '*****',
          loyalty: 'Gold',
          fax: '0123',
          _user_tags: ',vip',
          _assign: '["bo@example.com"]',
          _liked_by: '["ana@example.com"]',
        },
        {
          name: 'CUST-00002',
          customer_name: 'NULL',
          territory: 'Zurich',
          credit_limit: '99.500000000',
          since: '2020-02-29',
          notes: 'a\0b\x1ac\r\n',
          represents: 'Acme',
        },
        { name: `CUST-${'x'.repeat(150)}`, customer_name: 'Long', territory: 'North' },
        {
          name: 'R&D / Lab 🍶',
          customer_name: 'Café',
          territory: 'Nowhere',
          notes: '<script>alert(1)</script><b>bold</b>',
        },
      ],
    ),
    documents(
      'Sales Invoice',
      {
        naming_series: 'varchar(140)',
        customer: 'varchar(140)',
        posting_date: 'date',
        posting_time: 'time',
        grand_total: 'decimal',
        party_type: 'varchar(140)',
        party: 'varchar(140)',
        amended_from: 'varchar(140)',
      },
      [
        {
          name: 'SINV-00007',
          naming_series: 'SINV-.#####',
          customer: 'cust-00001',
          posting_date: '2024-03-01',
          posting_time: '09:10:11',
          grand_total: '12.340000000',
          docstatus: 1,
          party_type: 'Error Log',
          party: 'err1',
        },
        {
          name: 'SINV-00008',
          naming_series: 'SINV-.#####',
          customer: 'CUST-00002',
          posting_date: '2024-03-02',
          grand_total: '-0.000000001',
          docstatus: 2,
        },
        {
          name: 'SINV-00008-1',
          naming_series: 'SINV-.#####',
          customer: 'CUST-00002',
          posting_date: '2024-03-02',
          grand_total: '7.000000000',
          amended_from: 'SINV-00008',
        },
      ],
    ),
    children('Sales Invoice Item', { item_code: 'varchar(140)', qty: 'decimal', rate: 'decimal' }, [
      item('row1', 'SINV-00007', 1, '8.000000000'),
      item('row2', 'SINV-00007', 2, '0.340000000'),
      item('row3', 'SINV-00008', 1, '1.000000000'),
      item('lost', 'SINV-99999', 1, '1.000000000'),
    ]),
    documents(
      'Bottle Label',
      {
        title: 'varchar(140)',
        body: 'longtext',
        picture: 'longtext',
        customer: 'varchar(140)',
        stamp: 'blob',
      },
      [
        {
          name: 'Red',
          title: 'Red',
          body: 'x'.repeat(3_000),
          picture: '/private/files/red.png',
          customer: 'CUST-00001',
          stamp: Buffer.from([0, 39, 92, 255]),
        },
      ],
    ),
    {
      name: 'tabSingles',
      columns: { doctype: 'varchar(140)', field: 'varchar(140)', value: 'longtext' },
      rows: [
        ['Selling Settings', 'default_territory', 'north'],
        ['Selling Settings', 'allow_discount', '1'],
        ['Selling Settings', 'rate', '2.5'],
        ['Selling Settings', 'modified', '2025-01-01 00:00:00.000000'],
        ['System Settings', 'time_zone', 'Europe/Zurich'],
      ].map(([doctype = '', field = '', value = '']) => ({ doctype, field, value })),
      key: ['doctype', 'field'],
    },
    {
      name: 'tabSeries',
      columns: { name: 'varchar(140)', current: 'int' },
      rows: [
        { name: 'SINV-', current: 41 },
        { name: 'CUST-', current: 2 },
      ],
      key: ['name'],
    },
  ];
}
