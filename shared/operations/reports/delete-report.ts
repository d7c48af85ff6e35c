import { missing } from '../../api/common.ts';
import { windowOf } from '../../api/report-queries.ts';
import type { Clock } from '../../network/ports.ts';
import type { RollUpMessage } from '../../store/reports/days.ts';
import type { DmarcReportStore } from '../../store/reports/dmarc-reports.ts';
import type { TlsReportStore } from '../../store/reports/tls-reports.ts';
import { type DomainDependencies, onDomain } from '../domains/on-domain.ts';
import type { CallerOf, InputOf, MessageSender, OutcomeOf } from '../operation.ts';
import { Refused } from '../outcome.ts';
import type { operation } from './delete-dmarc-report.ts';
import { searched } from './searched.ts';

interface DeleteReportDependencies extends DomainDependencies {
  readonly reports: Pick<DmarcReportStore | TlsReportStore, 'remove'>;
  readonly rollUps: MessageSender<RollUpMessage>;
  readonly clock: Clock;
}

/** Deletes a report of either kind, and has its day rolled up again. */
export const deleteReport = (
  caller: CallerOf<typeof operation>,
  { id, reportId, ...window }: InputOf<typeof operation>,
  { domains, reports, rollUps, clock }: DeleteReportDependencies,
): Promise<OutcomeOf<typeof operation, { readonly deleted: true }>> =>
  onDomain(caller, id, { domains }, async ({ organization, domain }) => {
    const reference = { id, organization, domain };
    const wanted = { id: reportId, window: windowOf(window) };
    const removed = searched(await reports.remove(reference, wanted, clock.now()));
    if (removed instanceof Refused) return removed;
    const { isRemoved, rollUp } = removed;
    if (!isRemoved) return new Refused('not_found', missing.report);
    if (rollUp !== null) await rollUps.send({ domain: reference, ...rollUp });
    return { value: { deleted: true }, subjects: [{ id: reportId, name: domain }] };
  });
