/** Every kind of item: read with attributes of another release, and refused if it does not match its schema. */

import { brotliCompressSync, gzipSync } from 'node:zlib';
import { beforeAll, describe, expect, test } from '@jest/globals';
import * as z from 'zod/mini';
import { factsOf } from '../../../shared/alerts/facts.ts';
import { encodeSummaries } from '../../../shared/reports/dmarc/summary/encoding.ts';
import { alertStore } from '../../../shared/store/alerts/alerts.ts';
import { deliveryStore } from '../../../shared/store/alerts/deliveries.ts';
import { notificationSettingsStore } from '../../../shared/store/alerts/notification-settings.ts';
import { pendingNotificationStore } from '../../../shared/store/alerts/pending.ts';
import { hashToken, tokenInfo } from '../../../shared/store/api-tokens.ts';
import { attentionStore } from '../../../shared/store/attention.ts';
import { auditStore } from '../../../shared/store/audit.ts';
import { blocklistingStore } from '../../../shared/store/check-runs/blocklistings.ts';
import { checkStore } from '../../../shared/store/check-runs/checks.ts';
import { evidenceStore } from '../../../shared/store/check-runs/evidence.ts';
import { historyStore } from '../../../shared/store/check-runs/history.ts';
import { monitorStateStore } from '../../../shared/store/check-runs/monitor-states.ts';
import { registrationStore } from '../../../shared/store/check-runs/registrations.ts';
import { seenSelectorStore } from '../../../shared/store/check-runs/seen-selectors.ts';
import { complianceSettingsStore } from '../../../shared/store/compliance-settings.ts';
import { domainCheckShareStore, domainCheckStore } from '../../../shared/store/domain-checks.ts';
import { badgeStore } from '../../../shared/store/domains/badges.ts';
import { deletionStore } from '../../../shared/store/domains/deletions.ts';
import { directoryStore } from '../../../shared/store/domains/directory.ts';
import { domainStore } from '../../../shared/store/domains/domains.ts';
import { scheduleStore } from '../../../shared/store/domains/schedule.ts';
import { assessmentStore } from '../../../shared/store/enforcement/assessments.ts';
import { fetchedMailboxStore } from '../../../shared/store/fetched-mailboxes.ts';
import { idempotencyStore } from '../../../shared/store/idempotency.ts';
import {
  alertDedupeKey,
  alertKey,
  assessmentKey,
  attentionIndexKey,
  attentionKey,
  auditKey,
  badgeKey,
  blocklistingsKey,
  channelAttentionKey,
  checksHistoryOf,
  checksKey,
  complianceSettingsKey,
  deletionKey,
  deliveryIndexKey,
  deliveryKey,
  directoryChangeKey,
  directoryShardKey,
  domainCheckKey,
  domainCheckShareKey,
  domainKey,
  domainNameKey,
  domainsDueBy,
  evidenceCertificateKey,
  evidenceKey,
  fetchedMailboxKey,
  idempotencyKey,
  type Key,
  layoutKey,
  mailboxAttentionKey,
  mailboxDueKey,
  mailboxKey,
  monitorStateKey,
  notificationSettingsKey,
  notificationShardOf,
  organizationKey,
  organizationListKey,
  organizationPendingKey,
  pendingIndexKey,
  pendingKey,
  rateKey,
  registrationKey,
  reportDayKey,
  reportKey,
  reportMailKey,
  reportRollUpKey,
  savedViewsKey,
  scoreHistoryOf,
  secretKey,
  seenSelectorsKey,
  sessionKey,
  signingKeyKey,
  slidingRateKey,
  spfShareKey,
  testSessionKey,
  tokenKey,
  tokenUseKey,
} from '../../../shared/store/keys.ts';
import { layoutProblem } from '../../../shared/store/migrations/layout.ts';
import { organizationStore } from '../../../shared/store/organizations.ts';
import { exactRateStore } from '../../../shared/store/rates/exact-rates.ts';
import { rateStore } from '../../../shared/store/rates/rates.ts';
import { dmarcReportStore } from '../../../shared/store/reports/dmarc-reports.ts';
import { mailOutcomeStore } from '../../../shared/store/reports/mail-outcomes.ts';
import { packBody } from '../../../shared/store/reports/stored-report.ts';
import { summaryStore } from '../../../shared/store/reports/summaries.ts';
import { tlsReportStore } from '../../../shared/store/reports/tls-reports.ts';
import { savedViewStore } from '../../../shared/store/saved-views.ts';
import { type Cipher, secretStore } from '../../../shared/store/secrets.ts';
import { sessionStore } from '../../../shared/store/sessions.ts';
import { signingKeyStore } from '../../../shared/store/signing-keys.ts';
import { spfShareStore } from '../../../shared/store/spf-shares.ts';
import type { Table } from '../../../shared/store/table.ts';
import { testSessionStore } from '../../../shared/store/test-sessions.ts';
import { reportAlertDraft, storedAlert } from '../../kit/alerts.ts';
import { emptyResults } from '../../kit/results.ts';
import type { EmptyTable } from '../../kit/table.ts';
import { useTable } from '../../kit/use-table.ts';

const now = new Date('2026-01-10T00:00:00.000Z');
const at = '2026-01-05T08:00:00.000Z';
const day = '2026-01-05';
const permanent = { retentionDays: 0 };
const all = { page: 1, limit: 9 };
const wholeDay = { from: `${day}T00:00:00.000Z`, until: '2026-01-06T00:00:00.000Z' };
const packed = (value: unknown) => gzipSync(JSON.stringify(value));
const checked = () => packed({ results: emptyResults(), lookups: [] });
const testId = 'abcdefghijklmnopqrstuvwxyz';
/** The SHA-256 hash of `token`. */
const hash = '3c469e9d6c5875d37a43f353d4f88e61fcf812c66eee3457465a40b0da4153e0';
const id = '01890a5d-ac96-774b-bcce-b302099a8057';
/** The secret of a link, and its SHA-256 hash. */
const secret = 'x'.repeat(43);
const secretHash = hashToken(secret);
const rate = { limit: 5, windowMilliseconds: 60_000 };

const domain = {
  ...{ id: 'd', organization: 'o', domain: 'example.org', verified: true, verificationToken: 'proof' },
  ...{ usageType: 'parked', testEmailLocalPart: null, mailbox: 'box', lastCheckedAt: null },
  ...{ dkimSelectors: [], tags: [], createdAt: at, updatedAt: at },
};
/** All that an API token has. */
const token = {
  ...{ id: 't', hash, organization: 'o', name: 'ci', scope: 'admin', networks: [], creators: [] },
  createdAt: at,
};
const delivery = {
  ...{ id: 'v', organization: 'o', channel: 'mail', kind: 'alerts', createdAt: at },
  ...{ alerts: [{ domainId: 'd', id: 'a' }], further: { info: 0, warning: 0, critical: 0 } },
};
const report = { rawKey: null, passed: 1, failed: 0, rowContent: 'h', rowChunks: 0 };
const reportBody = (header: object) =>
  packBody(
    {
      ...{ contentHash: 'c', receivedAt: at, authenticated: null, warnings: 0, rows: 0, rowOctets: 0 },
      ...{ counters: {}, report: header },
    },
    '',
  );
const period = { dateRangeBegin: `${day}T00:00:00.000Z`, dateRangeEnd: `${day}T23:59:59.000Z` };
const dmarcHeader = {
  ...{ kind: 'dmarc', reportId: 'r1', orgName: 'Reporter', email: '', extraContactInfo: null, ...period },
  ...{ policyDomain: 'example.org', policyP: 'none', policySp: null, policyNp: null, policyAdkim: 'r' },
  ...{ policyAspf: 'r', policyPct: 100, testing: false, generator: null },
  ...{ discoveryMethod: null, specification: 'RFC 7489' },
};
const tlsHeader = { kind: 'tls', reportId: 'r1', organizationName: 'Reporter', contactInfo: '', ...period };
const expansion = {
  ...{ domain: 'a.example', status: 'no-record', recordLength: 0, voidLookupCount: { ip4: 0, ip6: 0 } },
  ...{ flattened: { networks: [], merged: null, kept: [], records: [] }, findings: [], unknown: [] },
};
const monitorState = { baseline: factsOf(emptyResults(), 'parked'), isBelowThreshold: false };
const noColumns = {
  ...{ ids: [], domains: [], usageTypes: [], verified: [], tags: [] },
};

async function each<Value>(values: AsyncIterable<Value>): Promise<Value[]> {
  const list: Value[] = [];
  for await (const value of values) list.push(value);
  return list;
}

interface Row {
  readonly kind: string;
  readonly key: Key;
  /** Without optional attributes. */
  readonly attributes: Readonly<Record<string, unknown>>;
  /** An attribute that gets another type. */
  readonly broken: string;
  /** Further items that the read needs. */
  readonly with?: readonly (Key & Readonly<Record<string, unknown>>)[];
  readonly read: (table: Table) => Promise<unknown>;
}

const dayItem = { ...reportDayKey('DMARC', 'd', day), day, reports: 1, passed: 1 };

const rows: readonly Row[] = [
  {
    kind: 'the version of the layout',
    key: layoutKey(),
    attributes: { version: 2 },
    broken: 'version',
    read: (table) => layoutProblem(table),
  },
  {
    kind: 'an organization',
    key: organizationKey('o'),
    attributes: { id: 'o', name: 'Example', domainCount: 0, createdAt: at },
    broken: 'domainCount',
    read: (table) => organizationStore(table).get('o'),
  },
  {
    kind: 'the list of organizations',
    key: organizationListKey('o'),
    attributes: { id: 'o', name: 'Example', createdAt: at },
    broken: 'createdAt',
    read: (table) => organizationStore(table).list(),
  },
  {
    kind: 'a token',
    key: tokenKey(hash),
    attributes: token,
    broken: 'revokedAt',
    read: (table) => tokenInfo(table, 'token'),
  },
  {
    kind: 'a session of the console',
    key: sessionKey('SESSION', 'o', 't#h'),
    attributes: {
      ...{ tokenId: 't', tokenHash: hash, startedAt: at, lastUsedAt: at, authenticatedAt: at },
      ...{ until: at, client: '' },
    },
    broken: 'lastUsedAt',
    read: (table) => sessionStore(table).list('o', undefined, new Date(0)),
  },
  {
    kind: 'a one-time link',
    key: sessionKey('LINK', 'o', `t#${secretHash}`),
    attributes: { tokenHash: hash, until: at },
    broken: 'until',
    with: [{ ...tokenKey(hash), ...token, revokedAt: null }],
    read: (table) => sessionStore(table).takeLink(`o.t.${secret}`, new Date(0)),
  },
  {
    kind: 'the last use of a token',
    key: tokenUseKey('o', 't'),
    attributes: { lastUsedOn: day },
    broken: 'lastUsedOn',
    read: (table) => organizationStore(table).tokenUses('o'),
  },
  {
    kind: 'an entry of the audit log',
    key: auditKey('o', at, 'a'),
    attributes: { at, action: 'createDomain', token: 't' },
    broken: 'action',
    read: (table) => auditStore(table).list('o', {}, all, now),
  },
  {
    kind: 'a request with an idempotency key',
    key: idempotencyKey('t', 'h'),
    attributes: { fingerprint: 'f', claimedUntil: 1 },
    broken: 'fingerprint',
    read: (table) =>
      idempotencyStore(table).claim({ tokenId: 't', keyHash: 'h', fingerprint: 'f' }, new Date(0), 9),
  },
  {
    kind: 'a domain',
    key: domainKey('o', 'd'),
    attributes: domain,
    broken: 'usageType',
    read: (table) => domainStore(table).get('o', 'd'),
  },
  {
    kind: 'a page of domains',
    key: domainKey('o', 'd'),
    attributes: domain,
    broken: 'verified',
    with: [{ ...domainKey('o', 'e'), ...domain, id: 'e' }],
    read: (table) => domainStore(table).list('o', 1, 9),
  },
  {
    kind: 'a shard of the directory of domains',
    key: directoryShardKey('o', '00'),
    attributes: { revision: 1, columns: brotliCompressSync(JSON.stringify(noColumns)) },
    broken: 'columns',
    read: (table) => directoryStore(table).search('o', { sort: 'domain' }, all),
  },
  {
    kind: 'a change of a domain for the directory',
    key: directoryChangeKey('o', '00', 'd'),
    attributes: { id: 'd', changes: 1 },
    broken: 'changes',
    read: (table) => directoryStore(table).search('o', { sort: 'domain' }, all),
  },
  {
    kind: 'the blocklists of a domain',
    key: blocklistingsKey('d'),
    attributes: { askedAt: at, listings: [] },
    broken: 'listings',
    read: (table) => blocklistingStore(table).get('d'),
  },
  {
    kind: 'the registration of a domain',
    key: registrationKey('d'),
    attributes: {
      seen: { at, status: 'found', registration: { expiresAt: null, statuses: [], keyTags: null } },
      nextAt: at,
    },
    broken: 'nextAt',
    read: (table) => registrationStore(table).get('d'),
  },
  {
    kind: 'an assessment of enforcement',
    key: assessmentKey('d'),
    attributes: {
      basis: 'b',
      calculatedAt: at,
      expiresAt: 9_999_999_999,
      assessment: packed({ stage: 'reject' }),
    },
    broken: 'basis',
    read: (table) => assessmentStore(table, z.object({ stage: z.string() })).recent('d', 'b', now),
  },
  {
    kind: 'a domain name',
    key: domainNameKey('o', 'example.org'),
    attributes: { id: 'd' },
    broken: 'id',
    with: [{ ...domainKey('o', 'd'), ...domain }],
    read: (table) => domainStore(table).named('o', 'example.org'),
  },
  {
    kind: 'a mailbox',
    key: mailboxKey('box'),
    attributes: { id: 'd', organization: 'o', domain: 'example.org' },
    broken: 'domain',
    read: (table) => domainStore(table).ofMailbox('box'),
  },
  {
    kind: 'a badge',
    key: badgeKey('t'),
    attributes: { id: 'd', organization: 'o' },
    broken: 'organization',
    with: [{ ...domainKey('o', 'd'), ...domain, badgeToken: 't' }],
    read: (table) => badgeStore(table).get('t'),
  },
  {
    kind: 'a domain that is due',
    key: domainKey('o', 'd'),
    attributes: { ...domain, ...domainsDueBy(1, at) },
    broken: 'organization',
    read: (table) => scheduleStore(table).due(1, now, 9),
  },
  {
    kind: 'a deletion',
    key: deletionKey('d'),
    attributes: { id: 'd', requestedAt: at },
    broken: 'id',
    read: (table) => deletionStore(table).unfinished(now),
  },
  {
    kind: 'a mail of a domain that is deleted',
    key: reportMailKey('d', at, 'm'),
    attributes: { rawKey: 'reports/m', alsoFor: [] },
    broken: 'rawKey',
    with: [{ ...deletionKey('d'), id: 'd', requestedAt: at }],
    read: (table) => deletionStore(table).drain('d', () => 60_000),
  },
  {
    kind: 'a report mail',
    key: reportMailKey('d', at, 'm'),
    attributes: {
      ...{ messageId: 'm', receivedAt: at, rawKey: 'reports/m', alsoFor: [], authentication: null },
      outcomes: [{ kind: 'accepted', source: 'mail', reason: null }],
    },
    broken: 'outcomes',
    read: (table) => each(mailOutcomeStore(table, permanent).all('d')),
  },
  {
    kind: 'the latest checks',
    key: checksKey('d'),
    attributes: { checkedAt: at, results: packed(emptyResults()) },
    broken: 'results',
    read: (table) => checkStore(table).latest('d'),
  },
  {
    kind: 'the history of the score',
    key: { pk: scoreHistoryOf('d').pk, sk: `${scoreHistoryOf('d').prefix}${at}` },
    attributes: { at, score: 80, grade: 'B' },
    broken: 'grade',
    read: (table) => historyStore(table, permanent).scores('d', all, now),
  },
  {
    kind: 'the history of the checks',
    key: { pk: checksHistoryOf('d').pk, sk: `${checksHistoryOf('d').prefix}${at}` },
    attributes: { at, changes: [] },
    broken: 'changes',
    read: (table) => historyStore(table, permanent).checks('d', all, now),
  },
  {
    kind: 'a public key',
    key: signingKeyKey('k'),
    attributes: { jwk: { kty: 'OKP', crv: 'Ed25519', x: 'x', kid: 'k', alg: 'EdDSA', use: 'sig' } },
    broken: 'jwk',
    read: (table) => signingKeyStore(table).list(),
  },
  {
    kind: 'evidence',
    key: evidenceKey('d', at),
    attributes: {
      ...{ at, release: '1.0.0', usageType: 'parked', certificates: [] },
      content: brotliCompressSync(JSON.stringify({ results: emptyResults() })),
    },
    broken: 'content',
    read: (table) => evidenceStore(table, permanent).at('d', undefined, now),
  },
  {
    kind: 'a certificate of evidence',
    key: evidenceCertificateKey('d', 'h'),
    attributes: { der: new Uint8Array([48]) },
    broken: 'der',
    read: (table) => evidenceStore(table, permanent).certificates('d', ['h']),
  },
  {
    kind: 'a monitor state',
    key: monitorStateKey('d'),
    attributes: { revision: 1, state: packed(monitorState) },
    broken: 'state',
    read: (table) => monitorStateStore(table, alertStore(table, permanent)).get('d'),
  },
  {
    kind: 'selectors',
    key: seenSelectorsKey('d'),
    attributes: { 'seen#s': day },
    broken: 'seen#s',
    read: (table) => seenSelectorStore(table).list('d'),
  },
  {
    kind: 'a rate limit',
    key: slidingRateKey('api', 'o'),
    attributes: { part: 1, passes: 1, p1: 1 },
    broken: 'p1',
    read: (table) => rateStore(table).consume('api', 'o', rate, now),
  },
  {
    kind: 'an exact rate limit',
    key: rateKey('checks', 'd'),
    attributes: { revision: 1, passes: [] },
    broken: 'passes',
    read: (table) => exactRateStore(table).consumeExact('checks', 'd', rate, now),
  },
  {
    kind: 'a shared SPF result',
    key: spfShareKey('s'),
    attributes: { checkedAt: at, expiresAt: 9_999_999_999, result: packed(expansion) },
    broken: 'checkedAt',
    read: (table) => spfShareStore(table).get('s', now),
  },
  {
    kind: 'a shared result of the domain checker',
    key: domainCheckShareKey('s'),
    attributes: {
      ...{ domain: 'example.org', checkedAt: at, usageType: 'parked', result: checked() },
      expiresAt: 9_999_999_999,
    },
    broken: 'usageType',
    read: (table) => domainCheckShareStore(table).get('s', now),
  },
  {
    kind: 'a recent result of the domain checker',
    key: domainCheckKey('example.org', 'o'),
    attributes: { domain: 'example.org', checkedAt: at, result: checked() },
    broken: 'result',
    read: (table) => domainCheckStore(table).recent('example.org', 'o', new Date(at)),
  },
  {
    kind: 'a mail test',
    key: testSessionKey(testId),
    attributes: {
      ...{ status: 'completed', until: '2026-01-11T00:00:00.000Z', edgeId: 'm', receivedAt: at },
      test: packed({}),
    },
    broken: 'edgeId',
    read: (table) => testSessionStore(table).get(testId, now),
  },
  {
    kind: 'a DMARC report',
    key: reportKey('DMARC', 'd', `${day}T00:00:00.000Z`, 'r'),
    attributes: { ...report, body: reportBody(dmarcHeader) },
    broken: 'body',
    with: [dayItem],
    read: (table) => dmarcReportStore(table, permanent).list('d', { window: wholeDay, ...all }, now),
  },
  {
    kind: 'a TLS report',
    key: reportKey('TLS', 'd', `${day}T00:00:00.000Z`, 'r'),
    attributes: { ...report, body: reportBody(tlsHeader) },
    broken: 'passed',
    with: [{ ...dayItem, ...reportDayKey('TLS', 'd', day) }],
    read: (table) => tlsReportStore(table, permanent).list('d', { window: wholeDay, ...all }, now),
  },
  {
    kind: 'the sums of a day',
    key: reportDayKey('DMARC', 'd', day),
    attributes: { day, reports: 1 },
    broken: 'quarantined',
    read: (table) => dmarcReportStore(table, permanent).timeline('d', { from: day, to: day }, now),
  },
  {
    kind: 'what is rolled up of a day',
    key: reportRollUpKey('DMARC', 'd', day),
    attributes: { day, rolledUp: 1, parts: { '00a': [1, 1, 0] }, authenticated: encodeSummaries([]) },
    broken: 'parts',
    with: [{ ...dayItem, rolledUp: 1 }],
    read: (table) => summaryStore(table).readSummaries('d', { from: day, to: day }, now),
  },
  {
    kind: 'an alert',
    key: alertKey('d', 'a'),
    attributes: storedAlert({ severity: 'info' }),
    broken: 'severity',
    read: (table) => alertStore(table, permanent).get('d', 'a', now),
  },
  {
    kind: 'a dedupe key that is used again after some days of silence',
    key: alertDedupeKey('d', 'one'),
    attributes: { lastDay: day },
    broken: 'lastDay',
    read: async (table) => {
      const drafts = [{ ...reportAlertDraft('one'), againAfterSilence: true }];
      const limits = { day: '2026-01-10', quota: { authClass: 'authenticated', limit: 1 } } as const;
      const owner = { id: 'd', organization: 'o', domain: 'example.org' };
      const { reads, writes } = alertStore(table, permanent).alongsideReport(owner, drafts, limits, now);
      return writes(await table.getMany(reads));
    },
  },
  {
    kind: 'an attention item',
    key: attentionKey('d', 'ownership-unproven'),
    attributes: {
      ...{ domainId: 'd', domain: 'example.org', kind: 'ownership-unproven', severity: 'warning', since: at },
      about: { facts: { mailbox: 'a@reports.example' } },
      ...attentionIndexKey('o', `1#ownership-unproven#${at}#d`),
    },
    broken: 'since',
    read: (table) => attentionStore(table).list('o', {}, all, now),
  },
  {
    kind: 'an attention item of a channel',
    key: channelAttentionKey('o', 'mail', 'channel-failing'),
    attributes: { channel: 'mail', kind: 'channel-failing', severity: 'warning', since: at },
    broken: 'since',
    read: (table) => attentionStore(table).get(channelAttentionKey('o', 'mail', 'channel-failing')),
  },
  {
    kind: 'an attention item of a mailbox',
    key: mailboxAttentionKey('o', id, 'mailbox-failing'),
    attributes: { mailbox: id, kind: 'mailbox-failing', severity: 'warning', since: at },
    broken: 'since',
    read: (table) => attentionStore(table).get(mailboxAttentionKey('o', id, 'mailbox-failing')),
  },
  {
    kind: 'a mailbox from which reports are fetched',
    key: fetchedMailboxKey('o', id),
    attributes: {
      ...{ id, organization: 'o', name: 'n', host: 'h.test', port: 993, security: 'tls', user: 'u' },
      ...{ folder: 'INBOX', after: 'keep', moveTo: null, everySeconds: 900, createdAt: at, secretId: id },
      signIn: { kind: 'password' },
      ...mailboxDueKey(id, at),
    },
    broken: 'host',
    read: (table) => fetchedMailboxStore(table).get({ organization: 'o', id }),
  },
  {
    kind: 'a pending notification',
    key: pendingKey('d', 'mail', 'a'),
    attributes: {
      ...{ organization: 'o', domainId: 'd', alert: 'a', severity: 'info', channel: 'mail' },
      ...{ kind: 'alerts', ...pendingIndexKey('alerts', 'o', at) },
    },
    broken: 'channel',
    read: (table) =>
      pendingNotificationStore(table).due('alerts', notificationShardOf('o'), { now, limit: 9 }),
  },
  {
    kind: 'a pending notification about the organization',
    key: organizationPendingKey('o', 'mail', 'e'),
    attributes: {
      ...{ organization: 'o', alert: 'e', severity: 'warning', channel: 'mail', kind: 'alerts' },
      event: {
        type: 'token.created',
        id,
        createdAt: at,
        tokenId: id,
        tokenName: 't',
        scope: 'admin',
        createdBy: null,
      },
      ...pendingIndexKey('alerts', 'o', at),
    },
    broken: 'event',
    read: (table) =>
      pendingNotificationStore(table).due('alerts', notificationShardOf('o'), { now, limit: 9 }),
  },
  {
    kind: 'a delivery',
    key: deliveryKey('v'),
    attributes: delivery,
    broken: 'alerts',
    read: (table) => deliveryStore(table).get('v'),
  },
  {
    kind: 'an open delivery',
    key: deliveryKey('v'),
    attributes: { ...delivery, ...deliveryIndexKey('alerts', 'o', at) },
    broken: 'attempts',
    read: (table) => deliveryStore(table).open('o'),
  },
  {
    kind: 'notification settings',
    key: notificationSettingsKey('o'),
    attributes: { mail: { address: 'a@example.org', threshold: 'info', digestMinute: null } },
    broken: 'webhook',
    read: (table) => notificationSettingsStore(table).get('o'),
  },
  {
    kind: 'saved views',
    key: savedViewsKey('o'),
    attributes: { revision: 1, views: [{ name: 'Worst', query: 'grade=F' }] },
    broken: 'views',
    read: (table) => savedViewStore(table).list('o'),
  },
  {
    kind: 'compliance settings',
    key: complianceSettingsKey('o'),
    attributes: { revision: 1, follows: ['bod-18-01'], own: packed([]) },
    broken: 'follows',
    read: (table) => complianceSettingsStore(table).get('o'),
  },
  {
    kind: 'a secret',
    key: secretKey({ organization: 'o', purpose: 'webhook' }),
    attributes: { id: 'i', sealed: Buffer.from('1') },
    broken: 'sealed',
    read: (table) =>
      secretStore(table, clearText).open({ organization: 'o', purpose: 'webhook' }, 'i', z.number()),
  },
  {
    kind: 'the last deliveries',
    key: notificationSettingsKey('o'),
    attributes: {},
    broken: 'mailDelivery',
    read: (table) => notificationSettingsStore(table).lastDeliveries('o'),
  },
];

/** Encrypts nothing, so that items can be written here. */
const clearText: Cipher = { encrypt: async (text) => text, decrypt: async (text) => text };

describe.each(rows)('$kind', ({ key, attributes, broken, with: others = [], read }) => {
  let table: EmptyTable;
  beforeAll(async () => {
    table = await useTable();
  });

  test('without optional attributes and with unknown ones is read', async () => {
    for (const item of [...others, { ...key, ...attributes }])
      await table.put({ ...item, unknownAttribute: { of: 'another' } });
    const found = await read(table);
    expect(found).toBeDefined();
    expect(JSON.stringify(found)).not.toContain('unknownAttribute');
  });

  test('that does not match throws an error with its key and the attribute, and without values', async () => {
    for (const item of [...others, { ...key, ...attributes, [broken]: { secret: 12_345 } }])
      await table.put(item);
    const error = await read(table).catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({
      name: 'CorruptItem',
      message: expect.stringMatching(new RegExp(` at ${broken}(\\.|$|,)`)),
    });
    expect(String(error)).toContain(`the item ${key.pk}, ${key.sk} `);
    expect(String(error)).not.toContain('12345');
  });
});

test('an error names each path once, also within compressed attributes', async () => {
  const table = await useTable();
  await table.put({
    ...monitorStateKey('d'),
    revision: 'one',
    state: packed({ ...monitorState, isBelowThreshold: 'no' }),
  });
  await expect(monitorStateStore(table, alertStore(table, permanent)).get('d')).rejects.toThrow(
    'the item DOMAIN#d, WATCH does not match its schema at revision, state.isBelowThreshold',
  );
});
