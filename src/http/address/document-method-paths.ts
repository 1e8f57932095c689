import type { DocumentMethod } from '../../document/contract.ts';
import { declaredMethods } from '../../document/verbs/document-method.ts';
import { describeArguments } from '../../operation/arguments.ts';
import { sentArguments } from './argument-schemas.ts';
import { type DescribeAddress, type PathItem, pathParameter, resultV2 } from './operation.ts';
import type { UsableDoctype } from './scope.ts';

/** `/api/v2/document/<doctype>/<name>/method/<method>` of each method that controllers declare. */
export const documentMethodPaths: DescribeAddress = ({ controllers, doctypes }) =>
  doctypes
    .filter(({ verbs }) => verbs.has('read'))
    .flatMap((usable) =>
      [...declaredMethods(controllers, usable.doctype)].map(([name, method]) => [
        `/api/v2/document/${encodeURIComponent(usable.doctype.name)}/{name}/method/${encodeURIComponent(name)}`,
        methodItem(usable, name, method),
      ]),
    );

function methodItem(
  { doctype, typeName, verbs }: UsableDoctype,
  name: string,
  method: DocumentMethod,
): PathItem {
  const args = method.args === 'any' ? 'any' : describeArguments(method.args);
  const allowed = method.http.filter((verb) => verb === 'GET' || verbs.has('update'));
  return {
    parameters: [pathParameter('name', `Name of the ${doctype.name}`)],
    ...Object.fromEntries(
      allowed.map((verb) => [
        verb.toLowerCase(),
        {
          operationId: `${verb.toLowerCase()}${typeName}:${name}`,
          summary: method.description || name,
          tags: [doctype.name],
          ...sentArguments(verb, args, false),
          responses: resultV2(),
        },
      ]),
    ),
  };
}
