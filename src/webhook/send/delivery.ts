/** A delivery that this process may send, with its frozen content. */
export interface Delivery {
  readonly id: number;
  /** Its record's name. */
  readonly name: string;
  /** The `webhook-id`: the same for all attempts and resends. */
  readonly messageId: string;
  readonly webhook: string;
  readonly event: string;
  readonly doctypeName: string;
  readonly orderKey: string;
  /** Grows with every delivery of a webhook, and follows the order of changes of each document. */
  readonly seq: number;
  /**
   * The number of deliveries that led to this one, each through a change by the receiver of the one before.
   */
  readonly chainDepth: number;
  readonly isTest: boolean;
  /** Attempts made before this one. */
  readonly attempts: number;
  /** How often a process died while this was in flight; -1 when it may have been, after several deaths. */
  readonly suspect: number;
  /** Grows with every lease: reports of an earlier holder are rejected. */
  readonly epoch: number;
  readonly method: string;
  readonly url: string;
  readonly headers: string;
  readonly body: string;
}
