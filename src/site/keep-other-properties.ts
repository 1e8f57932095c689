import type { ChildRow, DocType, DoctypeRegistry, Document } from '../doctype/doctype.ts';
import { fieldtypeOf } from '../doctype/fieldtypes/fieldtypes.ts';
import {
  OTHER_PROPERTIES,
  otherProperties,
  parseOtherProperties,
  renderOtherProperties,
} from '../doctype/other-properties.ts';
import type { Change } from '../document/change.ts';
import { rowsOf } from '../document/document.ts';
import { ServiceError } from '../kernel/errors.ts';
import { isRecord } from '../kernel/value.ts';

type Properties = Readonly<Record<string, unknown>>;

/**
 * Keeps what was sent of a definition (a DocType or Custom Field) and no column holds: in the document, added to what
 * was kept before (null removes); in rows, which are replaced wholesale, in place of it.
 * @throws ServiceError when it is too much
 */
export function keepOtherProperties(registry: DoctypeRegistry, change: Change): void {
  const { doctype, doc, before, input } = change;
  const kept = parseOtherProperties(before?.[OTHER_PROPERTIES]);
  store(doc, doctype, { ...kept, ...spread(input) });
  // Kept while there was no column for it: now there is one, and the value moves there.
  for (const [key, value] of Object.entries(kept)) {
    const field = doctype.columnByName.get(key)?.field;
    if (!field || Object.hasOwn(input, key)) continue;
    try {
      doc[key] = fieldtypeOf(field).coerce(value, field);
    } catch (error) {
      if (!(error instanceof ServiceError)) throw error;
    }
  }
  for (const table of doctype.tables) {
    const sent = Object.hasOwn(input, table.fieldname) ? input[table.fieldname] : undefined;
    if (!Array.isArray(sent)) continue;
    const child = registry.get(table.options);
    for (const [index, row] of rowsOf(doc, table.fieldname).entries()) {
      const properties: unknown = sent[index];
      if (child.columnByName.has(OTHER_PROPERTIES) && isRecord(properties))
        store(row, child, spread(properties));
    }
  }
}

// As a copy or a restored document has them: still folded.
function spread(input: Properties): Properties {
  return { ...parseOtherProperties(input[OTHER_PROPERTIES]), ...input };
}

function store(holder: Document | ChildRow, meta: DocType, properties: Properties): void {
  holder[OTHER_PROPERTIES] = renderOtherProperties(otherProperties(properties, meta));
}
