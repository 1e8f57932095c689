/** A request to the API, as its users would write it. */
export interface ApiCall {
  readonly verb: string;
  /** Without the query. */
  readonly path: string;
  readonly query: Readonly<Record<string, string>>;
  /** JSON text; '' for none. */
  readonly body: string;
}

/** Stands for a key and its secret, which the page never shows. */
export const KEY = '<api_key>:<api_secret>';

/** The address with its query. */
export function addressIn({ path, query }: ApiCall): string {
  const text = new URLSearchParams(query).toString();
  return text === '' ? path : `${path}?${text}`;
}

/** The parameters of a query as text: lists and objects as JSON; undefined values are left out. */
export function queryTexts(query: Readonly<Record<string, unknown>>): Readonly<Record<string, string>> {
  const entries = Object.entries(query).filter(([, value]) => value !== undefined && value !== null);
  return Object.fromEntries(
    entries.map(([name, value]) => [name, typeof value === 'object' ? JSON.stringify(value) : String(value)]),
  );
}

/** The request as a curl command for a shell. */
export function curlOf(origin: string, call: ApiCall): string {
  const { verb, path, query, body } = call;
  const hasQuery = body === '' && Object.keys(query).length > 0;
  return [
    `curl ${hasQuery ? '-G ' : ''}${verb === 'GET' ? '' : `-X ${verb} `}${quoted(origin + (hasQuery ? path : addressIn(call)))}`,
    `-H ${quoted(`Authorization: token ${KEY}`)}`,
    ...(hasQuery
      ? Object.entries(query).map(([name, value]) => `--data-urlencode ${quoted(`${name}=${value}`)}`)
      : []),
    ...(body === '' ? [] : [`-H ${quoted('Content-Type: application/json')}`, `-d ${quoted(body)}`]),
  ].join(' \\\n  ');
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}
