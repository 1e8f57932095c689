import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { COMMAND_LINE } from '../access/audit.ts';
import { ADMINISTRATOR } from '../access/user.ts';
import { noteText } from '../doctype/note.ts';
import { unitOfWork } from '../document/write/unit-of-work.ts';
import { isRecord } from '../kernel/value.ts';
import { StartError } from '../site/start-error.ts';
import { type Command, type Invocation, requireWord, runAction } from './command.ts';
import { withOpenSite } from './with-site.ts';

export const doctypesCommand: Command = {
  help: 'create or update the doctypes of a JSON file, or of all files below a folder, in one transaction',
  usage: ['load <file or folder>'],
  run: (invocation) => runAction({ load }, invocation),
};

async function load({ config, words, print }: Invocation): Promise<number> {
  const path = requireWord(words, 1, 'The file or folder');
  const definitions = jsonFiles(path).flatMap(definitionsIn);
  if (definitions.length === 0) throw new StartError(`There is no definition of a doctype in ${path}.`);
  const { created, updated, notes } = await withOpenSite(
    config,
    (site) => unitOfWork(site, ADMINISTRATOR, (ctx) => site.loadDoctypes(ctx, definitions), COMMAND_LINE),
    { patient: true },
  );
  for (const note of notes) print(`Note: ${noteText(note)}`);
  print(`${created.length} doctypes created, ${updated.length} updated, ${notes.length} notes.`);
  return 0;
}

/** The file, or every JSON file below the folder, in the order of their paths. */
function jsonFiles(path: string): string[] {
  const found = statSync(path, { throwIfNoEntry: false });
  if (!found) throw new StartError(`There is no file or folder ${path}.`);
  if (!found.isDirectory()) return [path];
  return readdirSync(path, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.json') && !file.includes('node_modules'))
    .sort()
    .map((file) => join(path, file));
}

/** A file holds a document or a list of documents; those of other doctypes are left out. */
function definitionsIn(file: string): Record<string, unknown>[] {
  let content: unknown;
  try {
    content = JSON.parse(readFileSync(file, 'utf8'));
  } catch (error) {
    throw new StartError(`${file} is not JSON: ${error instanceof Error ? error.message : error}`);
  }
  const documents = Array.isArray(content) ? content : [content];
  return documents.filter(isRecord).filter(({ doctype }) => doctype === 'DocType');
}
