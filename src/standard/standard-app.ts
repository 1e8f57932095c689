import type { Controller } from '../document/controller.ts';
import type { Method } from '../document/method.ts';
import { attachmentController } from '../file/attachment-controller.ts';
import { fileController } from '../file/file-controller.ts';
import type { Storage } from '../file/storage.ts';
import { regenerateSecret } from '../webhook/regenerate-secret.ts';
import { webhookController } from '../webhook/webhook-controller.ts';
import { doctypePermission } from './doctype-permission.ts';
import { historyControllers, historyMethods } from './history/history.ts';
import { namingRuleController, updateCounter } from './naming-rule.ts';
import { roleController } from './role-controller.ts';
import { userController } from './user-controller.ts';

/** The folder of the built-in doctypes. */
export const STANDARD_DOCTYPES = new URL('./doctypes/', import.meta.url);

/** What the controllers of the built-in doctypes work with. */
export interface StandardNeeds {
  readonly storage: Storage;
}

/** The built-in doctypes and their controllers, in the shape of an app. What makes DocType documents take effect comes from the site. */
export function standardApp({ storage }: StandardNeeds) {
  const controllers: Record<string, Controller> = {
    ...historyControllers,
    '*': attachmentController,
    DocType: doctypePermission,
    'Document Naming Rule': namingRuleController,
    File: fileController(storage),
    Role: roleController,
    User: userController(),
    Webhook: webhookController,
  };
  const methods: Record<string, Method> = {
    ...historyMethods,
    'chancery.webhook.regenerate_secret': regenerateSecret,
    'frappe.core.doctype.document_naming_rule.document_naming_rule.update_current': updateCounter,
  };
  return { name: 'standard', doctypes: STANDARD_DOCTYPES, controllers, methods };
}
