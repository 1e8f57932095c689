import type { Controller } from '../document/controller.ts';
import { ServiceError } from '../kernel/errors.ts';

/** Roles that the permission rules name themselves. */
const AUTOMATIC_ROLES: readonly string[] = ['Administrator', 'System Manager', 'Desk User', 'All', 'Guest'];

export const roleController: Controller = {
  validate(doc) {
    if (AUTOMATIC_ROLES.includes(doc.name) && doc['disabled'] === 1) {
      throw new ServiceError('ValidationError', `Role ${doc.name} cannot be disabled`);
    }
  },

  onTrash(doc) {
    if (AUTOMATIC_ROLES.includes(doc.name)) {
      throw new ServiceError('ValidationError', `Role ${doc.name} cannot be deleted`);
    }
  },
};
