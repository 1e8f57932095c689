import { hostUrls } from '../kernel/host-urls.ts';
import type { Config } from './config.ts';
import { valueAt } from './setting.ts';
import { SETTINGS } from './settings.ts';

/** Shorter texts occur by chance. */
const SHORTEST = 6;

/** The secrets of the configuration, to be removed from texts of other origin: keys, tokens, passwords of URLs. */
export function secretsOf(config: Config): readonly string[] {
  const secrets = SETTINGS.filter(({ secret }) => secret).flatMap(({ path }) => {
    const value = valueAt(config, path);
    const texts = (Array.isArray(value) ? value : [value]).filter((text) => typeof text === 'string');
    return texts.flatMap(partsOf);
  });
  return secrets.filter((text) => text.length >= SHORTEST);
}

// Errors quote a password alone, or the whole of a value without a password in it.
function partsOf(text: string): readonly string[] {
  if (!text.includes('://')) return [text, ...text.split(':').slice(1)];
  const password = hostUrls(text)?.[0]?.password ?? '';
  return [password, decodeURIComponent(password)];
}
