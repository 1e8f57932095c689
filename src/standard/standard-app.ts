import type { Controller, Method } from '../document/contract.ts';
import { attachmentController } from '../file/attachment-controller.ts';
import { fileController } from '../file/file-controller.ts';
import type { Storage } from '../file/storage.ts';
import { CODE } from '../kernel/code-place.ts';
import { regenerateSecret, switchSecret } from '../webhook/config/regenerate-secret.ts';
import { webhookController } from '../webhook/config/webhook-controller.ts';
import { deliveryMethods } from '../webhook/control/methods.ts';
import { apiKeyController } from './api-key/api-key-controller.ts';
import { apiKeyMethods } from './api-key/api-key-methods.ts';
import { dashboardController } from './dashboard.ts';
import { doctypePermission } from './doctype-permission.ts';
import { explainMethods } from './explain.ts';
import { historyControllers, historyMethods } from './history/history.ts';
import { namingRuleController, updateCounter } from './naming-rule.ts';
import { documentFollowController, dropNotifications, followMethods } from './notifications/follow.ts';
import { mentionMethods } from './notifications/mentionable.ts';
import { notificationLogController, notificationMethods } from './notifications/notification-log.ts';
import { oauthClientController, regenerateClientSecret } from './oauth-client.ts';
import { presenceMethods } from './presence/presence.ts';
import { letterHeadController, printFormatController } from './print.ts';
import { roleController } from './role-controller.ts';
import { roleProfileController } from './role-profile.ts';
import { dropSavedViews, savedViewController } from './saved-view.ts';
import { docShareController, dropShares, shareMethods } from './share.ts';
import { providerController } from './sign-in/provider.ts';
import { userController } from './user-controller.ts';
import { userPermissionController } from './user-permission.ts';

/** The folder of the built-in doctypes. */
export const STANDARD_DOCTYPES = new URL('src/standard/doctypes/', CODE);

/** The dependencies of the built-in controllers. */
export interface StandardNeeds {
  readonly storage: Storage;
}

/** For every doctype: deletes the files, shares, views and notifications of a deleted document. */
const everyDoctype: Controller = {
  ...attachmentController,
  async afterDelete(doc, ctx, change) {
    await attachmentController.afterDelete?.(doc, ctx, change);
    await dropShares(doc, ctx, change);
    await dropSavedViews(doc, ctx, change);
    await dropNotifications(doc, ctx, change);
  },
};

/**
 * The built-in doctypes and their controllers, in the shape of an app. The site itself applies changes of
 * DocType documents.
 */
export function standardApp({ storage }: StandardNeeds) {
  const controllers: Record<string, Controller> = {
    ...historyControllers,
    '*': everyDoctype,
    'API Key': apiKeyController,
    Dashboard: dashboardController,
    DocShare: docShareController,
    DocType: doctypePermission,
    'Document Follow': documentFollowController,
    'Document Naming Rule': namingRuleController,
    File: fileController(storage),
    'Letter Head': letterHeadController,
    'Notification Log': notificationLogController,
    'OAuth Client': oauthClientController(),
    'Print Format': printFormatController,
    Role: roleController,
    'Role Profile': roleProfileController,
    'Saved View': savedViewController,
    'Social Login Key': providerController,
    User: userController(),
    'User Permission': userPermissionController,
    Webhook: webhookController,
  };
  const methods: Record<string, Method> = {
    ...historyMethods,
    ...shareMethods,
    ...notificationMethods,
    ...mentionMethods,
    ...presenceMethods,
    ...followMethods,
    ...explainMethods,
    ...apiKeyMethods,
    ...deliveryMethods,
    'chancery.oauth.regenerate_secret': regenerateClientSecret,
    'chancery.webhook.regenerate_secret': regenerateSecret,
    'chancery.webhook.switch_secret': switchSecret,
    'frappe.core.doctype.document_naming_rule.document_naming_rule.update_current': updateCounter,
  };
  return { name: 'standard', doctypes: STANDARD_DOCTYPES, controllers, methods };
}
