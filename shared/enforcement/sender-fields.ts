/** Fields of senders and of sums of DMARC reports that several responses have. */
import * as z from 'zod/mini';
import { count, described, text } from '../protocol/schema.ts';

export const day = described(z.iso.date(), 'A day in UTC');

export const share = described(
  z.nullable(z.number().check(z.minimum(0), z.maximum(100))),
  'Percentage, with two decimals; `null` without messages',
  97.5,
);

export const messages = described(count, 'Number of messages', 100);

export const dmarcCounts = {
  messages,
  passedMessages: described(count, 'Messages that passed DMARC', 90),
  failedMessages: described(count, 'Messages that failed DMARC', 10),
  passRate: described(share, 'Messages that passed DMARC, as a percentage with two decimals', 90),
};

export const seen = {
  firstSeen: described(day, 'The first day with reported mail, UTC'),
  lastSeen: described(day, 'The latest day with reported mail, UTC'),
};

export const senderKind = described(
  z.enum(['provider', 'domain', 'network']),
  'What identifies a sender. `provider`: a known sending service, or its other customers. `domain`: the ' +
    'organizational domain that authenticated the mail, or the name of a customer in a domain of its provider. `network`: a /24 or /48 network',
);

/** What the id of a provider's other customers starts with, in place of `provider-`. */
export const OTHERS = 'others-';

/**
 * Whether a sender consists of mail that every customer of a provider can send: in the names of the provider alone, without
 * a sign of the owner. Nobody can approve that.
 */
export const isOtherCustomers = (id: string): boolean => id.startsWith(OTHERS);

/** The id of the provider of such a sender; undefined of others. */
export const providerIdOf = (id: string): string | undefined =>
  isOtherCustomers(id) ? id.replace(OTHERS, 'provider-') : undefined;

export const senderIdPattern = /^[A-Za-z0-9_-]{1,64}$/;

export const senderId = described(
  z.string().check(z.regex(senderIdPattern)),
  'ID of the sender; depends only on reports, so it stays the same',
  'provider-N2Q4m0J5cV8y1xW3bT6sKg',
);

export const senderName = described(
  text,
  'The provider, the domain that authenticated the mail, or the /24 or /48 network; with `, other customers` for mail ' +
    'that every customer of the provider can send, which cannot be approved',
  'SendGrid',
);
