import { domainPath } from '../../api/common.ts';
import { updateDomainBody } from '../../api/domains.ts';
import type { Clock } from '../../network/ports.ts';
import { isLookupName } from '../../protocol/domain-name.ts';
import { untilUncontended } from '../../store/contention.ts';
import type { Domain, DomainStore } from '../../store/domains/domains.ts';
import { changesBetween } from '../changes.ts';
import type { CallerOf, InputOf, Operation, OutcomeOf } from '../operation.ts';
import { invalid, Refused } from '../outcome.ts';
import { onDomain, subjectOf, versionOf } from './on-domain.ts';
import { changeTestMailbox } from './test-mailbox.ts';

export const operation = {
  name: 'updateDomain',
  summary: 'Update the usage type, the test mailbox, the DKIM selectors, the tags, or the badge of a domain',
  scope: 'write',
  on: domainPath,
  input: updateDomainBody,
  refusals: ['invalid_request', 'not_found', 'precondition_failed'],
  uses: ['organizations:write', 'badges:write', 'directory:write'],
} as const satisfies Operation;

interface UpdateDependencies {
  readonly domains: Pick<DomainStore, 'get' | 'change'>;
  readonly clock: Clock;
}

export function updateDomain(
  caller: CallerOf<typeof operation>,
  { id, badge, ...change }: InputOf<typeof operation>,
  { domains, clock }: UpdateDependencies,
): Promise<OutcomeOf<typeof operation, Domain>> {
  // The write succeeds only if the domain did not change since it was read; otherwise read it and decide again.
  return untilUncontended(() =>
    onDomain(
      caller,
      id,
      { domains },
      async (before): Promise<OutcomeOf<typeof operation, Domain> | undefined> => {
        if (!caller.isCurrent(versionOf(before))) return new Refused('precondition_failed');
        const testEmailLocalPart = changeTestMailbox(before, change);
        if (testEmailLocalPart instanceof Refused) return testEmailLocalPart;
        const dkimSelectors = settleSelectors(before, change.dkimSelectors);
        if (dkimSelectors instanceof Refused) return dkimSelectors;
        const hasBadge = settleBadge(before, badge);
        if (hasBadge instanceof Refused) return hasBadge;
        const changed = { ...change, testEmailLocalPart, dkimSelectors, hasBadge };
        const updated = await domains.change(before, changed, clock.now());
        return (
          updated && {
            value: updated,
            version: versionOf(updated),
            subjects: [{ ...subjectOf(updated), changes: changesBetween(shownOf(before), shownOf(updated)) }],
          }
        );
      },
    ),
  );
}

/** What can be changed. The address of a badge is only in what shows it. */
const shownOf = ({ usageType, testEmailLocalPart, dkimSelectors, tags, badgeToken }: Domain) => ({
  ...{ usageType, testEmailLocalPart, dkimSelectors, tags, badge: badgeToken !== undefined },
});

/** The DKIM selectors of the domain after the change, each once; refused if one is too long for a key record of this domain. */
function settleSelectors(
  { domain, dkimSelectors }: Domain,
  wanted: readonly string[] = dkimSelectors,
): string[] | Refused<'invalid_request'> {
  const long = wanted.findIndex((selector) => !isLookupName(`${selector}._domainkey.${domain}`));
  if (long >= 0) return invalid({ path: `dkimSelectors.${long}`, message: 'is too long for this domain' });
  return [...new Set(wanted)];
}

/** Whether the domain has a badge after the change. Only a verified owner can make the score public. */
function settleBadge(
  { badgeToken, verified }: Domain,
  wanted = badgeToken !== undefined,
): boolean | Refused<'invalid_request'> {
  if (wanted && !verified)
    return invalid({ path: 'badge', message: 'can be true only for a verified domain' });
  return wanted;
}
