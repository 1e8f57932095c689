import assert from 'node:assert/strict';
import { afterEach, describe, test } from 'node:test';
import { closestLanguage, setCatalogue, t, tn } from './i18n.ts';

describe('texts', () => {
  afterEach(() => setCatalogue('en', {}));

  test('fall back to the key when the catalogue lacks it', () => {
    assert.equal(t('Save {name}', { name: 'A' }), 'Save A');
    assert.equal(t('Save {name}'), 'Save {name}');
  });

  test('come from the catalogue, with parameters filled in', () => {
    setCatalogue('de', { 'Save {name}': '{name} speichern' });
    assert.equal(t('Save {name}', { name: 'A$&' }), 'A$& speichern');
  });

  test('follow the plural rules of the language', () => {
    assert.equal(tn(1, '{count} row', '{count} rows'), '1 row');
    assert.equal(tn(1200, '{count} row', '{count} rows'), '1,200 rows');
    setCatalogue('ar', {
      '{count} rows': { one: 'واحد', two: 'اثنان', few: '{count} few', other: '{count} other' },
    });
    assert.equal(tn(2, '{count} row', '{count} rows'), 'اثنان');
    assert.match(tn(5, '{count} row', '{count} rows'), /few$/);
    assert.match(tn(100, '{count} row', '{count} rows'), /other$/);
  });

  test('use the closest available language', () => {
    assert.equal(closestLanguage(['fr', 'de-AT', 'en']), 'de');
    assert.equal(closestLanguage([null, undefined, 'xx']), 'en');
  });
});
