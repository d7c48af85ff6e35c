import { missing } from '../../shared/api/common.ts';
import { showVerificationRecord } from '../../shared/api/domains.ts';
import { type Dns, whyFailed } from '../../shared/protocol/dns.ts';
import { dns } from '../../shared/runtime/dependencies/dns.ts';
import { clock, naming, table } from '../../shared/runtime/dependencies/services.ts';
import { endpoint } from '../../shared/runtime/http/endpoint.ts';
import { ServiceError } from '../../shared/runtime/http/errors.ts';
import { reply } from '../../shared/runtime/http/reply.ts';
import { notificationSettingsStore } from '../../shared/store/alerts/notification-settings.ts';
import { eventWrites } from '../../shared/store/alerts/pending.ts';
import { domainStore } from '../../shared/store/domains/domains.ts';
import { routes } from './routes.ts';
import { requireDomain, subjectOf } from './rules.ts';

export const handler = endpoint(
  routes.verifyDomain,
  () => ({
    domains: domainStore(table()),
    notifications: notificationSettingsStore(table()),
    naming: naming(),
    dns: dns(),
    clock,
  }),
  async ({ organization, path }, { domains, notifications, naming, dns, clock }) => {
    const domain = await requireDomain(domains, organization, path.id);
    const subjects = [subjectOf(domain)];
    if (domain.verified)
      return { ...reply({ verified: true, message: 'The domain is already verified.' }), subjects };
    const expected = showVerificationRecord(domain, naming);
    const message = await problemOf(expected, dns);
    if (message !== undefined) return { ...reply({ verified: false, message, expected }), subjects };
    const now = clock.now();
    const settings = await notifications.getSoon(organization);
    const event = eventWrites(domain, { type: 'domain.verified' }, settings, now);
    if ((await domains.markVerified(domain, now, event)) === undefined)
      throw new ServiceError('not_found', missing.domain);
    return { ...reply({ verified: true, message: 'The domain is verified.' }), subjects };
  },
);

/**
 * What is wrong with the published record; undefined if it is the expected one. Uses an uncached lookup, so that a record
 * that was just published is found.
 */
async function problemOf(
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
