import { readFileSync } from 'node:fs';
import { expect, test } from '@jest/globals';
import { lineMetrics } from '../../../lib/local/host/line-metrics.ts';
import { register } from '../../kit/register.ts';
import { dmarcMail } from '../../kit/report-mails.ts';
import { sendMail } from '../../kit/smtp-client.ts';
import { until } from '../../kit/until.ts';
import { useApi } from '../../kit/use-service.ts';

const TOKEN = 'metrics-token-0123456789';

const { service, api } = await useApi({ METRICS_TOKEN: TOKEN, TRUSTED_PROXIES: '127.0.0.1' });

const get = (headers: Record<string, string> = {}, method = 'GET') =>
  fetch(`${service.url}/metrics`, { method, headers });

/** The samples of the exposition format: `name{label="value"} 1`. */
async function samples(): Promise<ReadonlyMap<string, number>> {
  const response = await get();
  expect(response.headers.get('content-type')).toMatch(/^text\/plain; version=0\.0\.4/);
  const lines = (await response.text()).split('\n').filter((line) => line !== '' && !line.startsWith('#'));
  return new Map(
    lines.map((line) => {
      const [, name = '', value] = /^([a-zA-Z_:][\w:]*(?:\{.*\})?) (\S+)$/.exec(line) ?? [];
      expect([line, name]).not.toEqual([line, '']);
      return [name, Number(value)];
    }),
  );
}

test('metrics count what happens, in the host and in its threads', async () => {
  const { id, address } = await register(api, 'weak.test');
  expect(
    await sendMail(service.smtpPort, { to: [address], message: dmarcMail({ domain: 'weak.test' }) }),
  ).toMatch(/^250/);
  await api.call('POST', `/api/v1/domains/${id}/checks`);
  const accepted = 'domain_monitor_reports_total{outcome="accepted"}';
  await until(async () => (await samples()).get(accepted) === 1);
  const found = await samples();
  expect(found.get('domain_monitor_mails_total{inbound="reports",outcome="kept"}')).toBe(1);
  expect(found.get('domain_monitor_check_seconds_count')).toBe(1);
  expect(found.get('domain_monitor_dns_lookups_total')).toBeGreaterThan(5);
  expect(found.get('domain_monitor_request_seconds_count{route="createDomain",status_class="2xx"}')).toBe(1);
});

test('metrics show the state of the machine', async () => {
  const found = await samples();
  for (const check of ['process', 'stores', 'queues', 'schedule', 'data'])
    expect([check, found.get(`domain_monitor_health{check="${check}"}`)]).toEqual([check, 1]);
  for (const store of ['table', 'objects', 'queues'])
    expect(found.get(`domain_monitor_store_bytes{store="${store}"}`)).toBeGreaterThan(4_000);
  expect(found.get('domain_monitor_queue_messages{queue="reports",state="dead"}')).toBe(0);
  expect(found.get('domain_monitor_queue_wait_seconds{queue="checks"}')).toBeGreaterThanOrEqual(0);
  expect(found.get('domain_monitor_check_runs_due')).toBe(0);
  expect(found.get('domain_monitor_disk_free_bytes')).toBeGreaterThan(1_000_000);
  expect(found.get('nodejs_eventloop_lag_p99_seconds')).toBeGreaterThan(0);
});

test('metrics are for programs on this machine, and for others with the token', async () => {
  const proxied = { 'x-forwarded-for': '192.0.2.1' };
  const statuses = await Promise.all(
    [
      {},
      proxied,
      { ...proxied, authorization: 'Bearer guess' },
      { ...proxied, authorization: `Bearer ${service.token}` },
      { ...proxied, authorization: `Bearer ${TOKEN}` },
    ].map(async (headers) => (await get(headers)).status),
  );
  expect(statuses).toEqual([200, 403, 403, 403, 200]);
  expect((await get({}, 'POST')).status).toBe(405);
});

test('the dashboard shows metrics that exist', async () => {
  const file = new URL('../../../docs/grafana-dashboard.json', import.meta.url);
  const { panels } = JSON.parse(readFileSync(file, 'utf8'));
  const shown: string[] = panels.flatMap(({ targets }: { targets: { expr: string }[] }) =>
    targets.flatMap(({ expr }) => expr.match(/\b(?:domain_monitor|nodejs|process)_\w+/g) ?? []),
  );
  const known = (await (await get()).text()).matchAll(/^# TYPE (\S+) (\S+)$/gm);
  const names = Array.from(known, ([, name = '', kind]) => (kind === 'histogram' ? `${name}_bucket` : name));
  expect(shown.length).toBeGreaterThan(10);
  // This service has no certificate.
  const others = names.concat('domain_monitor_certificate_expiry_timestamp_seconds');
  expect(shown.filter((name) => !others.includes(name))).toEqual([]);
  for (const { name, kind } of [...lineMetrics.values()].flat())
    expect(names).toContain(kind === 'histogram' ? `${name}_bucket` : name);
});
