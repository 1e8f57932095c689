import { type Boot, knownBoot, RIGHT_NAMES } from '../data/boot.ts';

let former: { readonly boot: Boot | null; readonly values: FormBoot } = { boot: null, values: {} };

type FormBoot = Readonly<Record<string, unknown>>;

/** The value of `frappe.boot` in the conditions of forms: the part that is known here, by Frappe's names. */
export function formBoot(boot: Boot | null = knownBoot()): FormBoot {
  if (former.boot !== boot) former = { boot, values: boot ? valuesOf(boot) : {} };
  return former.values;
}

function valuesOf({ user, site, doctypes }: Boot): FormBoot {
  const rights = RIGHT_NAMES.map((right) => [
    `can_${right}`,
    [...doctypes.values()].filter((doctype) => doctype.rights.has(right)).map(({ name }) => name),
  ]);
  const zones = { system: site.timeZone, user: user?.timeZone || site.timeZone };
  return {
    user: user && {
      name: user.name,
      email: user.email,
      full_name: user.fullName,
      roles: [...user.roles],
      ...Object.fromEntries(rights),
    },
    lang: user?.language ?? '',
    time_zone: zones,
    sysdefaults: { time_zone: site.timeZone },
  };
}
