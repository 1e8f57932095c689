import type { Config } from '../config/config.ts';
import type { LogFormat } from '../observe/log.ts';

/** The format of the log: text on a terminal, unless the setting says otherwise. */
export function logFormat({ logFormat: wanted }: Config): LogFormat {
  if (wanted !== 'auto') return wanted;
  return process.stderr.isTTY ? 'text' : 'json';
}
