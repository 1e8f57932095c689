/**
 * The texts of the admin UI: each that code shows is in every catalogue, and each catalogue says nothing that
 * no code shows.
 */
import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';

const ADMIN = fileURLToPath(new URL('../admin/', import.meta.url));
const LANGUAGES = ['de', 'es', 'ar'] as const;

type Translation = string | Readonly<Record<string, string>>;

const sources = globSync('src/**/*.{ts,tsx}', { cwd: ADMIN })
  .filter((name) => !name.endsWith('.test.ts'))
  .map((name) => ({ name, text: readFileSync(join(ADMIN, name), 'utf8') }));
const used = sources.flatMap(({ name, text }) => keysIn(text).map((key) => ({ name, ...key })));
const single = used.filter((key) => !key.isCounted);
const counted = used.filter((key) => key.isCounted);

/** Literal keys: `t('…')`, and the plural of `tn(count, '…', '…')`. */
function keysIn(text: string): { readonly key: string; readonly isCounted: boolean }[] {
  const literal = String.raw`'((?:[^'\\\n]|\\.)*)'`;
  const one = [...text.matchAll(new RegExp(String.raw`(?<![\w.])t\(\s*${literal}`, 'g'))].map(
    ([, key = '']) => ({ key: unescaped(key), isCounted: false }),
  );
  const many = [
    ...text.matchAll(new RegExp(String.raw`(?<![\w.])tn\(\s*[^'"\x60]*?,\s*${literal},\s*${literal}`, 'g')),
  ].map(([, , key = '']) => ({ key: unescaped(key), isCounted: true }));
  return [...one, ...many];
}

function unescaped(text: string): string {
  return text.replaceAll(/\\(.)/g, '$1');
}

function catalogueOf(
  language: string,
): { readonly file: string; readonly key: string; readonly value: Translation }[] {
  return globSync(`locales/${language}/*.json`, { cwd: ADMIN }).flatMap((file) =>
    Object.entries(JSON.parse(readFileSync(join(ADMIN, file), 'utf8')) as Record<string, Translation>).map(
      ([key, value]) => ({ file, key, value }),
    ),
  );
}

const placesIn = (text: string) => [...new Set(text.match(/\{\w+\}/g) ?? [])].sort();

for (const language of LANGUAGES) {
  const catalogue = catalogueOf(language);
  const known = new Map(catalogue.map(({ key, value }) => [key, value]));

  describe(`texts in ${language}`, () => {
    test('every text that code shows has a translation', () => {
      const missing = used.filter(({ key }) => !known.has(key)).map(({ name, key }) => `${name}: ${key}`);
      assert.deepEqual([...new Set(missing)], []);
    });

    test('a translation names the same places as the text', () => {
      const wrong = catalogue.filter(({ key, value }) =>
        typeof value === 'string'
          ? placesIn(value).join() !== placesIn(key).join()
          : Object.values(value).some((text) =>
              placesIn(text).some((place) => !placesIn(key).includes(place)),
            ),
      );
      assert.deepEqual(
        wrong.map(({ file, key }) => `${file}: ${key}`),
        [],
      );
    });

    test('a text that counts has a form for each category of the language', () => {
      const categories = new Intl.PluralRules(language).resolvedOptions().pluralCategories;
      const wrong = counted.filter(({ key }) => {
        const value = known.get(key);
        return value !== undefined && (typeof value === 'string' || !categories.every((one) => one in value));
      });
      assert.deepEqual([...new Set(wrong.map(({ key }) => key))], []);
      const plain = single.filter(({ key }) => typeof known.get(key) === 'object');
      assert.deepEqual(
        plain.map(({ key }) => key),
        [],
      );
    });

    test('two areas say the same of a text', () => {
      const differing = catalogue.filter(
        ({ key, value }) => JSON.stringify(known.get(key)) !== JSON.stringify(value),
      );
      assert.deepEqual(
        differing.map(({ file, key }) => `${file}: ${key}`),
        [],
      );
    });
  });
}

/** Texts that a screen loads for itself, and the files that may use them. */
const LOADED_LATER = { designer: /^src\/screens\/designer\//, settings: /^src\/screens\/system\/setting/ };

for (const [area, users] of Object.entries(LOADED_LATER)) {
  test(`only the screen of the ${area} uses the texts that it loads`, () => {
    const texts = new Set(
      LANGUAGES.flatMap((language) =>
        catalogueOf(language)
          .filter(({ file }) => file.endsWith(`/${area}.json`))
          .map(({ key }) => key),
      ),
    );
    const others = used.filter(({ name, key }) => texts.has(key) && !users.test(name));
    assert.deepEqual(
      others.map(({ name, key }) => `${name}: ${key}`),
      [],
    );
  });
}

test('texts go through t(), none is written between tags', () => {
  const literal = sources
    .filter(({ name }) => name.endsWith('.tsx'))
    .flatMap(({ name, text }) =>
      [...text.matchAll(/>\s*([A-Z][a-z]+(?: [\w’']+)*[.!?]?)\s*<\//g)].map(
        ([, words]) => `${name}: ${words}`,
      ),
    )
    // The product's name is the same in every language.
    .filter((found) => !found.endsWith(': Chancery'));
  assert.deepEqual(literal, []);
});
