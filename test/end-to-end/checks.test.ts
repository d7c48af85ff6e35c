import { beforeAll, describe, expect, test } from '@jest/globals';
import type { ApiAnswer } from '../kit/api-client.ts';
import { publishTxt } from '../kit/example-internet.ts';
import { register } from '../kit/register.ts';
import { useApi } from '../kit/use-service.ts';

// These are the defaults on one machine; a deployment has its own domains.
const { service, api } = await useApi({
  REPORTS_DOMAIN: 'reports.localhost',
  TESTER_DOMAIN: 'tester.localhost',
});

const publish = (name: string, value: string) => publishTxt(service, name, value);

interface Checked {
  readonly id: string;
  readonly run: ApiAnswer;
  readonly results: ApiAnswer['body'];
  readonly score: ApiAnswer['body'];
}

async function check(domain: string, usageType: string): Promise<Checked> {
  const { id } = await register(api, domain, { usageType, testEmailLocalPart: 'postmaster' });
  const started = performance.now();
  const run = await api.call('POST', `/api/v1/domains/${id}/checks`);
  // The gateway ends longer requests.
  expect(performance.now() - started).toBeLessThan(29_000);
  const score = await api.call('GET', `/api/v1/domains/${id}/score`);
  return { id, run, results: run.body.data.results, score: score.body.data };
}

describe('good.test', () => {
  let checked: Checked;
  beforeAll(async () => {
    checked = await check('good.test', 'sends-and-receives');
  });

  test('passes every check and scores 100, an A', () => {
    const { dkim, ...others } = checked.results;
    for (const [name, result] of Object.entries<{ state: string }>(others)) {
      expect([name, result.state]).toEqual([name, 'pass']);
    }
    for (const key of dkim) expect([key.selector, key.state]).toEqual([key.selector, 'pass']);
    expect(checked.score).toMatchObject({ score: 100, grade: 'A', label: 'Excellent', confidence: 1 });
  });

  test('fills every field of its MX hosts from a real dialogue', () => {
    const { mx } = checked.results;
    expect(mx).toMatchObject({ tlsSupported: true, daneSupported: true, emailReceptionCapability: 'active' });
    expect(mx.records.length).toBeGreaterThan(0);
    for (const host of mx.hosts) {
      expect(host).toMatchObject({ tlsSupported: true, starttlsSupported: true, ip: expect.any(String) });
      expect(host.tlsVersion).toBe('TLSv1.3');
      expect(Date.parse(host.certificateExpiry)).toBeGreaterThan(Date.now());
    }
  });

  test('returns the stored results as the check run returned them, with its time', async () => {
    const { body } = await api.call('GET', `/api/v1/domains/${checked.id}`);
    expect(body.data.checks).toEqual(checked.results);
    expect(body.data.lastCheckedAt).toBe(checked.run.body.data.checkedAt);
    expect(checked.score.lastCheckedAt).toBe(body.data.lastCheckedAt);
  });
});

describe('the other domains of the example internet', () => {
  test('weak.test gets findings, each with its citation and fix', async () => {
    const { results, score } = await check('weak.test', 'sends-and-receives');
    expect(score.grade).toBe('F');
    expect(results.spf.allPolicy).toBe('~all');
    expect(results.dmarc).toMatchObject({ policy: 'none', rua: [] });
    expect(results.mx.tlsSupported).toBe(false);
    expect(results.dnssec).toMatchObject({ enabled: false, state: 'absent' });
    const findings = Object.values<{ findings?: object[] }>(results).flatMap(({ findings = [] }) => findings);
    expect(findings.length).toBeGreaterThan(3);
    for (const finding of findings) {
      expect(finding).toMatchObject({
        cites: expect.stringMatching(/\d/),
        fix: expect.stringMatching(/\.$/),
      });
    }
    expect(score.components[0].gain).toBeGreaterThan(0);
  });

  test('lookups of servfail.test fail: every check is unknown, without errors, and there is no score', async () => {
    const { results, score } = await check('servfail.test', 'sends-and-receives');
    for (const name of ['mx', 'spf', 'dmarc', 'mtaSts', 'tlsRpt', 'bimi', 'dnssec']) {
      expect([name, results[name].state, results[name].errors ?? []]).toEqual([name, 'unknown', []]);
    }
    expect(results.dkimSummary.state).toBe('unknown');
    expect(score).toMatchObject({ score: null, grade: null, label: 'Not checked', confidence: 0 });
  });
});

test('ownership of a domain of the example internet can be verified', async () => {
  const path = `/api/v1/domains/${(await register(api, 'own.good.test')).id}/verify`;
  const { expected } = (await api.call('POST', path)).body.data;
  await publish(expected.hostname, expected.value);
  expect((await api.call('POST', path)).body.data.verified).toBe(true);
});

test('a domain that sends its reports to its own mailbox gets full points for reporting', async () => {
  const receiving = { usageType: 'receives-only', testEmailLocalPart: 'postmaster' };
  const { id, reporting } = await register(api, 'reporting.test', receiving);
  await publish('_dmarc.reporting.test', `v=DMARC1; p=reject; rua=${reporting.ruaAddress}`);
  await publish('_smtp._tls.reporting.test', `v=TLSRPTv1; rua=${reporting.tlsRptAddress}`);
  const { results } = (await api.call('POST', `/api/v1/domains/${id}/checks`)).body.data;
  expect(results.dmarc).toMatchObject({ state: 'pass', findings: [] });
  expect(results.tlsRpt.state).toBe('pass');
  const { components } = (await api.call('GET', `/api/v1/domains/${id}/score`)).body.data;
  for (const name of ['dmarc', 'tlsRpt'])
    expect(components).toContainEqual(expect.objectContaining({ component: name, gain: 0 }));
});
