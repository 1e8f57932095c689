import assert from 'node:assert/strict';

// biome-ignore lint/suspicious/noExplicitAny: JSON of every shape
type Any = any;

/** Of every site that a fixture holds. */
export const SITE = {
  adminKey: 'admin-key:admin-secret-0123456789',
  user: 'sam@example.com',
  password: 'the-old-password-of-sam',
  adminPassword: 'the-old-password-of-admin',
  webhookSecret: 'the-old-secret-of-the-webhook',
  backupKey: Buffer.alloc(32, 7).toString('base64'),
  /** The value of a header of the webhook, which is stored as a secret. */
  headerSecret: 'Bearer the-old-token',
  idempotencyKey: 'the-order-that-was-sent-twice',
  /** Requests that webhooks have sent at least: for each order, and for the first change of two. */
  attempts: 7,
} as const;

/** A reply of an old program, as its client got it. */
interface Reply {
  readonly status: number;
  readonly text: string;
  readonly body: Any;
}

/** What an old program answered before it stopped, in terms that later programs must repeat. */
export interface Facts {
  /** Milliseconds since the epoch. */
  readonly stoppedAt: number;
  /** By doctype and name, as `GET /api/resource/…` gave them. */
  readonly documents: Readonly<Record<string, Readonly<Record<string, Any>>>>;
  /** Contents of files, by their URL. */
  readonly files: Readonly<Record<string, string>>;
  /** The session of `SITE.user`. */
  readonly sid: string;
  /** `key:secret` of `SITE.user`; null where the program did not tell the key. */
  readonly userKey: string | null;
  /** The reply to the request with `SITE.idempotencyKey`. */
  readonly kept: string;
}

/** The request that was sent with `SITE.idempotencyKey`. */
export const KEPT_ORDER = { customer: 'Sent twice', total: 1, items: [{ item: 'Nut', qty: 1 }] };

/** Bodies that the failing webhook still has to deliver. */
export const WAITING = [
  { order: 'ORD-00001', total: 12.25 },
  { order: 'ORD-00001', total: 99.5 },
];

const DOCTYPES = [
  {
    name: 'Order Item',
    istable: 1,
    fields: [
      { fieldname: 'item', label: 'Item', fieldtype: 'Data', reqd: 1 },
      { fieldname: 'qty', label: 'Quantity', fieldtype: 'Int' },
      { fieldname: 'price', label: 'Price', fieldtype: 'Currency' },
    ],
  },
  {
    name: 'Order',
    naming_rule: 'Expression (old style)',
    autoname: 'ORD-.#####',
    is_submittable: 1,
    allow_rename: 1,
    track_changes: 1,
    fields: [
      { fieldname: 'customer', label: 'Customer', fieldtype: 'Data', reqd: 1, in_list_view: 1 },
      { fieldname: 'status', label: 'Status', fieldtype: 'Select', options: 'Open\nClosed', default: 'Open' },
      { fieldname: 'due', label: 'Due', fieldtype: 'Date' },
      { fieldname: 'at', label: 'At', fieldtype: 'Datetime' },
      { fieldname: 'total', label: 'Total', fieldtype: 'Currency' },
      { fieldname: 'share', label: 'Share', fieldtype: 'Percent' },
      { fieldname: 'is_urgent', label: 'Urgent', fieldtype: 'Check' },
      { fieldname: 'note', label: 'Note', fieldtype: 'Text', allow_on_submit: 1 },
      { fieldname: 'place', label: 'Place', fieldtype: 'JSON' },
      { fieldname: 'clerk', label: 'Clerk', fieldtype: 'Link', options: 'User' },
      { fieldname: 'paper', label: 'Paper', fieldtype: 'Attach' },
      { fieldname: 'pin', label: 'PIN', fieldtype: 'Password' },
      { fieldname: 'items', label: 'Items', fieldtype: 'Table', options: 'Order Item' },
    ],
    permissions: [
      { role: 'System Manager', read: 1, write: 1, create: 1, delete: 1, submit: 1, cancel: 1, amend: 1 },
      { role: 'Clerk', read: 1, write: 1, create: 1 },
    ],
  },
];

/** Documents of these doctypes become facts, if the program has them. */
const RECORDED = [
  'Order',
  'User',
  'Role',
  'File',
  'Webhook',
  'Webhook Request Log',
  'Comment',
  'Version',
  'Deleted Document',
  'Custom Field',
  'Property Setter',
  'User Permission',
  'DocShare',
  'System Settings',
] as const;

/** A client of a program of any version. */
export function clientOf(url: string) {
  const ask = async (
    method: string,
    path: string,
    body?: unknown,
    headers: Readonly<Record<string, string>> = {},
  ): Promise<Reply> => {
    const isForm = body instanceof FormData;
    const response = await fetch(url + path, {
      method,
      headers: {
        authorization: `token ${SITE.adminKey}`,
        ...(body !== undefined && !isForm && { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body !== undefined && { body: isForm ? body : JSON.stringify(body) }),
    });
    const text = await response.text();
    const isJson = response.headers.get('content-type')?.startsWith('application/json');
    return { status: response.status, text, body: isJson ? JSON.parse(text) : null };
  };
  const ok = async (method: string, path: string, body?: unknown): Promise<Any> => {
    const reply = await ask(method, path, body);
    assert.ok(reply.status < 300, `${method} ${path}: ${reply.status} ${reply.text}`);
    return reply.body?.data ?? reply.body?.message;
  };
  return {
    ask,
    ok,
    make: (doctype: string, fields: object) => ok('POST', resource(doctype), fields),
    call: (method: string, args: unknown) => ok('POST', `/api/method/${method}`, args),
    /** Resolves to the session of the user, from its cookie. */
    async signIn(user: string, password: string): Promise<string> {
      const response = await fetch(`${url}/api/method/login`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ usr: user, pwd: password }),
      });
      assert.equal(response.status, 200, await response.text());
      const sid = /(?:^|, ?)sid=([^;]+)/.exec(response.headers.getSetCookie().join(', '))?.[1];
      assert.ok(sid, 'a session');
      return sid;
    },
  };
}

export type Client = ReturnType<typeof clientOf>;

/** The address of a doctype, or of a document. */
export function resource(doctype: string, name?: string): string {
  const parts = name === undefined ? [doctype] : [doctype, name];
  return `/api/resource/${parts.map(encodeURIComponent).join('/')}`;
}

/**
 * Works on a new site as people would. `receiver` answers `/ok` with 200 and `/fails` with 500. Uses only what
 * the first program had; later things are tried.
 */
export async function work(client: Client, receiver: string): Promise<Pick<Facts, 'userKey' | 'kept'>> {
  const { ask, ok, make, call } = client;
  await make('Role', { role_name: 'Clerk' });
  for (const doctype of DOCTYPES) await make('DocType', doctype);
  await make('Custom Field', {
    dt: 'Order',
    fieldname: 'colour',
    label: 'Colour',
    fieldtype: 'Data',
    insert_after: 'note',
    default: 'red',
  });
  const roles = [{ role: 'Clerk' }];
  await make('User', {
    email: SITE.user,
    first_name: 'Sam',
    new_password: SITE.password,
    send_welcome_email: 0,
    roles,
  });
  const keys = await call('frappe.core.doctype.user.user.generate_keys', { user: SITE.user });
  const { api_key } = await ok('GET', resource('User', SITE.user));
  await makeWebhooks(client, receiver);
  await makeOrders(client);
  const headers = { 'idempotency-key': SITE.idempotencyKey };
  const kept = await ask('POST', resource('Order'), KEPT_ORDER, headers);
  assert.equal(kept.status, 200, kept.text);
  // What came later: a program without it answers that there is no such thing.
  await ask('POST', resource('User Permission'), { user: SITE.user, allow: 'User', for_value: SITE.user });
  await ask('PUT', resource('System Settings', 'System Settings'), { site_name: 'The old site' });
  const userKey = api_key ? `${api_key}:${keys.api_secret}` : null;
  return { userKey, kept: kept.text };
}

async function makeWebhooks({ ask, make }: Client, receiver: string): Promise<void> {
  for (const path of ['ok', 'fails']) {
    const webhook = {
      name: path,
      webhook_doctype: 'Order',
      webhook_docevent: path === 'ok' ? 'after_insert' : 'on_update',
      request_url: `${receiver}/${path}`,
      request_structure: 'JSON',
      enable_security: 1,
      webhook_secret: SITE.webhookSecret,
      webhook_headers: [{ key: 'Authorization', value: SITE.headerSecret }],
    };
    const webhook_json = '{"order": {{ doc.name | tojson }}, "total": {{ doc.total }}}';
    const { status } = await ask('POST', resource('Webhook'), { ...webhook, webhook_json });
    if (status === 200) continue;
    // The first program had no templates.
    const webhook_data = ['name', 'total'].map((fieldname) => ({
      fieldname,
      key: fieldname === 'name' ? 'order' : fieldname,
    }));
    await make('Webhook', { ...webhook, webhook_data });
  }
}

async function makeOrders({ ok, make, call }: Client): Promise<void> {
  const items = [
    { item: 'Nut', qty: 2, price: 0.1 },
    { item: 'Bolt — größer', qty: 3, price: 1234.56 },
  ];
  const place = JSON.stringify({ street: 'One', tags: ['a', 'b'] });
  const full = { due: '2026-02-28', at: '2026-02-28 23:59:59.123456', share: 12.5, is_urgent: 1, place };
  for (const customer of ['Ada', 'Grace', 'Edsger', 'Barbara', 'Donald'])
    await make('Order', { customer, total: 12.25, clerk: SITE.user, pin: '1234', ...full, items });
  const order = (number: number) => resource('Order', `ORD-0000${number}`);
  await ok('PUT', order(1), { note: 'Line one\nline two', items: items.slice(1), status: 'Closed' });
  await ok('PUT', order(1), { total: 99.5 });
  await ok('PUT', order(2), { docstatus: 1 });
  await ok('PUT', order(3), { docstatus: 1 });
  await ok('PUT', order(3), { docstatus: 2 });
  await call('frappe.client.rename_doc', {
    doctype: 'Order',
    old_name: 'ORD-00004',
    new_name: 'Renamed / ä',
  });
  await ok('DELETE', order(5));
  for (const [name, is_private] of [
    ['private.txt', 1],
    ['public.txt', 0],
  ] as const) {
    const form = new FormData();
    form.set('file', new Blob([`The bytes of ${name}, which are kept.`]), name);
    form.set('is_private', String(is_private));
    form.set('doctype', 'Order');
    form.set('docname', 'ORD-00001');
    await call('upload_file', form);
  }
}

/** Reads all that a later program must still answer. */
export async function recorded({ ask, ok }: Client): Promise<Pick<Facts, 'documents' | 'files'>> {
  const documents: Record<string, Record<string, Any>> = {};
  const files: Record<string, string> = {};
  for (const doctype of RECORDED) {
    const list = await ask('GET', `${resource(doctype)}?limit_page_length=0`);
    if (list.status === 404) continue;
    assert.equal(list.status, 200, list.text);
    for (const { name } of list.body.data) {
      const doc = await ok('GET', resource(doctype, name));
      // The failing webhook goes on.
      if (doctype === 'Webhook Request Log' && doc.webhook === 'fails') continue;
      documents[`${doctype}/${name}`] = doc;
      if (doctype === 'File' && doc.file_url) files[doc.file_url] = (await ask('GET', doc.file_url)).text;
    }
  }
  return { documents, files };
}
