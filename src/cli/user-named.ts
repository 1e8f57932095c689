import { loadUser } from '../access/load-user.ts';
import { ADMINISTRATOR, type CurrentUser } from '../access/user.ts';
import type { Site } from '../document/contract.ts';
import { StartError } from '../site/start-error.ts';

/** The user that a command acts as; Administrator when none is named. @throws StartError for an unknown one */
export async function userNamed(site: Site, name: string | undefined): Promise<CurrentUser> {
  if (name === undefined || name === ADMINISTRATOR.name) return ADMINISTRATOR;
  const user = await loadUser(site.database.reader, name, site.settings.strictUserPermissions);
  if (user) return user;
  throw new StartError(`There is no enabled user ${name}.`);
}
