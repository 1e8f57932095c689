import { COMMAND_LINE } from '../access/audit.ts';
import { ADMINISTRATOR } from '../access/user.ts';
import { noteText } from '../doctype/note.ts';
import type { Context } from '../document/contract.ts';
import { createDocument } from '../document/verbs/create.ts';
import { isFree } from '../document/verbs/recreate.ts';
import { updateDocument } from '../document/verbs/update.ts';
import { unitOfWork } from '../document/write/unit-of-work.ts';
import { errorAbout, ServiceError } from '../kernel/errors.ts';
import { LIMITS } from '../kernel/limits.ts';
import type { BrokenRecord, LoadSource, SourceRecord } from '../load/record.ts';
import { DEFINITIONS } from '../load/store/storable.ts';
import type { OpenSite } from '../site/start/open-site.ts';

/** Customizations, in the order in which they can be saved: a property of a custom field comes after the field. */
export const CUSTOMIZATIONS = ['Custom Field', 'Property Setter', 'Custom DocPerm'];

/**
 * Saves the definitions at the beginning of a source in one transaction, because doctypes may refer to each other in
 * a circle. Resolves to lines for the person who called.
 * @throws ServiceError naming the definition that cannot be saved
 */
export async function loadDefinitions(site: OpenSite, source: LoadSource): Promise<string[]> {
  const definitions: SourceRecord[] = [];
  for await (const record of source.records()) {
    if (!isDefinition(record)) break;
    definitions.push(record);
    if (definitions.length > LIMITS.definitionsAtOnce) {
      const most = LIMITS.definitionsAtOnce;
      throw new ServiceError('ValidationError', `A load has at most ${most} definitions`);
    }
  }
  if (definitions.length === 0) return [];
  const of = (name: string) => definitions.filter(({ doctype }) => doctype === name);
  const doctypes = of('DocType').map(({ values }) => ({ doctype: 'DocType', ...values }));
  const saved = await unitOfWork(
    site,
    ADMINISTRATOR,
    async (ctx) => {
      const { notes, ...changed } = await site.loadDoctypes(ctx, doctypes);
      for (const name of CUSTOMIZATIONS) for (const record of of(name)) await customize(ctx, record);
      return { ...changed, notes: notes.map(noteText) };
    },
    { ...COMMAND_LINE, isImport: true },
  );
  const customized = definitions.length - doctypes.length;
  return [
    ...saved.notes.map((note) => `Note: ${note}`),
    `${saved.created.length} doctypes created, ${saved.updated.length} updated, ${customized} customizations saved.`,
  ];
}

/** The same source without the definitions at its beginning; later ones are refused. */
export function withoutDefinitions(source: LoadSource): LoadSource {
  return {
    ...source,
    async *records() {
      let isBeginning = true;
      for await (const record of source.records()) {
        isBeginning &&= isDefinition(record);
        if (!isBeginning) yield record;
      }
    },
  };
}

function isDefinition(record: SourceRecord | BrokenRecord): record is SourceRecord {
  return 'doctype' in record && DEFINITIONS.has(record.doctype);
}

/** What a definition does not state for itself. */
const FOREIGN = ['doctype', 'owner', 'creation', 'modified', 'modified_by', 'docstatus', 'idx'];

async function customize(ctx: Context, { doctype: doctypeName, key, values }: SourceRecord): Promise<void> {
  const fields = Object.fromEntries(Object.entries(values).filter(([name]) => !FOREIGN.includes(name)));
  const doctype = ctx.doctypes.get(doctypeName);
  try {
    if (await isFree(ctx, doctype, key)) await createDocument(ctx, doctypeName, fields);
    else await updateDocument(ctx, doctypeName, key, fields);
  } catch (error) {
    throw error instanceof ServiceError ? errorAbout(error, `${doctypeName} ${key}`, key) : error;
  }
}
