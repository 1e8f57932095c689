import { type ErrorType, ServiceError } from '../kernel/errors.ts';
import { isRecord } from '../kernel/value.ts';
import type { Note } from './note.ts';

/** Decides about an oddity, given its note: true loads the definition, false refuses it. */
export type Tolerance = (note: string) => boolean;

/** For a definition that a client sends alone: its author can correct it. */
export const STRICT: Tolerance = () => false;

/** For definitions from files and batches, written for Frappe, and for stored ones. */
export const LENIENT: Tolerance = () => true;

/** For a change of a doctype: what was odd before may stay. */
export function tolerating(notes: readonly Note[] = []): Tolerance {
  const known = new Set(notes.map(({ message }) => message));
  return (note) => known.has(note);
}

/**
 * Collects the problems and oddities of a definition, so that its author sees all of them at once. With a
 * problem it cannot be loaded. An oddity can be ignored: its origin decides whether it is a problem or a note.
 */
export class Problems {
  readonly messages: string[] = [];
  readonly notes: string[] = [];
  readonly #types = new Set<ErrorType>();
  readonly #tolerates: Tolerance;

  constructor(tolerates: Tolerance = STRICT) {
    this.#tolerates = tolerates;
  }

  add(message: string, type: ErrorType = 'ValidationError'): void {
    this.#types.add(type);
    // A definition with thousands of problems needs only the first hundred.
    if (this.messages.length < 100) this.messages.push(message);
  }

  /** `effect` says what becomes of the oddity when the definition is loaded. */
  odd(message: string, effect: string, type?: ErrorType): void {
    const note = `${message}; ${effect}`;
    if (this.#tolerates(note)) this.notes.push(note);
    else this.add(message, type);
  }

  /**
   * @throws ServiceError with every problem in `details.messages`: NameError if one concerns the doctype's own
   * name, else the type that all of them share, else ValidationError
   */
  throwAny(): void {
    const [first, ...others] = this.messages;
    if (first === undefined) return;
    const message = others.length === 0 ? first : `${first} (and ${others.length} more)`;
    const [shared = 'ValidationError', another] = this.#types;
    const type = another === undefined ? shared : 'ValidationError';
    throw new ServiceError(this.#types.has('NameError') ? 'NameError' : type, message, {
      messages: this.messages,
    });
  }
}

/**
 * One object of a definition, read key by key: an invalid value becomes a problem, and the key gets its empty
 * value.
 */
export class Definition {
  readonly #properties: Readonly<Record<string, unknown>>;
  readonly #problems: Problems;
  /** The name of the object in messages: `Field title`. */
  readonly title: string;

  constructor(properties: Readonly<Record<string, unknown>>, problems: Problems, title: string) {
    this.#properties = properties;
    this.#problems = problems;
    this.title = title;
  }

  /** The same object, under another name in messages. */
  titled(title: string): Definition {
    return new Definition(this.#properties, this.#problems, title);
  }

  refuse(problem: string, type?: ErrorType): void {
    this.#problems.add(`${this.title}: ${problem}`, type);
  }

  /** Reports an oddity. The caller must do what `effect` says, whether it is tolerated or not. */
  odd(problem: string, effect: string, type?: ErrorType): void {
    this.#problems.odd(`${this.title}: ${problem}`, effect, type);
  }

  /** Reports a fact that never refuses the definition. */
  note(fact: string): void {
    this.#problems.notes.push(`${this.title}: ${fact}`);
  }

  /** Undefined when the key is absent, null or ''. Inherited keys do not count. */
  #value(key: string): unknown {
    const value = Object.hasOwn(this.#properties, key) ? this.#properties[key] : undefined;
    return value === null || value === '' ? undefined : value;
  }

  has(key: string): boolean {
    return Object.hasOwn(this.#properties, key);
  }

  /** Text, trimmed; '' when absent. Numbers count as their text. */
  text(key: string): string {
    return this.lines(key).trim();
  }

  /** Text with its leading empty lines, which have a meaning in a Select's options. */
  lines(key: string): string {
    const value = this.#value(key);
    if (value === undefined) return '';
    if (typeof value === 'number') return String(value);
    if (typeof value !== 'string') {
      this.refuse(`${key} must be text`);
      return '';
    }
    if (value.includes('\0') || !value.isWellFormed()) {
      this.refuse(`${key} contains characters that cannot be stored`);
      return '';
    }
    return value.trimEnd();
  }

  flag(key: string): boolean {
    const value = this.#value(key);
    if (value === undefined || value === 0 || value === false || value === '0') return false;
    if (value === 1 || value === true || value === '1') return true;
    this.refuse(`${key} must be 0 or 1`);
    return false;
  }

  /** A whole number from 0 to `most`; 0 when absent. A greater one is refused, or odd when it `mayExceed`. */
  count(key: string, most: number, mayExceed = false): number {
    const value = this.#value(key);
    if (value === undefined) return 0;
    const number = typeof value === 'string' && /^\d{1,15}$/.test(value) ? Number(value) : value;
    const isCount = typeof number === 'number' && Number.isInteger(number) && number >= 0;
    if (isCount && number <= most) return number;
    const problem = `${key} must be a whole number from 0 to ${most}`;
    if (isCount && mayExceed) this.odd(problem, `${most} applies`);
    else this.refuse(problem);
    return isCount && mayExceed ? most : 0;
  }

  /** Lists of names in a list, or their JSON text; [] when absent. */
  lists(key: string): string[][] {
    const value = this.#value(key);
    if (value === undefined) return [];
    const lists = typeof value === 'string' ? parsed(value) : value;
    if (Array.isArray(lists) && lists.every((list) => Array.isArray(list) && list.every(isText))) {
      return lists.map((list: string[]) => list.map((name) => name.trim()));
    }
    this.refuse(`${key} must be a list of lists of fieldnames, such as [["status", "modified"]]`);
    return [];
  }

  /** The objects of a list; [] when absent. */
  rows(key: string, most: number): readonly Readonly<Record<string, unknown>>[] {
    const value = this.#value(key);
    if (value === undefined) return [];
    if (!Array.isArray(value) || !value.every(isRecord)) {
      this.refuse(`${key} must be a list of objects`);
      return [];
    }
    if (value.length > most) {
      this.refuse(`${key} has ${value.length} rows; the most is ${most}`);
      return [];
    }
    return value;
  }
}

function isText(value: unknown): value is string {
  return typeof value === 'string';
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
