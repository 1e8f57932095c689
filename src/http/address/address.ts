import type { CurrentUser } from '../../access/user.ts';
import type { JsonSchema } from '../../doctype/json-schema-value.ts';
import { type DescribeAddress, errors, NO_CREDENTIALS, pathParameter } from './operation.ts';
import type { ApiScope } from './scope.ts';

/**
 * The requirement of an address. `guest`: none. `user`: a signed-in user, checked before the body is read.
 * `permission`: the document verbs decide, and they refuse a Guest almost everything; writes that no document
 * could allow are refused before the body is read. `client`: the credentials of an OAuth client, which the
 * handler checks itself; no user is signed in there.
 */
export type Access = 'guest' | 'user' | 'permission' | 'client';

/**
 * The kind of work of a request, for rate limits and admission. `login` checks secrets. `method` sets its
 * kind once it knows its arguments. `stream` lasts, and has limits of its own. `none` is free and always
 * answers.
 */
export type WorkKind = 'read' | 'list' | 'write' | 'upload' | 'login' | 'method' | 'stream' | 'none';

/** An HTTP method that an address may offer. HEAD follows GET, and is named only where GET is not offered. */
export type Verb = 'HEAD' | 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

/** What an address offers by one HTTP method. */
export interface AddressVerb {
  /** A summary in one line. */
  readonly summary: string;
  /** Default: the work of the address; `write` instead of `read` and `list` where the verb is not GET. */
  readonly work?: WorkKind;
}

type Replies = Readonly<Record<string, JsonSchema>>;

/** The same with its OpenAPI description. */
interface DescribedVerb extends AddressVerb {
  readonly id: string;
  readonly description?: string;
  readonly parameters?: readonly JsonSchema[];
  readonly body?: JsonSchema;
  readonly replies: Replies | ((scope: ApiScope) => Replies);
  /** Null: the same as for most. Default: no credentials are needed where the access is `guest` or `client`. */
  readonly security?: readonly JsonSchema[] | null;
}

interface Offer<V extends Verb> {
  readonly verbs: Readonly<Record<V, AddressVerb>>;
  /**
   * The method that the address calls, which the scope of a limited key must include. `*`: the request names
   * it. Default: the method in the path.
   */
  readonly calls?: string | null;
  /** Replies hold a key, secret or token: never compressed. */
  readonly confidential?: boolean;
}

/** One address of the server, declared once. `addresses.ts` lists all of them. */
export interface Address {
  /** In Fastify's form. */
  readonly path: string;
  readonly version: 'v1' | 'v2' | null;
  readonly access: Access;
  readonly work: WorkKind;
  readonly verbs: Readonly<Partial<Record<Verb, AddressVerb>>>;
  readonly calls: string | null;
  readonly confidential: boolean;
  readonly describe: DescribeAddress;
  /** The path that OpenAPI describes instead of this one. */
  readonly sameAs?: string;
}

/** An address that offers at least these verbs. */
export type AddressOf<V extends Verb> = Address & Pick<Offer<V>, 'verbs'>;

interface DescribedOffer<V extends Verb> extends Offer<V> {
  readonly verbs: Readonly<Record<V, DescribedVerb>>;
  /** The group of the address in OpenAPI. */
  readonly tag: string;
  /** The variables of the path with their descriptions; the last one stands for `*`. */
  readonly variables?: Readonly<Record<string, string>>;
  /** Users whose OpenAPI document shows the address. Default: not Guest, where Guest is always refused. */
  readonly shownTo?: (user: CurrentUser) => boolean;
}

/** Declares an address with its OpenAPI description. */
export function defineAddress<const V extends Verb>(
  path: string,
  access: Access,
  work: WorkKind,
  offer: DescribedOffer<V>,
): AddressOf<V> {
  const { verbs, tag, variables = {} } = offer;
  const isOpen = access === 'guest' || access === 'client';
  const { shownTo = (user) => isOpen || !user.isGuest } = offer;
  const rest = Object.keys(variables).at(-1);
  const shown = path.replace(/:(\w+)|\*/g, (_, name = rest) => `{${name}}`);
  const parameters = Object.entries(variables).map(([name, meaning]) => pathParameter(name, meaning));
  const usual = isOpen ? NO_CREDENTIALS : null;
  const described = ({ security = usual, ...verb }: DescribedVerb, scope: ApiScope) => ({
    operationId: verb.id,
    summary: verb.summary,
    ...(verb.description && { description: verb.description }),
    tags: [tag],
    ...(verb.parameters && { parameters: verb.parameters }),
    ...(verb.body && { requestBody: verb.body }),
    responses: typeof verb.replies === 'function' ? verb.replies(scope) : verb.replies,
    ...(security && { security }),
  });
  const describe: DescribeAddress = (scope) => {
    if (!shownTo(scope.user)) return [];
    const operations = Object.entries<DescribedVerb>(verbs);
    const item = operations.map(([name, verb]) => [name.toLowerCase(), described(verb, scope)]);
    return [[shown, { ...(parameters.length > 0 && { parameters }), ...Object.fromEntries(item) }]];
  };
  return addressDescribedBy(describe, path, access, work, offer);
}

/** Declares an address that is free, answers everybody, and has a reply of its own. */
export function openAddress(
  path: string,
  id: string,
  summary: string,
  reply: Replies,
  variables: Readonly<Record<string, string>> = {},
): AddressOf<'GET'> {
  const GET = { id, summary, replies: { ...reply, ...errors() } };
  return defineAddress(path, 'guest', 'none', { tag: 'Service', variables, verbs: { GET } });
}

/** Declares an address whose OpenAPI description depends on the site and on the reader. */
export function addressDescribedBy<const V extends Verb>(
  describe: DescribeAddress,
  path: string,
  access: Access,
  work: WorkKind,
  { verbs, calls, confidential = false }: Offer<V>,
): AddressOf<V> {
  const [, named = null] = /^\/api\/(?:v2\/)?method\/([\w.]+)$/.exec(path) ?? [];
  const version = path.startsWith('/api/v2/') ? 'v2' : path.startsWith('/api/') ? 'v1' : null;
  return { path, version, access, work, verbs, calls: calls ?? named, confidential, describe };
}

/** The same address under another path. */
export function alsoAt<V extends Verb>(address: AddressOf<V>, path: string): AddressOf<V> {
  const { access, work, path: sameAs } = address;
  return { ...addressDescribedBy(() => [], path, access, work, address), sameAs };
}

/** The kind of work of a request to an address. */
export function workOf({ verbs, work }: Address, verb: Verb): WorkKind {
  const isRead = verb === 'GET' || verb === 'HEAD';
  return verbs[verb]?.work ?? (!isRead && (work === 'read' || work === 'list') ? 'write' : work);
}
