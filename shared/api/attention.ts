/** The request and the response of the attention list. */
import * as z from 'zod/mini';
import { alertSeverity } from '../alerts/alert.ts';
import { attentionKind } from '../alerts/attention-kind.ts';
import { textOf } from '../attention/kinds.ts';
import { described, domainName, text, timestamp, url, uuid } from '../protocol/schema.ts';
import { type AttentionItem, attentionIdOf, isPutOff } from '../store/attention-items.ts';
import { attentionId } from './attention-requests.ts';
import { boundedPagination, flag } from './common.ts';
import { tag } from './domain-fields.ts';

const pagination = boundedPagination(10_000, 'narrow the list with domainId, kind, severity or tag');

export const attentionQuery = z
  .object({
    ...pagination.shape,
    domainId: described(
      z.optional(z.string().check(z.toLowerCase())),
      'Return only items of the domain with this ID',
      '6b1f3c5e-8f0a-4a53-9d0e-2f1f1f0c7a11',
    ),
    kind: described(z.optional(attentionKind), 'Return only items of this kind'),
    severity: described(z.optional(alertSeverity), 'Return only items with this severity'),
    tag: described(z.optional(tag), 'Return only items of domains with this tag', 'production'),
    putOff: flag('Return only items that are put off, instead of those that are not'),
  })
  .check(pagination.check);

const action = z.object({
  label: described(text, 'What the page is for', 'Show the verification record'),
  url: described(
    url,
    'URL of a page of the console',
    'https://monitor.example.net/console/domains/6b1f3c5e-8f0a-4a53-9d0e-2f1f1f0c7a11#steps',
  ),
});

export const attention = z.object({
  id: attentionId,
  kind: attentionKind,
  severity: alertSeverity,
  domainId: described(
    z.nullable(uuid),
    'ID of the domain; `null` if the item is about a channel or a mailbox of the organization',
  ),
  domain: described(z.nullable(domainName), 'Name of the domain; `null` without one'),
  since: described(timestamp, 'When the condition began; ISO 8601, UTC'),
  title: described(text, 'What is wrong, in a few words', 'Ownership of example.org is no longer proven'),
  detail: described(text, 'What it means and what to do, in sentences', 'Publish the record again.'),
  action: described(action, 'Where you can act'),
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
  const { title, detail, action } = textOf(item);
  return {
    ...{ id: attentionIdOf(item), kind, severity, domainId, domain, since },
    ...{ title, detail },
    action: { label: action.label, url: `${hostUrl}${action.path}` },
    putOffUntil: isPutOff(item, now) ? item.putOffUntil : null,
    note,
  };
}
