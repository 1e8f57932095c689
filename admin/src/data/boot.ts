import { createStore, useStore } from '../base/store.ts';
import { readMethod } from './api.ts';
import { setCsrfToken } from './session.ts';

/** The user's rights on a doctype, without rules for single documents. */
export const RIGHT_NAMES = [
  'select',
  'read',
  'write',
  'create',
  'delete',
  'submit',
  'cancel',
  'amend',
  'report',
  'export',
  'import',
  'share',
  'print',
  'email',
] as const;
export type RightName = (typeof RIGHT_NAMES)[number];

/** A doctype that the user may read, as lists and menus show it. */
export interface BootDoctype {
  readonly name: string;
  readonly module: string;
  readonly issingle: boolean;
  readonly istable: boolean;
  readonly is_submittable: boolean;
  readonly is_tree: boolean;
  readonly is_virtual: boolean;
  readonly custom: boolean;
  readonly title_field: string;
  /** Names mean nothing to people. */
  readonly hasRandomNames: boolean;
  /** Of its definition: a name of Frappe's icon sets, or ''. `widgets/doctype-icon.ts` draws it. */
  readonly icon: string;
  readonly rights: ReadonlySet<RightName>;
}

/** The user and their doctypes. Loaded at page start and after sign-in. */
export interface Boot {
  /** Null if nobody is signed in. */
  readonly user: BootUser | null;
  /** Unread notifications of the user, up to 100. */
  readonly unread: number;
  readonly site: BootSite;
  readonly doctypes: ReadonlyMap<string, BootDoctype>;
}

export interface BootUser {
  readonly name: string;
  readonly email: string;
  readonly fullName: string;
  readonly image: string;
  readonly roles: ReadonlySet<string>;
  readonly isSystemManager: boolean;
  readonly language: string;
  readonly timeZone: string;
  /** `Light`, `Dark`, `Automatic`, or '' without a choice. */
  readonly theme: string;
}

export interface BootSite {
  readonly version: string;
  readonly timeZone: string;
  readonly siteUrl: string;
  readonly maxPageLength: number;
  readonly countCap: number;
  readonly maxFileSize: number;
  /** Uploads of the UI are private, unless the site's settings say that uploads are public. */
  readonly isPrivateByDefault: boolean;
  /** Retries of webhooks without a number of their own. */
  readonly webhookRetries: number;
  /** Of amounts whose field names none; '' for none. */
  readonly currency: string;
  readonly features: Readonly<Record<string, boolean>>;
  readonly signIn: SignInWays;
}

/** Sign-in options of this site. */
export interface SignInWays {
  readonly byUsername: boolean;
  /** True if the site mails links for a new password. */
  readonly canReset: boolean;
  /** Identity providers and the address of each. */
  readonly providers: readonly { readonly name: string; readonly label: string; readonly url: string }[];
  /** True until the first sign-in: the credentials that the first start printed are still unused. */
  readonly isFirstRun: boolean;
}

const booted = createStore<Boot | null>(null);

/** Reloads the boot data and updates every component. */
export async function loadBoot(): Promise<Boot> {
  const boot = bootOf(await readMethod<WireBoot>('chancery.ui.boot', {}, { isSignIn: true }));
  booted.set(boot);
  return boot;
}

/** The loaded boot data; null before the first response. */
export function knownBoot(): Boot | null {
  return booted.get();
}

/** The boot data. The shell loads it before any screen. */
export function useBoot(): Boot {
  const boot = useStore(booted);
  if (!boot) throw new Error('a screen is shown before the boot');
  return boot;
}

/** The signed-in user. Only for screens behind the sign-in. */
export function useUser(): BootUser {
  const { user } = useBoot();
  if (!user) throw new Error('a screen is shown to nobody');
  return user;
}

type Flag = 0 | 1;

interface WireBoot {
  readonly user: WireUser | null;
  readonly unread: number;
  readonly csrf_token: string;
  readonly site: {
    readonly version: string;
    readonly time_zone: string;
    readonly site_url: string;
    readonly max_page_length: number;
    readonly count_cap: number;
    readonly max_file_size: number;
    readonly public_uploads: Flag;
    readonly webhook_retries: number;
    readonly currency: string;
  };
  readonly features: Readonly<Record<string, Flag>>;
  readonly sign_in: {
    readonly username: Flag;
    readonly password_reset: Flag;
    readonly providers: SignInWays['providers'];
    readonly first_run: Flag;
  };
  readonly doctypes: readonly WireDoctypes[];
  readonly icons: Readonly<Record<string, string>>;
}

interface WireUser {
  readonly name: string;
  readonly email: string;
  readonly full_name: string;
  readonly user_image: string;
  readonly roles: readonly string[];
  readonly is_system_manager: Flag;
  readonly language: string;
  readonly time_zone: string;
  readonly desk_theme: string;
}

/** Doctypes that differ only in name and module. A flag that is not set is left out. */
interface WireDoctypes {
  readonly issingle?: 1;
  readonly istable?: 1;
  readonly is_submittable?: 1;
  readonly is_tree?: 1;
  readonly is_virtual?: 1;
  readonly custom?: 1;
  readonly random_names?: 1;
  readonly title_field: string;
  readonly rights: readonly RightName[];
  /** Their names, by module. */
  readonly modules: Readonly<Record<string, readonly string[]>>;
}

function bootOf({
  user,
  unread,
  csrf_token: token,
  site,
  features,
  sign_in: ways,
  doctypes,
  icons,
}: WireBoot): Boot {
  setCsrfToken(token);
  return {
    user: user && userOf(user),
    unread,
    site: {
      version: site.version,
      timeZone: site.time_zone,
      siteUrl: site.site_url,
      maxPageLength: site.max_page_length,
      countCap: site.count_cap,
      maxFileSize: site.max_file_size,
      isPrivateByDefault: site.public_uploads !== 1,
      webhookRetries: site.webhook_retries,
      currency: site.currency,
      features: Object.fromEntries(Object.entries(features).map(([name, on]) => [name, on === 1])),
      signIn: {
        byUsername: ways.username === 1,
        canReset: ways.password_reset === 1,
        providers: ways.providers,
        isFirstRun: ways.first_run === 1,
      },
    },
    doctypes: new Map(
      doctypes
        .flatMap((alike) => doctypesOf(alike, icons))
        .toSorted((a, b) => (a.name < b.name ? -1 : 1))
        .map((one) => [one.name, one]),
    ),
  };
}

function userOf(wire: WireUser): BootUser {
  return {
    name: wire.name,
    email: wire.email,
    fullName: wire.full_name,
    image: wire.user_image,
    roles: new Set(wire.roles),
    isSystemManager: wire.is_system_manager === 1,
    language: wire.language,
    timeZone: wire.time_zone,
    theme: wire.desk_theme,
  };
}

function doctypesOf({ modules, ...wire }: WireDoctypes, icons: WireBoot['icons']): readonly BootDoctype[] {
  const alike = {
    issingle: wire.issingle === 1,
    istable: wire.istable === 1,
    is_submittable: wire.is_submittable === 1,
    is_tree: wire.is_tree === 1,
    is_virtual: wire.is_virtual === 1,
    custom: wire.custom === 1,
    title_field: wire.title_field,
    hasRandomNames: wire.random_names === 1,
    rights: new Set(wire.rights),
  };
  return Object.entries(modules).flatMap(([module, names]) =>
    names.map((name) => ({ ...alike, name, module, icon: icons[name] ?? '' })),
  );
}
