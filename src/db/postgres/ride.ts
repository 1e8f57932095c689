import type { PoolClient } from 'pg';
import type { NamedStatements } from './named-statements.ts';
import { Numbers } from './numbers.ts';

/** The most units in one transaction: PostgreSQL keeps 64 savepoints of each in memory. */
const MOST = 32;

/** A unit of work in a transaction. */
interface Unit {
  readonly begun: boolean;
  /** The driver's error of its first failed statement. */
  readonly failure: unknown;
  settled(): Promise<void>;
}

/**
 * One transaction of the server, and its connection. Units that wait for the same row lock share it: each
 * begins when the one before has done its work, behind a savepoint of its own, and no unit is answered before
 * the commit. So many units wait for one sync of the disk.
 */
export class Ride {
  readonly client: PoolClient;
  readonly statements: NamedStatements;
  readonly units: Unit[] = [];
  readonly numbers = new Numbers();
  /** Answers of questions that its units asked, with the times of `performance.now()`. */
  readonly answers = new Map<string, { readonly asked: number; readonly answer: Promise<unknown> }>();
  readonly #begin: string;
  readonly #millis: number;
  readonly #committed = Promise.withResolvers<void>();
  /** Until this time of `performance.now()` it takes more units. */
  #until: number | null = null;
  #isReleased = false;

  /**
   * `begin`: begins the transaction. `millis`: the time that it stays open for more units after the first has
   * done its work.
   */
  constructor(client: PoolClient, statements: NamedStatements, begin: string, millis: number) {
    this.client = client;
    this.statements = statements;
    this.#begin = begin;
    this.#millis = millis;
    // The units that wait handle a failure.
    this.#committed.promise.catch(() => {});
  }

  get isShared(): boolean {
    return this.units.length > 1;
  }

  /** True while more units may join. */
  get hasRoom(): boolean {
    this.#until ??= performance.now() + this.#millis;
    return this.units[0]?.begun === true && this.room > 0 && performance.now() <= this.#until;
  }

  /** The most units that may join. */
  get room(): number {
    return MOST - this.units.length;
  }

  /** The statement that begins the part of a unit, and the one that takes it back. */
  partOf(unit: Unit): { readonly begin: string; readonly undo: string } {
    const place = this.units.indexOf(unit);
    if (place === 0) return { begin: this.#begin, undo: 'rollback' };
    return { begin: `savepoint unit_${place}`, undo: `rollback to savepoint unit_${place}` };
  }

  /** For the units of a shared transaction: resolves after the commit. */
  get committed(): Promise<void> {
    return this.#committed.promise;
  }

  /** The shared transaction is committed. */
  succeed(): void {
    this.release(true);
    this.#committed.resolve();
  }

  /** No unit of the shared transaction may be answered: each fails with this error. */
  fail(error: unknown): void {
    this.release(false);
    this.#committed.reject(error);
  }

  /** Gives the connection back, or closes it. Only the first call counts. */
  release(healthy: boolean): void {
    if (this.#isReleased) return;
    this.#isReleased = true;
    this.client.release(!healthy || this.statements.full);
  }
}
