import type { CurrentUser } from '../../access/user.ts';
import { readContext } from '../../document/context.ts';
import { presentDocument } from '../../document/load/present.ts';
import { readDocument } from '../../document/verbs/read.ts';
import type { UnclaimedContent } from '../../file/stored-file.ts';
import { chunkOf, takeChunk } from '../../file/upload-chunk.ts';
import { type CreateFile, discardContent, type FileSite, type UploadFields } from '../../file/upload-file.ts';
import { ServiceError } from '../../kernel/errors.ts';
import { notPermitted } from '../../operation/operation.ts';
import { Answer } from '../once.ts';
import { type Envelope, messageBody } from '../reply.ts';

/** A request of `upload_file` whose fields announce a chunk. */
export interface SentChunk {
  readonly content: UnclaimedContent | null;
  /** The number of bytes sent as the file. */
  readonly sentBytes: number;
  readonly fileName: string;
  readonly fields: UploadFields;
}

/**
 * Accepts a chunk, and takes ownership of its content. The answer is empty before the last chunk. The answer
 * to the last one has the File document, and stays the same when the chunk is repeated. `run` makes the
 * document and the answer.
 * @throws ServiceError ValidationError, UploadConflictError, and every refusal of an upload
 */
export async function answerChunk(
  site: FileSite,
  user: CurrentUser,
  envelope: Envelope,
  { content, sentBytes, fileName, fields }: SentChunk,
  run: (work: CreateFile, notices: readonly string[]) => Promise<Answer>,
): Promise<Answer> {
  if (!content) throw new ServiceError('ValidationError', 'A chunk must have a file part');
  let isTaken = false;
  try {
    // All Guests are one user, so one Guest could continue another's upload.
    if (user.isGuest) throw notPermitted();
    const chunk = chunkOf(fields);
    if (!chunk || content.stored.bytes !== sentBytes) {
      throw new ServiceError(
        'ValidationError',
        'total_chunk_count must come before the file, whose metadata is removed otherwise',
      );
    }
    isTaken = true;
    const taken = await takeChunk(site, user, chunk, { content, fileName, fields }, run);
    if (taken.state === 'made') return taken.result;
    if (taken.state === 'more') return new Answer(envelope === 'data' ? '{"data":null}' : '{}');
    const file = await readDocument(readContext(site, user), 'File', taken.file);
    const precision = site.settings.timestampPrecision;
    return new Answer(
      messageBody(presentDocument(site.doctypes, file, { nulls: false, precision }), {}, envelope),
    );
  } finally {
    if (!isTaken) await discardContent(site, content);
  }
}
