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
    if (/sharedStrings|styles/i.test(entry.fileName)) texts += entry.uncompressedSize;
    if (unpacked > LIMITS.importWorkbookUnpacked) throw tooMuch(`${LIMITS.importWorkbookUnpacked} bytes`);
    // They are held in memory while the rows pass.
    if (texts > LIMITS.importWorkbookTexts)
      throw tooMuch(`${LIMITS.importWorkbookTexts} bytes of shared texts`);
    if (!/\.(xml|rels)$/i.test(entry.fileName)) continue;
    // The stream fails when it has more bytes than the entry states.
    const content = await zip.openReadStreamPromise(entry);
    for await (const _piece of content);
  }
}

function tooMuch(what: string): ServiceError {
  return new ServiceError('ValidationError', `The workbook unpacks to more than ${what}: save it as CSV`);
}

/** The refusal of a file that is no workbook. */
export function damaged(): ServiceError {
  return new ServiceError('ValidationError', 'The file is not an Excel workbook (.xlsx), or is damaged');
}
