/** Verifies that a domain belongs to its organization, by a TXT record. */

import type { Clock } from '../network/ports.ts';
import { type Dns, whyFailed } from '../protocol/dns.ts';
import type { NotificationSettingsStore } from '../store/alerts/notification-settings.ts';
import { eventWrites } from '../store/alerts/pending.ts';
import type { Domain, DomainStore } from '../store/domains/domains.ts';

export interface VerificationDependencies {
  readonly domains: Pick<DomainStore, 'markVerified'>;
  readonly notifications: Pick<NotificationSettingsStore, 'getSoon'>;
  readonly dns: Dns;
  readonly clock: Clock;
}

/** `message` says what is the case. `gone`: the domain was removed meanwhile. */
export type Verification =
  | { readonly outcome: 'verified' | 'unverified'; readonly message: string }
  | { readonly outcome: 'gone' };

/** Marks a domain as verified if this record is published. */
export async function verifyOwnership(
  domain: Domain,
  expected: { readonly hostname: string; readonly value: string },
  { domains, notifications, dns, clock }: VerificationDependencies,
): Promise<Verification> {
  if (domain.verified) return { outcome: 'verified', message: 'The domain is already verified.' };
  const message = await ownershipProblem(expected, dns);
  if (message !== undefined) return { outcome: 'unverified', message };
  const now = clock.now();
  const settings = await notifications.getSoon(domain.organization);
  const event = eventWrites(domain, { type: 'domain.verified' }, settings, now);
  if ((await domains.markVerified(domain, now, event)) === undefined) return { outcome: 'gone' };
  return { outcome: 'verified', message: 'The domain is verified.' };
}

/**
 * What is wrong with the published record; undefined if it is the expected one. Uses an uncached lookup, so that a record
 * that was just published is found.
 */
export async function ownershipProblem(
  expected: { hostname: string; value: string },
  dns: Dns,
): Promise<string | undefined> {
  const answer = await dns.lookup(expected.hostname, 'TXT', { fresh: true });
  switch (answer.status) {
    case 'unavailable':
      return `The DNS lookup of the TXT record failed (${whyFailed(answer)}). Try again in a minute.`;
    case 'absent':
      return 'The TXT record was not found. Publish the expected record and try again. New DNS records can take some time to become visible.';
    case 'found':
      return answer.records.some((record) => record.trim() === expected.value)
        ? undefined
        : 'The TXT record does not have the expected value.';
  }
}
