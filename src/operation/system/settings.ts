import { describeSettings } from '../../config/describe-settings.ts';
import { readLiveSettings } from '../../config/live-settings.ts';
import { readDocument } from '../../document/verbs/read.ts';
import { defineOperation, type Operation } from '../operation.ts';

/** The settings in force. System Settings itself is read and changed as a document. */
export const settingsOperation: Operation = defineOperation({
  name: 'chancery.system.settings',
  summary: 'List all settings with the value in force and its source; secrets are masked',
  effect: 'read',
  roles: ['System Manager'],
  result: { type: 'array', items: { type: 'object' } },
  run: async (ctx, _args, { site }) => {
    const stored = await readDocument(ctx, 'System Settings', 'System Settings');
    const { settings, given } = readLiveSettings(site.config, stored);
    const fields = ctx.doctypes.get('System Settings').fieldByName;
    return describeSettings(site.config, site.sources, settings, new Set(given)).map((setting) => {
      const field = setting.field === null ? undefined : fields.get(setting.field);
      if (!field) return setting;
      const { fieldname, label, fieldtype, options, description } = field;
      return { ...setting, field: { fieldname, label, fieldtype, options, description } };
    });
  },
});
