import type { Config } from '../config/config.ts';
import type { Observer } from '../kernel/observation.ts';
import { type LogFormat, logObserver } from '../observe/log.ts';

/** The log of this process as the configuration wants it. `worker`: its number among several. */
export function logOf(config: Config, worker: number | null = null): Observer {
  return logObserver(undefined, formatOf(config), worker, config.logLevel);
}

/** Text on a terminal, unless the setting says otherwise. */
function formatOf({ logFormat: wanted }: Config): LogFormat {
  if (wanted !== 'auto') return wanted;
  return process.stderr.isTTY ? 'text' : 'json';
}
