import type { IncomingHttpHeaders } from 'node:http';

/** A document whose `step` starts at 0 and is raised by one with each change. */
export interface Change {
  readonly name: string;
  readonly step: number;
}

/**
 * A webhook sender under torture. It keeps documents, and tells receivers of each change. Documents belong to
 * a topic, and a receiver hears of the changes of its topic alone.
 */
export interface Sender {
  readonly name: string;
  /** Several processes can serve one site at the same time, and cover for each other. */
  readonly hasNodes: boolean;
  /**
   * Starts a process; resolves once it can be called. The first call makes the site, those that follow find
   * it as it was left.
   */
  start(options?: StartOptions): Promise<SenderNode>;
  /** Has each of these addresses told of changes in the topic, once per address. */
  subscribe(node: SenderNode, topic: string, urls: readonly string[], options: Subscription): Promise<void>;
  /** The name of the delivery, the same over attempts, and the change it tells of. */
  read(headers: IncomingHttpHeaders, body: Buffer): { readonly id: string; readonly change: Change };
  /** Seconds since the epoch at which the request says it was made; null where it does not say. */
  sentAt(headers: IncomingHttpHeaders): number | null;
  /** Ends what is left and removes the data. */
  close(): Promise<void>;
}

export interface StartOptions {
  /** A file with the milliseconds by which the process's wall clock is ahead, read again all the time. */
  readonly clockFile?: string;
}

export interface Subscription {
  /** Seconds until an attempt is given up. */
  readonly timeout: number;
}

/** A process of the sender. */
export interface SenderNode {
  readonly pid: number;
  /**
   * Makes the document (step 0) or changes it. Resolves once that is acknowledged; rejects when it is not
   * known whether it is.
   */
  save(topic: string, change: Change): Promise<void>;
  /** Changes documents, this one among them, in one go that fails as a whole: nobody may hear of it. */
  undo(topic: string, name: string): Promise<void>;
  /** What is stored: the step of each document. */
  stored(topic: string): Promise<ReadonlyMap<string, number>>;
  /** Deliveries that it still means to make. */
  waiting(): Promise<number>;
  /** Sends a signal. Resolves when the process has ended, or for SIGSTOP and SIGCONT at once. */
  signal(signal: NodeJS.Signals): Promise<void>;
  /** Cuts the process off from its database. Only of senders with nodes. */
  cutOff(): Promise<void>;
  mend(): Promise<void>;
}

/** Sending is at least once, to each receiver in the order of changes of one document. What a sender makes of that. */
export type OpenSender = () => Promise<Sender>;
