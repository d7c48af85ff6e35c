/** Verifies that a domain belongs to its organization, by a TXT record. */

import type { Clock } from '../network/ports.ts';
import { type Dns, whyFailed } from '../protocol/dns.ts';
import type { NotificationSettingsStore } from '../store/alerts/notification-settings.ts';
import { eventWrites } from '../store/alerts/pending.ts';
import { domainClosing } from '../store/attention-changes.ts';
import type { Domain, DomainStore } from '../store/domains/domains.ts';
import type { OwnershipStore } from '../store/domains/ownership.ts';
import type { VerificationRecord } from '../store/domains/verification-record.ts';
import type { Write } from '../store/table.ts';

export interface VerificationDependencies {
  readonly domains: Pick<DomainStore, 'markVerified'>;
  readonly ownership: Pick<OwnershipStore, 'prove'>;
  readonly notifications: Pick<NotificationSettingsStore, 'getSoon'>;
  readonly dns: Dns;
  readonly clock: Clock;
}

/** `message` says what is the case. `gone`: the domain was removed meanwhile. */
export type Verification =
  | { readonly outcome: 'verified' | 'unverified'; readonly message: string }
  | { readonly outcome: 'gone' };

/** Marks a domain as verified if this record is published. A domain that is verified stays so, and is proven again. */
export async function verifyOwnership(
  domain: Domain,
  expected: VerificationRecord,
  { domains, ownership, notifications, dns, clock }: VerificationDependencies,
): Promise<Verification> {
  const proof = await findProof(expected, dns);
  if (proof.status !== 'found') {
    return domain.verified
      ? { outcome: 'verified', message: `The domain stays verified. ${proof.problem}` }
      : { outcome: 'unverified', message: proof.problem };
  }
  const now = clock.now();
  const message = 'The domain is verified.';
  if (domain.verified) {
    const closing = await closingOf(domain, notifications, now);
    return (await ownership.prove(domain, now, closing))
      ? { outcome: 'verified', message }
      : { outcome: 'gone' };
  }
  const settings = await notifications.getSoon(domain.organization);
  const event = eventWrites(domain, { type: 'domain.verified' }, settings, now);
  if ((await domains.markVerified(domain, now, event)) === undefined) return { outcome: 'gone' };
  return { outcome: 'verified', message };
}

/** The writes that close the attention item of a domain; undefined if its ownership was not unproven. */
export async function closingOf(
  domain: Domain,
  notifications: Pick<NotificationSettingsStore, 'getSoon'>,
  now: Date,
): Promise<readonly Write[] | undefined> {
  const missing = domain.ownership?.missing;
  if (!missing?.isUnproven) return undefined;
  const settings = await notifications.getSoon(domain.organization);
  return domainClosing(domain, 'ownership-unproven', { since: missing.since }, { settings, now });
}

/** Whether the record is published, and what is wrong if not. */
export type Proof =
  | { readonly status: 'found' }
  | { readonly status: 'missing' | 'unavailable'; readonly problem: string };

/** Looks for the record. Uses an uncached lookup, so that a record that was just published is found. */
export async function findProof({ hostname, value }: VerificationRecord, dns: Dns): Promise<Proof> {
  const answer = await dns.lookup(hostname, 'TXT', { fresh: true });
  switch (answer.status) {
    case 'unavailable': {
      const problem = `The DNS lookup of the TXT record failed (${whyFailed(answer)}). Try again in a minute.`;
      return { status: 'unavailable', problem };
    }
    case 'absent':
      return {
        status: 'missing',
        problem:
          'The TXT record was not found. Publish the expected record and try again. New DNS records can take some time to become visible.',
      };
    case 'found':
      return answer.records.some((record) => record.trim() === value)
        ? { status: 'found' }
        : { status: 'missing', problem: 'The TXT record does not have the expected value.' };
  }
}
