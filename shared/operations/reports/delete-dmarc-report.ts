import { missing } from '../../api/common.ts';
import { deleteReportQuery, reportPath, windowOf } from '../../api/report-queries.ts';
import type { Clock } from '../../network/ports.ts';
import type { RollUpMessage } from '../../store/reports/day-sums.ts';
import type { DmarcReportStore } from '../../store/reports/dmarc-reports.ts';
import { type DomainDependencies, onDomain } from '../domains/on-domain.ts';
import type { CallerOf, InputOf, MessageSender, Operation, OutcomeOf } from '../operation.ts';
import { Refused } from '../outcome.ts';
import { searched } from './searched.ts';

export const operation = {
  name: 'deleteDmarcReport',
  summary:
    'Delete a DMARC report with its share of every sum; a mail with the same report does not bring it back',
  scope: 'write',
  on: reportPath,
  input: deleteReportQuery,
  refusals: ['invalid_request', 'not_found', 'payload_too_large'],
  uses: ['organizations:read', 'domain-data:write', 'queue:summaries'],
} as const satisfies Operation;

interface DeleteDmarcDependencies extends DomainDependencies {
  readonly reports: Pick<DmarcReportStore, 'remove'>;
  readonly rollUps: MessageSender<RollUpMessage>;
  readonly clock: Clock;
}

export const deleteDmarcReport = (
  caller: CallerOf<typeof operation>,
  { id, reportId, ...window }: InputOf<typeof operation>,
  { domains, reports, rollUps, clock }: DeleteDmarcDependencies,
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
