import { type Command, runAction } from './command.ts';
import { FRAPPE_USAGE, importFrappe } from './import-frappe.ts';

export const importCommand: Command = {
  help: 'plan the import of a Frappe site from its backup',
  usage: [FRAPPE_USAGE],
  run: (invocation) => runAction({ frappe: importFrappe }, invocation),
};
