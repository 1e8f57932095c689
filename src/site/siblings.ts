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
   * Never rejects.
   */
  ask(topic: string, question?: unknown): Promise<readonly Answer[]>;
  /** From now on, the others ask this worker. */
  join(): void;
  /** Answers the questions of the others about a topic; default: null. */
  answer(topic: string, answer: (question: unknown) => unknown): void;
}

/** A server of one process. */
export const ALONE: Siblings = { worker: null, join: () => {}, ask: async () => [], answer: () => {} };

/** A message of a worker to its supervisor, which passes questions on to the other workers. */
export type ToSupervisor =
  | { readonly kind: 'join' }
  | { readonly kind: 'ask'; readonly id: number; readonly topic: string; readonly question: unknown }
  | { readonly kind: 'answer'; readonly id: number; readonly answer: unknown };

/** A message of the supervisor to a worker. `id` is the number of a question of the sender. */
export type ToWorker =
  | { readonly kind: 'question'; readonly id: number; readonly topic: string; readonly question: unknown }
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
  process.on('message', (message: ToWorker) => {
    if (message.kind === 'answers') {
      asked.get(message.id)?.(message.answers);
      asked.delete(message.id);
    } else if (message.kind === 'question') {
      const { id, topic, question } = message;
      const tell = (answer: unknown = null) => send({ kind: 'answer', id, answer });
      Promise.resolve()
        .then(() => answerers.get(topic)?.(question))
        .then(tell, () => tell());
    }
  });

  return {
    worker,
    join: () => send({ kind: 'join' }),
    ask(topic, question = null) {
      if (isAlone()) return Promise.resolve([]);
      last += 1;
      const id = last;
      return new Promise((resolve) => {
        asked.set(id, resolve);
        send({ kind: 'ask', id, topic, question });
      });
    },
    answer: (topic, answer) => void answerers.set(topic, answer),
  };
}

// A channel that closes meanwhile tells `disconnect`.
function send(message: ToSupervisor): void {
  if (process.connected) process.send?.(message, undefined, undefined, () => {});
}
