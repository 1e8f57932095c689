import type { Config } from '../../config/config.ts';
import { type LiveSettings, type ReadSettings, readLiveSettings } from '../../config/live-settings.ts';
import type { Connection, Database } from '../../db/database.ts';
import { isMissingRelation } from '../../db/driver-errors.ts';
import { sql } from '../../db/sql.ts';
import type { DoctypeRegistry } from '../../doctype/doctype.ts';
import type { Controller } from '../../document/contract.ts';
import { ServiceError } from '../../kernel/errors.ts';
import type { Observer } from '../../kernel/observation.ts';
import { mayHaveDatabase } from '../data-directory.ts';
import { openSiteDatabase } from '../open-site-database.ts';
import { loadVersions, raiseSettingsVersion } from './settings-table.ts';

/** The current settings of this node, and the ways to replace them. */
export interface SystemSettings {
  readonly current: LiveSettings;
  /** Grows with every save of System Settings, on any node; 0 before the first. */
  readonly version: number;
  /** Reloads them, after another node saved them. */
  reload(): Promise<void>;
  /** `listener` is called after each replacement. */
  onChange(listener: () => void): void;
  /** Checks a save, and applies it after the commit. */
  readonly controller: Controller;
}

export interface SystemSettingsNeeds {
  readonly config: Config;
  readonly database: Database;
  /** Before the first migration the doctype does not exist, and only the configuration counts. */
  readonly registry: DoctypeRegistry;
  readonly observe: Observer;
}

/** Reads System Settings, which from now on override the configuration. */
export async function openSystemSettings(needs: SystemSettingsNeeds): Promise<SystemSettings> {
  const { config, database, registry, observe } = needs;
  const listeners: (() => void)[] = [];
  let { settings: current, version } = await load();

  async function load(): Promise<{ settings: LiveSettings; version: number }> {
    const { settings: version } = await loadVersions(database.reader);
    const row = registry.find('System Settings') ? await readSystemSettings(database.reader) : {};
    const { settings, problems } = readLiveSettings(config, row);
    // Only an earlier version of this server can have stored them.
    for (const { fieldname, reason } of problems) {
      observe({
        kind: 'warning',
        message: `System Settings: ${fieldname} ${reason}; the value of the configuration applies`,
      });
    }
    // A save may fall between the two statements; the next check of the version reveals it.
    return { settings, version };
  }

  // One node's commits may be reported out of order.
  function put(settings: LiveSettings, next: number): void {
    if (next <= version) return;
    current = settings;
    version = next;
    for (const listener of listeners) listener();
  }

  return {
    get current() {
      return current;
    },
    get version() {
      return version;
    },
    onChange(listener) {
      listeners.push(listener);
    },
    async reload() {
      const loaded = await load();
      put(loaded.settings, loaded.version);
    },
    controller: {
      validate(doc, _ctx, { doctype }) {
        const labelOf = (fieldname: string) => doctype.fieldByName.get(fieldname)?.label || fieldname;
        const { problems } = readLiveSettings(config, doc);
        const messages = problems.map(({ fieldname, reason }) => `${labelOf(fieldname)} ${reason}`);
        if (messages.length === 0) return;
        throw new ServiceError('ValidationError', messages.join('; '), { messages });
      },
      async onUpdate(doc, ctx) {
        const { settings } = readLiveSettings(config, doc);
        const next = await raiseSettingsVersion(ctx.db);
        ctx.afterCommit(() => put(settings, next));
        ctx.dropCaches('definitions');
      },
    },
  };
}

/**
 * The stored System Settings, with or without a running server; null when there is no site. @throws
 * StartError
 */
export async function loadStoredSettings(config: Config): Promise<ReadSettings | null> {
  if (!mayHaveDatabase(config)) return null;
  const database = await openSiteDatabase(config);
  try {
    return readLiveSettings(config, await readSystemSettings(database.reader));
  } catch (error) {
    if (isMissingRelation(error)) return null;
    throw error;
  } finally {
    await database.close();
  }
}

/** The stored row; empty before the first save. */
export async function readSystemSettings(connection: Connection) {
  return (await connection.get(sql`select * from "System Settings" where "name" = 'System Settings'`)) ?? {};
}
