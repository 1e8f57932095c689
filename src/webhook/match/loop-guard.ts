import type { Context } from '../../document/contract.ts';
import { nowMillis } from '../../kernel/clock.ts';
import { type DeliveryDraft, supersedeDeliveries } from '../queue/outbox.ts';
import { withHeader } from '../send/header-rules.ts';
import { continuesLoop, type DeliveryChain, parseChain, renderChain } from './delivery-chain.ts';
import { LoopFuse, type Throttle } from './loop-fuse.ts';

/**
 * Ends loops of deliveries and changes: by the chain that receivers pass on, and by a fuse for those that do
 * not.
 */
export class LoopGuard {
  #fuse: LoopFuse | null = null;

  /** The drafts to store: cancelled, delayed or unchanged. Cancels the deliveries that they replace. */
  async apply(ctx: Context, drafts: readonly DeliveryDraft[]): Promise<readonly DeliveryDraft[]> {
    if (drafts.length === 0) return drafts;
    const chain = parseChain(ctx.site, ctx.origin?.chain);
    this.#fuse ??= new LoopFuse(ctx.site.config.webhooks.loopLimit);
    const fuse = this.#fuse;
    const now = nowMillis(ctx.site.clock);
    const isLooped = (draft: DeliveryDraft) => continuesLoop(chain, draft.webhook);
    const looped = drafts.filter(isLooped).map((draft) => cancelled(draft, chain));
    const judged = drafts
      .filter((draft) => !isLooped(draft))
      .map((draft) => {
        const key = loopKey(draft);
        return { draft, key, throttle: draft.failure === null ? fuse.check(key, now) : null };
      });
    const replacing = judged.filter(({ throttle }) => throttle !== null);
    if (replacing.length > 0) {
      await supersedeDeliveries(
        ctx,
        replacing.map(({ draft }) => draft),
        'the document changed too often to send each change',
      );
    }
    ctx.afterCommit(() => {
      for (const { draft, key, throttle } of judged) {
        fuse.count(key, now, throttle);
        if (throttle?.tripped) report(ctx, draft, throttle.tripped);
      }
    });
    const sent = judged.map(({ draft, throttle }) => ({
      ...draft,
      // A delayed delivery needs its order key, by which it finds the ones it replaces.
      unordered: draft.unordered === true && throttle === null,
      delay: throttle?.delay ?? 0,
    }));
    return [...looped, ...sent].map((draft) => withChain(ctx, draft, chain));
  }
}

function loopKey({ webhook, doctypeName, docName }: DeliveryDraft): string {
  return `${webhook}\u001f${doctypeName}\u001f${docName}`;
}

function withChain(ctx: Context, draft: DeliveryDraft, chain: DeliveryChain): DeliveryDraft {
  if (chain.depth === 0 && chain.foreign.length === 0) return draft;
  const header = renderChain(ctx.site, chain, draft.webhook);
  return { ...draft, chainDepth: chain.depth, headers: withHeader(draft.headers, 'webhook-chain', header) };
}

function cancelled(draft: DeliveryDraft, { depth }: DeliveryChain): DeliveryDraft {
  const failure = `loop_detected: ${depth} deliveries led to this one`;
  return {
    ...draft,
    failure: draft.failure ?? failure,
    isCancelled: draft.failure === null,
  };
}

function report({ site }: Context, draft: DeliveryDraft, tripped: NonNullable<Throttle['tripped']>): void {
  const what = `Webhook ${draft.webhook}: ${draft.doctypeName} ${draft.docName} changes again and again`;
  const every = tripped === 'held' ? '10 minutes' : '10 seconds';
  const message = `${what}; only its newest state is delivered, every ${every}. Does the receiver change the same document?`;
  site.observe({ kind: 'warning', message });
}
