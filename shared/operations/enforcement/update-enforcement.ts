import { domainPath } from '../../api/common.ts';
import { attestationsBody } from '../../api/enforcement.ts';
import { assessEnforcement } from '../../enforcement/assess.ts';
import type { ReadinessDependencies, SimulationDependencies } from '../../enforcement/dependencies.ts';
import type { Enforcement } from '../../enforcement/shapes.ts';
import { untilUncontended } from '../../store/contention.ts';
import { publishedReportAddress } from '../../store/domains/report-address.ts';
import type { Attestations } from '../../store/enforcement/decisions.ts';
import { changesBetween } from '../changes.ts';
import { type DomainDependencies, noSuchDomain, onDomain, subjectOf } from '../domains/on-domain.ts';
import { type CallerOf, type InputOf, idOf, type Operation, type OutcomeOf } from '../operation.ts';
import { Refused } from '../outcome.ts';
import { versionAt } from '../version.ts';
import { type AssessAgainDependencies, assessAgain } from './assess-again.ts';

export const operation = {
  name: 'updateEnforcement',
  summary: 'Attest what reports cannot show, or take it back',
  scope: 'write',
  on: domainPath,
  input: attestationsBody,
  refusals: ['invalid_request', 'not_found', 'precondition_failed'],
  uses: ['organizations:read', 'domain-data:write', 'queue:summaries', 'dns'],
} as const satisfies Operation;

export interface AssessDependencies
  extends DomainDependencies,
    ReadinessDependencies,
    SimulationDependencies {
  readonly reportsDomain: string;
}

export const updateEnforcement = (
  caller: CallerOf<typeof operation>,
  { id, attested }: InputOf<typeof operation>,
  { domains, reportsDomain, ...deps }: AssessDependencies & AssessAgainDependencies,
): Promise<OutcomeOf<typeof operation, Enforcement>> =>
  onDomain(caller, id, { domains }, async (domain) => {
    const attestation = { at: deps.clock.now().toISOString(), by: idOf(caller) };
    const changes = Object.fromEntries(
      Object.entries(attested).map(([name, value]) => [name, value ? attestation : null]),
    );
    // The write succeeds only if nobody else attested since the attestations were read; otherwise read them again.
    let were: Attestations | undefined;
    const refused = await untilUncontended(async () => {
      const before = await deps.decisions.attestations(id);
      were = before;
      if (!caller.isCurrent(versionOf(before))) return new Refused('precondition_failed');
      const written = await deps.decisions.attest(domain, changes, before);
      if (written === 'domain-gone') return noSuchDomain();
      return written === 'changed' ? null : undefined;
    });
    if (refused !== null) return refused;
    await assessAgain(domain, deps);
    const mailbox = publishedReportAddress(domain, reportsDomain);
    const value = await assessEnforcement({ ...domain, mailbox }, deps);
    return {
      value,
      version: versionOf(value.attested),
      subjects: [{ ...subjectOf(domain), changes: changesOf(were, attested) }],
    };
  });

/** What was attested before, and what is after. */
const changesOf = (before: Attestations | undefined, attested: InputOf<typeof operation>['attested']) =>
  changesBetween(
    Object.fromEntries(Object.keys(attested).map((name) => [name, isAttested(before, name)])),
    attested,
  );

const isAttested = (before: Attestations | undefined, name: string): boolean =>
  Boolean(Object.entries(before ?? {}).find(([one]) => one === name)?.[1]);

/** The version of what can be changed about the enforcement of a domain: what its owner attested. */
export const versionOf = ({ volume, seasonalSenders, forwardingLoss }: Attestations): string =>
  [volume, seasonalSenders, forwardingLoss].map((one) => versionAt(one?.at ?? null)).join('-');
