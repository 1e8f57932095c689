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
import { tryOut } from '../load/check-load.ts';
import type { BrokenRecord, LoadSource, SourceRecord } from '../load/record.ts';
import { DEFINITIONS } from '../load/store/storable.ts';
import type { OpenSite } from '../site/start/open-site.ts';

/** Customizations, in the order in which they can be saved: a property of a custom field comes after the field. */
export const CUSTOMIZATIONS = ['Custom Field', 'Property Setter', 'Custom DocPerm'];

/** What became of the definitions of a source. */
export interface LoadedDefinitions {
  /** For the person who called. */
  readonly lines: readonly string[];
  /** The new doctypes. */
  readonly created: readonly string[];
}

/**
 * Saves the definitions at the beginning of a source in one transaction, because doctypes may refer to each other in
 * a circle; a check undoes it.
 * @throws ServiceError naming the definition that cannot be saved
 */
export async function loadDefinitions(
  site: OpenSite,
  source: LoadSource,
  isCheck = false,
): Promise<LoadedDefinitions> {
  const definitions: SourceRecord[] = [];
  for await (const record of source.records()) {
    if (!isDefinition(record)) break;
    definitions.push(record);
    if (definitions.length > LIMITS.definitionsAtOnce) {
      const most = LIMITS.definitionsAtOnce;
      throw new ServiceError('ValidationError', `A load has at most ${most} definitions`);
    }
  }
  if (definitions.length === 0) return { lines: [], created: [] };
  const unit = <T>(work: (ctx: Context) => Promise<T>) =>
    unitOfWork(site, ADMINISTRATOR, work, { ...COMMAND_LINE, isImport: true });
  const save = (ctx: Context) => saveDefinitions(site, ctx, definitions);
  const { notes, created, updated, customized } = await (isCheck ? tryOut(unit<never>, save) : unit(save));
  const would = isCheck ? 'would be ' : '';
  const lines = [
    ...notes.map((note) => `Note: ${noteText(note)}`),
    `${created.length} doctypes ${would}created, ${updated.length} updated, ${customized} customizations saved.`,
  ];
  return { lines, created };
}

async function saveDefinitions(site: OpenSite, ctx: Context, definitions: readonly SourceRecord[]) {
  const of = (name: string) => definitions.filter(({ doctype }) => doctype === name);
  const doctypes = of('DocType').map(({ values }) => ({ doctype: 'DocType', ...values }));
  const saved = await site.loadDoctypes(ctx, doctypes);
  for (const name of CUSTOMIZATIONS) for (const record of of(name)) await customize(ctx, record);
  return { ...saved, customized: definitions.length - doctypes.length };
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
