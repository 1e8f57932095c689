import { existsSync, readFileSync } from 'node:fs';

/** The version in package.json, which lies two folders up in a checkout and three once built. */
export function version(): string {
  for (const path of ['../../package.json', '../../../package.json']) {
    const url = new URL(path, import.meta.url);
    if (existsSync(url)) return String(JSON.parse(readFileSync(url, 'utf8')).version);
  }
  return 'unknown';
}
