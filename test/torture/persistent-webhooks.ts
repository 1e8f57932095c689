/** Settings of servers that are broken while they deliver: they retry at once, and give up nothing. */
export const PERSISTENT_WEBHOOKS = {
  CHANCERY_WEBHOOKS_ALLOW: '127.0.0.0/8',
  CHANCERY_WEBHOOKS_BACKOFF_BASE: '20',
  CHANCERY_WEBHOOKS_BACKOFF_FACTOR: '2',
  CHANCERY_WEBHOOKS_BACKOFF_CAP: '200',
  CHANCERY_WEBHOOKS_MAX_RETRIES: '50',
  // Few documents are changed very often.
  CHANCERY_WEBHOOKS_LOOP_LIMIT: '0',
};
