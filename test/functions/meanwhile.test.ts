/** Endpoints of the API when something else changes what they are about while they work, and what they leave to jobs. */
import { beforeEach, describe, expect, test } from '@jest/globals';
import { handler as updateDomain } from '../../functions/domains/update.ts';
import { handler as verifyDomain } from '../../functions/domains/verify.ts';
import { handler as attest } from '../../functions/enforcement/attest.ts';
import { handler as deleteDmarc } from '../../functions/reports/delete-dmarc.ts';
import { assessDependencies } from '../../shared/runtime/dependencies/enforcement.ts';
import type { EndpointHandler } from '../../shared/runtime/http/endpoint.ts';
import { notificationSettingsStore } from '../../shared/store/alerts/notification-settings.ts';
import { type Domain, type DomainStore, domainStore } from '../../shared/store/domains/domains.ts';
import { ownershipStore } from '../../shared/store/domains/ownership.ts';
import { verificationRecordOf } from '../../shared/store/domains/verification-record.ts';
import { decisionStore } from '../../shared/store/enforcement/decisions.ts';
import { organizationStore } from '../../shared/store/organizations.ts';
import { dmarcReportStore } from '../../shared/store/reports/dmarc-reports.ts';
import { consoleTable, type Sent, send } from '../kit/console.ts';
import { dmarcReport, registeredDomain, row, storeDmarc } from '../kit/reports.ts';
import { use } from '../kit/use.ts';
import { zone } from '../kit/zone.ts';

const now = new Date();
const clock = { now: () => now };
const naming = { hostUrl: 'https://m.example', serviceLabel: 'svc', reportsDomain: 'reports.example' };

let domain: Domain;
let token: string;
const table = await use(consoleTable());
beforeEach(async () => {
  domain = await registeredDomain(table);
  const given = { name: 'me', label: 'svc', scope: 'admin' } as const;
  token = (await organizationStore(table).createToken(domain.organization, given, now)).token;
});

/** Sends a request about the domain. */
async function request<Dependencies>(handler: EndpointHandler<Dependencies>, sent: Sent = {}) {
  const headers = { authorization: `Bearer ${token}` };
  const { statusCode, body = '' } = await send(handler, { id: domain.id, headers, ...sent });
  return { status: statusCode, ...JSON.parse(body) };
}

/** The domains of the table. Once the domain was read, something happens before what follows. */
function domainsBefore(happens: (read: Domain) => Promise<unknown>): DomainStore {
  const domains = domainStore(table);
  let reads = 0;
  return {
    ...domains,
    async get(organization, id) {
      const found = await domains.get(organization, id);
      reads += 1;
      if (found !== undefined && reads === 1) await happens(found);
      return found;
    },
  };
}

const removal = (read: Domain) => domainStore(table).remove(read, now);

describe('a domain that is removed meanwhile', () => {
  test.each([false, true])('is not found by its verification (verified before: %s)', async (isVerified) => {
    if (isVerified) await domainStore(table).markVerified(domain, now);
    const { hostname, value } = verificationRecordOf(domain, naming);
    const deps = {
      ...{ naming, clock, dns: zone({ [hostname]: { TXT: [value] } }) },
      notifications: notificationSettingsStore(table),
      ownership: ownershipStore(table),
    };
    const verify = (domains: DomainStore) => request(verifyDomain.with({ ...deps, domains }));
    expect(await verify(domainsBefore(removal))).toMatchObject({ status: 404, error: { code: 'not_found' } });
    expect(await domainStore(table).get(domain.organization, domain.id)).toBeUndefined();
  });

  test('is not found by a change of it', async () => {
    const deps = { naming, clock, domains: domainsBefore(removal) };
    const answer = await request(updateDomain.with(deps), { json: { dkimSelectors: ['s1'] } });
    expect(answer).toMatchObject({ status: 404, error: { code: 'not_found' } });
    expect(await domainStore(table).get(domain.organization, domain.id)).toBeUndefined();
  });

  test('is not found by an attestation about it', async () => {
    const read: Partial<Parameters<typeof attest.with>[0]> = {
      domains: domainsBefore(removal),
      // The attestation ends before anything else is read.
      ...{ decisions: decisionStore(table), clock, reportsDomain: naming.reportsDomain },
    };
    const deps = read as Parameters<typeof attest.with>[0];
    const answer = await request(attest.with(deps), { json: { attested: { volume: true } } });
    expect(answer).toMatchObject({ status: 404, error: { code: 'not_found' } });
  });
});

test('an attestation is added to one that is made meanwhile', async () => {
  const decisions = decisionStore(table);
  let reads = 0;
  const deps = {
    ...assessDependencies(),
    rollUps: { send: async () => {} },
    decisions: {
      ...decisions,
      async attestations(id: string) {
        const found = await decisions.attestations(id);
        reads += 1;
        if (reads === 1)
          await decisions.attest(domain, { volume: { at: now.toISOString(), by: null } }, found);
        return found;
      },
    },
  };
  const made = attest.with(deps as unknown as Parameters<typeof attest.with>[0]);
  const answer = await request(made, { json: { attested: { forwardingLoss: true } } });
  expect(answer).toMatchObject({ status: 200, data: { attested: { volume: {}, forwardingLoss: {} } } });
});

test('a change of a domain keeps another change that was made meanwhile', async () => {
  const change = { usageType: 'parked', testEmailLocalPart: null, hasBadge: false } as const;
  const domains = domainsBefore((read) =>
    domainStore(table).change(read, { ...change, dkimSelectors: ['other'], tags: undefined }, now),
  );
  const answer = await request(updateDomain.with({ naming, clock, domains }), { json: { tags: ['mine'] } });
  expect(answer).toMatchObject({ status: 200, data: { dkimSelectors: ['other'], tags: ['mine'] } });
});

test('deleting a DMARC report has the summaries of its day made again', async () => {
  const reports = dmarcReportStore(table, { retentionDays: 0 });
  const { id } = await storeDmarc(reports, domain, dmarcReport('2026-02-20', [row()]), now);
  const messages: object[] = [];
  const deps = {
    ...{ domains: domainStore(table), reports, clock },
    rollUps: { send: async (message: object) => void messages.push(message) },
  };
  const remove = () =>
    request(deleteDmarc.with(deps as Parameters<typeof deleteDmarc.with>[0]), { params: { reportId: id } });
  expect(await remove()).toMatchObject({ status: 200, data: { deleted: true } });
  const about = { id: domain.id, organization: domain.organization, domain: domain.domain };
  expect(messages).toEqual([{ domain: about, kind: 'DMARC', day: '2026-02-20', earlier: false }]);
  expect(await remove()).toMatchObject({ status: 404, error: { code: 'not_found' } });
  expect(messages).toHaveLength(1);
});
