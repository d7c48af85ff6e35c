/**
 * What the service answers about an organization after a month of reports, checks and decisions, as it was recorded: any
 * change of an answer shows here. `npm run jest -- -u <this file>` records it again; read the difference.
 */
import { createPublicKey } from 'node:crypto';
import { ScanCommand } from '@aws-sdk/lib-dynamodb';
import { expect, test } from '@jest/globals';
import { routes } from '../../functions/routes.ts';
import { startQueuesAndObjects } from '../../lib/local/stores/queues-and-objects.ts';
import type { EndpointHandler } from '../../shared/runtime/http/endpoint.ts';
import type { Route } from '../../shared/runtime/http/route.ts';
import { readFlash } from '../../shared/store/flashes.ts';
import { organizationStore } from '../../shared/store/organizations.ts';
import { findSession, formTokenOf, sessionStore } from '../../shared/store/sessions.ts';
import { consoleTable, type Sent, send } from '../kit/console.ts';
import { fixTimeAndChance, withNames } from '../kit/fixed-chance.ts';
import { notificationService } from '../kit/notifications.ts';
import { outlineOf } from '../kit/outline.ts';
import { readable } from '../kit/recorded.ts';
import { tableRequests } from '../kit/table-requests.ts';
import { atEnd, use, useFolder } from '../kit/use.ts';
import { at, startMonth } from '../simulation/month.ts';

/** Five days after reports of one domain stopped to come. */
const DAYS = 26;
const now = at(DAYS, 1);

fixTimeAndChance(now);
const queues = await use(
  startQueuesAndObjects({
    dataFolder: useFolder('recorded'),
    buckets: [],
    queues: ['summaries', 'deletions'].map((name) => ({
      ...{ name, maxReceiveCount: 5, visibilityTimeoutSeconds: 60 },
    })),
  }),
);
Object.assign(process.env, {
  AWS_ENDPOINT_URL_SQS: queues.endpoint,
  ...{ SUMMARIES_QUEUE_URL: queues.queueUrl('summaries'), DELETIONS_QUEUE_URL: queues.queueUrl('deletions') },
  ...{ OIDC_ISSUER: 'https://id.example', OIDC_CLIENT_ID: 'client' },
  ...{ REPORTS_DOMAIN: 'reports.localhost', SERVICE_LABEL: 'svc', HOST_URL: 'https://m.example' },
  RETENTION_DAYS: '400',
});
const requestsOfTable = tableRequests();
const month = await startMonth({
  size: { networks: 3, brandReporters: 4, shopReporters: 3, newsReporters: 2 },
  ...{ days: DAYS, dkimKey: dkimRecord() },
  makeTable: (clock) => consoleTable(clock, requestsOfTable),
});
atEnd(() => month.stop());
const [brand, , shop, news] = month.domains;

/** A key that signs nothing, in the form of one with 2048 bits. */
function dkimRecord(): string {
  const modulus = Buffer.alloc(256, 0xc5);
  const jwk = { kty: 'RSA', n: modulus.toString('base64url'), e: 'AQAB' };
  const key = createPublicKey({ key: jwk, format: 'jwk' }).export({ type: 'spki', format: 'der' });
  return `v=DKIM1; p=${key.toString('base64')}`;
}

/** Sessions with and without failures on each day of a week, of two reporters. */
function planTlsReports(): void {
  for (let day = DAYS - 9; day < DAYS - 1; day += 1)
    for (const [at_, reporter] of ['google.com', 'microsoft.com'].entries()) {
      const date = at(day).toISOString().slice(0, 10);
      const failure = {
        ...{ 'result-type': day % 2 === 0 ? 'certificate-expired' : 'starttls-not-supported' },
        ...{ 'sending-mta-ip': '198.51.100.20', 'receiving-mx-hostname': 'mx1.shop.example' },
        'failed-session-count': day,
      };
      const report = JSON.stringify({
        'organization-name': reporter,
        'date-range': { 'start-datetime': `${date}T00:00:00Z`, 'end-datetime': `${date}T23:59:59Z` },
        ...{ 'contact-info': `tls@${reporter}`, 'report-id': `tls-${day}` },
        policies: [
          {
            policy: {
              'policy-type': 'sts',
              'policy-string': ['version: STSv1'],
              'policy-domain': 'shop.example',
            },
            summary: {
              'total-successful-session-count': 100 * day,
              'total-failure-session-count': day % 3 === 0 ? 0 : day,
            },
            ...(day % 3 !== 0 && { 'failure-details': [failure] }),
          },
        ],
      });
      const mail = { reporter, id: `tls-${reporter}-${day}`, report, file: 'report.json.gz' };
      if (shop !== undefined) month.plan(at(day + 1, 2 + at_), () => month.receive(shop, mail));
    }
}

/** Mails without a report, with a broken one, of another domain, and from somebody who is not the reporter. */
function planOtherMails(): void {
  const [first] = month.reported;
  const broken = { reporter: 'google.com', report: '<feedback><version>1.0' };
  const about = (name: string) =>
    `<?xml version="1.0"?><feedback><report_metadata><org_name>google.com</org_name><email>a@google.com</email><report_id>odd</report_id><date_range><begin>${at(20).getTime() / 1000}</begin><end>${at(21).getTime() / 1000 - 1}</end></date_range></report_metadata><policy_published><domain>${name}</domain><p>none</p></policy_published><record><row><source_ip>192.0.2.10</source_ip><count>7</count><policy_evaluated><disposition>none</disposition><dkim>pass</dkim><spf>pass</spf></policy_evaluated></row><identifiers><header_from>${name}</header_from></identifiers><auth_results><spf><domain>${name}</domain><result>pass</result></spf></auth_results></record></feedback>`;
  const mails = [
    { ...broken, id: 'broken' },
    { ...broken, id: 'text', report: 'hello', file: 'hello.txt.gz' },
    { ...broken, id: 'foreign', report: about('elsewhere.example') },
    { reporter: 'forger.example', id: 'forged', report: about(first?.name ?? ''), isForged: true },
    { reporter: 'google.com', id: 'again', report: about('shop.example') },
    { reporter: 'google.com', id: 'and-again', report: about('shop.example') },
  ];
  for (const [n, mail] of mails.entries())
    if (shop !== undefined) month.plan(at(21, n), () => month.receive(shop, mail));
}

/** Alerts by mail, and by a webhook that is out of order for some days. */
const channels = await notificationService(month.table, at(0));
async function planNotifications(): Promise<void> {
  const { organization } = month;
  const digest = { digestMinute: 6 * 60, digestWeekday: 'friday', digestTimeZone: 'UTC' } as const;
  await channels.settings.setMail(organization, {
    address: 'team@shop.example',
    threshold: 'info',
    ...digest,
  });
  await channels.settings.setWebhook(organization, {
    ...{ url: 'https://hooks.shop.example/x', secret: 'whsec_secret', format: 'json', threshold: 'warning' },
    events: ['checks.completed', 'attention.opened'],
  });
  for (let hour = 6; hour < 24 * DAYS; hour += 6)
    month.plan(at(0, hour), async () => {
      channels.pass(at(0, hour).getTime() - channels.clock.now().getTime());
      channels.behaviour.webhook = hour > 300 && hour < 400 ? 503 : 200;
      await channels.turn();
    });
}

planTlsReports();
planOtherMails();
await planNotifications();
await month.runUntil(now);

const { token, info } = await organizationStore(month.table).createToken(
  month.organization,
  { name: 'recorder', label: 'svc', scope: 'admin' },
  at(DAYS),
);
const spare = await organizationStore(month.table).createToken(
  month.organization,
  { name: 'spare', label: 'svc', scope: 'read' },
  at(DAYS),
);
const cookie = await sessionStore(month.table).start(info, '', now);
const found = await findSession(month.table, cookie, now);

const RANDOM =
  /(?<![\w-])(?!-+(?![\w-]))(?:[\da-f]{24}|(?=[\w-]*[A-Z\d])(?:[\w-]{22}|[\w-]{32,})|svc_[\w-]+|[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12})(?![\w-])/g;
const known = new Map([
  ...month.domains.map(({ id, domain }) => [id, `<${domain}>`] as const),
  [month.organization, '<organization>'],
  [info.id, '<token>'],
]);
const named = (text: string) => withNames(text, RANDOM, known);

type Name = keyof typeof routes;

/** With the IDs that the service made. */
async function raw(name: Name, sent: Sent = {}): Promise<string> {
  const route: Route = routes[name];
  const { handler } = (await import(`../../functions/${route.handler}.ts`)) as {
    handler: EndpointHandler<unknown>;
  };
  const headers: Sent['headers'] = {
    ...sent.headers,
    ...(route.access === 'token' && { authorization: `Bearer ${token}` }),
  };
  const form = { formToken: formTokenOf(cookie), ...sent.form };
  const json = route.method === 'DELETE' ? {} : sent.json;
  const given = { cookie, ...sent, ...(json && { json }), form, headers };
  const { statusCode, body = '', headers: answered } = await send(handler, given);
  if (statusCode === 303) return `303 ${await led(String(answered?.location))}`;
  const isPage = body.startsWith('<!doctype');
  const isJson = /^[[{]/.test(body);
  const text = isPage ? outlineOf(body) : isJson ? readable(JSON.parse(body)) : body;
  return `${statusCode} ${text}`;
}

/** Where a form leads, and what it says there. */
async function led(location: string): Promise<string> {
  const id = /[?&]flash=([\w-]+)/.exec(location)?.[1];
  if (id === undefined || found === undefined) return location;
  const place = { organization: month.organization, session: found.session, text: cookie };
  const flash = await readFlash(month.table, place, id, now);
  return `${location} ${readable(flash ?? null)}`;
}

const answer = async (name: Name, sent?: Sent) => named(await raw(name, sent));

/** The first ID, from an offset on, that an answer names. */
const idIn = (text: string, from = 0): string =>
  [...text.matchAll(/\bid: "?([\w.-]+)/g)].map(([, id = '']) => id)[from] ?? '';

const ids: Readonly<Record<string, string>> = {
  ...Object.fromEntries(month.domains.map(({ domain, id }) => [domain.replace('.example', ''), id])),
  attention: `${shop?.id}.sender-failing`,
  alert: idIn(await raw('listAlerts', { query: `domainId=${news?.id}` })),
  report: idIn(await raw('listDmarcReports', { id: brand?.id ?? '' })),
  sender: idIn(await raw('listSenders', { id: shop?.id ?? '' }), 3),
  delivery: idIn(await raw('listDeliveries', { query: 'channel=webhook' })),
  tls: idIn(await raw('listTlsReports', { id: shop?.id ?? '' })),
  spare: spare.info.id,
  invitation: idIn(await raw('createInvitation', { json: { mail: 'spare@shop.example', role: 'viewer' } })),
  badge:
    /badge\/([\w-]+)/.exec(await raw('updateDomain', { id: brand?.id ?? '', json: { badge: true } }))?.[1] ??
    '',
  none: '01890a5d-ac96-774b-bcce-b302099a8057',
};

const csv = { accept: 'text/csv' };

/** `<name>` is replaced with the ID of it. */
const requests: readonly (readonly [Name, Sent?])[] = [
  [
    'updateSender',
    { id: '<shop>', params: { senderId: '<sender>' }, json: { status: 'unauthorized', note: 'no' } },
  ],
  ['updateEnforcement', { id: '<brand>', json: { attested: { volume: true } } }],
  ['updateDomain', { id: '<shop>', json: { tags: ['customer:1', 'a'], dkimSelectors: ['s1'], badge: true } }],
  ['createToken', { json: { name: 'a reader' } }],
  [
    'createDomains',
    {
      json: {
        domains: [
          { domain: 'new.example', usageType: 'parked' },
          { domain: 'shop.example', usageType: 'parked' },
          {},
          1,
        ],
      },
    },
  ],
  ['changeCompliance', { json: { follows: ['bod-18-01'] } }],
  [
    'changeNotifications',
    { json: { mail: { address: 'a@shop.example', threshold: 'info' }, webhook: null } },
  ],
  ['putOffAttention', { id: '<attention>', json: { until: '2026-04-10', note: 'after the move' } }],
  ['markAlertRead', { id: '<alert>', json: { read: true } }],
  ['createInvitation', { json: { mail: 'new@shop.example', role: 'editor' } }],
  ['saveView', { form: { name: 'Customers', query: 'tag=customer:1&sort=-domain&page=2' } }],
  ['saveCompliance', { form: { ids: 'bod-18-01,ncsc-uk', own: '' } }],
  [
    'saveDomainSettings',
    { id: '<brand>', form: { tags: 'b, a', dkimSelectors: 's1 s2', usageType: 'sends-only' } },
  ],
  ['saveDomainSettings', { id: '<brand>', form: { tags: 'b,,', testEmailLocalPart: 'a@b' } }],
  ['updateManyInConsole', { form: { ids: '<news>,<quiet>', do: 'tag', tag: 'x', list: 'q=e' } }],
  ['updateManyInConsole', { form: { ids: '<news>', do: 'usage', usageType: 'parked', list: 'q=e' } }],
  ['updateManyInConsole', { form: { ids: '', do: 'untag', tag: 'x' } }],
  ['addDomain', { form: { domain: 'Bücher.example', usageType: 'parked', tags: 'a, c' } }],
  ['addDomain', { form: { domain: 'brand.example', usageType: 'parked' } }],
  [
    'addDomains',
    { form: { domains: 'one.example\ntwo.example, brand.example\n-bad-', usageType: 'sends-only' } },
  ],
  [
    'decideOnSender',
    { id: '<shop>', form: { ids: '<sender>', status: 'forwarder', note: 'a list', page: '1' } },
  ],
  ['decideOnSender', { id: '<shop>', form: { ids: 'network-unknown', status: 'approved' } }],
  [
    'decideForDomains',
    { params: { senderId: '<sender>' }, form: { status: 'approved', replaces: 'on', ids: '', failed: '' } },
  ],
  ['putOffInConsole', { id: '<attention>', form: { until: '2026-04-20', note: '', from: 'today' } }],
  ['putOffInConsole', { id: '<attention>', form: { from: 'today' } }],
  ['putOffInConsole', { id: '<attention>', form: { until: '2020-01-01' } }],
  ['putOffInConsole', { id: '<attention>', form: { until: '2026-04-21' } }],
  ['createTokenInConsole', { form: { name: 'console', scope: 'write' } }],
  ['createTokenInConsole', { form: { name: '', scope: 'write' } }],
  [
    'saveNotifications',
    {
      form: {
        ...{ address: 'b@shop.example', mailThreshold: 'warning', digest: 'daily', digestWeekday: 'monday' },
        ...{ digestHour: '6', digestTimeZone: 'UTC' },
      },
    },
  ],
  ['inviteInConsole', { form: { mail: 'second@shop.example', role: 'viewer' } }],
  ['deleteDmarcReport', { id: '<brand>', params: { reportId: '<report>' } }],
  ['deleteDomainInConsole', { id: '<quiet>', form: {} }],
  ['askAboutDomain', { id: '<brand>', query: 'about=delete' }],
  ['showAddDomains'],
  ['listInvitations'],
  ['listDomains', { query: 'tag=customer:1&sort=-domain' }],
  ['listDomains', { query: 'verified=false&limit=1' }],
  ['getSummary'],
  ['getDomain', { id: '<shop>' }],
  ['getDomain', { id: '<news>', query: 'at=2026-03-10T00:00:00Z' }],
  ['getScore', { id: '<shop>' }],
  ['getScoreHistory', { id: '<news>' }],
  ['getChecksHistory', { id: '<news>' }],
  ['getFixes', { id: '<shop>' }],
  ['getFixes', { id: '<news>', query: 'format=zone' }],
  ['getVerification', { id: '<shop>' }],
  ['getCompliance', { id: '<shop>', query: 'profile=bod-18-01' }],
  ['listCompliance', { query: 'profile=bod-18-01' }],
  ['listAlerts', { query: 'limit=10' }],
  ['listAlerts', { query: 'groupBy=cause' }],
  ['listAlerts', { query: 'domainId=<news>&severity=warning&unreadOnly=true' }],
  ['listAttention'],
  ['listAttention', { query: 'domainId=<shop>&kind=sender-failing' }],
  ['getDmarcTimeline', { id: '<shop>' }],
  ['getDmarcTimeline', { id: '<brand>', query: 'startDate=2026-03-10&endDate=2026-03-12' }],
  ['listDmarcReports', { id: '<shop>', query: 'limit=3' }],
  ['listDmarcReports', { id: '<brand>', query: 'failing=true&limit=2&includeRecords=true' }],
  [
    'listDmarcReports',
    { id: '<brand>', query: 'reporter=google.com&startDate=2026-03-20&endDate=2026-03-22' },
  ],
  ['listDmarcSources', { id: '<shop>', query: 'limit=5' }],
  ['listSenders', { id: '<shop>' }],
  ['listSenders', { id: '<brand>', query: 'failing=true&limit=4' }],
  ['listReporters', { id: '<shop>' }],
  ['listReportMails', { id: '<shop>', query: 'startDate=2026-03-22&endDate=2026-03-24' }],
  ['listReportMails', { id: '<shop>', query: 'outcome=rejected' }],
  ['listReportMails', { id: '<shop>', query: 'outcome=unreadable&limit=1' }],
  ['listTlsReports', { id: '<shop>', query: 'limit=3' }],
  ['listTlsReports', { id: '<shop>', query: 'failing=true&limit=2&includePolicies=true' }],
  ['getEnforcement', { id: '<shop>' }],
  ['getEnforcement', { id: '<brand>' }],
  [
    'simulateRecords',
    { id: '<shop>', json: { dmarc: 'v=DMARC1; p=reject', spf: 'v=spf1 ip4:192.0.2.0/25 -all' } },
  ],
  ['listOrganizationSources', { query: 'failing=true' }],
  ['listTokens'],
  ['getNotifications'],
  ['listDeliveries'],
  ['listMembers'],
  ['listMailboxes'],
  ['listAudit', { query: 'limit=20' }],
  ['showToday'],
  ['showDomains'],
  ['showDomains', { query: 'q=shop&sort=-grade' }],
  ['showSenders'],
  ['showChanges', { query: 'days=30' }],
  ['showAlerts'],
  ['showAlerts', { query: 'severity=warning&each=on' }],
  ['showCompliance', { query: 'profile=bod-18-01' }],
  ['showReport'],
  ['searchConsole', { query: 'q=shop' }],
  ['showDomainOverview', { id: '<shop>' }],
  ['showDomainOverview', { id: '<news>', query: 'at=2026-03-10T00:00:00Z' }],
  ['showDomainView', { id: '<shop>', params: { view: 'dmarc' } }],
  ['showDomainView', { id: '<shop>', params: { view: 'tls' } }],
  ['showDomainView', { id: '<shop>', params: { view: 'enforcement' } }],
  ['showDomainView', { id: '<news>', params: { view: 'history' } }],
  ['showDomainView', { id: '<brand>', params: { view: 'compliance' }, query: 'profile=bod-18-01' }],
  ['showDomainSettings', { id: '<shop>' }],
  ['showSender', { id: '<shop>', params: { senderId: '<sender>' } }],
  ['getFirstSteps', { id: '<quiet>' }],
  ['showOrganizationSender', { params: { senderId: '<sender>' } }],
  ['showSettings'],
  ['showMembers'],
  ['showDeliveries'],
  ['showMailboxes', { query: 'provider=imap' }],
  ['home'],
  ['home', { query: 'domain=&usageType=parked' }],
  ['showSpfChecker'],
  ['showSignIn', { cookie: [] }],
  ['getSecurityTxt'],
  ['saveDomains'],
  ['saveOwnershipRecords', { query: 'format=zone' }],
  ['getScore', { id: '<news>', query: 'at=2026-03-10T00:00:00Z' }],
  ['listAlerts', { query: 'limit=2&page=2&unreadOnly=true' }],
  ['listDeliveries', { query: 'status=given-up' }],
  ['listDeliveries', { query: 'channel=mail&since=2026-03-20T00:00:00Z&limit=2&page=2' }],
  ['listDomains', { query: 'limit=2&page=2' }],
  ['listTlsReports', { id: '<shop>', query: 'reporter=microsoft.com&limit=2&page=2' }],
  ['listDmarcReports', { id: '<shop>', query: 'limit=1', headers: csv }],
  ['listDmarcSources', { id: '<shop>', headers: csv }],
  ['getDmarcTimeline', { id: '<brand>', query: 'startDate=2026-03-10&endDate=2026-03-12', headers: csv }],
  ['getCompliance', { id: '<shop>', query: 'profile=bod-18-01', headers: csv }],
  ['listCompliance', { query: 'profile=bod-18-01', headers: csv }],
  ['getComplianceSettings'],
  ['home', { query: 'domain=shop.example' }],
  ['home', { query: 'domain=_spf.shop.example' }],
  ['home', { query: 'domain=a..b&usageType=parked' }],
  ['getDelivery', { id: '<delivery>' }],
  ['getDelivery', { id: '<none>' }],
  ['redeliver', { id: '<delivery>', json: {} }],
  ['redeliverInConsole', { form: { id: '<delivery>' } }],
  ['redeliverInConsole', { form: { id: '<none>' } }],
  ['testNotifications', { json: {} }],
  ['sendTestNotification', { form: { channel: 'mail' } }],
  ['sendTestNotification', { form: { channel: 'webhook' } }],
  ['showDeliveries', { query: 'page=2' }],
  ['markAlertRead', { id: '<none>', json: { read: true } }],
  ['markAlertsRead', { form: { severity: 'warning', newest: '<alert>' } }],
  ['markAlertsRead', { form: { newest: '<none>', domain: '<news>' } }],
  ['getToken', { id: '<spare>' }],
  ['askInSettings', { query: 'about=token&id=<spare>' }],
  ['askInSettings', { query: 'about=token&id=<none>' }],
  ['askInSettings', { query: 'about=sessions' }],
  ['revokeTokenInConsole', { form: { id: '<spare>', created: 'on' } }],
  ['deleteToken', { id: '<spare>' }],
  ['deleteToken', { id: '<none>' }],
  ['getInvitation', { id: '<invitation>' }],
  ['withdrawInConsole', { form: { id: '<invitation>' } }],
  ['deleteInvitation', { id: '<invitation>' }],
  ['getInvitation', { id: '<invitation>' }],
  ['getMember', { id: '<token>' }],
  ['updateMember', { id: '<token>', json: { role: 'viewer' } }],
  ['removeMember', { id: '<none>' }],
  ['askAboutMembers', { query: 'about=member&id=<token>' }],
  ['askAboutMembers', { query: 'about=leave' }],
  ['changeRoleInConsole', { form: { id: '<token>', role: 'viewer' } }],
  ['removeMemberInConsole', { form: { id: '<none>' } }],
  ['switchOrganization', { form: { organization: '<none>' } }],
  ['changePreferences', { form: { signInNotice: 'on' } }],
  ['changeMemberMail', { form: { address: 'a@shop.example', threshold: 'info', tags: 'a, b' } }],
  ['leaveInConsole', { form: {} }],
  ['showOrganizations'],
  ['operateOrganizations', { form: { do: 'create', name: 'X' } }],
  ['getBadge', { params: { file: '<badge>.svg' } }],
  ['getBadge', { params: { file: '<badge>.json' } }],
  ['getBadge', { params: { file: 'x.svg' } }],
  ['getRawReportMail', { id: '<shop>', params: { mailId: '<none>' } }],
  ['replayReportMail', { id: '<shop>', params: { mailId: '<none>' } }],
  ['deleteTlsReport', { id: '<shop>', params: { reportId: '<tls>' } }],
  ['deleteTlsReport', { id: '<shop>', params: { reportId: '<tls>' } }],
  ['listTlsReports', { id: '<shop>', query: 'limit=1' }],
  ['createDomain', { json: { domain: 'last.example', usageType: 'parked', tags: ['x'] } }],
  ['createDomain', { json: { domain: 'LAST.example', usageType: 'parked' } }],
  ['createTestSession', { json: {} }],
  ['startTest', { form: {} }],
  ['getTestSession', { params: { testId: 'x' } }],
  ['getTestPage', { params: { testId: 'x' } }],
  ['getSpfShare', { params: { shareId: 'x' } }],
  ['getDomainCheckShare', { params: { shareId: 'x' } }],
  ['getDomainCheckCard', { params: { shareId: 'x' } }],
  ['showDomainCheck'],
  ['getUnsubscribePage', { params: { organization: '<none>', token: 'x' } }],
  ['unsubscribe', { params: { organization: '<none>', token: 'x' }, form: {} }],
  ['showInvitation', { query: 'link=x' }],
  ['signIn', { form: { token: 'svc_wrong' }, cookie: [] }],
  ['confirmInConsole', { query: 'to=/console/settings' }],
  ['verifyDomain', { id: '<none>', json: {} }],
  ['runChecks', { id: '<none>', json: {} }],
  ['previewChecks', { id: '<none>', json: { changes: [] } }],
  ['getEvidence', { id: '<none>' }],
  ['getMailbox', { id: '<none>' }],
  ['updateMailbox', { id: '<none>', json: { name: 'x' } }],
  ['testMailbox', { id: '<none>', json: {} }],
  ['runMailbox', { id: '<none>', json: {} }],
  ['removeMailbox', { id: '<none>' }],
  ['addMailbox', { json: { user: 'a', source: 'imap' } }],
  ['addMailboxInConsole', { form: { provider: 'imap', host: 'imap.shop.example', everyMinutes: '4' } }],
  ['showMailbox', { id: '<none>' }],
  ['changeMailboxInConsole', { id: '<none>', form: { paused: 'yes' } }],
  ['runMailboxInConsole', { form: { id: '<none>' } }],
  ['removeMailboxInConsole', { form: { id: '<none>' } }],
  ['checkManyInConsole', { form: { ids: '', list: 'q=none' } }],
  ['verifyManyInConsole', { form: { ids: '', list: 'q=none' } }],
  ['verifyInConsole', { id: '<none>', form: {} }],
  ['checkDomainNow', { id: '<none>', form: {} }],
  ['previewFix', { id: '<none>', query: 'fix=x' }],
  ['deleteDomain', { id: '<news>' }],
  ['deleteDomain', { id: '<news>' }],
  ['endSessions', { form: { id: 'all' } }],
  ['signOut', { form: {} }],
  ['changeNotifications', { json: { mail: { address: 'x@reports.localhost' }, webhook: null } }],
  ['changeNotifications', { json: { mail: null, webhook: { url: 'https://127.0.0.1/' } } }],
];

test.each(requests.map(([name, sent = {}]) => [name, sent] as const))('%s %j', async (name, sent) => {
  const asked = JSON.stringify(sent).replaceAll(/<(\w+)>/g, (text, of) => ids[of] ?? text);
  expect(await answer(name, JSON.parse(asked))).toMatchSnapshot();
});

test('what was notified', () => {
  for (const { subject, text } of channels.mails) expect(named(`${subject}\n\n${text}`)).toMatchSnapshot();
  expect(channels.posts.map(({ body }) => named(readable(JSON.parse(body)))).join('\n')).toMatchSnapshot();
});

/** Octets of compressed content differ between versions of zlib. */
const plain = (item: object) =>
  JSON.parse(
    JSON.stringify(item, (_key, value) =>
      value instanceof Uint8Array || value?.type === 'Buffer' ? 'octets' : value,
    ),
  );

test('the last two stored items of each kind', async () => {
  const kinds = new Map<string, { count: number; last: object[] }>();
  let from: Record<string, unknown> | undefined;
  do {
    const page = await month.table.client.send(
      new ScanCommand({ TableName: month.table.name, ...(from && { ExclusiveStartKey: from }) }),
    );
    for (const item of page.Items ?? []) {
      // The table deletes what has expired at some time.
      if (item.expiresAt * 1000 <= now.getTime()) continue;
      const kind = `${item.pk}, ${item.sk}`.replaceAll(/(?<=#)[^#,]*|[\da-f-]{36}/g, '');
      const { count = 0, last = [] } = kinds.get(kind) ?? {};
      kinds.set(kind, { count: count + 1, last: [...last, plain(item)].slice(-2) });
    }
    from = page.LastEvaluatedKey;
  } while (from !== undefined);
  for (const [kind, { count, last }] of [...kinds].toSorted(([a], [b]) => (a < b ? -1 : 1)))
    expect(named(`${count} ${readable(last)}`)).toMatchSnapshot(kind);
});

test('what the month and all the answers asked of the table', () => {
  expect(requestsOfTable.lines()).toMatchSnapshot();
});
