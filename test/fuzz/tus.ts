import fc from 'fast-check';
import type { Plan } from './requests.ts';
import { hostileText, mostly, textOf } from './values.ts';

/** Requests of the tus protocol, whose headers say what an upload is. */
export function tus(path: string): fc.Arbitrary<Plan> {
  const number = mostly(fc.constantFrom('0', '5', '10', '99999999999999999999'), hostileText).map(shown);
  const names = mostly(
    fc.constantFrom('filename YS50eHQ=', 'filename YS50eHQ=,docname QQ=='),
    hostileText,
  ).map(shown);
  const sum = mostly(fc.constantFrom('sha1 AAAA', 'md5 AAAA', 'none'), hostileText).map(shown);
  const version = mostly(fc.constant('1.0.0'), hostileText).map(shown);
  return fc
    .tuple(version, number, number, names, sum, hostileText, fc.nat({ max: 3 }))
    .map(([tus, length, offset, metadata, checksum, text, chance]): Plan => {
      const bytes = Buffer.from(text).subarray(0, chance * 5);
      return {
        path: path.endsWith('/') ? `${path}${encodeURIComponent(text.slice(0, 40).toWellFormed())}` : path,
        headers: {
          'tus-resumable': tus,
          'upload-length': length,
          'upload-offset': offset,
          'upload-metadata': metadata,
          ...(chance === 0 ? { 'upload-checksum': checksum } : {}),
        },
        ...(chance > 1 ? { raw: { type: 'application/offset+octet-stream', bytes } } : {}),
      };
    });
}

const shown = (value: unknown) =>
  textOf(value)
    .replaceAll(/[^\x20-\x7e]/g, '')
    .trim();
