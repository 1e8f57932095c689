import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ServiceError } from '../kernel/errors.ts';
import { checkNewPassword } from './password-policy.ts';

const refused = (password: string, names: readonly unknown[] = []) =>
  assert.throws(() => checkNewPassword(password, names), ServiceError, password);

test('common passwords are refused', () => {
  for (const password of [
    'short',
    'ninechars',
    'x'.repeat(600),
    'Password123!',
    'p@ssw0rd2026',
    'P4$$w0rd!!',
    'administrator1',
    '1234567890',
    '0987654321',
    'qwertyuiop',
    'qwerty123456',
    'aaaaaaaaaaaa',
    'abababababab',
    'abcdeabcde',
    'Welcome2026!',
    '!!letmein!!1',
    'Ｐａｓｓｗｏｒｄ１２３',
  ]) {
    refused(password);
  }
});

test('a password that contains the user name is refused, in any case or width', () => {
  const names = ['Margarethe@example.com', null, 'mgt'];
  refused('my-margarethe-77', names);
  refused('MARGARETHE and more', names);
  refused('ｍａｒｇａｒｅｔｈｅ-１２３', names);
  // Three letters are in many words.
  checkNewPassword('long mgt stories', names);
});

test('other passwords are accepted', () => {
  for (const password of [
    'correct horse battery',
    'second password',
    'tr0mbone-Lagoon',
    'käsekuchen mit ei',
    '7f3k9q2m1x8v',
  ]) {
    checkNewPassword(password, ['agent@example.com']);
  }
});
