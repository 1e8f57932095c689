import type { Controller } from '../document/contract.ts';
import { ServiceError } from '../kernel/errors.ts';
import { followRoles } from './user-type.ts';

/** Roles with a meaning in the permission rules. */
const AUTOMATIC_ROLES: readonly string[] = ['Administrator', 'System Manager', 'Desk User', 'All', 'Guest'];

export const roleController: Controller = {
  validate(doc) {
    // As in Frappe: who manages a site has access to its desk.
    if (doc.name === 'System Manager') doc['desk_access'] = 1;
    if (AUTOMATIC_ROLES.includes(doc.name) && doc['disabled'] === 1) {
      throw new ServiceError('ValidationError', `Role ${doc.name} cannot be disabled`);
    }
  },

  async onUpdate(doc, ctx, { before }) {
    const differs = (fieldname: string) => before?.[fieldname] !== doc[fieldname];
    if (before && (differs('desk_access') || differs('disabled'))) await followRoles(ctx.db, doc.name);
  },

  onTrash(doc) {
    if (AUTOMATIC_ROLES.includes(doc.name)) {
      throw new ServiceError('ValidationError', `Role ${doc.name} cannot be deleted`);
    }
  },
};
