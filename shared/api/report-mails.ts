/** Requests and responses of the endpoints of report mails. */
import * as z from 'zod/mini';
import { described, list, oneOf, timestamp, uuid } from '../protocol/schema.ts';
import { type MailOutcomeKind, mailOutcomeKinds, type ReportMail } from '../store/reports/mail-outcomes.ts';
import { boundedPagination, continuing, domainPath, missing } from './common.ts';
import { inOrder, timesOf } from './report-queries.ts';

export const mailOutcomeKind = described(
  oneOf(mailOutcomeKinds),
  'What became of a mail, or of one attachment of it',
);

const pagination = boundedPagination(10_000, 'narrow the period with startDate and endDate');

export const reportMailsQuery = z
  .object({
    ...pagination.shape,
    ...continuing.shape,
    ...timesOf('mails'),
    outcome: described(z.optional(mailOutcomeKind), 'Return only mails with this outcome', 'unreadable'),
  })
  .check(pagination.check, continuing.check, inOrder);

/** Milliseconds since 1970, and an id of the mail server. */
const MAIL_ID = /^\d{1,13}-[\w.-]{1,200}$/;

export const mailPath = z.object({
  ...domainPath.shape,
  mailId: described(
    z.string().check(z.regex(MAIL_ID, missing.mail)),
    'The `id` in the list of mails',
    '1767603600000-o3vrnil0e2ic28trm7dfhrc2v0clambda4nbp0g1',
  ),
});

const mailOutcome = z.object({
  outcome: described(
    mailOutcomeKind,
    'What became of the mail, or of one attachment of it',
    'accepted' satisfies MailOutcomeKind,
  ),
  reason: described(
    z.optional(z.string()),
    'Why it brought no report, or which deviations were tolerated; for people',
    'the same report is already stored',
  ),
  reportId: described(
    z.optional(uuid),
    'The `id` of the report in the lists of reports',
    '6f1c7a52-0d3e-8a41-9b7c-2f8e4d5a6b10',
  ),
});

export const reportMail = z.object({
  id: described(z.string(), 'The ID of the mail', '1767603600000-o3vrnil0e2ic28trm7dfhrc2v0clambda4nbp0g1'),
  receivedAt: described(timestamp, 'When the mail arrived; ISO 8601, UTC', '2026-01-05T09:00:00.000Z'),
  from: described(
    z.nullable(z.string()),
    'The field From, at most 200 characters; `null` if there is none, or if the mail was not read',
    'noreply-dmarc-support@google.com',
  ),
  subject: described(
    z.nullable(z.string()),
    'The subject, at most 200 characters; `null` if there is none, if the mail was not read, and for failure reports',
    'Report domain: example.org Submitter: google.com Report-ID: 17042001',
  ),
  outcomes: described(
    list(mailOutcome),
    'One outcome for each report or attachment, or a single one for the mail',
    [{ outcome: 'accepted', reportId: '6f1c7a52-0d3e-8a41-9b7c-2f8e4d5a6b10' }],
  ),
});

/** A mail of the list. */
export function showReportMail(mail: ReportMail): z.output<typeof reportMail> {
  const { receivedAt, from, subject, outcomes } = mail;
  return {
    id: mailIdOf(mail),
    receivedAt: receivedAt.toISOString(),
    from,
    subject,
    outcomes: outcomes.map(({ kind, reason, report }) => ({
      outcome: kind,
      ...(reason !== null && { reason }),
      ...(report && { reportId: report.id }),
    })),
  };
}

/** The time of arrival and the id that the mail server assigned, which are the key of the mail. */
const mailIdOf = ({ receivedAt, messageId }: Pick<ReportMail, 'receivedAt' | 'messageId'>): string =>
  `${receivedAt.getTime()}-${messageId}`;

/** The key of the mail with an id, which `mailPath` has checked. */
export function mailKeyOf(mailId: string): Pick<ReportMail, 'receivedAt' | 'messageId'> {
  const at = mailId.indexOf('-');
  return { receivedAt: new Date(Number(mailId.slice(0, at))), messageId: mailId.slice(at + 1) };
}
