import { listPartials } from '../../file/partial-upload.ts';
import { formatTimestamp } from '../../kernel/clock.ts';
import { LIMITS } from '../../kernel/limits.ts';
import { type BuiltIns, reading } from './built-in.ts';

/** What is asked before and during uploads. */
export const uploadMethods: BuiltIns = {
  /** Bytes of one file. */
  'frappe.core.api.file.get_max_file_size': {
    http: ['GET', 'POST'],
    allowGuest: true,
    context: 'read',
    reads: true,
    run: async (ctx) => ctx.site.settings.maxFileBytes,
  },
  /** The caller's own: to go on with, and which File each of the last day has become. */
  'chancery.file.uploads': reading(async (ctx, _args, { site }) => {
    const shown = (millis: number) => formatTimestamp(millis * 1000, site.config.timeZone).slice(0, 19);
    const uploads = await listPartials(ctx);
    return uploads.map(({ id, metadata, bytes, received, touchedAt, file }) => ({
      upload: id,
      file_name: metadata['filename'] ?? metadata['name'] ?? null,
      bytes,
      received,
      ends_unused: shown(touchedAt + LIMITS.partialAge),
      file,
    }));
  }),
};
