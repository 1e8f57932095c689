import { newSecret, replaceSecret } from '../../access/api-key.ts';
import { audit } from '../../access/audit.ts';
import type { Method } from '../../document/contract.ts';
import { defineMethod } from '../../document/verbs/method.ts';
import { updateDocument } from '../../document/verbs/update.ts';
import { formatTimestamp, nowMillis } from '../../kernel/clock.ts';
import { LIMITS } from '../../kernel/limits.ts';
import { createKey } from './api-keys.ts';

const HOUR = 60 * 60 * 1000;

/**
 * Methods that make keys and replace their secrets, and show a secret once. Everything else is done through
 * documents.
 */
export const apiKeyMethods: Readonly<Record<string, Method>> = {
  'chancery.api_key.create': defineMethod({
    confidential: true,
    description: 'Create an API key; only this reply contains its secret',
    args: {
      user: {
        type: 'Data',
        description: 'The owner of the key; default: the caller. Only System Managers may name others',
      },
      label: { type: 'Data', length: LIMITS.keyLabelLength },
      expires_on: { type: 'Datetime', description: 'Default: never' },
      read_only: { type: 'Check', description: 'The key can only read' },
      doctypes: { type: 'Data', list: true, description: 'What it is for; default: all' },
      methods: { type: 'Data', list: true, description: 'What it may call; default: all' },
      allowed_ips: { type: 'Data', list: true, description: 'Addresses and CIDRs; default: any' },
    },
    run: (ctx, { user, label, doctypes, methods, allowed_ips, ...rest }) =>
      createKey(ctx, {
        ...rest,
        user: user ?? ctx.user.name,
        label: label ?? '',
        doctypes: doctypes.join('\n'),
        methods: methods.join('\n'),
        allowed_ips: allowed_ips.join('\n'),
      }),
  }),

  'chancery.api_key.rotate': defineMethod({
    confidential: true,
    description: 'Give an API key a new secret; only this reply contains it',
    args: {
      api_key: { type: 'Data', required: true },
      overlap_hours: {
        type: 'Int',
        default: 24,
        min: 0,
        max: LIMITS.keyOverlapHours,
        description: 'How long the former secret stays valid',
      },
    },
    async run(ctx, { api_key, overlap_hours }) {
      // Saving it unchanged checks the right and clears every cache.
      await updateDocument(ctx, 'API Key', api_key, {});
      const secret = newSecret(ctx.site.random);
      const until = nowMillis(ctx.site.clock) + overlap_hours * HOUR;
      await replaceSecret(ctx.db, api_key, secret, overlap_hours === 0 ? 0 : until);
      await audit(ctx, {
        event: 'key_rotated',
        doctype: 'API Key',
        name: api_key,
        details: { overlap_hours },
      });
      const shown = formatTimestamp(until * 1000, ctx.site.config.timeZone).slice(0, 19);
      return { api_key, api_secret: secret, old_secret_until: overlap_hours === 0 ? null : shown };
    },
  }),
};
