import { text } from 'node:stream/consumers';
import { readXml } from 'hucre/xml';
import { fromBufferPromise, type ZipFile } from 'yauzl';
import { ServiceError } from '../kernel/errors.ts';
import { LIMITS } from '../kernel/limits.ts';

/** The bytes of the record at the end of an archive, which finds its directory. */
const END_RECORD = 22;
const END_SIGNATURE = 0x06054b50;

/**
 * Refuses a workbook that unpacks to more bytes than memory may hold, before anything reads it. Counts the bytes,
 * because the sizes that an archive states may be false.
 * @throws ServiceError ValidationError
 */
export async function checkWorkbook(bytes: Buffer): Promise<void> {
  // A comment could hold a second directory, and the reader would see another archive than this check.
  const end = bytes.length - END_RECORD;
  if (end < 0 || bytes.readUInt32LE(end) !== END_SIGNATURE) throw damaged();
  try {
    await checkParts(await fromBufferPromise(bytes, { lazyEntries: true }));
  } catch (error) {
    if (error instanceof ServiceError || !(error instanceof Error)) throw error;
    throw damaged();
  }
}

async function checkParts(zip: ZipFile): Promise<void> {
  let entries = 0;
  let texts = 0;
  let unpacked = 0;
  for await (const entry of zip.eachEntry()) {
    entries += 1;
    if (entries > LIMITS.importWorkbookParts) throw tooMuch(`${LIMITS.importWorkbookParts} parts`);
    unpacked += entry.uncompressedSize;
    // The name as the reader sees it; yauzl corrects `fileName`.
    const name = entry.fileNameRaw.toString('latin1');
    const isSheet = name.startsWith(SHEETS);
    if (!isSheet && IS_XML.test(name)) texts += entry.uncompressedSize;
    if (unpacked > LIMITS.importWorkbookUnpacked) throw tooMuch(`${LIMITS.importWorkbookUnpacked} bytes`);
    // They are held in memory while the rows pass. Relations choose them, so any part may be one.
    if (texts > LIMITS.importWorkbookTexts)
      throw tooMuch(`${LIMITS.importWorkbookTexts} bytes of shared texts`);
    if (!IS_XML.test(name)) continue;
    // The stream fails when it has more bytes than the entry states.
    const content = await zip.openReadStreamPromise(entry);
    if (!isSheet && name.endsWith('.rels')) checkRelations(await text(content));
    else for await (const _piece of content);
  }
}

/** Parts whose size is not limited as texts: rows are read one at a time. */
const SHEETS = 'xl/worksheets/';

const IS_XML = /\.(xml|rels)$/i;

/** Refuses relations by which the reader would hold a sheet in memory, or a part that was not counted. */
function checkRelations(xml: string): void {
  // No element can be named as a prefix with a space, so none can replace an attribute.
  const form = { rowTag: 'Relationship', stripNamespaces: true, flatten: false, attrPrefix: ' ' };
  for (const relation of readXml(xml, form).data) {
    const [type, target] = [String(relation[' Type']), String(relation[' Target'])];
    if (!/\/(sharedStrings|styles|officeDocument)$/.test(type)) continue;
    if (!target.endsWith('.xml') || /worksheets/i.test(target)) throw damaged();
  }
}

function tooMuch(what: string): ServiceError {
  return new ServiceError('ValidationError', `The workbook unpacks to more than ${what}: save it as CSV`);
}

/** The refusal of a file that is no workbook. */
export function damaged(): ServiceError {
  return new ServiceError('ValidationError', 'The file is not an Excel workbook (.xlsx), or is damaged');
}
