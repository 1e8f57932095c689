import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/** The parts of package.json that Chancery uses. */
export interface PackageJson {
  readonly version: string;
  readonly devDependencies?: Readonly<Record<string, string>>;
}

/** Chancery's package.json: two folders up in a checkout, three in a build. */
export function packageJson(): PackageJson {
  for (const path of ['../../package.json', '../../../package.json']) {
    const url = new URL(path, import.meta.url);
    if (existsSync(url)) return JSON.parse(readFileSync(url, 'utf8'));
  }
  return { version: 'unknown' };
}

/** The folder of a checkout that runs its sources; null in an installed package. */
export function checkoutFolder(): string | null {
  return import.meta.url.endsWith('.ts') ? fileURLToPath(new URL('../..', import.meta.url)) : null;
}

let known: string | null = null;

/** The version in package.json. */
export function version(): string {
  known ??= packageJson().version;
  return known;
}
