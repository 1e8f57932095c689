import { mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** Writes an app with these doctypes into a folder, in place of what it had; resolves to the path for `--apps`. */
export function writeApp(folder: string, name: string, definitions: readonly object[]): string {
  const doctypes = join(folder, 'doctypes');
  mkdirSync(doctypes, { recursive: true });
  for (const file of readdirSync(doctypes)) rmSync(join(doctypes, file));
  for (const [index, definition] of definitions.entries()) {
    writeFileSync(join(doctypes, `${index}.json`), JSON.stringify(definition));
  }
  const module = `import { defineApp } from 'chancery';
export default defineApp({ name: '${name}', doctypes: new URL('./doctypes/', import.meta.url) });
`;
  writeFileSync(join(folder, 'app.ts'), module);
  return folder;
}
