/** A parsed expression's tree. It names document fields, so it is data: nothing in it can run. */
export type Node =
  | { readonly kind: 'literal'; readonly value: string | number | boolean | null }
  | { readonly kind: 'name'; readonly name: RootName }
  | { readonly kind: 'member'; readonly of: Node; readonly key: string }
  | { readonly kind: 'index'; readonly of: Node; readonly at: Node }
  | { readonly kind: 'list'; readonly items: readonly Node[] }
  | { readonly kind: 'call'; readonly name: FunctionName; readonly args: readonly Node[] }
  | { readonly kind: 'method'; readonly name: MethodName; readonly of: Node; readonly args: readonly Node[] }
  | { readonly kind: 'not'; readonly of: Node }
  | { readonly kind: 'negative'; readonly of: Node }
  | { readonly kind: 'binary'; readonly operator: Operator; readonly left: Node; readonly right: Node };

/** What an expression may begin with: the document or row, and for a row the document that holds it. */
export type RootName = 'doc' | 'parent';

/** One sign for both dialects: `===` is `==`, `&&` is `and`, `is not` is `!=`. */
export type Operator =
  | 'or'
  | 'and'
  | '=='
  | '!='
  | '<'
  | '<='
  | '>'
  | '>='
  | 'in'
  | 'not in'
  | '+'
  | '-'
  | '*'
  | '/'
  | '%';

export type FunctionName = 'len' | 'in_list' | 'cint' | 'flt' | 'cstr';
export type MethodName =
  | 'get'
  | 'includes'
  | 'indexOf'
  | 'startsWith'
  | 'endsWith'
  | 'lower'
  | 'upper'
  | 'trim';

/** What a call's name means, and how many arguments it takes. */
export interface Callable<Name> {
  readonly name: Name;
  readonly least: number;
  readonly most: number;
}

function callables<Name>(
  ...rows: readonly (readonly [spelling: string, name: Name, least: number, most: number])[]
): ReadonlyMap<string, Callable<Name>> {
  return new Map(rows.map(([spelling, name, least, most]) => [spelling, { name, least, most }]));
}

/** Functions by their spelling. */
export const FUNCTIONS = callables<FunctionName>(
  ['len', 'len', 1, 1],
  ['in_list', 'in_list', 2, 2],
  ['cint', 'cint', 1, 1],
  ['flt', 'flt', 1, 1],
  ['cstr', 'cstr', 1, 1],
);

/** Methods of texts, lists and documents, by the spellings of both dialects. */
export const METHODS = callables<MethodName>(
  ['get', 'get', 1, 2],
  ['includes', 'includes', 1, 1],
  ['indexOf', 'indexOf', 1, 1],
  ['startsWith', 'startsWith', 1, 1],
  ['startswith', 'startsWith', 1, 1],
  ['endsWith', 'endsWith', 1, 1],
  ['endswith', 'endsWith', 1, 1],
  ['toLowerCase', 'lower', 0, 0],
  ['lower', 'lower', 0, 0],
  ['toUpperCase', 'upper', 0, 0],
  ['upper', 'upper', 0, 0],
  ['trim', 'trim', 0, 0],
  ['strip', 'trim', 0, 0],
);
