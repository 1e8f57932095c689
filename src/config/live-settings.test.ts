import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { DEFAULT_CONFIG } from './config.ts';
import { readLiveSettings } from './live-settings.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const fields = (
  JSON.parse(readFileSync(join(ROOT, 'src/standard/doctypes/system_settings.json'), 'utf8')) as {
    fields: { fieldname: string; fieldtype: string }[];
  }
).fields.filter(({ fieldtype }) => fieldtype !== 'Section Break');

test('every field of System Settings is a setting, and the other way round', () => {
  const empty = readLiveSettings(DEFAULT_CONFIG, {});
  assert.deepEqual([empty.problems, empty.given], [[], []]);
  // A value that nothing takes: what is not refused is not read.
  const read = fields.filter(({ fieldname, fieldtype }) => {
    const value = fieldtype === 'Check' ? 1 : -7;
    const { problems, given } = readLiveSettings(DEFAULT_CONFIG, { [fieldname]: value });
    return problems.length + given.length > 0;
  });
  assert.deepEqual(read, fields);
  // `private_uploads` has two: what uploads are that say nothing, and whether the administrator says public.
  assert.equal(Object.keys(empty.settings).length, fields.length + 1);
});

test('the guide lists the fields', () => {
  const guide = readFileSync(join(ROOT, 'docs/guide/settings.md'), 'utf8');
  const listed = [...guide.matchAll(/^\| `(\w+)` \|/gm)].map(([, name]) => name);
  assert.deepEqual(listed.toSorted(), fields.map(({ fieldname }) => fieldname).toSorted());
});

test('every setting has an effect', () => {
  const source = readdirSync(join(ROOT, 'src'), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts') && !name.includes('live-settings'))
    .map((name) => readFileSync(join(ROOT, 'src', name), 'utf8'))
    .join('\n');
  const { settings } = readLiveSettings(DEFAULT_CONFIG, {});
  const unused = Object.keys(settings).filter(
    (name) =>
      !new RegExp(`[sS]ettings(\\(\\)|\\.current)?\\.${name}\\b|\\b${name}\\b[^=;]*} = .*settings`).test(
        source,
      ),
  );
  assert.deepEqual(unused, []);
});
