import { LENIENT, type Tolerance, tolerating } from '../../../doctype/definition.ts';
import type { DocType, DoctypeRegistry } from '../../../doctype/doctype.ts';
import { buildRegistry } from '../../../doctype/registry.ts';
import type { Context } from '../../../document/contract.ts';
import { ServiceError } from '../../../kernel/errors.ts';
import { raiseDoctypeVersion } from '../../settings/settings-table.ts';
import type { Metadata } from '../definitions/metadata.ts';

/**
 * A transaction's exclusive turn at changing doctypes: until it ends no other transaction changes them, on
 * any node.
 */
export class DoctypeTurn {
  /** The version that this transaction creates. */
  readonly version: number;
  /** Oddities of all definitions in this transaction are notes. */
  isLenient = false;
  /**
   * Doctypes whose tables change later, all at once, with their former state; null: each changes when its
   * definition does.
   */
  postponed: Map<string, DocType | undefined> | null = null;
  readonly #doctypes: Map<string, DocType>;
  #registry: DoctypeRegistry | null = null;

  constructor(version: number, before: DoctypeRegistry) {
    this.version = version;
    this.#doctypes = new Map(before.all().map((doctype) => [doctype.name, doctype]));
  }

  /** The doctypes as this transaction has left them so far. */
  get registry(): DoctypeRegistry {
    this.#registry ??= buildRegistry([...this.#doctypes.values()], this.version);
    return this.#registry;
  }

  find(doctypeName: string): DocType | undefined {
    return this.#doctypes.get(doctypeName);
  }

  /** @throws ServiceError DoesNotExistError */
  get(doctypeName: string): DocType {
    const found = this.find(doctypeName);
    if (!found) throw new ServiceError('DoesNotExistError', `DocType ${doctypeName} not found`);
    return found;
  }

  put(doctype: DocType): void {
    this.#doctypes.set(doctype.name, doctype);
    this.#registry = null;
  }

  remove(doctypeName: string): void {
    this.#doctypes.delete(doctypeName);
    this.#registry = null;
  }

  /** Oddities that a definition may have: those that its doctype has already, or all. */
  tolerance(before: DocType | undefined): Tolerance {
    return this.isLenient ? LENIENT : tolerating(before && this.registry.get(before.name).notes);
  }
}

// By the events of a transaction, which all of its contexts share.
const turns = new WeakMap<Context['events'], DoctypeTurn>();

/**
 * Waits for the turn; later calls in the same transaction resolve to the same one. Take it before you read
 * anything that a check depends on. The doctypes replace those of this process after the commit.
 */
export async function takeTurn(ctx: Context, metadata: Metadata): Promise<DoctypeTurn> {
  const taken = turns.get(ctx.events);
  if (taken) return taken;
  const version = await raiseDoctypeVersion(ctx.db);
  // Another node, or another request of this commit, may have been faster.
  const isFresh = version === ctx.doctypes.version + 1;
  const turn = new DoctypeTurn(version, isFresh ? ctx.doctypes : await metadata.read(ctx.db));
  turns.set(ctx.events, turn);
  ctx.afterCommit(() => metadata.replace(turn.registry));
  ctx.dropCaches('definitions');
  return turn;
}
