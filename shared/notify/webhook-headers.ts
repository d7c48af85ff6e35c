/** The headers of Standard Webhooks, which libraries in many languages verify (www.standardwebhooks.com). */
export const standardHeader = {
  id: 'webhook-id',
  timestamp: 'webhook-timestamp',
  signature: 'webhook-signature',
} as const;

/** Our own headers, with the same facts. The delivery id is the same in every attempt, so that receivers can detect duplicates. */
export const webhookHeader = {
  delivery: 'X-Domain-Monitor-Delivery',
  timestamp: 'X-Domain-Monitor-Timestamp',
  signature: 'X-Domain-Monitor-Signature',
} as const;
