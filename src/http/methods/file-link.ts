import { audit } from '../../access/audit.ts';
import { requireUnlimited } from '../../access/key-scope.ts';
import { readDocument } from '../../document/read.ts';
import { writeFileLink } from '../../file/file-link.ts';
import { findStoredFile } from '../../file/stored-file.ts';
import { formatTimestamp, nowMillis } from '../../kernel/clock.ts';
import { ServiceError } from '../../kernel/errors.ts';
import { type Arguments, optionalText, textArgument } from '../arguments.ts';
import { type BuiltIns, writing } from './built-in.ts';

/** What a link lives where nothing is said, seconds. */
const USUAL_LIFE = 60 * 60;

/** Links that open a private file without credentials, for a time. */
export const fileLinkMethods: BuiltIns = {
  'chancery.file_link': writing(['POST'], async (ctx, args, { site }) => {
    // Whoever holds the link is bound by no limit of the key that it was made with.
    requireUnlimited(ctx.user);
    const life = lifeOf(args, site.config.downloads.linkLife);
    const file = await readDocument(ctx, 'File', textArgument(args, 'name'));
    const stored = await findStoredFile(ctx.db, String(file.file_url ?? ''));
    if (!stored?.isPrivate || ctx.user.isGuest) {
      throw new ServiceError('ValidationError', 'Only private files have links: others need none');
    }
    const expires = Math.floor(nowMillis(site.clock) / 1000) + life;
    const until = formatTimestamp(expires * 1_000_000, site.config.timeZone).slice(0, 19);
    const about = { doctype: 'File', name: file.name, details: { until } };
    await audit(ctx, { event: 'file_link_made', ...about });
    const link = writeFileLink(site, stored, ctx.user.name, expires);
    return { url: `${encodeURI(stored.fileUrl)}?link=${link}`, expires: until };
  }),
};

function lifeOf(args: Arguments, longest: number): number {
  if (longest === 0) throw new ServiceError('PermissionError', 'This site makes no links to private files');
  const text = optionalText(args, 'expires_in');
  if (text === undefined) return Math.min(USUAL_LIFE, longest);
  const life = /^\d{1,12}$/.test(text) ? Number(text) : 0;
  if (life >= 1 && life <= longest) return life;
  throw new ServiceError('ValidationError', `expires_in is a number of seconds from 1 to ${longest}`);
}
