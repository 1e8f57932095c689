import {
  AbortMultipartUploadCommand,
  type CompletedPart,
  CompleteMultipartUploadCommand,
  CopyObjectCommand,
  CreateMultipartUploadCommand,
  HeadObjectCommand,
  type S3Client,
  UploadPartCopyCommand,
} from '@aws-sdk/client-s3';

/** The largest single copy in S3, and the part size of larger objects; bytes. */
const COPIED_AT_ONCE = 5 * 1024 ** 3;
const COPIED_PART = 1024 ** 3;

interface CopyTarget {
  readonly Bucket: string;
  readonly Key: string;
}

/**
 * Copies an object inside the store. Resolves to false when it does not exist. `parts`: the size above which
 * it is copied in parts, and their size.
 */
export async function copyObject(
  client: S3Client,
  from: CopyTarget,
  to: CopyTarget,
  parts = { above: COPIED_AT_ONCE, bytes: COPIED_PART },
): Promise<boolean> {
  const CopySource = `${from.Bucket}/${from.Key.split('/').map(encodeURIComponent).join('/')}`;
  try {
    const { ContentLength: bytes = 0 } = await client.send(new HeadObjectCommand(from));
    if (bytes <= parts.above) await client.send(new CopyObjectCommand({ ...to, CopySource }));
    else await copyParts(client, CopySource, bytes, to, parts.bytes);
    return true;
  } catch (error) {
    if (error instanceof Error && (error.name === 'NoSuchKey' || error.name === 'NotFound')) return false;
    throw error;
  }
}

async function copyParts(
  client: S3Client,
  CopySource: string,
  bytes: number,
  to: CopyTarget,
  partBytes: number,
): Promise<void> {
  const { UploadId } = await client.send(new CreateMultipartUploadCommand(to));
  try {
    const Parts: CompletedPart[] = [];
    for (let start = 0; start < bytes; start += partBytes) {
      const PartNumber = Parts.length + 1;
      const CopySourceRange = `bytes=${start}-${Math.min(start + partBytes, bytes) - 1}`;
      const copied = await client.send(
        new UploadPartCopyCommand({ ...to, UploadId, PartNumber, CopySource, CopySourceRange }),
      );
      Parts.push({ PartNumber, ETag: copied.CopyPartResult?.ETag });
    }
    const done = { ...to, UploadId, MultipartUpload: { Parts } };
    await client.send(new CompleteMultipartUploadCommand(done));
  } catch (error) {
    await client.send(new AbortMultipartUploadCommand({ ...to, UploadId })).catch(() => undefined);
    throw error;
  }
}
