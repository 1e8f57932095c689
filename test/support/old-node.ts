import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';

const { fits } = await import(new URL('../../bin/runtime.mjs', import.meta.url).href);

/** A Node of this machine that Chancery does not run on, but starts from; undefined where there is none. */
export const oldNode: string | undefined = (process.env['PATH'] ?? '')
  .split(delimiter)
  .map((folder) => join(folder, 'node'))
  .find((path) => {
    if (!existsSync(path)) return false;
    const version = spawnSync(path, ['-p', 'process.versions.node'], { encoding: 'utf8' }).stdout.trim();
    return Number.parseInt(version, 10) >= 20 && !fits(version);
  });
