/** The web pages of a service with the data of `demo`, for tests of what all pages have in common. */
import { routes } from '../../functions/routes.ts';
import { domainViews } from '../../shared/api/console-domain.ts';
import { MISSING_SECONDS } from '../../shared/monitoring/ownership.ts';
import { unsubscribePath } from '../../shared/notify/unsubscribe.ts';
import type { Route } from '../../shared/runtime/http/route.ts';
import { notificationSettingsStore } from '../../shared/store/alerts/notification-settings.ts';
import { attentionStore } from '../../shared/store/attention.ts';
import { domainOpening } from '../../shared/store/attention-changes.ts';
import { domainStore } from '../../shared/store/domains/domains.ts';
import { ownershipStore } from '../../shared/store/domains/ownership.ts';
import { mailboxSecretStore } from '../../shared/store/fetched-mailboxes.ts';
import { attentionKey } from '../../shared/store/keys.ts';
import { testCipher } from './cipher.ts';
import { publishTxt } from './example-internet.ts';
import type { BootedService } from './service.ts';
import { runToEnd } from './service.ts';
import { serviceTable } from './service-table.ts';

/** Page templates of the routes, in their order. Routes that redirect, and files, have no page of their own. */
export const pagePaths: readonly string[] = (Object.values(routes) as Route[])
  .filter(
    ({ path, success }) =>
      success.envelope === 'html' &&
      success.status === 200 &&
      success.contentType === undefined &&
      !path.endsWith('.csv'),
  )
  .map(({ method, path }) => (method === 'GET' ? path : `${method} ${path}`));

/** What the addresses of pages contain that the service chooses. */
interface Named {
  readonly domainIds: ReadonlyMap<string, string>;
  /** Senders of weak.test. */
  readonly senders: readonly string[];
  readonly spfShare: string;
  readonly checkShare: string;
  readonly tests: readonly string[];
  /** The ID of a mailbox from which reports are fetched. */
  readonly mailbox: string;
  /** The path of the link that turns the digest off. */
  readonly unsubscribe: string;
}

const MAIL_ADDRESS = 'ops@example.org';

const consoleDomains = ['good.test', 'weak.test', 'servfail.test'];

/**
 * The addresses of each page template: as a form, with a result, without data, and with errors. A page of a new route
 * belongs here.
 */
export const webPages: Readonly<Record<string, (named: Named) => readonly string[]>> = {
  '/': () => ['/', '/?domain=weak.test', '/?domain=servfail.test', '/?domain=-'],
  '/check': () => ['/check?domain=weak.test', '/check?domain=servfail.test', '/check?domain=-'],
  '/spf': () => ['/spf', '/spf?domain=good.test', '/spf?domain=broken-spf.test', '/spf?domain=-'],
  '/s/spf/{shareId}': ({ spfShare }) => [`/s/spf/${spfShare}`, '/s/spf/unknown'],
  '/s/check/{shareId}': ({ checkShare }) => [`/s/check/${checkShare}`, '/s/check/unknown'],
  '/t/{testId}': ({ tests }) => [...tests.map((id) => `/t/${id}`), '/t/unknown'],
  '/unsubscribe/{organization}/{token}': ({ unsubscribe }) => [unsubscribe, '/unsubscribe/default/unknown'],
  '/docs': () => ['/docs'],
  '/console/sign-in': () => [
    '/console/sign-in',
    '/console/sign-in?failed=token',
    `/console/sign-in?link=${'x'.repeat(43)}`,
  ],
  '/console': () => [
    '/console',
    '/console?kind=ownership-unproven',
    '/console?kind=expiring',
    '/console?page=-',
  ],
  '/console/domains': () => ['/console/domains', '/console/domains?q=nothing'],
  '/console/add': () => ['/console/add'],
  // What a form leads to: see `redirectedForms`.
  '/console/domains/{id}/preview': () => [],
  '/console/confirm': () => [],
  '/console/settings/ask': () => ['/console/settings/ask?about=sessions'],
  '/console/domains/{id}': ({ domainIds }) => [
    ...consoleDomains.map((name) => `/console/domains/${domainIds.get(name)}`),
    `/console/domains/${domainIds.get('good.test')}?at=2099-01-01T00:00:00Z`,
    `/console/domains/${domainIds.get('good.test')}?at=2020-01-01T00:00:00Z`,
    '/console/domains/unknown',
  ],
  '/console/domains/{id}/{view}': ({ domainIds }) =>
    consoleDomains.flatMap((name) =>
      domainViews.map((view) => `/console/domains/${domainIds.get(name)}/${view}`),
    ),
  '/console/domains/{id}/senders/{senderId}': ({ domainIds, senders }) =>
    [...senders, 'unknown'].map((id) => `/console/domains/${domainIds.get('weak.test')}/senders/${id}`),
  '/console/domains/{id}/settings': ({ domainIds }) => [
    `/console/domains/${domainIds.get('good.test')}/settings`,
    `/console/domains/${domainIds.get('servfail.test')}/settings`,
  ],
  '/console/domains/{id}/ask': ({ domainIds }) => [
    `/console/domains/${domainIds.get('good.test')}/ask?about=delete`,
    `/console/domains/${domainIds.get('good.test')}/ask?about=badge`,
  ],
  '/console/settings': () => ['/console/settings'],
  '/console/members': () => ['/console/members'],
  '/console/operator': () => ['/console/operator'],
  '/console/members/ask': () => ['/console/members/ask?about=leave'],
  // These lead elsewhere, the first one unless its link is that of an open invitation.
  '/console/invitation': () => [],
  '/console/sign-in/provider': () => [],
  '/console/sign-in/return': () => [],
  '/console/sign-in/provider-sign-out': () => [],
  '/console/search': () => ['/console/search', '/console/search?q=test', '/console/search?q=nothing+at+all'],
  '/console/mailboxes': () => ['/console/mailboxes', '/console/mailboxes?provider=imap'],
  '/console/mailboxes/{id}': ({ mailbox }) => [`/console/mailboxes/${mailbox}`],
  '/console/report': () => ['/console/report'],
  '/console/compliance': () => [
    '/console/compliance?profile=bsi-tr-03182',
    '/console/compliance?profile=bod-18-01&status=fulfilled&page=9',
    '/console/compliance?profile=-',
  ],
  '/console/changes': () => [
    '/console/changes?days=90',
    '/console/changes?check=bimi&score=rose',
    '/console/changes?days=x',
  ],
  '/console/senders': () => ['/console/senders', '/console/senders?failing=true', '/console/senders?page=9'],
  '/console/deliveries': () => ['/console/deliveries', '/console/deliveries?page=9'],
  '/console/senders/{senderId}': ({ senders }) =>
    [...senders, 'unknown'].map((id) => `/console/senders/${id}`),
  '/console/alerts': () => ['/console/alerts', '/console/alerts?severity=info&unread=true'],
};

export interface FormPage {
  /** Of the page with the form. */
  readonly address: string;
  readonly button: string;
  /** What is filled in, by selector. */
  readonly fields?: Readonly<Record<string, string>>;
  /** Boxes that are ticked, by selector. */
  readonly ticked?: readonly string[];
}

/** Pages that answer a form. */
export const formPages: Readonly<Record<string, (named: Named) => readonly FormPage[]>> = {
  'POST /unsubscribe/{organization}/{token}': ({ unsubscribe }) => [
    { address: unsubscribe, button: 'Stop the digest' },
  ],
};

const sending = (
  address: string,
  button: string,
  fields: Readonly<Record<string, string>> = {},
): FormPage => ({ address, button, fields });

/** Forms of the console, by the page that their redirects lead to, with what they did or why they did nothing. */
export const redirectedForms: Readonly<Record<string, (named: Named) => readonly FormPage[]>> = {
  '/console/domains/{id}/preview': ({ domainIds }) => [
    { address: `/console/domains/${domainIds.get('weak.test')}`, button: 'Preview' },
  ],
  '/console/domains/{id}/settings': ({ domainIds }) => [
    sending(`/console/domains/${domainIds.get('good.test')}/settings`, 'Save', { '#edit-selectors': '/' }),
    sending(`/console/domains/${domainIds.get('good.test')}/settings`, 'Save', { '#edit-tags': 'a, b' }),
  ],
  '/console/domains': ({ domainIds }) => [
    sending('/console/domains', 'Verify'),
    {
      ...{ address: '/console/domains', button: 'Add tag', fields: { '#many [name=tag]': 'x'.repeat(50) } },
      ticked: [`[name=on_${domainIds.get('weak.test')}]`],
    },
    sending('/console/domains?grade=F', 'Save view', { '[name=name]': 'Failing' }),
  ],
  '/console/senders/{senderId}': ({ senders }) => [
    {
      ...sending(`/console/senders/${senders[0]}`, 'Decide'),
      ticked: ['[name=status][value=forwarder]'],
    },
  ],
  '/console/add': () => [
    sending('/console/add', 'Add', { '#domain': '-' }),
    sending('/console/add', 'Add all', { '#domains': 'new.test\n-' }),
  ],
  '/console/compliance': () => [
    sending('/console/compliance', 'Save'),
    sending('/console/compliance', 'Save', { '#own-profiles': '[{]' }),
  ],
  '/console/settings': () => [
    sending('/console/settings', 'Save notifications'),
    sending('/console/settings', 'Save notifications', { '#digest-zone': '-' }),
    sending('/console/settings', 'Send a test'),
    sending('/console/settings', 'Create', { '#name': 'Export' }),
  ],
  // The token that the form before it created.
  '/console/settings/ask': () => [{ address: '/console/settings', button: 'Revoke Export' }],
};

/** Runs `demo`, opens an attention item, saves a result of each checker, and starts two mail tests, of which one completes. */
export async function namedIn(service: BootedService): Promise<Named> {
  // Most of the 400 days are then refused, which saves a minute.
  const environment = { DATA_DIR: service.dataDir, RETENTION_DAYS: '40' };
  const demo = await runToEnd('admin.ts', ['demo'], environment);
  if (demo.code !== 0) throw new Error(demo.output);
  const sent = await runToEnd('admin.ts', ['send-test'], environment);
  const completed = /\/t\/(\w+)/.exec(sent.output)?.[1];
  const [domains, spf, check, pending] = await Promise.all([
    read(service, 'GET', '/api/v1/domains'),
    read(service, 'POST', '/api/spf-checker', { domain: 'broken-spf.test', save: true }),
    read(service, 'POST', '/api/v1/domain-checker', { domain: 'weak.test', save: true }),
    read(service, 'POST', '/api/inbound-tester/sessions', {}),
  ]);
  if (completed === undefined) throw new Error(sent.output);
  const listed = domains.data as readonly { id: string; domain: string }[];
  const domainIds = new Map(listed.map(({ id, domain }) => [domain, id]));
  await loseProof(service, domainIds.get('weak.test') ?? '');
  await changeRecord(service, domainIds.get('send-only.test') ?? '');
  await read(service, 'PUT', '/api/v1/notifications', { mail: { address: MAIL_ADDRESS }, webhook: null });
  const senders = await read(service, 'GET', `/api/v1/domains/${domainIds.get('weak.test')}/senders`);
  return {
    domainIds,
    senders: (senders.data as readonly { id: string }[]).slice(0, 3).map(({ id }) => id),
    spfShare: lastPart(spf.shareUrl),
    checkShare: lastPart(check.data.shareUrl),
    tests: [completed, pending.testId],
    mailbox: await addMailbox(service),
    unsubscribe: await unsubscribeLink(service),
  };
}

/** The next check run finds another record, so that there is a change to show. */
async function changeRecord(service: BootedService, id: string): Promise<void> {
  await publishTxt(service, 'send-only.test', 'v=spf1 ip4:192.0.2.10 ~all', 'PUT');
  await read(service, 'POST', `/api/v1/domains/${id}/checks`);
}

/** The server does not exist, so that its runs fail. */
async function addMailbox(service: BootedService): Promise<string> {
  const table = await serviceTable(service);
  const settings = {
    ...({ source: 'imap', host: 'imap.servfail.test', port: 993, security: 'tls' } as const),
    ...({
      name: 'Reports',
      user: 'dmarc@example.org',
      folder: 'INBOX',
      signIn: { kind: 'password' },
    } as const),
    ...({ after: 'move', moveTo: 'Done', everySeconds: 900 } as const),
  };
  try {
    const secret = { secret: 'a password' };
    return (await mailboxSecretStore(table, testCipher).add('default', settings, secret, new Date())).id;
  } finally {
    await table.stop();
  }
}

async function unsubscribeLink(service: BootedService): Promise<string> {
  const table = await serviceTable(service);
  try {
    const key = await notificationSettingsStore(table).makeUnsubscribeKey('default');
    return unsubscribePath('default', key, MAIL_ADDRESS);
  } finally {
    await table.stop();
  }
}
const KIND = 'ownership-unproven';

/** The verification record of the domain has been missing for 30 days. */
async function loseProof(service: BootedService, id: string): Promise<void> {
  const table = await serviceTable(service);
  try {
    const domain = await domainStore(table).get('default', id);
    if (domain?.ownership === undefined) throw new Error('the domain is not in the table, verified');
    const at = '2026-01-31T08:00:00.000Z';
    const missing = { since: at, countedAt: at, seconds: MISSING_SECONDS, isUnproven: true };
    const held = { since: at };
    const context = { settings: { mail: null, webhook: null }, now: new Date(at) };
    await ownershipStore(table).miss(
      { ...domain, ownership: domain.ownership },
      missing,
      domainOpening(domain, KIND, held, context),
    );
    if ((await attentionStore(table).get(attentionKey(id, KIND))) === undefined)
      throw new Error('the attention item did not open');
  } finally {
    await table.stop();
  }
}

const lastPart = (url: string): string => url.slice(url.lastIndexOf('/') + 1);

// biome-ignore lint/suspicious/noExplicitAny: other tests validate these responses
async function read(service: BootedService, method: string, path: string, body?: object): Promise<any> {
  const response = await fetch(`${service.url}${path}`, {
    method,
    headers: { authorization: `Bearer ${service.token}`, 'content-type': 'application/json' },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${await response.text()}`);
  return response.json();
}
