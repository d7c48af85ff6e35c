import { hash } from 'node:crypto';
import { describe, expect, test } from '@jest/globals';
import * as z from 'zod/mini';
import { missing } from '../../shared/api/common.ts';
import { readKeySet, type Verified, verifyEvidence } from '../../shared/evidence/verify.ts';
import { octets } from '../../shared/store/item-schema.ts';
import { domainPartition } from '../../shared/store/keys.ts';
import { startingWith } from '../../shared/store/query.ts';
import { dmarcMail } from '../kit/report-mails.ts';
import { serviceTable } from '../kit/service-table.ts';
import { sendMail } from '../kit/smtp-client.ts';
import { until } from '../kit/until.ts';
import { useApi } from '../kit/use-service.ts';

const { service, api } = await useApi({
  REPORTS_DOMAIN: 'reports.localhost',
  TESTER_DOMAIN: 'tester.localhost',
});
const { body } = await api.call('POST', '/api/v1/domains', {
  json: { domain: 'good.test', testEmailLocalPart: 'postmaster' },
});
const id: string = body.data.id;

const headers = () => ({ authorization: `Bearer ${service.token}` });
const file = async (query = '') =>
  (await fetch(`${service.url}/api/v1/domains/${id}/evidence${query}`, { headers: headers() })).text();
const keySet = async () => (await fetch(`${service.url}/.well-known/jwks.json`)).text();

async function verified(evidence: string): Promise<Verified> {
  const made = await verifyEvidence(evidence, readKeySet(await keySet()) ?? []);
  if (!made.ok) throw new Error(made.problem);
  return made;
}

/** The evidence of a domain, in octets. */
async function storedSizes(domainId: string): Promise<readonly number[]> {
  const table = await serviceTable(service);
  const range = startingWith({ pk: domainPartition(domainId), prefix: 'EVIDENCE#' });
  const items = await table.query(range, z.object({ content: octets }));
  await table.stop();
  return items.map(({ content }) => content.length);
}

describe('evidence', () => {
  test('is not there before the first check run', async () => {
    const { status, body } = await api.call('GET', `/api/v1/domains/${id}/evidence`);
    expect([status, body.error.code]).toEqual([404, 'not_found']);
    expect(JSON.parse(await keySet())).toEqual({ keys: [] });
  });

  test('of a check run verifies without the service: every finding, the score, the plan, DNSSEC and TLS', async () => {
    const run = await api.call('POST', `/api/v1/domains/${id}/checks`);
    await api.call('GET', `/api/v1/domains/${id}/evidence`);
    const made = await verified(await file());
    expect(made).toMatchObject({
      domain: 'good.test',
      checkedAt: run.body.data.checkedAt,
      issuer: service.url,
    });
    expect(made.missing).toEqual([]);
    expect(made.comparisons.filter(({ verdict }) => verdict !== 'same')).toEqual([]);
    expect(made.comparisons.map(({ what }) => what)).toEqual(
      expect.arrayContaining(['dnssec', 'score', 'plan']),
    );
    const own = made.dnssec.filter(({ name }) => name.endsWith('good.test'));
    expect(own.filter(({ status }) => status !== 'secure')).toEqual([]);
    expect(own.map(({ name, type }) => `${name} ${type}`)).toEqual(
      expect.arrayContaining(['good.test TXT', '_dmarc.good.test TXT', 'google._domainkey.good.test TXT']),
    );
    expect(made.tls.filter(({ verdict }) => verdict !== 'verified')).toEqual([]);
    expect(made.tls.map(({ host }) => host)).toEqual(
      expect.arrayContaining(['mx1.good.test', 'mta-sts.good.test']),
    );
    expect(made.anchors.isIana).toBe(false);
  });

  test('is stored by the check run that changed something, in few kilobytes, and not by the next one', async () => {
    await api.call('POST', `/api/v1/domains/${id}/checks`);
    const sizes = await storedSizes(id);
    expect(sizes).toHaveLength(1);
    // With every protocol, and all of it signed.
    expect(sizes[0]).toBeLessThan(7500);
    // With MX hosts, SPF, DKIM and DMARC, not signed.
    const { body } = await api.call('POST', '/api/v1/domains', {
      json: { domain: 'weak.test', usageType: 'sends-only' },
    });
    await api.call('POST', `/api/v1/domains/${body.data.id}/checks`);
    const [usual] = await storedSizes(body.data.id);
    expect(usual).toBeLessThan(6000);
  });

  test('tells when nothing is kept of a time, and keeps to the domain of its organization', async () => {
    expect((await api.call('GET', `/api/v1/domains/${id}/evidence?at=2020-01-01`)).status).toBe(404);
    const later = await verified(await file('?at=2099-01-01'));
    expect(later.domain).toBe('good.test');
    const other = id.replace(/^./, (digit) => (digit === '0' ? '1' : '0'));
    expect((await api.call('GET', `/api/v1/domains/${other}/evidence`)).status).toBe(404);
  });

  test('tells how a domain stood in its results, its score and its fixes', async () => {
    const [now, then, never] = ['', '?at=2099-01-01T00:00Z', '?at=2020-01-01'];
    const at = (part: string, query: string) => api.call('GET', `/api/v1/domains/${id}${part}${query}`);
    const data = async (part: string, query: string) => (await at(part, query)).body.data;
    const { checks, checksAt } = await data('', then);
    expect(checks).toEqual((await data('', now)).checks);
    expect(await data('/fixes', then)).toEqual(await data('/fixes', now));
    const { lastCheckedAt: _, ...score } = await data('/score', now);
    expect(await data('/score', then)).toEqual({ ...score, lastCheckedAt: checksAt });
    for (const part of ['', '/score', '/fixes']) {
      const { status, body } = await at(part, never);
      expect([status, body.error.code, body.message]).toEqual([404, 'not_found', missing.evidence]);
    }
  });

  test('has sums of reports, and hashes of the mails that brought them', async () => {
    const { ruaAddress } = (await api.call('GET', `/api/v1/domains/${id}`)).body.data.reporting;
    const to = [ruaAddress.replace('mailto:', '')];
    await sendMail(service.smtpPort, { to, message: dmarcMail({ domain: 'good.test' }) });
    const mails = () => api.call('GET', `/api/v1/domains/${id}/reports/mails`);
    await until(async () => (await mails()).body.data.length === 1);
    const [{ id: mail }] = (await mails()).body.data;
    const raw = await fetch(`${service.url}/api/v1/domains/${id}/reports/mails/${mail}/raw`, {
      headers: headers(),
    });
    // What reports say is not part of what changed, so another check run is not needed, but evidence of a time after they came.
    await api.call('PATCH', `/api/v1/domains/${id}`, { json: { dkimSelectors: ['none'] } });
    await api.call('POST', `/api/v1/domains/${id}/checks`);
    const { reports } = JSON.parse(await file()).evidence;
    expect(reports.mails).toEqual([
      expect.objectContaining({ sha256: hash('sha256', Buffer.from(await raw.arrayBuffer())) }),
    ]);
    expect(reports.days).toEqual([expect.objectContaining({ reports: 1 })]);
  });

  test('of a saved public check is there for everybody with its link', async () => {
    const saved = await api.call('POST', '/api/domain-checker', {
      json: { domain: 'good.test', usageType: 'sends-and-receives', save: true },
      token: null,
    });
    const { shareUrl } = saved.body;
    expect(await (await fetch(shareUrl)).text()).toContain(`${shareUrl}?as=evidence`);
    const made = await verified(await (await fetch(`${shareUrl}?as=evidence`)).text());
    expect(made).toMatchObject({ domain: 'good.test', checkedAt: saved.body.checkedAt, missing: [] });
    expect(made.comparisons.filter(({ verdict }) => verdict !== 'same')).toEqual([]);
  });
});
