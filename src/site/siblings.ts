import { LIMITS } from '../kernel/limits.ts';

/** An answer of another worker. */
export interface Answer {
  /** The number of the worker. */
  readonly worker: number;
  readonly answer: unknown;
}

/** The other workers of this server. Questions and answers are JSON. */
export interface Siblings {
  /** The number of this worker; null in a server of one process. */
  readonly worker: number | null;
  /**
   * Asks every other worker. A worker that ends, or does not answer for `LIMITS.workerAnswer`, is left out.
   * Resolves to no answers when the supervisor hangs. Never rejects.
   */
  ask(topic: string, question?: unknown): Promise<readonly Answer[]>;
  /** Sends a question to every other worker that keeps up, and expects no answer. */
  tell(topic: string, question: unknown): void;
  /** From now on, the others ask this worker. */
  join(): Promise<void>;
  /** This worker answers requests now. */
  serve(): void;
  /** Answers the questions of the others about a topic; default: null. */
  answer(topic: string, answer: (question: unknown) => unknown): void;
}

/** A server of one process. */
export const ALONE: Siblings = {
  worker: null,
  ask: async () => [],
  tell: () => {},
  join: async () => {},
  serve: () => {},
  answer: () => {},
};

/** Milliseconds that an answer may take through the supervisor, beyond the wait for a worker. */
const RELAYED = 1_000;

/** A message of a worker to its supervisor, which passes questions on to the other workers. */
export type ToSupervisor =
  | { readonly kind: 'join'; readonly id: number }
  | { readonly kind: 'serve' }
  | { readonly kind: 'tell'; readonly topic: string; readonly question: unknown }
  | { readonly kind: 'ask'; readonly id: number; readonly topic: string; readonly question: unknown }
  | { readonly kind: 'answer'; readonly id: number; readonly answer: unknown };

/** A message of the supervisor to a worker. `id` is the number of a question of the sender; null wants no answer. */
export type ToWorker =
  | {
      readonly kind: 'question';
      readonly id: number | null;
      readonly topic: string;
      readonly question: unknown;
    }
  | { readonly kind: 'answers'; readonly id: number; readonly answers: readonly Answer[] };

/** The other workers of this process's supervisor. */
export function joinSiblings(worker: number): Siblings {
  const answerers = new Map<string, (question: unknown) => unknown>();
  const asked = new Map<number, (answers: readonly Answer[]) => void>();
  let last = 0;

  // Without a supervisor, nobody is left to ask.
  const isAlone = () => !process.connected;
  process.on('disconnect', () => {
    for (const resolve of asked.values()) resolve([]);
    asked.clear();
  });
  process.on('message', (message: ToWorker | null) => {
    if (message?.kind === 'answers') {
      asked.get(message.id)?.(message.answers);
    } else if (message?.kind === 'question') {
      const { id, topic, question } = message;
      const tell = (answer: unknown = null) => id !== null && send({ kind: 'answer', id, answer });
      Promise.resolve()
        .then(() => answerers.get(topic)?.(question))
        .then(tell, () => tell());
    }
  });

  function sendAndWait(messageOf: (id: number) => ToSupervisor): Promise<readonly Answer[]> {
    if (isAlone()) return Promise.resolve([]);
    last += 1;
    const id = last;
    const { promise, resolve } = Promise.withResolvers<readonly Answer[]>();
    const timer = setTimeout(resolve, LIMITS.workerAnswer + RELAYED, []);
    asked.set(id, resolve);
    send(messageOf(id));
    return promise.finally(() => {
      clearTimeout(timer);
      asked.delete(id);
    });
  }

  return {
    worker,
    join: () => sendAndWait((id) => ({ kind: 'join', id })).then(() => {}),
    serve: () => send({ kind: 'serve' }),
    ask: (topic, question = null) => sendAndWait((id) => ({ kind: 'ask', id, topic, question })),
    tell: (topic, question) => send({ kind: 'tell', topic, question }),
    answer: (topic, answer) => void answerers.set(topic, answer),
  };
}

// A channel that closes meanwhile tells `disconnect`.
function send(message: ToSupervisor): void {
  if (process.connected) process.send?.(message, undefined, undefined, () => {});
}
