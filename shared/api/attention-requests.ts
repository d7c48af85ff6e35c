/** Requests to put an attention item off, apart from the responses, which forms do not need. */
import * as z from 'zod/mini';
import { type AttentionKind, isKnownKind } from '../attention/kinds.ts';
import { described } from '../protocol/schema.ts';
import type { AttentionItem } from '../store/attention.ts';
import { missing, oneLine } from './common.ts';

/** A domain has at most one item of each kind, so both identify it. */
const ID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\.[a-z-]{1,40}$/;

export const attentionId = described(
  z.string().check(z.toLowerCase(), z.regex(ID, missing.attention)),
  'ID of the item: the ID of the domain, and the kind',
  '6b1f3c5e-8f0a-4a53-9d0e-2f1f1f0c7a11.ownership-unproven',
);

export const attentionPath = z.object({ id: attentionId });

export const attentionIdOf = ({ domainId, kind }: AttentionItem): string => `${domainId}.${kind}`;

/** What an id consists of; undefined if there is no such kind. */
export function readAttentionId(
  id: string,
): { readonly domainId: string; readonly kind: AttentionKind } | undefined {
  const [domainId = '', kind = ''] = id.split('.');
  return isKnownKind(kind) ? { domainId, kind } : undefined;
}

/** An item that nobody wants to see for longer than that is better settled. */
export const MOST_DAYS_PUT_OFF = 366;

export const putOffDay = z.iso.date('must be a date such as 2026-01-31, or null');

/** Longer texts belong elsewhere. */
const MAX_NOTE = 500;

export const putOffNote = oneLine(MAX_NOTE);

export const putOffBody = z.object(
  {
    until: described(
      z.nullable(putOffDay),
      `The day (UTC) from which the item is listed again, at most ${MOST_DAYS_PUT_OFF} days ahead; \`null\` lists it at once`,
      '2026-02-28',
    ),
    note: described(z.optional(z.nullable(putOffNote)), 'A note of your own', 'The domain is for sale'),
  },
  'must be a JSON object',
);
