import type { Controller } from '../../document/contract.ts';
import {
  customDocPermController,
  customFieldController,
  propertySetterController,
} from '../schema/controllers/customization-controller.ts';
import { doctypeController } from '../schema/controllers/doctype-controller.ts';
import type { Access } from './open-access.ts';
import type { Schema } from './open-schema.ts';

/** The controllers that need parts of the running site. */
export function siteControllers({ metadata }: Schema, { settings }: Access): Record<string, Controller> {
  const forget: Controller = {
    onUpdate: (_doc, ctx) => ctx.dropCaches('users'),
    onTrash: (_doc, ctx) => ctx.dropCaches('users'),
    afterRename: (_doc, ctx) => ctx.dropCaches('users'),
  };
  return {
    DocType: doctypeController(metadata),
    'Custom Field': customFieldController(metadata),
    'Property Setter': propertySetterController(metadata),
    'Custom DocPerm': customDocPermController(metadata),
    'User Permission': forget,
    DocShare: forget,
    'API Key': forget,
    // A User Permission may refer to the name.
    '*': { afterRename: (_doc, ctx) => ctx.dropCaches('users') },
    User: forget,
    Role: forget,
    'OAuth Client': forget,
    'System Settings': settings.controller,
  };
}
