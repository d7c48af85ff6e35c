/** Alerts about DMARC reports that stopped: of one reporter, or of all. */

import * as z from 'zod/mini';
import { domainOf } from '../protocol/mail-address.ts';
import { dayInWords } from '../protocol/time.ts';
import { daysBefore } from '../reports/day.ts';
import type { ReportAlertDraft } from './alert.ts';

/** Reports that stopped. */
export const silence = z.object({
  /** The organizational domain of the mail that its reports came with; null: the reports of all reporters stopped. */
  reporter: z.nullable(z.string()),
  /** The last day that a report is about. */
  lastDay: z.string(),
  /** The number of days with reports among the 30 days up to that day. */
  reportDays: z.number(),
});

export type Silence = Readonly<z.infer<typeof silence>>;

/** Where a domain asks for reports. */
export const askedMailbox = z.object({
  mailbox: z.string(),
  /** Whether the latest check found the mailbox in the rua tag; null if that is unknown. */
  isNamed: z.nullable(z.boolean()),
  /** The name of the record that authorizes the reports; null if the mailbox is in the same organization. */
  authorizedAt: z.nullable(z.string()),
});

export type AskedMailbox = Readonly<z.infer<typeof askedMailbox>>;

/** An alert, and the first day without reports, which counts towards its quota. */
interface SilenceAlert {
  readonly draft: ReportAlertDraft;
  readonly since: string;
}

/** One alert for each silence. The dedupe key contains the last day, so that each silence raises it once. */
export const alertsOfSilences = (
  domain: string,
  silences: readonly Silence[],
  asked: AskedMailbox,
): readonly SilenceAlert[] =>
  silences.map((silence) => ({
    draft: draftOf(domain, silence, asked),
    since: daysBefore(silence.lastDay, -1),
  }));

function draftOf(domain: string, silence: Silence, asked: AskedMailbox): ReportAlertDraft {
  const { reporter, lastDay, reportDays } = silence;
  const subject = reporter === null ? 'DMARC reports' : `DMARC reports of ${reporter}`;
  return {
    type: 'report_failure',
    severity: 'warning',
    title: `${subject} stopped: ${domain}`,
    message: `${silenceOf(silence)} ${whereToLook(asked)}`,
    metadata: { about: 'stopped-reports', stoppedReporter: reporter, lastDay, reportDays },
    dedupeKey: `report_failure#reports-stopped#${reporter ?? ''}#${lastDay}`,
  };
}

/** A silence, in sentences. */
export function silenceOf({ reporter, lastDay, reportDays }: Silence): string {
  const days = `Reports covered ${reportDays} of the 30 days up to that day`;
  return reporter === null
    ? `No authenticated DMARC report about a day after ${dayInWords(lastDay)} has come. ${days}. If you sent mail since that day, reports are lost.`
    : `No authenticated DMARC report of ${reporter} about a day after ${dayInWords(lastDay)} has come, although other reporters still send. ${days}. If you sent mail to ${reporter} since that day, its reports are lost, or it stopped sending them.`;
}

/** What can keep reports away, in the order in which to look. */
export function whereToLook({ mailbox, isNamed, authorizedAt }: AskedMailbox): string {
  const host = domainOf(mailbox);
  const named =
    isNamed === null
      ? 'which the latest check could not find out'
      : `which the latest check ${isNamed ? 'found' : 'did not find'}`;
  const steps = [
    `that the rua tag of the DMARC record contains mailto:${mailbox}, ${named}`,
    ...(authorizedAt === null
      ? []
      : [
          `that the TXT record "v=DMARC1" exists at ${authorizedAt} (RFC 9990 section 4, RFC 7489 section 7.1)`,
        ]),
    `that ${host} has an MX record that leads to this service, and that mail to ${mailbox} arrives`,
    'that the list of report mails shows no reports that were rejected or not authenticated',
  ];
  return `Check, in this order: ${steps.map((step, at) => `(${at + 1}) ${step}`).join('; ')}.`;
}
