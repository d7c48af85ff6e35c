/**
 * What the service answers about an organization after a month of reports, checks and decisions, as it was recorded: any
 * change of an answer shows here. `npm run jest -- -u <this file>` records it again; read the difference.
 */
import { createPublicKey } from 'node:crypto';
import { expect, jest, test } from '@jest/globals';
import { routes } from '../../functions/routes.ts';
import type { EndpointHandler } from '../../shared/runtime/http/endpoint.ts';
import type { Route } from '../../shared/runtime/http/route.ts';
import { organizationStore } from '../../shared/store/organizations.ts';
import { sessionStore } from '../../shared/store/sessions.ts';
import { consoleTable, type Sent, send } from '../kit/console.ts';
import { namer, readableJson, readablePage } from '../kit/recorded.ts';
import { atEnd } from '../kit/use.ts';
import { at, startMonth } from '../simulation/month.ts';

/** Five days after reports of one domain stopped to come. */
const DAYS = 26;
const now = at(DAYS, 1);

// Time stands still for handlers, and the random part of IDs counts.
jest.useFakeTimers({
  now,
  doNotFake: [
    ...(['nextTick', 'performance', 'queueMicrotask', 'hrtime', 'setImmediate', 'clearImmediate'] as const),
    ...(['setInterval', 'clearInterval', 'setTimeout', 'clearTimeout'] as const),
  ],
});
atEnd(() => jest.useRealTimers());
let ids = 0;
jest.spyOn(globalThis.crypto, 'getRandomValues').mockImplementation((array) => {
  ids += 1;
  if (array?.byteLength === 16) new DataView(array.buffer).setUint32(6, ids);
  return array;
});
atEnd(() => jest.restoreAllMocks());

Object.assign(process.env, {
  ...{ REPORTS_DOMAIN: 'reports.localhost', SERVICE_LABEL: 'svc', HOST_URL: 'https://m.example' },
  RETENTION_DAYS: '400',
});
const month = await startMonth({
  size: { networks: 3, brandReporters: 4, shopReporters: 3, newsReporters: 2 },
  ...{ days: DAYS, dkimKey: dkimRecord() },
  makeTable: consoleTable,
});
atEnd(() => month.stop());
const [, , shop] = month.domains;

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

planTlsReports();
planOtherMails();
await month.runUntil(now);

const { token, info } = await organizationStore(month.table).createToken(
  month.organization,
  { name: 'recorder', label: 'svc', scope: 'admin' },
  at(DAYS),
);
const cookie = await sessionStore(month.table).start(info, '', now);

const named = namer(
  /(?<![\w-])(?:[\da-f]{24}|[\w-]{32,}|svc_[\w-]+|[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12})(?![\w-])/g,
);

type Name = keyof typeof routes;

async function answer(name: Name, sent: Sent = {}): Promise<string> {
  const route: Route = routes[name];
  const { handler } = (await import(`../../functions/${route.handler}.ts`)) as {
    handler: EndpointHandler<unknown>;
  };
  const headers = { ...(route.access === 'token' && { authorization: `Bearer ${token}` }), ...sent.headers };
  const { statusCode, body = '' } = await send(handler, { cookie, ...sent, headers });
  const isPage = body.startsWith('<!doctype');
  const isJson = /^[[{]/.test(body);
  const text = isPage ? readablePage(body) : isJson ? readableJson(JSON.parse(body)) : body;
  return named(`${statusCode} ${text}`);
}

const senderOf = async (id: string, at_: number): Promise<string> => {
  const found = await answer('listSenders', { id });
  return [...found.matchAll(/"id": ?"((?:network|domain|provider)-[^"]+)"/g)][at_]?.[1] ?? '';
};

const decided = await senderOf(shop?.id ?? '', 3);

type Asked = Omit<Sent, 'id'> & {
  /** The first label of a domain. */
  readonly of?: string;
};

const requests: readonly (readonly [Name, Asked?])[] = [
  [
    'updateSender',
    { of: 'shop', params: { senderId: decided }, json: { status: 'unauthorized', note: 'no' } },
  ],
  ['updateEnforcement', { of: 'brand', json: { attested: { volume: true } } }],
  ['updateDomain', { of: 'shop', json: { tags: ['customer:1', 'a'], dkimSelectors: ['s1'], badge: true } }],
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
  ['listDomains', { query: 'tag=customer:1&sort=-domain' }],
  ['listDomains', { query: 'verified=false&limit=1' }],
  ['getSummary'],
  ['getDomain', { of: 'shop' }],
  ['getDomain', { of: 'news', query: 'at=2026-03-10T00:00:00Z' }],
  ['getScore', { of: 'shop' }],
  ['getScoreHistory', { of: 'news' }],
  ['getChecksHistory', { of: 'news' }],
  ['getFixes', { of: 'shop' }],
  ['getFixes', { of: 'news', query: 'format=zone' }],
  ['getEvidence', { of: 'news', query: 'at=2026-03-10T00:00:00Z' }],
  ['getVerification', { of: 'shop' }],
  ['getCompliance', { of: 'shop', query: 'profile=bod-18-01' }],
  ['listCompliance', { query: 'profile=bod-18-01' }],
  ['listAlerts', { query: 'limit=10' }],
  ['listAlerts', { query: 'groupBy=cause' }],
  ['listAlerts', { query: 'domainId=news&severity=warning&unreadOnly=true' }],
  ['listAttention'],
  ['listAttention', { query: 'domainId=shop&kind=sender-failing' }],
  ['getDmarcTimeline', { of: 'shop' }],
  ['getDmarcTimeline', { of: 'brand', query: 'startDate=2026-03-10&endDate=2026-03-12' }],
  ['listDmarcReports', { of: 'shop', query: 'limit=3' }],
  ['listDmarcReports', { of: 'brand', query: 'failing=true&limit=2&includeRecords=true' }],
  ['listDmarcReports', { of: 'brand', query: 'reporter=google.com&startDate=2026-03-20&endDate=2026-03-22' }],
  ['listDmarcSources', { of: 'shop', query: 'limit=5' }],
  ['listSenders', { of: 'shop' }],
  ['listSenders', { of: 'brand', query: 'failing=true&limit=4' }],
  ['listReporters', { of: 'shop' }],
  ['listReportMails', { of: 'shop', query: 'startDate=2026-03-22&endDate=2026-03-24' }],
  ['listReportMails', { of: 'shop', query: 'outcome=rejected' }],
  ['listTlsReports', { of: 'shop', query: 'limit=3' }],
  ['listTlsReports', { of: 'shop', query: 'failing=true&limit=2&includePolicies=true' }],
  ['getEnforcement', { of: 'shop' }],
  ['getEnforcement', { of: 'brand' }],
  [
    'simulateRecords',
    { of: 'shop', json: { dmarc: 'v=DMARC1; p=reject', spf: 'v=spf1 ip4:192.0.2.0/25 -all' } },
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
  ['showDomainOverview', { of: 'shop' }],
  ['showDomainOverview', { of: 'news', query: 'at=2026-03-10T00:00:00Z' }],
  ['showDomainView', { of: 'shop', params: { view: 'dmarc' } }],
  ['showDomainView', { of: 'shop', params: { view: 'tls' } }],
  ['showDomainView', { of: 'shop', params: { view: 'enforcement' } }],
  ['showDomainView', { of: 'news', params: { view: 'history' } }],
  ['showDomainView', { of: 'brand', params: { view: 'compliance' }, query: 'profile=bod-18-01' }],
  ['showDomainSettings', { of: 'shop' }],
  ['showSender', { of: 'shop', params: { senderId: decided } }],
  ['getFirstSteps', { of: 'quiet' }],
  ['showOrganizationSender', { params: { senderId: decided } }],
  ['showSettings'],
  ['showMembers'],
  ['showDeliveries'],
  ['saveDomains'],
  ['saveOwnershipRecords', { query: 'format=zone' }],
];

const idOf = (name: string) => month.domains.find(({ domain }) => domain === `${name}.example`)?.id ?? '';

test.each(requests.map(([name, sent = {}]) => [name, sent] as const))('%s %j', async (name, sent) => {
  const { of, query = '', ...rest }: Asked = sent;
  const inQuery = query.replace(/(?<=domainId=)\w+/, idOf);
  const id = of === undefined ? {} : { id: idOf(of) };
  expect(await answer(name, { ...rest, ...id, query: inQuery })).toMatchSnapshot();
});
