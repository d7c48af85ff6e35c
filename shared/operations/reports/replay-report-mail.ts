import { missing } from '../../api/common.ts';
import { mailKeyOf, mailPath } from '../../api/report-mails.ts';
import { replayReportMail as replay } from '../../ingest/ingest-mail.ts';
import type { IngestContext } from '../../ingest/ingest-reports.ts';
import type { Clock } from '../../network/ports.ts';
import type { ReportMail } from '../../store/reports/mail-outcomes.ts';
import { type DomainDependencies, noSuchDomain, onDomain } from '../domains/on-domain.ts';
import type { CallerOf, InputOf, Operation, OutcomeOf } from '../operation.ts';
import { Refused } from '../outcome.ts';

export const operation = {
  name: 'replayReportMail',
  summary:
    'Read a mail again; its new outcomes replace the earlier ones, and its deleted reports are restored',
  scope: 'write',
  on: mailPath,
  refusals: ['not_found'],
  uses: ['organizations:read', 'domain-data:write', 'report-mail:read', 'queue:summaries', 'dns'],
} as const satisfies Operation;

type ReplayParameters = Parameters<typeof replay>;

export interface ReplayDependencies extends DomainDependencies, Pick<IngestContext, 'unauthenticated'> {
  readonly stores: ReplayParameters[3]['stores'];
  readonly raw: ReplayParameters[1]['raw'];
  readonly dns: ReplayParameters[1]['dns'];
  readonly clock: Clock;
}

export const replayReportMail = (
  caller: CallerOf<typeof operation>,
  { id, mailId }: InputOf<typeof operation>,
  { domains, stores, raw, dns, clock, unauthenticated }: ReplayDependencies,
): Promise<OutcomeOf<typeof operation, ReportMail>> =>
  onDomain(caller, id, { domains }, async ({ organization, domain }) => {
    const reference = { id, organization, domain };
    const now = clock.now();
    const stored = () => stores.outcomes.get(reference, mailKeyOf(mailId), now);
    const mail = await stored();
    if (mail === undefined) return new Refused('not_found', missing.mail);
    // A client that asks for a mail to be read again wants its reports, also those that were deleted.
    const context = { domain: reference, unauthenticated, restoresDeleted: true };
    const replayed = await replay(mail, { raw, dns }, context, { stores, now });
    if (replayed === 'message-gone') return new Refused('not_found', missing.message);
    if (replayed === 'domain-gone') return noSuchDomain();
    const value = await stored();
    if (value === undefined) return new Refused('not_found', missing.mail);
    return { value, subjects: [{ id: mailId, name: domain }] };
  });
