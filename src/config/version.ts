import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { CODE, PACKAGE, RUNS_SOURCES } from '../kernel/code-place.ts';

/** The parts of package.json that Chancery uses. */
export interface PackageJson {
  readonly version: string;
  readonly devDependencies?: Readonly<Record<string, string>>;
}

/** Chancery's package.json. */
export function packageJson(): PackageJson {
  return JSON.parse(readFileSync(new URL('package.json', PACKAGE), 'utf8'));
}

/** The folder of a checkout that runs its sources; null in an installed package. */
export function checkoutFolder(): string | null {
  return RUNS_SOURCES ? fileURLToPath(CODE) : null;
}

let known: string | null = null;

/** The version in package.json. */
export function version(): string {
  known ??= packageJson().version;
  return known;
}
