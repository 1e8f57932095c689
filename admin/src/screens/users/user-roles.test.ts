import assert from 'node:assert/strict';
import { it } from 'node:test';
import { choosable, rolesOf, withRole } from './user-roles.ts';

it('roles are added and removed, and unlisted roles are kept', () => {
  const roles = rolesOf({ roles: [{ role: 'Clerk' }, { role: 'Gone' }] });
  assert.deepEqual(withRole(roles, 'Reader', true).names, ['Clerk', 'Gone', 'Reader']);
  assert.deepEqual(withRole(roles, 'Clerk', true).names, ['Gone', 'Clerk']);
  assert.deepEqual(withRole(roles, 'Gone', false).names, ['Clerk']);
  assert.deepEqual(choosable(['Reader', 'Clerk'], roles, ''), ['Clerk', 'Gone', 'Reader']);
  assert.deepEqual(choosable(['Reader', 'Clerk'], roles, ' RE'), ['Reader']);
  assert.deepEqual(rolesOf({}), { profile: '', names: [] });
});
