/** Requests and responses of the attention list. */
import * as z from 'zod/mini';
import { alertSeverity } from '../alerts/alert.ts';
import { type AttentionKind, attentionKind, isKnownKind, kinds } from '../attention/kinds.ts';
import { described, domainName, text, timestamp, url, uuid } from '../protocol/schema.ts';
import { type AttentionItem, isPutOff } from '../store/attention.ts';
import { boundedPagination, flag, missing, oneLine } from './common.ts';
import { tag } from './domains.ts';

const EXAMPLE_DOMAIN_ID = '6b1f3c5e-8f0a-4a53-9d0e-2f1f1f0c7a11';

const pagination = boundedPagination(10_000, 'narrow the list with domainId, kind, severity or tag');

export const attentionQuery = z
  .object({
    ...pagination.shape,
    domainId: described(
      z.optional(z.string().check(z.toLowerCase())),
      'Return only items of the domain with this ID',
      EXAMPLE_DOMAIN_ID,
    ),
    kind: described(z.optional(attentionKind), 'Return only items of this kind'),
    severity: described(z.optional(alertSeverity), 'Return only items with this severity'),
    tag: described(z.optional(tag), 'Return only items of domains with this tag', 'production'),
    putOff: flag('Return only items that are put off, instead of those that are not'),
  })
  .check(pagination.check);

/** A domain has at most one item of each kind, so both identify it. */
const ID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\.[a-z-]{1,40}$/;

const id = described(
  z.string().check(z.toLowerCase(), z.regex(ID, missing.attention)),
  'ID of the item: the ID of the domain, and the kind',
  `${EXAMPLE_DOMAIN_ID}.ownership-unproven`,
);

export const attentionPath = z.object({ id });

export const attentionId = ({ domainId, kind }: AttentionItem): string => `${domainId}.${kind}`;

/** What an id consists of; undefined if there is no such kind. */
export function readAttentionId(
  given: string,
): { readonly domainId: string; readonly kind: AttentionKind } | undefined {
  const [domainId = '', kind = ''] = given.split('.');
  return isKnownKind(kind) ? { domainId, kind } : undefined;
}

export const putOffDay = z.iso.date('must be a date such as 2026-01-31, or null');

/** An item that nobody wants to see for longer than that is better settled. */
export const MOST_DAYS_PUT_OFF = 366;

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

export const attention = z.object({
  id,
  kind: attentionKind,
  severity: alertSeverity,
  domainId: described(uuid, 'ID of the domain'),
  domain: described(domainName, 'Name of the domain'),
  since: described(timestamp, 'When the condition began; ISO 8601, UTC'),
  title: described(text, 'What is wrong, in a few words', 'Ownership of example.org is no longer proven'),
  detail: described(text, 'What it means and what to do, in sentences', 'Publish the record again.'),
  action: described(
    z.object({
      label: described(text, 'What the page is for', 'Show the verification record'),
      url: described(
        url,
        'The page of the console where you can act',
        `https://monitor.example.net/console/domains/${EXAMPLE_DOMAIN_ID}`,
      ),
    }),
    'Where you can act',
  ),
  putOffUntil: described(
    z.nullable(z.iso.date()),
    'The day (UTC) from which the item is listed again; `null` if it is not put off',
    '2026-02-28',
  ),
  note: described(z.nullable(text), 'Your note', 'The domain is for sale'),
});

/** An item with its text. */
export function showAttention(item: AttentionItem, hostUrl: string, now: Date): z.output<typeof attention> {
  const { kind, severity, domainId, domain, since, note } = item;
  const { title, detail, action } = kinds[kind];
  return {
    ...{ id: attentionId(item), kind, severity, domainId, domain, since },
    ...{ title: title(item), detail: detail(item) },
    action: { label: action.label, url: `${hostUrl}${action.path(item)}` },
    putOffUntil: isPutOff(item, now) ? item.putOffUntil : null,
    note,
  };
}
