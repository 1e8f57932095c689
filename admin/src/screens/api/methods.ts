import type { OpenApi } from './openapi.ts';
import { type ApiOperation, operationsAt } from './operations.ts';

const BASE = '/api/method/';

/** Methods with their summaries, in the order of their names. */
export function methodsOf(doc: OpenApi): readonly { readonly name: string; readonly summary: string }[] {
  return Object.keys(doc.paths)
    .filter((path) => path.startsWith(BASE))
    .map((path) => ({
      name: decodeURIComponent(path.slice(BASE.length)),
      summary: operationsAt(doc, [path])[0]?.summary ?? '',
    }))
    .toSorted((a, b) => (a.name < b.name ? -1 : 1));
}

/** The ways to call a method: by GET, by POST. */
export function waysToCall(doc: OpenApi, method: string): readonly ApiOperation[] {
  return operationsAt(
    doc,
    Object.keys(doc.paths).filter((path) => decodeURIComponent(path) === BASE + method),
  );
}
