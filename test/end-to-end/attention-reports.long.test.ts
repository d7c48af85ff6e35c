/** Attention items about DMARC reports against BIND. The reports, and the time since when they were asked for, are written. */
import { beforeAll, expect, test } from '@jest/globals';
import { checksEntry, historyStore } from '../../shared/store/check-runs/history.ts';
import type { Domain } from '../../shared/store/domains/domains.ts';
import { checksHistoryOf } from '../../shared/store/keys.ts';
import { startingWith } from '../../shared/store/query.ts';
import { dmarcReportStore } from '../../shared/store/reports/dmarc-reports.ts';
import { type ApiClient, apiClient } from '../kit/api-client.ts';
import { type Bind, missingForBind, startBind } from '../kit/bind.ts';
import { describeWith } from '../kit/describe-with.ts';
import { register } from '../kit/register.ts';
import { dmarcReport, row, storeDmarc } from '../kit/reports.ts';
import type { BootedService } from '../kit/service.ts';
import { type ServiceTable, serviceTable, storedDomain } from '../kit/service-table.ts';
import { until } from '../kit/until.ts';
import { use } from '../kit/use.ts';
import { useService } from '../kit/use-service.ts';

const daysAgo = (days: number) => new Date(Date.now() - days * 86_400_000).toISOString();

describeWith(missingForBind(), 'attention and reports', () => {
  let bind: Bind;
  let service: BootedService;
  let api: ApiClient;
  let table: ServiceTable;
  let domain: Domain;
  let mailbox: string;
  let proof: string;

  beforeAll(async () => {
    bind = await use(startBind(['example.org', 'example.net'], 0));
    service = await useService({
      ...{ DNS_SERVERS: bind.server, CHECK_INTERVAL_SECONDS: '1', API_RATE_PER_MINUTE: '0' },
    });
    api = await apiClient(service);
    table = await use(serviceTable(service));
    domain = await verified('example.org', 'p=none');
    await until(async () => (await history()).length > 0, { what: 'the first check run' });
  });

  /** Registers a domain whose record names its report mailbox. */
  async function verified(name: string, policy: string): Promise<Domain> {
    const registered = await register(api, name, { usageType: 'sends-only' });
    const { id, verificationToken, reporting } = registered;
    mailbox = reporting.ruaAddress;
    proof = `_svc IN TXT "svc-verify=${verificationToken}"`;
    await bind.publish(name, [proof, `_dmarc IN TXT "v=DMARC1; ${policy}; rua=${mailbox}"`]);
    await api.call('POST', `/api/v1/domains/${id}/verify`);
    return storedDomain(table, id);
  }

  const items = async () => (await api.call('GET', '/api/v1/attention')).body.data;
  const kinds = async () => (await items()).map(({ kind }: { kind: string }) => kind);
  const alerts = async () => (await api.call('GET', '/api/v1/alerts')).body.data;
  const history = () => table.query(startingWith(checksHistoryOf(domain.id)), checksEntry);

  /** Newest first: checks run in between. */
  async function store(from: number, to: number): Promise<void> {
    const reports = dmarcReportStore(table, { retentionDays: 0 });
    for (let days = to; days <= from; days += 1) {
      const begin = `${daysAgo(days).slice(0, 10)}T00:00:00Z`;
      await storeDmarc(reports, domain, dmarcReport(begin, [row()], { reportId: `r${days}` }));
    }
  }

  test('reports that the record has asked for since a week, and that never came', async () => {
    expect(await items()).toEqual([]);
    const [first] = await history();
    if (first === undefined) throw new Error('no entry');
    const { pk, prefix } = checksHistoryOf(domain.id);
    await table.delete({ pk, sk: `${prefix}${first.at}` });
    const at = daysAgo(8);
    await table.transact(
      historyStore(table, { retentionDays: 0 }).writesOf(domain.id, { checks: { ...first, at } }),
    );
    await until(async () => (await items()).length > 0, { what: 'an attention item' });
    expect(await items()).toEqual([
      expect.objectContaining({
        ...{ id: `${domain.id}.reports-never-came`, severity: 'warning', since: at },
        title: 'No DMARC reports about example.org have come',
        detail: expect.stringContaining(`contains ${mailbox}, which the latest check found`),
        action: { label: 'Show the domain', url: `${service.url}/console/domains/${domain.id}` },
      }),
    ]);
    expect(await alerts()).toEqual([]);
  });

  test('reports that came and stopped are an item and one alert, until they come again', async () => {
    await store(40, 11);
    await until(async () => (await kinds()).includes('reports-stopped'), { what: 'stopped' });
    const [item, ...others] = await items();
    expect(others).toEqual([]);
    expect(item).toMatchObject({
      title: 'DMARC reports about example.org stopped',
      since: `${daysAgo(10).slice(0, 10)}T00:00:00.000Z`,
      action: { url: `${service.url}/console/domains/${domain.id}/dmarc` },
    });
    const [alert, ...more] = await alerts();
    expect(more).toEqual([]);
    // A check raises it as soon as there are reports of 20 days.
    const reportDays = expect.any(Number);
    expect(alert).toMatchObject({
      ...{ type: 'report_failure', severity: 'warning', title: 'DMARC reports stopped: example.org' },
      metadata: {
        about: 'stopped-reports',
        stoppedReporter: null,
        lastDay: daysAgo(11).slice(0, 10),
        reportDays,
      },
    });
    await store(1, 1);
    await until(async () => (await kinds()).length === 0, { what: 'closed' });
    expect(await alerts()).toHaveLength(1);
  });

  test('a step that loses approved mail is an item with the record to publish, until it is published', async () => {
    const other = await verified('example.net', 'p=reject');
    const reports = dmarcReportStore(table, { retentionDays: 0 });
    const mail = {
      sourceIp: '198.51.100.7',
      headerFrom: 'example.net',
      count: 40,
      spf: 'fail',
      spfResults: [],
    } as const;
    const own = [{ domain: 'example.net', result: 'pass', selector: 's1' }];
    for (let days = 1; days <= 40; days += 1) {
      const isStep = days <= 4;
      const rows = isStep
        ? [row({ ...mail, dkim: 'fail', dkimResults: [], disposition: 'reject' })]
        : [row({ ...mail, dkimResults: own })];
      const header = {
        reportId: `r${days}`,
        policyDomain: 'example.net',
        policyP: isStep ? 'reject' : 'none',
      };
      await storeDmarc(reports, other, dmarcReport(`${daysAgo(days).slice(0, 10)}T00:00:00Z`, rows, header));
    }
    const path = `/api/v1/domains/${other.id}/senders`;
    const [{ id }] = (await api.call('GET', path)).body.data;
    await api.call('PATCH', `${path}/${id}`, { json: { status: 'approved' } });
    await until(async () => (await kinds()).includes('step-loses-mail'), { what: 'an attention item' });
    const former = `v=DMARC1; p=none; rua=${mailbox}`;
    // The sender fails, too, which is an item of its own.
    const [worst] = await items();
    expect(worst).toMatchObject({
      ...{ kind: 'step-loses-mail', severity: 'critical', domain: 'example.net' },
      title: 'The step to p=reject loses approved mail: example.net',
      detail: expect.stringContaining(`publish "${former}" at _dmarc.example.net, in place of`),
      since: `${daysAgo(4).slice(0, 10)}T00:00:00.000Z`,
    });
    const { lastStep } = (await api.call('GET', `/api/v1/domains/${other.id}/enforcement`)).body.data;
    expect(lastStep).toMatchObject({ policy: 'reject', predictedLostShare: 0, actualLostShare: 100 });
    await bind.publish('example.net', [proof, `_dmarc IN TXT "${former}"`]);
    await until(async () => !(await kinds()).includes('step-loses-mail'), { what: 'closed' });
  });
});
