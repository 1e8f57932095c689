import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { setCustoms } from '../../base/format.ts';
import type { ApiKey } from './key-data.ts';
import { dayAfter, endOfDay, hasFormerSecret, keyState } from './key-state.ts';

const KEY: ApiKey = {
  name: 'k',
  label: '',
  isEnabled: true,
  creation: '',
  expiresOn: '',
  lastUsed: '',
  formerUntil: '',
  limits: { isReadOnly: false, doctypes: [], methods: [], addresses: [] },
};

describe('the state of a key', () => {
  // 10:00 in Berlin.
  const now = Date.parse('2026-11-21T09:00:00Z');

  it('uses the time zone of the site, not of the user', () => {
    setCustoms({ locale: 'en', siteZone: 'Europe/Berlin', userZone: 'America/New_York', currency: '' });
    assert.equal(keyState({ ...KEY, expiresOn: '2026-11-21 10:00:01' }, now), 'works');
    assert.equal(keyState({ ...KEY, expiresOn: '2026-11-21 10:00:00' }, now), 'expired');
    assert.equal(keyState({ ...KEY, isEnabled: false, expiresOn: '2020-01-01 00:00:00' }, now), 'stopped');
    assert.equal(keyState(KEY, now), 'works');
    assert.equal(hasFormerSecret({ ...KEY, formerUntil: '2026-11-21 10:30:00' }, now), true);
    assert.equal(hasFormerSecret({ ...KEY, formerUntil: '2026-11-21 09:30:00' }, now), false);
  });

  it('expires at the end of its day', () => {
    assert.equal(endOfDay(dayAfter('2026-12-31', 60)), '2027-03-01 23:59:59');
    assert.equal(endOfDay(''), '');
  });
});
