import { audit } from '../access/audit.ts';
import { readDocument } from '../document/verbs/read.ts';
import { writeFileLink } from '../file/file-link.ts';
import { findStoredFile } from '../file/stored-file.ts';
import { formatTimestamp, nowMillis } from '../kernel/clock.ts';
import { ServiceError } from '../kernel/errors.ts';
import { OPTIONAL_TEXT, TEXT } from './arguments.ts';
import { defineOperation, type Operation } from './operation.ts';
import { object } from './result.ts';

/** The default lifetime of a link, in seconds. */
const USUAL_LIFE = 60 * 60;

/** Temporary links that open a private file without credentials. */
export const fileLinkOperations: readonly Operation[] = [
  defineOperation({
    name: 'chancery.file_link',
    summary: 'Create a temporary link that opens a private file without credentials',
    effect: 'write',
    confidential: true,
    // The limits of a key do not bind the holder of the link.
    wholeUser: true,
    http: ['POST'],
    args: { name: TEXT, expires_in: { ...OPTIONAL_TEXT, schema: { type: 'integer', minimum: 1 } } },
    result: object({ url: { type: 'string' }, expires: { type: 'string' } }),
    run: async (ctx, { name, expires_in }, { site }) => {
      const life = lifeOf(expires_in, site.config.downloads.linkLife);
      const file = await readDocument(ctx, 'File', name);
      const stored = await findStoredFile(ctx.db, String(file.file_url ?? ''));
      if (!stored?.isPrivate || ctx.user.isGuest) {
        throw new ServiceError('ValidationError', 'Only private files have links: public files need none');
      }
      const expires = Math.floor(nowMillis(site.clock) / 1000) + life;
      const until = formatTimestamp(expires * 1_000_000, site.config.timeZone).slice(0, 19);
      const about = { doctype: 'File', name: file.name, details: { until } };
      await audit(ctx, { event: 'file_link_made', ...about });
      const link = writeFileLink(site, stored, ctx.user.name, expires);
      return { url: `${encodeURI(stored.fileUrl)}?link=${link}`, expires: until };
    },
  }),
];

function lifeOf(text: string | undefined, longest: number): number {
  if (longest === 0)
    throw new ServiceError('PermissionError', 'Links to private files are disabled on this site');
  if (text === undefined) return Math.min(USUAL_LIFE, longest);
  const life = /^\d{1,12}$/.test(text) ? Number(text) : 0;
  if (life >= 1 && life <= longest) return life;
  throw new ServiceError('ValidationError', `expires_in must be a number of seconds from 1 to ${longest}`);
}
