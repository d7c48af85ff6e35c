/** Header names. The delivery id is the same in every attempt, so that receivers can detect duplicates. */
export const webhookHeader = {
  delivery: 'X-Domain-Monitor-Delivery',
  timestamp: 'X-Domain-Monitor-Timestamp',
  signature: 'X-Domain-Monitor-Signature',
} as const;
