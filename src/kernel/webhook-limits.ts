/** Limits of webhooks: their records, deliveries, statistics and chains. */
export const WEBHOOK_LIMITS = {
  /** Webhook deliveries: timeouts of an attempt and of connecting, and response bytes read and stored. */
  deliveryTimeout: 15_000,
  deliveryConnectTimeout: 5_000,
  deliveryResponseBytes: 64 * 1024,
  deliveryResponseKept: 16 * 1024,
  /** Bytes of a response's header block, and characters of its headers in the log. */
  deliveryResponseHeaderBytes: 16 * 1024,
  deliveryResponseHeadersKept: 4096,
  /** An idle connection to a receiver is closed after this time. */
  deliveryIdleTimeout: 30_000,
  /** The largest body of a delivery. A larger document is sent without its fields, with a note. */
  deliveryBodyBytes: 1024 * 1024,
  deliveriesInFlight: 512,
  /** Outcomes of deliveries waiting to be recorded. With more, no attempt starts. */
  deliveriesUnrecorded: 2_048,
  /** Concurrent attempts and connections per origin, and origins with open connections. */
  deliveriesPerOrigin: 32,
  deliveryOrigins: 256,
  /** Webhooks whose home shares them with other processes. Each heartbeat names them. */
  webhooksSpread: 128,
  webhookHeaders: 50,
  webhookHeaderBytes: 4096,
  webhookHeadersBytes: 16 * 1024,
  webhookUrlLength: 2_000,
  /** Characters of a webhook's certificates, and of its key. */
  webhookTlsText: 32 * 1024,
  /** Fields that a webhook watches for changes. */
  webhookWatchedFields: 100,
  webhookRetries: 50,
  /** `rate_limit` and `rate_burst` of a webhook. */
  webhookRate: 1_000_000,
  /** Deliveries retried or cancelled by one request, and tests of one webhook in a minute. */
  deliveriesChosen: 500,
  webhookTests: 10,
  /** A page of a webhook's deliveries: their number, and bytes of their bodies. */
  pulledDeliveries: 500,
  pulledBytes: 4 * 1024 * 1024,
  /**
   * Delivery statistics: hours in all and by the minute, named statuses and errors, and webhooks compared.
   */
  statsHours: 720,
  statsMinuteHours: 6,
  statsDetails: 20,
  overviewHours: 168,
  overviewWebhooks: 1_000,
  /**
   * Webhooks are stuck when a due delivery waits this long and no delivery is attempted. Longer than the
   * pause of failing receivers.
   */
  deliveriesLate: 15 * 60_000,
  /** Replaced secrets of a webhook that stay valid beside the new one. */
  webhookFormerSecrets: 4,
  /**
   * Length of a chain in which each delivery causes a change, and the change causes the next delivery. In a
   * longer chain, a webhook does not deliver again.
   */
  webhookChain: 8,
  /** Webhooks in a chain (the latest ones), and characters of a chain that a request passes on. */
  webhookChainMembers: 32,
  webhookChainLength: 2_000,
  /** Documents per webhook whose changes a process counts to detect loops of deliveries and changes. */
  watchedForLoops: 10_000,
} as const;
