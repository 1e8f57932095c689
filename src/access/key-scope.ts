import type { DocType, Right } from '../doctype/doctype.ts';
import { ServiceError } from '../kernel/errors.ts';
import type { CurrentUser, KeyScope } from './user.ts';

/** Makes a scope of these parts. An empty list sets no limit of its kind. */
export function keyScope(
  readOnly: boolean,
  doctypes: readonly string[],
  methods: readonly string[],
): KeyScope {
  return {
    readOnly,
    doctypes: doctypes.length === 0 ? null : new Set(doctypes),
    methods: methods.length === 0 ? null : new Set(methods),
    mark: JSON.stringify([readOnly, doctypes, methods]),
  };
}

const READING: ReadonlySet<Right> = new Set<Right>(['read', 'select', 'report', 'export', 'print']);

/** True when the credential's scope includes this right to documents of this doctype. */
export function isInScope(user: CurrentUser, doctype: DocType, right: Right): boolean {
  const { scope } = user;
  if (scope === null) return true;
  if (scope.readOnly && !READING.has(right)) return false;
  // The controller of DocType shows the definitions of doctypes in scope.
  const isDefinition = doctype.name === 'DocType' && READING.has(right);
  return isDefinition || isDoctypeInScope(user, doctype.name);
}

/** True when the credential's scope includes this doctype. */
export function isDoctypeInScope({ scope }: CurrentUser, doctypeName: string): boolean {
  return scope === null || scope.doctypes === null || scope.doctypes.has(doctypeName);
}

/** Methods that only report the caller and the server's availability. Every key may call them. */
const ALWAYS: ReadonlySet<string> = new Set(['ping', 'frappe.ping', 'frappe.auth.get_logged_user']);

/** True when the credential's list of methods includes this method, or there is no list. */
export function isMethodInScope({ scope }: CurrentUser, method: string): boolean {
  return scope === null || scope.methods === null || scope.methods.has(method) || ALWAYS.has(method);
}

/**
 * Refuses a method outside the credential's scope. `reads` is true for a call that changes nothing.
 * @throws ServiceError PermissionError
 */
export function requireMethodInScope(user: CurrentUser, method: string, reads: boolean): void {
  if (!isMethodInScope(user, method)) {
    throw outOfScope(`This API key may not call the method ${method.slice(0, 140)}`);
  }
  if (!reads && !ALWAYS.has(method)) requireWritingScope(user);
}

/**
 * Refuses access to documents outside a method for a credential limited to methods, without doctypes.
 * @throws ServiceError PermissionError
 */
export function requireDocumentsInScope({ scope }: CurrentUser): void {
  if (scope === null || scope.methods === null || scope.doctypes !== null) return;
  throw outOfScope('This API key may only call methods');
}

/** Refuses a change with a read-only credential. @throws ServiceError PermissionError */
export function requireWritingScope({ scope }: CurrentUser): void {
  if (scope?.readOnly) throw readsOnly();
}

/**
 * Refuses a limited credential for keys and passwords.
 * @throws ServiceError PermissionError
 */
export function requireUnlimited({ scope }: CurrentUser): void {
  if (scope !== null)
    throw outOfScope('A limited API key cannot create or change keys, or set or read passwords');
}

/** Refuses a limited credential for managing the account. @throws ServiceError PermissionError */
export function requireWholeUser({ scope }: CurrentUser): void {
  if (scope !== null) throw outOfScope('A limited API key cannot manage the account');
}

function readsOnly(): ServiceError {
  return outOfScope('This API key may only read');
}

function outOfScope(message: string): ServiceError {
  return new ServiceError('PermissionError', message, { title: 'Not permitted' });
}
