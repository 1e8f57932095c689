import { showLanguage } from '../base/catalogues.ts';
import { type Customs, setCustoms } from '../base/format.ts';
import { closestLanguage, type Language } from '../base/i18n.ts';
import { type Boot, loadBoot } from './boot.ts';

/** Applies language, number format and time zone: the user's settings, or else the browser's. */
export async function applyPerson(boot: Boot): Promise<void> {
  const language = closestLanguage([boot.user?.language, ...navigator.languages]);
  setCustoms(customsOf(boot, language));
  await showLanguage(language);
}

/** Reloads the boot data after a sign-in or a change of settings, and applies it to the UI. */
export async function enter(): Promise<Boot> {
  const boot = await loadBoot();
  await applyPerson(boot);
  return boot;
}

function customsOf({ user, site }: Boot, language: Language): Customs {
  // With the browser set to `de-AT`, German texts come with Austrian number formats.
  const locale = navigator.languages.find(
    (tag) => closestLanguage([tag]) === language && tag.toLowerCase().startsWith(language),
  );
  const own = Intl.DateTimeFormat().resolvedOptions().timeZone;
  return {
    locale: locale ?? language,
    siteZone: site.timeZone,
    userZone: user?.timeZone || own,
    currency: site.currency,
  };
}
