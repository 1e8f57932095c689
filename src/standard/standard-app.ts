import type { Controller } from '../document/controller.ts';
import { attachmentController } from '../file/attachment-controller.ts';
import { fileController } from '../file/file-controller.ts';
import type { Storage } from '../file/storage.ts';
import { webhookController } from '../webhook/webhook-controller.ts';
import { roleController } from './role-controller.ts';
import { userController } from './user-controller.ts';

/** What the controllers of the built-in doctypes work with. */
export interface StandardNeeds {
  readonly storage: Storage;
}

/** The built-in doctypes and their controllers, in the shape of an app. DocType's own controller comes from the site. */
export function standardApp({ storage }: StandardNeeds) {
  const controllers: Record<string, Controller> = {
    '*': attachmentController,
    File: fileController(storage),
    Role: roleController,
    User: userController(),
    Webhook: webhookController,
  };
  return { name: 'standard', doctypes: new URL('./doctypes/', import.meta.url), controllers };
}
