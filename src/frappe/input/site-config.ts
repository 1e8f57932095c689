import { ServiceError } from '../../kernel/errors.ts';
import { LIMITS } from '../../kernel/limits.ts';
import { isRecord } from '../../kernel/value.ts';
import { clearBytes, type Passphrase } from './bytes.ts';

/** What an import needs of a site's configuration. Never print the key. */
export interface SiteConfig {
  readonly encryptionKey: string | null;
  /** The names of the settings, for the report; without their values. */
  readonly settings: readonly string[];
}

const NONE: SiteConfig = { encryptionKey: null, settings: [] };

/** Reads `site_config_backup.json`. @throws ServiceError */
export async function readSiteConfig(path: string | null, passphrase: Passphrase): Promise<SiteConfig> {
  if (path === null) return NONE;
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of clearBytes(path, passphrase)) {
    chunks.push(chunk);
    bytes += chunk.length;
    if (bytes > LIMITS.siteConfigBytes) throw refusal(path);
  }
  const config = parsed(Buffer.concat(chunks).toString('utf8'));
  if (!isRecord(config)) throw refusal(path);
  const key = config['encryption_key'];
  return { encryptionKey: typeof key === 'string' ? key : null, settings: Object.keys(config) };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

function refusal(path: string): ServiceError {
  return new ServiceError(
    'ValidationError',
    `${path} is not the configuration of a site: it must be a JSON object`,
  );
}
