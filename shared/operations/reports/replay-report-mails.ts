import * as z from 'zod/mini';
import { domainPath } from '../../api/common.ts';
import { replayReportMail } from '../../ingest/ingest-mail.ts';
import { oneOf } from '../../protocol/schema.ts';
import {
  type MailOutcome,
  type MailOutcomeKind,
  mailOutcomeKinds,
  type ReportMail,
  storedKinds,
} from '../../store/reports/mail-outcomes.ts';
import { noSuchDomain, onDomain, subjectOf } from '../domains/on-domain.ts';
import type { CallerOf, InputOf, Operation, OutcomeOf } from '../operation.ts';
import type { ReplayDependencies } from './replay-report-mail.ts';

const EVERY_OUTCOME = 'all';
const selections = [...mailOutcomeKinds, EVERY_OUTCOME] as const;

export const operation = {
  name: 'replayReportMails',
  summary: 'Read stored report mails again; reports that their owner deleted stay away',
  scope: 'operator',
  on: domainPath,
  input: z.object({
    /** Mails with this outcome; by default, mails with anything that did not become a report. */
    outcome: z.optional(oneOf(selections)),
  }),
  refusals: ['invalid_request', 'not_found'],
  uses: [],
} as const satisfies Operation;

/** What became of a mail; undefined if its message is no longer stored. */
interface ReplayedMail {
  readonly mail: ReportMail;
  readonly outcomes: readonly MailOutcome[] | undefined;
}

interface ReplayAllDependencies extends ReplayDependencies {
  /** Called before each mail, with how many were read. */
  readonly onProgress: (done: number, total: number) => void;
}

/** To continue after an interruption, do the same again. */
export const replayReportMails = (
  caller: CallerOf<typeof operation>,
  { id, outcome: wanted }: InputOf<typeof operation>,
  { domains, stores, raw, dns, clock, unauthenticated, onProgress }: ReplayAllDependencies,
): Promise<OutcomeOf<typeof operation, readonly ReplayedMail[]>> =>
  onDomain(caller, id, { domains }, async (domain) => {
    const mails: ReportMail[] = [];
    for await (const mail of stores.outcomes.all(id))
      if (mail.outcomes.some(({ kind }) => isWanted(kind, wanted))) mails.push(mail);
    const replayed: ReplayedMail[] = [];
    for (const [at, mail] of mails.entries()) {
      onProgress(at, mails.length);
      const now = clock.now();
      const outcomes = await replayReportMail(
        mail,
        { raw, dns },
        { domain, unauthenticated },
        { stores, now },
      );
      if (outcomes === 'domain-gone') return noSuchDomain();
      replayed.push({ mail, outcomes: outcomes === 'message-gone' ? undefined : outcomes });
    }
    return { value: replayed, subjects: [subjectOf(domain)] };
  });

const isWanted = (kind: MailOutcomeKind, wanted: (typeof selections)[number] | undefined): boolean =>
  wanted === undefined ? !storedKinds.has(kind) : wanted === EVERY_OUTCOME || wanted === kind;
