/** The tree of a parsed expression. It is data, because it names document fields: nothing in it can run. */
export type Node =
  | { readonly kind: 'literal'; readonly value: string | number | boolean | null }
  | { readonly kind: 'name'; readonly name: RootName }
  | { readonly kind: 'member'; readonly of: Node; readonly key: string }
  | { readonly kind: 'index'; readonly of: Node; readonly at: Node }
  | { readonly kind: 'list'; readonly items: readonly Node[] }
  | { readonly kind: 'call'; readonly name: FunctionName; readonly args: readonly Node[] }
  | { readonly kind: 'method'; readonly name: MethodName; readonly of: Node; readonly args: readonly Node[] }
  | { readonly kind: 'local'; readonly name: string }
  /** `frappe.boot`, which only forms know. */
  | { readonly kind: 'boot' }
  | {
      /** `doc.items.some(row => row.qty > 1)`. */
      readonly kind: 'each';
      readonly name: EachName;
      readonly of: Node;
      readonly variable: string;
      readonly test: Node;
    }
  /** The variable of an `each`, inside its test. */
  | { readonly kind: 'variable'; readonly name: string }
  | { readonly kind: 'changed'; readonly key: string }
  | {
      readonly kind: 'choice';
      readonly test: Node;
      readonly then: Node;
      readonly otherwise: Node | null;
    }
  | {
      readonly kind: 'filter';
      readonly name: FilterName;
      readonly of: Node;
      readonly args: readonly Node[];
      /** `attribute="…"`: the field of the rows for the filter. */
      readonly attribute: string | null;
    }
  | { readonly kind: 'not'; readonly of: Node }
  | { readonly kind: 'negative'; readonly of: Node }
  | { readonly kind: 'binary'; readonly operator: Operator; readonly left: Node; readonly right: Node };

/**
 * The roots of an expression: the document or row, the parent document of a row, and the document before the
 * change.
 */
export type RootName = 'doc' | 'parent' | 'previous';

/** One sign for both syntaxes: `===` is `==`, `&&` is `and`, `is not` is `!=`. */
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
  | '%'
  | '~';

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

/** Methods of lists that test their items. */
export type EachName = 'every' | 'some';

export type FilterName =
  | 'abs'
  | 'capitalize'
  | 'default'
  | 'escape'
  | 'first'
  | 'float'
  | 'format'
  | 'int'
  | 'join'
  | 'last'
  | 'length'
  | 'list'
  | 'lower'
  | 'map'
  | 'replace'
  | 'round'
  | 'safe'
  | 'string'
  | 'sum'
  | 'title'
  | 'tojson'
  | 'trim'
  | 'upper'
  | 'urlencode';

/** The function behind a name, and the number of its arguments. */
export interface Callable<Name> {
  readonly name: Name;
  readonly least: number;
  readonly most: number;
}

/** The number of arguments of a question about the document itself. */
export const NONE: Callable<null> = { name: null, least: 0, most: 0 };
export const ONE: Callable<null> = { name: null, least: 1, most: 1 };

function callables<Name>(
  ...rows: readonly (readonly [spelling: string, name: Name, least: number, most: number])[]
): ReadonlyMap<string, Callable<Name>> {
  return new Map(rows.map(([spelling, name, least, most]) => [spelling, { name, least, most }]));
}

/** Functions by name. */
export const FUNCTIONS = callables<FunctionName>(
  ['len', 'len', 1, 1],
  ['in_list', 'in_list', 2, 2],
  ['cint', 'cint', 1, 1],
  ['flt', 'flt', 1, 1],
  ['cstr', 'cstr', 1, 1],
);

/** Methods of texts, lists and documents, by their names in both syntaxes. */
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

/** Methods whose argument is a test, as in `row => row.qty > 1`, by name. */
export const EACHES: ReadonlyMap<string, EachName> = new Map([
  ['every', 'every'],
  ['some', 'some'],
]);

/** Filters, as in `doc.items|length`, by their names in Jinja. */
export const FILTERS = callables<FilterName>(
  ['abs', 'abs', 0, 0],
  ['capitalize', 'capitalize', 0, 0],
  ['default', 'default', 1, 2],
  ['d', 'default', 1, 2],
  ['escape', 'escape', 0, 0],
  ['e', 'escape', 0, 0],
  ['first', 'first', 0, 0],
  ['float', 'float', 0, 0],
  ['format', 'format', 1, 10],
  ['int', 'int', 0, 0],
  ['join', 'join', 0, 1],
  ['last', 'last', 0, 0],
  ['length', 'length', 0, 0],
  ['count', 'length', 0, 0],
  ['list', 'list', 0, 0],
  ['lower', 'lower', 0, 0],
  ['map', 'map', 0, 0],
  ['replace', 'replace', 2, 2],
  ['round', 'round', 0, 1],
  ['safe', 'safe', 0, 0],
  ['string', 'string', 0, 0],
  ['sum', 'sum', 0, 0],
  ['title', 'title', 0, 0],
  ['tojson', 'tojson', 0, 0],
  ['json', 'tojson', 0, 0],
  ['trim', 'trim', 0, 0],
  ['upper', 'upper', 0, 0],
  ['urlencode', 'urlencode', 0, 0],
);

/** Filters that accept `attribute="…"` and then read one field of each row. */
export const ATTRIBUTE_FILTERS: ReadonlySet<FilterName> = new Set<FilterName>(['join', 'map', 'sum']);
