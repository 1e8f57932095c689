import { listPartials } from '../file/partial-upload.ts';
import { formatTimestamp } from '../kernel/clock.ts';
import { LIMITS } from '../kernel/limits.ts';
import { defineOperation, type Operation } from './operation.ts';
import { ROWS } from './result.ts';

/** Questions of clients before and during uploads. */
export const uploadOperations: readonly Operation[] = [
  defineOperation({
    name: 'frappe.core.api.file.get_max_file_size',
    summary: 'Get the largest size of a file, in bytes',
    effect: 'read',
    access: 'guest',
    result: { type: 'integer' },
    run: (ctx) => ctx.site.settings.maxFileBytes,
  }),

  defineOperation({
    name: 'chancery.file.uploads',
    summary: "List the caller's resumable uploads; those completed in the last day name their File",
    effect: 'read',
    access: 'user',
    result: ROWS,
    run: async (ctx, _args, { site }) => {
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
    },
  }),
];
