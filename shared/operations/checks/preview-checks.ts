import { domainPath } from '../../api/common.ts';
import { previewBody } from '../../api/fixes.ts';
import { PREVIEW_LIMITS } from '../../checks/limit-network.ts';
import { previewChecks as inspectBoth, type Preview } from '../../checks/preview/preview.ts';
import { type ReadSets, readChanges, readZone } from '../../checks/preview/proposal.ts';
import { loadBefore } from '../../monitoring/run-checks.ts';
import type { Domain } from '../../store/domains/domains.ts';
import { publishedReportAddress } from '../../store/domains/report-address.ts';
import { type DomainDependencies, onDomain } from '../domains/on-domain.ts';
import type { CallerOf, InputOf, Operation, OutcomeOf } from '../operation.ts';
import { invalid, Refused } from '../outcome.ts';
import { type CountDependencies, countCheckRun } from './count-check-run.ts';

export const operation = {
  name: 'previewChecks',
  summary: 'Run all checks of a domain as if proposed DNS records were published',
  scope: 'read',
  on: domainPath,
  input: previewBody,
  refusals: ['invalid_request', 'not_found', 'rate_limited'],
  uses: [
    'organizations:read',
    'domain-data:read',
    'tested-selectors:read',
    'published-keys:list',
    'rate-limits:write',
    'dns',
    'probes',
  ],
} as const satisfies Operation;

export interface PreviewDependencies extends CountDependencies, DomainDependencies {
  readonly stores: Parameters<typeof loadBefore>[1];
  readonly reportsDomain: string;
}

export interface Previewed extends Omit<Extract<Preview, { ok: true }>, 'ok'> {
  readonly domain: Domain;
  readonly checkedAt: string;
}

/** Runs all checks of a domain as it is and with the proposed records, and stores nothing. */
export const previewChecks = (
  caller: CallerOf<typeof operation>,
  { id, zone, changes = [] }: InputOf<typeof operation>,
  { domains, ...deps }: PreviewDependencies,
): Promise<OutcomeOf<typeof operation, Previewed>> =>
  onDomain(caller, id, { domains }, (domain) =>
    previewDomain(
      domain,
      () => (zone === undefined ? readChanges(changes, domain.domain) : readZone(zone, domain.domain)),
      deps,
    ),
  );

/** A key that reports of that many days saw in use is missed, if a change removes it. */
const USED_DAYS = 30;

/** The same with the record sets that `read` returns. It counts as a check run before anything of the proposal is read. */
export async function previewDomain(
  domain: Domain,
  read: () => ReadSets,
  { stores, reportsDomain, ...checking }: Omit<PreviewDependencies, 'domains'>,
): Promise<OutcomeOf<typeof operation, Previewed>> {
  const now = checking.clock.now();
  const checkContext = await countCheckRun(domain, checking, now, PREVIEW_LIMITS);
  if (checkContext instanceof Refused) return checkContext;
  const proposal = read();
  if (!proposal.ok) return invalidProposal(proposal.problems);
  const { before: earlier, knownSelectors, dkimHistory } = await loadBefore(domain, stores, now);
  const reportMailbox = publishedReportAddress(domain, reportsDomain);
  const preview = await inspectBoth(
    {
      ...domain,
      knownSelectors,
      reportMailbox,
      servedChains: earlier?.chains,
      dkimHistory: { ...dkimHistory, usedDays: USED_DAYS },
    },
    proposal.sets,
    checkContext,
  );
  if (!preview.ok)
    return invalidProposal(
      preview.conflicts.map((name) => `${name} would have a CNAME record beside other data`),
    );
  const { before, after } = preview;
  return { value: { domain, checkedAt: now.toISOString(), before, after } };
}

function invalidProposal([first = '', ...others]: readonly string[]): Refused<'invalid_request'> {
  const problem = (message: string) => ({ path: '', message });
  return invalid(problem(first), ...others.map(problem));
}
