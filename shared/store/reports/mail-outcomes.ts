/** The mails that a domain's report mailbox received: the outcome of each part, and where the message is stored. */
import * as z from 'zod/mini';
import { messageAuthentication } from '../../protocol/message/authentication.ts';
import { having } from '../changes.ts';
import type { DomainReference } from '../domains/domain.ts';
import { isRegistered } from '../domains/writes.ts';
import { type Item, orNull } from '../item-schema.ts';
import { ABSENT, type Read } from '../items.ts';
import { reportConflictKey, reportMailKey, reportMailsOf } from '../keys.ts';
import { between, type Continuable, justBefore, type PageAfter, rowsOf, startingWith } from '../query.ts';
import { expiryOf } from '../retention.ts';
import type { Table, TransactionPart } from '../table.ts';
import type { Window } from './lists.ts';
import { type ReportReference, reportReference } from './stored-report.ts';

export const mailOutcomeKinds = [
  'accepted',
  'accepted-with-warnings',
  'duplicate',
  'conflict',
  'wrong-domain',
  'not-a-report',
  'unreadable',
  'too-large',
  /** A report about a single message. It holds personal data, so it is stored unmodified and never displayed. */
  'failure-report',
  /** A report from an unauthenticated sender, if such reports do not count. */
  'set-aside',
  /** Older than the retention period. */
  'expired',
  /** Stored but not read, because too many mails arrived. */
  'over-quota',
  /** Stored but not read, because every attempt to read it failed or was interrupted. */
  'not-read',
] as const;

export type MailOutcomeKind = (typeof mailOutcomeKinds)[number];

/** Outcomes after which a report is stored, so that reading it again improves nothing. */
export const storedKinds: ReadonlySet<MailOutcomeKind> = new Set([
  'accepted',
  'accepted-with-warnings',
  'duplicate',
]);

/** The outcome of one part of a mail. */
const mailOutcome = z.object({
  kind: z.enum(mailOutcomeKinds),
  /** Where it was found: file names from the outside in. */
  source: z.string(),
  /** Why it is not a report, or the deviations that were tolerated; for people. */
  reason: z.nullable(z.string()),
  /** The report; `kind` tells whether it is stored. Absent in mails stored before this field existed. */
  report: z.optional(z.nullable(reportReference)),
});

export type MailOutcome = Readonly<z.infer<typeof mailOutcome>>;

export const mailItem = z.object({
  messageId: z.string(),
  receivedAt: z.pipe(
    z.string(),
    z.transform((time) => new Date(time)),
  ),
  /** The object that holds the message. */
  rawKey: z.string(),
  /** SHA-256 of the message as it was received, in hexadecimal; absent if it was not read. */
  sha256: z.optional(z.string()),
  /** Local parts of the other mailboxes that received the same message; their domains need the object too. */
  alsoFor: z.readonly(z.array(z.string())),
  /** Null if the message was not authenticated, or is too large to be read. */
  authentication: z.nullable(messageAuthentication),
  /** The fields From and Subject; null if the mail has none, or was not read. */
  from: orNull(z.string()),
  subject: orNull(z.string()),
  outcomes: z.readonly(z.array(mailOutcome)),
});

export type ReportMail = Readonly<z.infer<typeof mailItem>>;

type MailReference = Pick<ReportMail, 'receivedAt' | 'messageId'>;

export type MailHead = Pick<ReportMail, 'from' | 'subject' | 'sha256'>;

/** Outcomes of mails that nobody may have read to the end. */
const unseen: readonly MailOutcomeKind[] = ['over-quota', 'not-read', 'too-large'];

/** Whether a mail is a report about a single message, or can be one because it was not read to the end. */
export const mayBeFailureReport = ({ outcomes }: Pick<ReportMail, 'outcomes'>): boolean =>
  outcomes.some(
    ({ kind, source }) =>
      kind === 'failure-report' || unseen.includes(kind) || (kind === 'unreadable' && source === 'mail'),
  );

/** How many mails a request for mails with an outcome searches at most. */
export const MAX_SEARCHED_MAILS = 10_000;
/** How many mails such a request reads together. */
const SEARCHED_TOGETHER = 200;

export interface MailQuery extends PageAfter {
  /** When the mails arrived. */
  readonly window: Window;
  readonly outcome?: MailOutcomeKind | undefined;
}

export type MailOutcomeStore = ReturnType<typeof mailOutcomeStore>;

export function mailOutcomeStore(table: Table, { retentionDays }: { retentionDays: number }) {
  return {
    /**
     * Stores the outcomes of a mail and replaces earlier ones, or with `when` only if there are none. Returns false if
     * the domain is gone.
     */
    async store(
      domain: DomainReference,
      mail: ReportMail,
      when: 'always' | 'unless-stored' = 'always',
    ): Promise<boolean> {
      const Put = { Item: itemOf(domain, mail), ...(when === 'always' ? {} : ABSENT) };
      return !(await table.tryTransact([isRegistered(domain), { Put }])).has(0);
    },

    /** Stores the outcomes of a mail in the transaction that stores its report. */
    alongsideReport: (domain: DomainReference, mail: ReportMail): TransactionPart => ({
      reads: [],
      writes: () => [{ Put: { Item: itemOf(domain, mail) } }],
    }),

    /** The read of a mail. */
    readOf,

    /**
     * A page of the mails that arrived in `window`, newest first; with `outcome`, of those that have it. Searches
     * MAX_SEARCHED_MAILS for them: then, a page after a mail has those that were found, and a page with a number is `too-many`.
     * The position of a mail is the time of its arrival and its ID.
     */
    async list(
      domainId: string,
      { window, outcome, ...page }: MailQuery,
      now: Date,
    ): Promise<({ readonly mails: readonly ReportMail[] } & Continuable) | 'too-many'> {
      const { pk, prefix } = reportMailsOf(domainId);
      const high = page.after === undefined ? (window.until ?? '~') : justBefore(page.after);
      const range = between(pk, `${prefix}${window.from ?? ''}`, `${prefix}${high}`);
      const { skip, end } = rowsOf(page);
      const positionOf = ({ receivedAt, messageId }: ReportMail) =>
        `${receivedAt.toISOString()}#${messageId}`;
      const together = outcome === undefined ? end + 1 : SEARCHED_TOGETHER;
      const found: ReportMail[] = [];
      let searched = 0;
      let last: ReportMail | undefined;
      for await (const mail of table.each({ ...range, ScanIndexForward: false }, mailItem, {
        together,
        aliveAt: now,
      })) {
        if (outcome !== undefined && searched++ === MAX_SEARCHED_MAILS) {
          if (page.after === undefined) return 'too-many';
          return { mails: found, hasMore: true, last: last && positionOf(last) };
        }
        last = mail;
        if (outcome === undefined || mail.outcomes.some(({ kind }) => kind === outcome)) found.push(mail);
        if (found.length > end) break;
      }
      const mails = found.slice(skip, end);
      const oldest = mails.at(-1);
      return { mails, hasMore: found.length > end, last: oldest && positionOf(oldest) };
    },

    /** A mail; undefined if it does not exist. */
    get(domain: DomainReference, mail: MailReference, now: Date): Promise<ReportMail | undefined> {
      const { key, schema } = readOf(domain, mail);
      return table.get(key, schema, { aliveAt: now });
    },

    /** All stored mails of a domain, oldest first. */
    all: (domainId: string): AsyncGenerator<ReportMail> =>
      table.each(startingWith(reportMailsOf(domainId)), mailItem),

    /** Removes a report that was stored as a conflict and that the message at `rawKey` no longer contains. */
    async withdrawConflict(
      domain: DomainReference,
      { kind, id, contentHash }: ReportReference,
      rawKey: string,
    ): Promise<void> {
      await table.delete(reportConflictKey(kind, domain.id, id, contentHash), having({ rawKey }));
    },
  };

  function readOf({ id }: DomainReference, { receivedAt, messageId }: MailReference): Read<ReportMail> {
    return { key: reportMailKey(id, receivedAt.toISOString(), messageId), schema: mailItem };
  }

  function itemOf({ id }: DomainReference, { receivedAt, subject: given, ...mail }: ReportMail): Item {
    const time = receivedAt.toISOString();
    // It can repeat the subject of somebody's mail.
    const subject = mail.outcomes.some(({ kind }) => kind === 'failure-report') ? null : given;
    const expiresAt = expiryOf(time.slice(0, 10), retentionDays);
    return { ...reportMailKey(id, time, mail.messageId), ...mail, subject, receivedAt: time, expiresAt };
  }
}
