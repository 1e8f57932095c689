import { allows } from '../../access/permission.ts';
import { csrfTokenOf, maskedToken } from '../../access/session.ts';
import { type CurrentUser, isSystemManager } from '../../access/user.ts';
import { version } from '../../config/version.ts';
import { sql } from '../../db/sql.ts';
import { type DocType, RIGHTS } from '../../doctype/doctype.ts';
import type { Context } from '../../document/contract.ts';
import { supportsRight } from '../../document/virtual/virtual-doctype.ts';
import { LIMITS } from '../../kernel/limits.ts';
import { defineOperation, type Operation } from '../../operation/operation.ts';
import { object } from '../../operation/result.ts';
import type { OpenSite } from '../../site/start/open-site.ts';
import { unreadCount } from '../../standard/notifications/notification-log.ts';
import { listProviders } from '../../standard/sign-in/provider.ts';
import { keptSession } from '../caller/session-cookie.ts';
import type { HttpCall } from '../http-call.ts';

const BIT = { enum: [0, 1] };

/** The first request of a user interface. */
export const bootOperations: readonly Operation<HttpCall>[] = [
  defineOperation({
    name: 'chancery.ui.boot',
    summary: 'Read who calls, which doctypes they may use, and how to sign in',
    effect: 'read',
    access: 'guest',
    result: object({
      user: { type: ['object', 'null'] },
      unread: { type: 'integer' },
      csrf_token: { type: 'string' },
      site: { type: 'object' },
      features: object({ webhooks: BIT, tus: BIT, events: BIT, mail: BIT }),
      sign_in: { type: 'object' },
      doctypes: { type: 'array', items: { type: 'object' } },
      icons: { type: 'object', additionalProperties: { type: 'string' } },
    }),
    run: async (ctx, _args, call: HttpCall) => ({
      user: await userOf(ctx),
      unread: ctx.user.isGuest ? 0 : await unreadCount(ctx),
      csrf_token: tokenOf(ctx.user, call),
      site: siteOf(ctx.user, call.site),
      features: { webhooks: 1, tus: 1, events: 1, mail: bit(call.site.config.mail.url !== null) },
      sign_in: await signInOf(ctx, call.site),
      doctypes: ctx.user.isGuest ? [] : doctypesOf(ctx),
      icons: ctx.user.isGuest ? {} : iconsOf(ctx),
    }),
  }),
];

async function userOf({ db, user }: Context): Promise<Record<string, unknown> | null> {
  if (user.isGuest) return null;
  const row = await db.get(sql`
    select "name", "email", "full_name", "user_image", "user_type", "language", "time_zone", "desk_theme"
    from "User" where "name" = ${user.name}`);
  const text = (column: string) => String(row?.[column] ?? '');
  return {
    name: user.name,
    email: text('email'),
    full_name: text('full_name') || user.name,
    user_image: text('user_image'),
    user_type: text('user_type'),
    roles: [...user.roles].sort(),
    is_system_manager: bit(isSystemManager(user)),
    language: text('language'),
    time_zone: text('time_zone'),
    desk_theme: text('desk_theme'),
  };
}

// Whoever sent the session's cookie may have its token. A page cannot read the cookie, and pages of other
// sites cannot read this reply.
function tokenOf(user: CurrentUser, { site, request }: HttpCall): string {
  const sid = keptSession(request);
  return user.isGuest || sid === null ? '' : maskedToken(csrfTokenOf(sid), site.random);
}

function siteOf(user: CurrentUser, { config, settings }: OpenSite): Record<string, unknown> {
  return {
    // A Guest may be looking for a version with known weaknesses.
    version: user.isGuest ? '' : version(),
    time_zone: config.timeZone,
    site_url: config.siteUrl ?? '',
    timestamp_precision: settings.timestampPrecision,
    max_page_length: settings.maxPageLength,
    count_cap: LIMITS.countCap,
    max_file_size: settings.maxFileBytes,
    private_uploads: bit(settings.privateUploads),
    public_uploads: bit(settings.publicUploads),
    webhook_retries: settings.webhookRetries,
    currency: settings.currency,
  };
}

async function signInOf(ctx: Context, { config, settings }: OpenSite): Promise<Record<string, unknown>> {
  const providers = await listProviders(ctx.db);
  return {
    username: bit(settings.loginByUsername),
    password_reset: bit(config.mail.url !== null),
    providers: providers.map(({ name, label }) => ({ name, label, url: `/api/auth/${name}/start` })),
    first_run: bit(ctx.user.isGuest && (await isFirstRun(ctx))),
  };
}

// True while the site has only its built-in users and Administrator has never signed in, so the credentials
// of the first start are still unused.
async function isFirstRun({ db }: Context): Promise<boolean> {
  const used = await db.get(sql`
    select 1 as "one" from "User"
    where "name" not in ('Administrator', 'Guest') or "last_login" is not null
    limit 1`);
  return used === undefined;
}

// Doctypes that are alike share one entry: a site may have hundreds.
function doctypesOf(ctx: Context): readonly Record<string, unknown>[] {
  const shown = listable(ctx).toSorted((a, b) => (a.name < b.name ? -1 : 1));
  const kinds = Map.groupBy(shown, (doctype) => JSON.stringify(kindOf(ctx, doctype)));
  return [...kinds].map(([kind, alike]) => {
    const modules = [...Map.groupBy(alike, ({ module }) => module)];
    const names = modules.map(([module, members]) => [module, members.map(({ name }) => name)]);
    return { ...(JSON.parse(kind) as object), modules: Object.fromEntries(names) };
  });
}

function iconsOf(ctx: Context): Record<string, string> {
  const drawn = listable(ctx).filter(({ icon }) => icon !== '');
  return Object.fromEntries(drawn.map(({ name, icon }) => [name, icon]));
}

function listable({ doctypes, user }: Context): readonly DocType[] {
  return doctypes.all().filter((doctype) => allows(user, doctype, 'select'));
}

// A flag that is not set is left out.
function kindOf(ctx: Context, doctype: DocType): Record<string, unknown> {
  const flags = FLAGS.filter((flag) => doctype[flag]).map((flag) => [flag, 1]);
  return {
    ...Object.fromEntries(flags),
    ...(RANDOM.has(doctype.autoname) ? { random_names: 1 } : {}),
    title_field: doctype.title_field,
    rights: RIGHTS.filter((right) => allows(ctx.user, doctype, right) && supportsRight(ctx, doctype, right)),
  };
}

const FLAGS = ['custom', 'issingle', 'istable', 'is_submittable', 'is_tree', 'is_virtual'] as const;

/** Rules that make names which mean nothing to people. */
const RANDOM: ReadonlySet<string> = new Set(['hash', 'random', 'uuid']);

function bit(value: boolean): 0 | 1 {
  return value ? 1 : 0;
}
