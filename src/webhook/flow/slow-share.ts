import { Chain } from './chain.ts';
import type { OriginGate } from './origin-gate.ts';
import type { WebhookFlow } from './webhook-flow.ts';

type Gate = OriginGate<WebhookFlow>;

/**
 * The attempts to slow origins. Slow and failing origins share half of all attempts; with origins of unknown
 * speed, they share three quarters.
 */
export class SlowShare {
  readonly #attempts: number;
  /** Webhooks that wait for room: those of slow origins, and those of unknown origins. */
  readonly #slow = new Chain<WebhookFlow>();
  readonly #unknown = new Chain<WebhookFlow>();
  #inFlight = 0;

  /** @param attempts the most concurrent attempts to all origins */
  constructor(attempts: number) {
    this.#attempts = attempts;
  }

  /** The number of webhooks that wait for room. */
  get waiting(): number {
    return this.#slow.size + this.#unknown.size;
  }

  hasRoomFor(gate: Gate): boolean {
    return this.#roomFor(gate) > 0;
  }

  /** The webhook waits for room. */
  add(flow: WebhookFlow, gate: Gate): void {
    (gate.concurrency.isKnown ? this.#slow : this.#unknown).add(flow);
  }

  began(gate: Gate): void {
    if (gate.isSlow) this.#inFlight += 1;
  }

  ended(gate: Gate): void {
    if (gate.isSlow) this.#inFlight -= 1;
  }

  /** Updates whether the origin counts as slow. */
  reckon(gate: Gate): void {
    const { isSlow } = gate.concurrency;
    if (gate.isSlow === isSlow) return;
    gate.isSlow = isSlow;
    this.#inFlight += isSlow ? gate.inFlight : -gate.inFlight;
  }

  /** Moves as many waiting webhooks to the ring as have room. */
  release(ring: Chain<WebhookFlow>): void {
    for (const lane of [this.#slow, this.#unknown]) {
      const gate = lane.first?.gate;
      let room = gate ? this.#roomFor(gate) : 0;
      for (let flow = lane.first; flow && room > 0; flow = lane.first) {
        ring.add(flow);
        room -= 1;
      }
    }
  }

  #roomFor(gate: Gate): number {
    const share = gate.concurrency.isKnown ? 1 / 2 : 3 / 4;
    return Math.floor(this.#attempts * share) - this.#inFlight;
  }
}
