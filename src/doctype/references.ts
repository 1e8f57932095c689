import { Definition, LENIENT, Problems, type Tolerance } from './definition.ts';
import { deriveFields } from './derive-fields.ts';
import type { DocField, DocType } from './doctype.ts';

/** Finds the other doctypes of the site. It need not know the doctype itself. */
type Find = (doctypeName: string) => DocType | undefined;

/**
 * Checks that the references of the doctype's fields exist and are of the right kind. `find` may know planned
 * doctypes.
 * @throws ServiceError as `Problems.throwAny`
 */
export function checkReferences(doctype: DocType, find: Find, tolerates?: Tolerance): void {
  const problems = new Problems(tolerates);
  brokenReferences(doctype, find, problems);
  problems.throwAny();
}

/**
 * The doctype as it works beside the other doctypes of the site, with a note for each broken reference: the
 * Link holds text, the table is left out. A registry has only such doctypes. They become whole with a later
 * registry, when the missing doctype is there.
 */
export function resolveReferences(given: DocType, find: Find): DocType {
  const parsed = asParsed(given);
  const problems = new Problems(LENIENT);
  const broken = brokenReferences(parsed, find, problems);
  if (broken.size === 0) return parsed;
  const notes = [
    ...parsed.notes,
    ...problems.notes.map((message) => Object.freeze({ doctype: parsed.name, message })),
  ];
  // An equal one is kept, because much that is computed once for a doctype hangs on its identity.
  if (notes.map(({ message }) => message).join() === given.notes.map(({ message }) => message).join()) {
    return given;
  }
  const fields = parsed.fields.flatMap((field) => {
    const [link = ''] = field.fetch_from.split('.', 1);
    const cure = { ...(broken.has(link) && { fetch_from: '' }), ...(broken.has(field.fieldname) && TEXT) };
    if (broken.has(field.fieldname) && field.fieldtype !== 'Link') return [];
    return Object.keys(cure).length === 0 ? [field] : [Object.freeze({ ...field, ...cure })];
  });
  const resolved = Object.freeze({
    ...parsed,
    ...deriveFields(fields, parsed),
    notes: Object.freeze(notes),
  });
  parsedOf.set(resolved, parsed);
  return resolved;
}

const TEXT = { fieldtype: 'Data', options: '' };

const parsedOf = new WeakMap<DocType, DocType>();

/** The doctype as its definition alone describes it, with all references. */
export function asParsed(doctype: DocType): DocType {
  return parsedOf.get(doctype) ?? doctype;
}

/** The names of the fields whose reference is broken; each is an oddity. */
function brokenReferences(doctype: DocType, find: Find, problems: Problems): ReadonlySet<string> {
  const broken = new Set<string>();
  for (const field of [...doctype.links, ...doctype.tables]) {
    const target = field.options === doctype.name ? doctype : find(field.options);
    const problem = referenceProblem(doctype, field, target);
    if (problem === null) continue;
    const effect = field.fieldtype === 'Link' ? 'it holds text' : 'the field is left out';
    const type = target ? undefined : 'WrongOptionsDoctypeLinkError';
    new Definition({}, problems, `Field ${field.fieldname}`).odd(problem, effect, type);
    broken.add(field.fieldname);
  }
  return broken;
}

function referenceProblem(doctype: DocType, field: DocField, target: DocType | undefined): string | null {
  const { fieldtype, options } = field;
  if (!target) return `there is no DocType ${options}`;
  if (fieldtype === 'Link') {
    return target.istable ? `${options} is a child table and cannot be linked to` : null;
  }
  if (!target.istable) return `${options} is not a child table`;
  if (fieldtype === 'Table MultiSelect' && target.links.length === 0) {
    return `${options} needs a Link field, which holds what is selected`;
  }
  return target.rowsFrom === 'controller' && doctype.rowsFrom !== 'controller'
    ? `${options} is virtual and has no table`
    : null;
}
