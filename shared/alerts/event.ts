/** Events that a webhook carries beside alerts, each switched on by name: one schema for the stored event and the request. */
import * as z from 'zod/mini';
import { count, described, oneOf, text, timestamp, uuid } from '../protocol/schema.ts';
import { grade, points } from '../score/grade.ts';
import { alertSeverity, reportType } from './alert.ts';
import { attentionKind } from './attention-kind.ts';
import { tokenScope } from './token-scope.ts';

export const eventNames = [
  'domain.verified',
  'checks.completed',
  'report.received',
  'domain.unproven',
  'token.created',
  'attention.opened',
  'attention.closed',
] as const;

export const eventName = described(oneOf(eventNames), 'An event that a webhook can carry beside alerts');

export type EventName = z.infer<typeof eventName>;

const exampleId = '01890a5d-ac96-774b-bcce-b302099a8057';
const exampleTime = '2026-01-31T12:00:00.000Z';

const eventFields = {
  id: described(uuid, 'ID of the event', exampleId),
  createdAt: described(timestamp, 'When it happened; ISO 8601, UTC', exampleTime),
};

const fields = {
  ...eventFields,
  domainId: described(uuid, 'ID of the domain', exampleId),
  domainName: described(text, 'Name of the domain', 'example.org'),
};

const domainVerified = z.object({
  type: described(
    z.literal('domain.verified'),
    'The domain was verified, so it is monitored from now on',
    'domain.verified',
  ),
  ...fields,
});

const checksCompleted = z.object({
  type: described(z.literal('checks.completed'), 'All checks of the domain ran', 'checks.completed'),
  ...fields,
  score: described(z.nullable(points), 'The score; `null` if it cannot be calculated', 85),
  grade: described(z.nullable(grade), 'The grade of the score', 'B'),
});

const reportReceived = z.object({
  type: described(z.literal('report.received'), 'A report about the domain was stored', 'report.received'),
  ...fields,
  reportType: described(reportType, 'Kind of the report', 'dmarc'),
  reportId: described(uuid, 'ID of the stored report', exampleId),
  reporter: described(
    text,
    'The `orgName` (DMARC) or `organizationName` (TLS) of the stored report',
    'receiver.example',
  ),
  dateRangeBegin: described(timestamp, 'Begin of the period of the report; ISO 8601, UTC', exampleTime),
  dateRangeEnd: described(timestamp, 'End of the period of the report; ISO 8601, UTC', exampleTime),
  passed: described(count, 'Number of messages (DMARC report) or sessions (TLS report) that passed', 120),
  failed: described(count, 'Number of messages (DMARC report) or sessions (TLS report) that failed', 3),
});

const domainUnproven = z.object({
  type: described(
    z.literal('domain.unproven'),
    'The verification record of a verified domain has been missing for 30 days; the domain stays verified',
    'domain.unproven',
  ),
  ...fields,
  missingSince: described(timestamp, 'When a lookup first found that the record is missing', exampleTime),
});

const tokenCreated = z.object({
  type: described(z.literal('token.created'), 'The organization has a new API token', 'token.created'),
  ...eventFields,
  tokenId: described(uuid, 'ID of the token', exampleId),
  tokenName: described(text, 'What the token is for', 'Nightly export'),
  scope: tokenScope,
  createdBy: described(
    z.nullable(
      z.object({
        id: described(uuid, 'ID of that token', exampleId),
        name: described(text, 'What that token is for', 'Administration'),
      }),
    ),
    'The token that created it, through the API or the console; `null`: an operator did',
  ),
});

const attentionFields = {
  ...eventFields,
  domainId: described(
    z.nullable(uuid),
    'ID of the domain; `null` if the item is about a channel or a mailbox of the organization',
    exampleId,
  ),
  domainName: described(z.nullable(text), 'Name of the domain; `null` without one', 'example.org'),
  attentionId: described(text, 'ID of the item', `${exampleId}.check-failing`),
  kind: attentionKind,
  severity: alertSeverity,
  since: described(timestamp, 'When the condition began; ISO 8601, UTC', exampleTime),
  title: described(text, 'What is wrong, in a few words', 'Checks of example.org found errors: SPF'),
  detail: described(
    text,
    'What it means and what to do, in sentences',
    'The page shows each error with its fix.',
  ),
};

const attentionOpened = z.object({
  type: described(z.literal('attention.opened'), 'Something needs a person', 'attention.opened'),
  ...attentionFields,
});

const attentionClosed = z.object({
  type: described(z.literal('attention.closed'), 'Something no longer needs a person', 'attention.closed'),
  ...attentionFields,
});

export const event = z.discriminatedUnion('type', [
  domainVerified,
  checksCompleted,
  reportReceived,
  domainUnproven,
  tokenCreated,
  attentionOpened,
  attentionClosed,
]);

/** Another release can know other events, and others of what they are about. */
export const eventKinds = {
  type: eventNames,
  kind: attentionKind.options,
  reportType: reportType.options,
};

export type Event = Readonly<z.infer<typeof event>>;

export type TokenEvent = Readonly<z.infer<typeof tokenCreated>>;

/** An attention item opened or closed: of a domain, or of the organization. */
export type AttentionEvent = Readonly<z.infer<typeof attentionOpened | typeof attentionClosed>>;

/** An event that can be about an organization. */
export type OrganizationEvent = TokenEvent | AttentionEvent;

/** An event of one domain, apart from those of attention items. */
export type DomainEvent = Exclude<Event, OrganizationEvent>;

type Draft<E> = E extends unknown ? Omit<E, 'id' | 'domainId' | 'domainName' | 'createdAt'> : never;

/** An event of a domain before it has an id, a domain and a time. */
export type EventDraft = Draft<DomainEvent>;
