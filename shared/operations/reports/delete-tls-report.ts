import { missing } from '../../api/common.ts';
import { deleteReportQuery, reportPath, windowOf } from '../../api/report-queries.ts';
import type { Clock } from '../../network/ports.ts';
import type { TlsReportStore } from '../../store/reports/tls-reports.ts';
import { type DomainDependencies, onDomain } from '../domains/on-domain.ts';
import type { CallerOf, InputOf, Operation, OutcomeOf } from '../operation.ts';
import { Refused } from '../outcome.ts';
import { searched } from './searched.ts';

export const operation = {
  name: 'deleteTlsReport',
  summary:
    'Delete a TLS report with its share of every sum; a mail with the same report does not bring it back',
  scope: 'write',
  on: reportPath,
  input: deleteReportQuery,
  refusals: ['invalid_request', 'not_found', 'payload_too_large'],
  uses: ['organizations:read', 'domain-data:write'],
} as const satisfies Operation;

interface DeleteTlsDependencies extends DomainDependencies {
  readonly reports: Pick<TlsReportStore, 'remove'>;
  readonly clock: Clock;
}

export const deleteTlsReport = (
  caller: CallerOf<typeof operation>,
  { id, reportId, ...window }: InputOf<typeof operation>,
  { domains, reports, clock }: DeleteTlsDependencies,
): Promise<OutcomeOf<typeof operation, { readonly deleted: true }>> =>
  onDomain(caller, id, { domains }, async (domain) => {
    const wanted = { id: reportId, window: windowOf(window) };
    const removed = searched(await reports.remove(domain, wanted, clock.now()));
    if (removed instanceof Refused) return removed;
    if (!removed.isRemoved) return new Refused('not_found', missing.report);
    return { value: { deleted: true }, subjects: [{ id: reportId, name: domain.domain }] };
  });
