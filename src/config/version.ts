import { existsSync, readFileSync } from 'node:fs';

/** What Chancery needs to know of its own package.json. */
export interface PackageJson {
  readonly version: string;
  readonly devDependencies?: Readonly<Record<string, string>>;
}

/** Chancery's package.json, which lies two folders up in a checkout and three once built. */
export function packageJson(): PackageJson {
  for (const path of ['../../package.json', '../../../package.json']) {
    const url = new URL(path, import.meta.url);
    if (existsSync(url)) return JSON.parse(readFileSync(url, 'utf8'));
  }
  return { version: 'unknown' };
}

let known: string | null = null;

/** The version in package.json. */
export function version(): string {
  known ??= packageJson().version;
  return known;
}
