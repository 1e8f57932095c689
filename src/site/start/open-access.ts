import { auditApart } from '../../access/audit-apart.ts';
import { type Authenticator, createAuthenticator } from '../../access/authenticate.ts';
import { followMetadata, type MetadataFollower } from '../schema/definitions/follow-metadata.ts';
import { openSystemSettings, type SystemSettings } from '../settings/system-settings.ts';
import type { Schema } from './open-schema.ts';
import type { Store } from './open-store.ts';
import type { Start } from './start.ts';

/** The authenticator, and the settings behind it. */
export interface Access {
  readonly settings: SystemSettings;
  readonly authenticator: Authenticator;
  /** Null for a tool. */
  readonly follower: MetadataFollower | null;
}

/** Reads System Settings, follows the changes of other processes, and makes the authenticator. */
export async function openAccess(
  { config, clock, random, observe, isTool, role, fence, undos }: Start,
  { database }: Store,
  { metadata }: Schema,
): Promise<Access> {
  const settings = await openSystemSettings({ config, database, registry: metadata.current, observe });
  // On SQLite, commands are the other processes.
  const follower =
    isTool && role !== 'reader' ? null : followMetadata(database, metadata, settings, fence, observe);
  undos.add(async () => follower?.stop());
  const authenticator = createAuthenticator({
    database,
    clock,
    strictUserPermissions: () => settings.current.strictUserPermissions,
    refused: (user, address) => {
      const origin = { credential: `key ${user.credential}`, address, agent: null, requestId: null };
      const site = { config, database, clock, random, observe };
      void auditApart(site, origin, { event: 'key_refused', user: user.name });
    },
    sessionPolicy: () => ({ idle: settings.current.sessionIdle, life: settings.current.sessionLife }),
    observe,
  });
  settings.onChange(() => authenticator.forget());
  return { settings, authenticator, follower };
}
