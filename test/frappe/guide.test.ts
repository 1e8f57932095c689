/** docs/guide/from-frappe.md, typed as it stands into an empty folder with a backup. */
import assert from 'node:assert/strict';
import { readdirSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { temporaryFolder } from '../support/package.ts';
import { blocksOf, pageReader } from '../support/page.ts';
import { makeBackup } from './support/backup.ts';
import { DUMPS } from './support/databases.ts';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));

test('docs/guide/from-frappe.md leads to an imported site', async () => {
  const folder = temporaryFolder('from-frappe');
  const reader = pageReader(folder);
  after(() => reader.leave());
  reader.replacements.set('npx chancery', `'${process.execPath}' '${ROOT}bin/chancery.mjs'`);
  renameSync(makeBackup(DUMPS['mariadb-dump']), join(folder, 'backup'));
  const [plan, settings, load, ...others] = blocksOf(join(ROOT, 'docs/guide/from-frappe.md'));
  assert.ok(plan && settings && load && others.length === 0);
  const planned = await reader.run(plan);
  assert.match(planned.stdout, /^Will not run here$/m);
  assert.deepEqual(readdirSync(folder), ['backup'], 'the plan writes nothing');
  writeFileSync(join(folder, 'chancery.config.json'), settings.text);
  const { stdout } = await reader.run(load);
  assert.match(
    stdout,
    /^Load LOAD-00001: 10 doctypes; documents: 30 stored, 4 were here already, 0 refused$/m,
  );
  assert.match(stdout, /^Proof: (\d+) of \d+ columns are equal; 2 of 2 secrets are equal$/m);
  assert.equal(readdirSync(join(folder, 'data/imports')).length, 2);
});
