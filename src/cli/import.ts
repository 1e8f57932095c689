import type { Command } from './command.ts';
import { FRAPPE_USAGE, importFrappe } from './import-frappe.ts';
import { importRecords, RECORDS_USAGE, UNDO_USAGE, undoImport } from './import-records.ts';
import { spareMemory } from './spare-memory.ts';

export const importCommand: Command = {
  help: 'import the records of a file, load documents as they were, undo either, or import a Frappe site from its backup or while it runs',
  usage: [FRAPPE_USAGE, UNDO_USAGE, RECORDS_USAGE],
  async run(invocation) {
    const end = spareMemory();
    try {
      const [action] = invocation.words;
      if (action === 'frappe') return await importFrappe(invocation);
      return await (action === 'undo' ? undoImport(invocation) : importRecords(invocation));
    } finally {
      end();
    }
  },
};
