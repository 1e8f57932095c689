import { join } from 'node:path';
import type { Config } from '../../src/config/config.ts';
import type { Answer, Siblings } from '../../src/site/siblings.ts';
import { type OpenSite, type OpenSiteOptions, openSite } from '../../src/site/start/open-site.ts';
import type { WorkerPlan } from '../../src/site/workers.ts';

/** A writer and a reader of one SQLite database, in this process. */
export interface WriterAndReader {
  readonly writer: OpenSite;
  readonly reader: OpenSite;
  readonly socket: string;
}

/** Opens a site twice: as the worker that writes, and as one that reads and forwards to it. */
export async function openWithReader(config: Config, options: OpenSiteOptions): Promise<WriterAndReader> {
  const socket = join(config.data, 'test-socket');
  const plan: WorkerPlan = { count: 2, connections: 15, socket };
  const [one, two] = siblings(2);
  const writer = await openSite(config, { ...options, plan, siblings: one as Siblings });
  const reader = await openSite(config, { ...options, plan, siblings: two as Siblings });
  return { writer, reader, socket };
}

/** As many workers of this process; each is a supervisor's message away from the others. */
function siblings(count: number): Siblings[] {
  const joined = new Set<number>();
  const answerers = Array.from({ length: count }, () => new Map<string, (question: unknown) => unknown>());
  return answerers.map((own, index): Siblings => {
    const worker = index + 1;
    const ask = (topic: string, question: unknown) =>
      Promise.all(
        [...joined]
          .filter((other) => other !== worker)
          .map(async (other): Promise<Answer> => {
            await new Promise(setImmediate);
            return { worker: other, answer: (await answerers[other - 1]?.get(topic)?.(question)) ?? null };
          }),
      );
    return {
      worker,
      ask: (topic, question = null) => ask(topic, question),
      tell: (topic, question) => void ask(topic, question),
      join: async () => void joined.add(worker),
      serve: () => {},
      answer: (topic, answer) => void own.set(topic, answer),
    };
  });
}
