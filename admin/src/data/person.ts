import { showLanguage } from '../base/catalogues.ts';
import { type Customs, setCustoms } from '../base/format.ts';
import { closestLanguage, type Language } from '../base/i18n.ts';
import { type Boot, loadBoot } from './boot.ts';

/** Texts, numbers and times as this person has them: their own choice, else what the browser says. */
export async function applyPerson(boot: Boot): Promise<void> {
  const language = closestLanguage([boot.user?.language, ...navigator.languages]);
  setCustoms(customsOf(boot, language));
  await showLanguage(language);
}

/**
 * Somebody has signed in, or changed what they are shown: asks anew who is there, and shows all as they have
 * it.
 */
export async function enter(): Promise<Boot> {
  const boot = await loadBoot();
  await applyPerson(boot);
  return boot;
}

function customsOf({ user, site }: Boot, language: Language): Customs {
  // A browser in de-AT shows German numbers as Austrians write them.
  const locale = navigator.languages.find(
    (tag) => closestLanguage([tag]) === language && tag.toLowerCase().startsWith(language),
  );
  const own = Intl.DateTimeFormat().resolvedOptions().timeZone;
  return { locale: locale ?? language, siteZone: site.timeZone, userZone: user?.timeZone || own };
}
