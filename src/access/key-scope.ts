import type { DocType, Right } from '../doctype/doctype.ts';
import { ServiceError } from '../kernel/errors.ts';
import type { CurrentUser } from './user.ts';

/**
 * What a credential leaves of its user's rights. It takes away, and never gives. A user whose credential is limited in any
 * way, be it in time or to addresses, has one: nothing of that kind makes or changes keys.
 */
export interface KeyScope {
  /** Nothing may be changed with it. */
  readonly readOnly: boolean;
  /** The doctypes it is for; null: all. */
  readonly doctypes: ReadonlySet<string> | null;
  /** The methods it is for; null: all. */
  readonly methods: ReadonlySet<string> | null;
  /** The same text for the same scope. */
  readonly mark: string;
}

/** A scope of these parts. An empty list sets no limit of its kind. */
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

/** True when the user's credential is for this right to documents of this doctype. */
export function isInScope(user: CurrentUser, doctype: DocType, right: Right): boolean {
  const { scope } = user;
  if (scope === null) return true;
  if (scope.readOnly && !READING.has(right)) return false;
  // Its controller shows the definitions of what is in scope.
  const isDefinition = doctype.name === 'DocType' && READING.has(right);
  return isDefinition || isDoctypeInScope(user, doctype.name);
}

/** True when the user's credential is for this doctype at all. */
export function isDoctypeInScope({ scope }: CurrentUser, doctypeName: string): boolean {
  return scope === null || scope.doctypes === null || scope.doctypes.has(doctypeName);
}

/** Methods that only say who calls and that the server is there: open to every key. */
const ALWAYS: ReadonlySet<string> = new Set(['ping', 'frappe.ping', 'frappe.auth.get_logged_user']);

/** True when the user's credential is for this method, as far as methods are named. */
export function isMethodInScope({ scope }: CurrentUser, method: string): boolean {
  return scope === null || scope.methods === null || scope.methods.has(method) || ALWAYS.has(method);
}

/**
 * Refuses a method that the credential is not for; `reads` is true of a call that changes nothing.
 * @throws ServiceError PermissionError
 */
export function requireMethodInScope(user: CurrentUser, method: string, reads: boolean): void {
  if (!isMethodInScope(user, method)) {
    throw outOfScope(`This API key is not for the method ${method.slice(0, 140)}`);
  }
  if (!reads && !ALWAYS.has(method)) requireWritingScope(user);
}

/**
 * Refuses a request that reaches documents otherwise than by a method, where the credential is for some methods and no
 * doctypes. @throws ServiceError PermissionError
 */
export function requireDocumentsInScope({ scope }: CurrentUser): void {
  if (scope === null || scope.methods === null || scope.doctypes !== null) return;
  throw outOfScope('This API key is for methods only');
}

/** Refuses to change anything with a credential that only reads. @throws ServiceError PermissionError */
export function requireWritingScope({ scope }: CurrentUser): void {
  if (scope?.readOnly) throw readsOnly();
}

/** Refuses to make or change keys, or to set or read passwords, with a credential that is limited itself. @throws ServiceError PermissionError */
export function requireUnlimited({ scope }: CurrentUser): void {
  if (scope !== null)
    throw outOfScope('A limited API key makes and changes no keys, and sets and reads no passwords');
}

function readsOnly(): ServiceError {
  return outOfScope('This API key only reads');
}

function outOfScope(message: string): ServiceError {
  return new ServiceError('PermissionError', message, { title: 'Not permitted' });
}
