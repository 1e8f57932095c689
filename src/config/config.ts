import { defaultsOf, type ValuesOf } from './setting.ts';
import { DECLARED } from './settings.ts';

/**
 * The values of all settings, frozen at start. Sources, the last one wins: defaults, chancery.config.json, the
 * environment (`CHANCERY_*`), flags.
 */
export type Config = ValuesOf<typeof DECLARED>;

/** The configuration without any source. `data` is relative until `loadConfig` resolves it. */
export const DEFAULT_CONFIG: Config = defaultsOf(DECLARED);
