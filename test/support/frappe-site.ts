/**
 * A small server in the manner of a Frappe site: what Chancery does otherwise, or what a real site does seldom. Its
 * documents are plain rows, which a test changes at will, as transactions of the site would.
 */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export type FrappeRow = Record<string, unknown>;

export interface FrappeSite {
  readonly url: string;
  readonly key: string;
  /** Rows by doctype, those of child tables too. */
  readonly tables: Map<string, FrappeRow[]>;
  /** Files by their path. */
  readonly files: Map<string, Buffer>;
  /** `METHOD path` of all requests so far. */
  readonly requests: string[];
  /** What happens to the next requests instead of an answer, or before it. */
  readonly faults: Fault[];
  /** Doctypes that the key may not list. */
  readonly denied: Set<string>;
  /** Doctypes whose documents the key may not read any more: lists of them are empty. */
  readonly hidden: Set<string>;
  stop(): Promise<void>;
}

export type Fault =
  | { readonly status: number; readonly headers?: Record<string, string>; readonly body?: unknown }
  | 'cut'
  | 'half'
  | (() => void);

const KEY = 'k3y:s3cret';

export async function startFrappeSite(): Promise<FrappeSite> {
  const site = {
    key: KEY,
    tables: new Map<string, FrappeRow[]>(),
    files: new Map<string, Buffer>(),
    requests: [] as string[],
    faults: [] as Fault[],
    denied: new Set<string>(),
    hidden: new Set<string>(),
  };
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => answer(site, request, Buffer.concat(chunks).toString(), response));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    ...site,
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async stop() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

type State = Omit<FrappeSite, 'url' | 'stop'>;

interface Reply {
  readonly status: number;
  /** Text is sent as HTML, bytes as a file, all else as JSON. */
  readonly value: unknown;
  readonly headers?: Record<string, string>;
}

function answer(site: State, request: IncomingMessage, body: string, response: ServerResponse): void {
  const url = new URL(request.url ?? '/', 'http://site');
  site.requests.push(`${request.method} ${decodeURIComponent(url.pathname)}`);
  const fault = site.faults.shift();
  if (fault === 'cut') {
    response.destroy();
  } else if (fault === 'half') {
    response.writeHead(200, { 'content-type': 'application/json', 'content-length': '1000' });
    response.write('{"data": [');
    setTimeout(() => response.destroy(), 20);
  } else if (typeof fault === 'object') {
    const { status, headers = {}, body: value = '<html>busy</html>' } = fault;
    send(response, { status, headers, value });
  } else {
    fault?.();
    send(response, replyTo(site, request, url, body));
  }
}

function send(response: ServerResponse, { status, value, headers }: Reply): void {
  const isBytes = Buffer.isBuffer(value);
  const type = isBytes
    ? 'application/octet-stream'
    : typeof value === 'string'
      ? 'text/html'
      : 'application/json';
  response.writeHead(status, { 'content-type': type, ...headers });
  response.end(isBytes || typeof value === 'string' ? value : JSON.stringify(value));
}

function replyTo(site: State, request: IncomingMessage, url: URL, body: string): Reply {
  if (request.headers.authorization !== `token ${KEY}`) return refusal(401, 'AuthenticationError', '');
  const args: Record<string, string> =
    request.method === 'POST' ? JSON.parse(body) : Object.fromEntries(url.searchParams);
  const [, root, kind = '', ...rest] = url.pathname.split('/').map(decodeURIComponent);
  if (root !== 'api') {
    const file = site.files.get(decodeURIComponent(url.pathname));
    return file ? { status: 200, value: file } : { status: 404, value: '<html>not found</html>' };
  }
  if (kind === 'method') return method(site, rest[0] ?? '', args);
  const [doctype = '', ...name] = rest;
  if (name.length === 0) return list(site, { ...args, doctype }, 'data');
  const found = site.tables.get(doctype)?.find((row) => String(row['name']) === name.join('/'));
  if (!found) return refusal(404, 'DoesNotExistError', '');
  if (site.hidden.has(doctype)) return refusal(403, 'PermissionError', `No permission for ${name}`);
  return { status: 200, value: { data: withRows(site, doctype, found) } };
}

function method(site: State, name: string, args: Record<string, string>): Reply {
  if (name === 'frappe.auth.get_logged_user') return { status: 200, value: { message: 'Administrator' } };
  if (name === 'frappe.client.get_list') return list(site, args, 'message');
  if (name === 'frappe.client.get_count') {
    return { status: 200, value: { message: site.tables.get(args['doctype'] ?? '')?.length ?? 0 } };
  }
  return refusal(417, 'ValidationError', `Failed to get method for command ${name}`);
}

function list(site: State, args: Record<string, string>, key: string): Reply {
  const doctype = args['doctype'] ?? '';
  const rows = site.tables.get(doctype);
  if (site.denied.has(doctype)) return refusal(403, 'PermissionError', `No permission for ${doctype}`);
  if (!rows) return refusal(404, 'DoesNotExistError', `DocType ${doctype} not found`);
  if (site.hidden.has(doctype)) return { status: 200, value: { [key]: [] } };
  const filters = JSON.parse(args['filters'] ?? '[]') as [string, string, unknown][];
  const orders = (args['order_by'] ?? 'modified desc').split(',').map((term) => term.trim().split(' '));
  const fields = JSON.parse(args['fields'] ?? '["name"]') as string[];
  const found = rows
    .filter((row) => filters.every(([field, operator, value]) => holds(row[field], operator, value)))
    .sort((a, b) => {
      for (const [field = '', direction] of orders) {
        const order = compare(a[field], b[field]);
        if (order !== 0) return direction === 'desc' ? -order : order;
      }
      return 0;
    })
    .slice(0, Number(args['limit_page_length'] ?? 20));
  const shown = found.map((row) =>
    fields.includes('*') ? row : Object.fromEntries(fields.map((field) => [field, row[field]])),
  );
  return { status: 200, value: { [key]: shown } };
}

// As MariaDB compares texts, without case.
function compare(left: unknown, right: unknown): number {
  if (typeof left === 'number' && typeof right === 'number') return left - right;
  const [a, b] = [String(left).toLowerCase(), String(right).toLowerCase()];
  return a < b ? -1 : a > b ? 1 : 0;
}

function holds(value: unknown, operator: string, wanted: unknown): boolean {
  if (operator === 'in') return (wanted as unknown[]).some((one) => compare(value, one) === 0);
  if (value === null || value === undefined) return false;
  const order = compare(value, wanted);
  const isMet = { '=': order === 0, '>': order > 0, '>=': order >= 0, '<': order < 0, '<=': order <= 0 }[
    operator
  ];
  if (isMet === undefined) throw new Error(`the filter ${operator} is unknown`);
  return isMet;
}

function withRows(site: State, doctype: string, document: FrappeRow): FrappeRow {
  const whole: FrappeRow = { ...document, doctype };
  for (const [child, rows] of site.tables) {
    for (const row of rows.toSorted((a, b) => Number(a['idx']) - Number(b['idx']))) {
      if (row['parenttype'] !== doctype || row['parent'] !== document['name']) continue;
      const field = String(row['parentfield']);
      whole[field] = [...((whole[field] as FrappeRow[]) ?? []), { ...row, doctype: child }];
    }
  }
  return whole;
}

/** As Frappe writes its errors: a traceback, and messages in JSON in JSON. */
function refusal(status: number, type: string, message: string): Reply {
  const said = JSON.stringify({ message: `<b>${message}</b>`, indicator: 'red' });
  return {
    status,
    value: {
      exc_type: type,
      exception: `frappe.exceptions.${type}: ${message}`,
      exc: JSON.stringify(['Traceback (most recent call last):\n  File "apps/frappe/…']),
      ...(message && { _server_messages: JSON.stringify([said]) }),
    },
  };
}
