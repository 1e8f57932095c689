import { after, before, describe } from 'node:test';
import { ENGINES, type Engine } from './postgres.ts';
import { startTestSite, type TestSite, type TestSiteOptions } from './site.ts';
import { someOf } from './some-of.ts';

interface Stoppable {
  stop(): Promise<unknown>;
}

/** Describes tests of a site with a name, and the options of `startTestSite` or a function that starts another kind. */
interface DescribeSite {
  (name: string, options: TestSiteOptions, tests: (site: TestSite, engine: Engine) => void): void;
  <T extends Stoppable>(
    name: string,
    start: (engine: Engine) => Promise<T>,
    tests: (site: T, engine: Engine) => void,
  ): void;
}

/** The same tests on a site of each engine: started before the first test of the `describe`, stopped after the last. */
export const describeSite = describing(() => ENGINES);

/** The same, for tests that hardly depend on the database: a whole run takes one of the engines. */
export const describeEither = describing(engineOf);

/** The engine of this whole run for these tests; each engine in a run of named files. */
export function engineOf(name: string): readonly Engine[] {
  return someOf(ENGINES, ENGINES.length, name.length);
}

function describing(enginesFor: (name: string) => readonly Engine[]): DescribeSite {
  return (
    name: string,
    kind: TestSiteOptions | ((engine: Engine) => Promise<TestSite>),
    tests: (site: TestSite, engine: Engine) => void,
  ): void => {
    const start = typeof kind === 'function' ? kind : (engine: Engine) => startTestSite(engine, kind);
    for (const engine of enginesFor(name))
      describe(`${name} on ${engine}`, () =>
        tests(
          useStarted(() => start(engine)),
          engine,
        ));
  };
}

/** The same tests with each engine. */
export function describeEngines(name: string, tests: (engine: Engine) => void): void {
  for (const engine of ENGINES) describe(`${name} on ${engine}`, () => tests(engine));
}

/** The same, for tests that hardly depend on the database: a whole run takes one of the engines. */
export function describeEitherEngine(name: string, tests: (engine: Engine) => void): void {
  for (const engine of engineOf(name)) describe(`${name} on ${engine}`, () => tests(engine));
}

/**
 * What `start` starts before the first test of a `describe`, and stops after its last. Its functions may be taken
 * from it before it has started, to be called by tests and hooks.
 */
export function useStarted<T extends Stoppable>(start: () => Promise<T>): T {
  let started: T | null = null;
  const now = (): T => {
    if (!started) throw new Error('no test runs yet');
    return started;
  };
  before(async () => {
    started = await start();
  });
  after(() => started?.stop());
  return new Proxy({} as T, {
    get: (_, key) =>
      started
        ? Reflect.get(started, key)
        : (...given: unknown[]) => Reflect.get(now() as object, key)(...given),
    set: (_, key, value) => Reflect.set(now(), key, value),
    has: (_, key) => Reflect.has(now(), key),
    ownKeys: () => Reflect.ownKeys(now()),
    getOwnPropertyDescriptor: (_, key) => Reflect.getOwnPropertyDescriptor(now(), key),
  });
}
