import { LIMITS } from '../kernel/limits.ts';
import type { Answer, ToSupervisor, ToWorker } from '../site/siblings.ts';

/** A worker with so many messages in its channel does not keep up. */
const MOST_UNSENT = 16;

/** The channel to a worker: `cluster.Worker`. */
export interface Member {
  isConnected(): boolean;
  send(message: ToWorker, sent: (error: Error | null) => void): unknown;
}

/** A question of one worker, with the workers that have not answered it. */
interface Question {
  readonly asker: Member;
  readonly id: number;
  readonly waiting: Set<Member>;
  readonly answers: Answer[];
  readonly timer: NodeJS.Timeout;
}

/** Passes the questions of each worker on to the others, and their answers back. */
export class Relay {
  /** The numbers of the workers that answer. */
  readonly #members = new Map<Member, number>();
  /** Workers that did not answer in time: they are asked, and nobody waits for them. */
  readonly #late = new Set<Member>();
  /** The messages on their way to a worker. */
  readonly #unsent = new Map<Member, number>();
  readonly #questions = new Map<number, Question>();
  #last = 0;

  receive(worker: Member, number: number, message: ToSupervisor): void {
    if (message.kind === 'join') {
      this.#members.set(worker, number);
      this.#send(worker, { kind: 'answers', id: message.id, answers: [] });
    } else if (message.kind === 'ask') this.#ask(worker, message);
    else if (message.kind === 'tell') this.#tell(worker, message);
    else if (message.kind === 'answer') this.#answer(worker, message);
  }

  /** The worker has ended: nobody waits for it. */
  leave(worker: Member): void {
    this.#members.delete(worker);
    this.#late.delete(worker);
    this.#unsent.delete(worker);
    for (const [key, question] of this.#questions) {
      if (question.waiting.delete(worker)) this.#endIfAnswered(key, question);
    }
  }

  #ask(asker: Member, { id, topic, question }: ToSupervisor & { kind: 'ask' }): void {
    const asked = [...this.#members.keys()].filter((worker) => worker !== asker);
    const waiting = new Set(asked.filter((worker) => !this.#late.has(worker)));
    this.#last += 1;
    const key = this.#last;
    const timer = setTimeout(() => {
      for (const worker of waiting) this.#late.add(worker);
      this.#end(key);
    }, LIMITS.workerAnswer);
    const pending: Question = { asker, id, waiting, answers: [], timer };
    this.#questions.set(key, pending);
    for (const worker of asked) this.#send(worker, { kind: 'question', id: key, topic, question });
    this.#endIfAnswered(key, pending);
  }

  // Messages to a worker that hangs would fill the memory of the supervisor.
  #tell(teller: Member, { topic, question }: ToSupervisor & { kind: 'tell' }): void {
    for (const worker of this.#members.keys()) {
      if (worker === teller || this.#late.has(worker) || (this.#unsent.get(worker) ?? 0) >= MOST_UNSENT)
        continue;
      this.#send(worker, { kind: 'question', id: null, topic, question });
    }
  }

  #answer(worker: Member, { id: key, answer }: ToSupervisor & { kind: 'answer' }): void {
    this.#late.delete(worker);
    const question = this.#questions.get(key);
    if (!question?.waiting.delete(worker)) return;
    question.answers.push({ worker: this.#members.get(worker) ?? 0, answer });
    this.#endIfAnswered(key, question);
  }

  #endIfAnswered(key: number, question: Question): void {
    if (question.waiting.size === 0) this.#end(key);
  }

  #end(key: number): void {
    const question = this.#questions.get(key);
    if (!question) return;
    this.#questions.delete(key);
    clearTimeout(question.timer);
    this.#send(question.asker, { kind: 'answers', id: question.id, answers: question.answers });
  }

  // A worker may end before it receives the message. Its exit reports that.
  #send(worker: Member, message: ToWorker): void {
    if (!worker.isConnected()) return;
    const add = (count: number) => this.#unsent.set(worker, (this.#unsent.get(worker) ?? 0) + count);
    add(1);
    worker.send(message, () => this.#unsent.has(worker) && add(-1));
  }
}
