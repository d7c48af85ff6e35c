/** `demo`: fills the service on this machine with the example domains and sample reports about them. */
import * as z from 'zod/mini';
import { checkRun } from '../../../shared/api/checks.ts';
import { createdDelivery, delivery } from '../../../shared/api/deliveries.ts';
import { createdDomain, verificationAttempt, verificationStatus } from '../../../shared/api/domains.ts';
import { changedNotifications, notifications } from '../../../shared/api/notification-settings.ts';
import { reportMail } from '../../../shared/api/report-mails.ts';
import { receivesMail, type UsageType } from '../../../shared/checks/state.ts';
import { audited } from '../../../shared/operations/audit.ts';
import { subjectOf } from '../../../shared/operations/domains/on-domain.ts';
import { importReport, operation } from '../../../shared/operations/reports/import-report.ts';
import type { Domain } from '../../../shared/store/domains/domains.ts';
import { reportAddress } from '../../../shared/store/domains/report-address.ts';
import { exampleDomains, fails } from '../../local/example-internet/zone-data.ts';
import { CommandError } from '../../terminal/command-line.ts';
import type { AdminDependencies, Options } from '../command.ts';
import { domainNamed } from '../domain-named.ts';
import { asking, type LocalService } from '../local-service.ts';
import { accepted } from '../perform.ts';
import { LOCAL_SENDER } from '../send-test.ts';
import { data } from '../smoke/scenario.ts';
import { sendTestMessage } from '../smoke/send-message.ts';
import { Tally } from '../tally.ts';
import { type SampleReport, sampleReports } from './sample-reports.ts';
import { sampleDomains } from './senders.ts';

/** Who gets the alerts of the demo. */
const RECIPIENT = 'ops@good.test';

/** Usage types other than the default. */
const usageTypes: Readonly<Record<string, UsageType>> = {
  'parked.test': 'parked',
  'send-only.test': 'sends-only',
  'receive-only.test': 'receives-only',
};

/** `demo`. Repeating it adds only what is missing. */
export async function demo(
  _args: readonly string[],
  _options: Options,
  deps: AdminDependencies,
): Promise<string[]> {
  const service = deps.service();
  const owner = await deps.organizations.tokenInfo(service.token);
  if (owner === undefined) throw new CommandError('the API token of the service is not valid');
  const { organization } = owner;
  const verified = await asking(() =>
    Promise.all(exampleDomains.map((name) => registerAndVerify(name, organization, service, deps))),
  );
  const isNotified = await asking(() => notifyByMail(service));
  const tally = new Tally();
  const reading = { clock: deps.clock, stores: deps.stores() };
  for (const [at, sample] of sampleDomains.entries()) {
    deps.progress.show(at, sampleDomains.length);
    const domain = await domainNamed(sample.domain, organization, deps);
    let latest: SampleReport | undefined;
    for (const entry of sampleReports(sample, deps.clock.now())) {
      // Enforcement counts only reports whose mail was authenticated.
      const arrival = { authenticated: true, authenticatedDomain: entry.mailDomain };
      const how = { alerts: entry.recent, arrival, receivedAt: entry.receivedAt };
      const outcomes = accepted(await importReport(domain, entry, how, reading)).value;
      for (const outcome of outcomes) tally.add(entry.name, outcome);
      if (entry.name.endsWith('.xml')) latest = entry;
    }
    await deps.sumReports(domain);
    await audited(operation, organization, deps, { value: null, subjects: [subjectOf(domain)] });
    if (latest !== undefined) await asking(() => sendMails(domain, latest, service, deps));
  }
  deps.progress.end();
  return [
    `registered: ${exampleDomains.join(', ')}`,
    `verified:   ${exampleDomains.filter((_, at) => verified[at]).join(', ')}`,
    ...(isNotified ? [`alerts:     by mail to ${RECIPIENT}, as files in the outbox`] : []),
    'sample reports:',
    ...tally.lines(),
  ];
}

/**
 * Has alerts sent by mail, with a test, unless somebody set up or tested notifications, or mail would leave this machine.
 * Returns whether it did.
 */
async function notifyByMail({ api, sendsMail }: LocalService): Promise<boolean> {
  if (sendsMail) return false;
  const path = '/api/v1/notifications';
  const { data: known } = await api.read(data(notifications), 'GET', path, 200);
  const { data: sent } = await api.read(data(z.array(delivery)), 'GET', '/api/v1/deliveries', 200);
  if (known.mail !== null || known.webhook !== null || sent.length > 0) return false;
  const json = { mail: { address: RECIPIENT }, webhook: null };
  await api.read(data(changedNotifications), 'PUT', path, 200, { json });
  await api.read(data(z.array(createdDelivery)), 'POST', `${path}/test`, 201, { json: {} });
  return true;
}

/** Sends two mails to the report mailbox, unless it has received any: a report that is imported, and one without. */
async function sendMails(
  domain: Domain,
  { name, bytes }: SampleReport,
  { api, smtp }: LocalService,
  { setting }: AdminDependencies,
): Promise<void> {
  const path = `/api/v1/domains/${domain.id}/reports/mails`;
  const { data: known } = await api.read(data(z.array(reportMail)), 'GET', path, 200);
  if (known.length > 0) return;
  const to = reportAddress(domain, setting('REPORTS_DOMAIN'));
  const mail = { from: LOCAL_SENDER, mailFrom: LOCAL_SENDER, to };
  const content = { type: `text/xml; name="${name}"`, text: bytes.toString() };
  await sendTestMessage(smtp, { ...mail, subject: `Report Domain: ${domain.domain}`, content });
  await sendTestMessage(smtp, { ...mail, subject: 'Hello' });
}

/** Registers, verifies and checks a domain unless that was done before. Returns whether it is verified. */
async function registerAndVerify(
  name: string,
  organization: string,
  { api, publish }: LocalService,
  { domains }: AdminDependencies,
): Promise<boolean> {
  const path = '/api/v1/domains';
  const usageType = usageTypes[name] ?? 'sends-and-receives';
  const testEmailLocalPart = receivesMail(usageType) ? 'postmaster' : null;
  const known = await domains.named(organization, name);
  if (known?.verified) return true;
  const json = { domain: name, usageType, testEmailLocalPart, tags: ['example', usageType] };
  const { id } = known ?? (await api.read(data(createdDomain), 'POST', path, 201, { json })).data;
  const { data: status } = await api.read(data(verificationStatus), 'GET', `${path}/${id}/verify`, 200);
  const { hostname, value } = status.verificationRecord;
  // The name servers of one example domain fail: it has no records, and cannot be verified.
  if (!fails(name)) await publish(hostname, value);
  const attempt = await api.read(data(verificationAttempt), 'POST', `${path}/${id}/verify`, 200);
  await api.read(data(checkRun), 'POST', `${path}/${id}/checks`, 200);
  return attempt.data.verified;
}
