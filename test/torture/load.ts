import type { Change, SenderNode } from './sender.ts';

/** Clients that make documents and change them, until they fail because the process is gone. */
export class Load {
  readonly #acknowledged = new Map<string, number>();

  /** What was acknowledged: a sender that has less has lost more than deliveries. */
  get acknowledged(): ReadonlyMap<string, number> {
    return this.#acknowledged;
  }

  /** Resolves when the last of the clients has been cut off, or none is wanted any more. */
  async run(node: SenderNode, topic: string, prefix: string, until: () => boolean): Promise<void> {
    const clients = Array.from({ length: CLIENTS }, async (_, client) => {
      try {
        for (let document = 0; !until(); document += 1) {
          const name = `${prefix}-${client}-${document}`;
          for (let step = 0; step <= document % 4; step += 1) await this.#save(node, topic, { name, step });
          await node.undo(topic, name);
        }
      } catch (error) {
        if (!isCut(error)) throw error;
      }
    });
    await Promise.all(clients);
  }

  async #save(node: SenderNode, topic: string, change: Change): Promise<void> {
    await node.save(topic, change);
    this.#acknowledged.set(change.name, change.step);
  }
}

const CLIENTS = 8;

/**
 * The process died before it answered, as far as can be seen: nobody knows whether it did what was asked.
 * What else fails is a finding.
 */
export function isCut(error: unknown): boolean {
  return error instanceof TypeError && ['fetch failed', 'terminated'].includes(error.message);
}
