/** What the pages about a domain show, with any text in every place that comes from mail, from DNS or from users. */
import { senderDetails } from '../../shared/enforcement/sender-details.ts';
import { sendersOf } from '../../shared/enforcement/senders.ts';
import type { Enforcement, Sender, Simulation, SimulationSummary } from '../../shared/enforcement/shapes.ts';
import type { Change, Plan } from '../../shared/fixes/plan.ts';
import { tlsFailures } from '../../shared/monitoring/tls-failures.ts';
import { computeScore } from '../../shared/score/score.ts';
import type { AttentionItem } from '../../shared/store/attention-items.ts';
import type { ChecksEntry } from '../../shared/store/check-runs/history.ts';
import type { AttentionView } from '../../shared/views/attention.ts';
import { type DmarcView, networksOf } from '../../shared/views/domain/dmarc.ts';
import type { EnforcementView } from '../../shared/views/domain/enforcement.ts';
import type { HistoryView } from '../../shared/views/domain/history.ts';
import type { OverviewView } from '../../shared/views/domain/overview.ts';
import type { TlsView } from '../../shared/views/domain/tls.ts';
import {
  dayNumber,
  forwarded,
  history,
  newsletter,
  owner,
  ownMail,
  report,
  spoofed,
} from './report-history.ts';
import { policy } from './reports.ts';
import { dkimKey, mxHost, mxResult, perfectResults } from './results.ts';

export const shownDomain = {
  id: '7c0e2f5a-1111-4222-8333-444455556666',
  domain: owner,
  canWrite: true,
  formToken: 'form-token',
};

const at = (day: number) => `${dayNumber(day)}T08:00:00.000Z`;

export function overviewView(text: string): OverviewView {
  const results = resultsWith(text);
  return {
    owner: { domain: owner, mailbox: 'box@reports.example' },
    checked: {
      checkedAt: at(29),
      results,
      score: computeScore(results, 'sends-and-receives'),
      policy: 'none',
    },
    plan: planWith(text),
    days: history(0, 29, () => []).map(({ day }, n) => ({
      ...{ day, reports: 1, messages: 10, passed: n % 11, dkimAligned: n % 11, spfAligned: n % 11 },
      ...{ quarantined: 0, rejected: 0 },
    })),
    scores: [
      { at: at(20), score: 62, grade: 'D' },
      { at: at(10), score: 74, grade: 'C' },
      { at: at(0), score: 51, grade: 'F' },
    ],
    changes: changesWith(text),
    first: {
      isVerified: false,
      hasReports: false,
      steps: [
        { id: 'ownership', name: text, record: text, seen: false, problem: text },
        { id: 'dmarc', name: text, record: text, seen: null, problem: null },
      ],
    },
    attention: attentionView(text),
    now: at(29),
  };
}

/** Items of each state, open and put off, and items that quote others. */
export function attentionView(text: string): AttentionView {
  const about = { names: [text], further: 2, on: null, reason: text, facts: null };
  const since = { since: at(0), about, putOffUntil: null, note: text, changedAt: at(28) };
  const item: AttentionItem = {
    ...{ kind: 'ownership-unproven', severity: 'warning', domainId: shownDomain.id, domain: owner },
    ...{ channel: null, mailbox: null, ...since },
  };
  const channelItem: AttentionItem = {
    ...{ kind: 'channel-failing', severity: 'warning', domainId: null, domain: null },
    ...{ channel: 'webhook', mailbox: null, ...since },
  };
  const mailboxItem: AttentionItem = {
    ...{ kind: 'mailbox-failing', severity: 'warning', domainId: null, domain: null },
    ...{ channel: null, mailbox: shownDomain.id, ...since },
    about: { ...about, facts: { code: 'sign-in-refused', message: text } },
  };
  const now = new Date(at(29));
  const undecided: AttentionItem = { ...item, kind: 'sender-undecided', severity: 'info' };
  const items = [item, { ...item, putOffUntil: dayNumber(36) }, channelItem, mailboxItem, undecided];
  return { items, hasMore: true, now };
}

export const historyView = (text: string): HistoryView => ({
  entries: changesWith(text),
  page: 2,
  hasMore: true,
});

export async function dmarcView(text: string): Promise<DmarcView> {
  const days = history(0, 29, (n) => [
    report([
      ownMail({ count: 900 + 40 * (n % 7), ...(n % 9 === 0 && { spf: 'fail' }) }),
      newsletter({ count: 120, dkimDomains: [text], mailFrom: text, sourceIp: text }),
      forwarded({ count: 30, overrides: ['forwarded', 'local_policy'] }),
      spoofed({ count: 15 + n, sourceIp: `203.0.113.${n}`, disposition: 'quarantine' }),
    ]),
    report([ownMail({ count: 80, dkim: 'fail' })], { reporter: text }),
  ]);
  const id = 'network';
  const decision = { senderId: id, note: text, changedAt: at(1), changedBy: null };
  const found = await sendersOf(owner, days, new Map());
  const senders = found.map((sender, index) =>
    index === 0 ? { ...sender, ...decision, status: 'approved' as const } : { ...sender, note: text },
  );
  const timeline = days.map(({ day }, n) => ({
    ...{ day, reports: 2, messages: 1100 + 41 * (n % 7), passed: 1000 + 40 * (n % 7) },
    ...{ dkimAligned: 900 + 40 * (n % 7), spfAligned: 950, quarantined: 20, rejected: 0 },
  }));
  const details = senderDetails(
    owner,
    days,
    found.map((sender) => sender.id),
  );
  return {
    ...{ days: { from: dayNumber(0), to: dayNumber(29) }, today: dayNumber(29), page: 1 },
    senderDays: { from: dayNumber(0), to: dayNumber(29) },
    ...{ timeline, senders, details },
    networks: networksOf(details.values(), {
      sources: [{ name: text, day: dayNumber(0) }],
      ownerOf: () => ({ asn: 64_500, owner: text, country: 'DE' }),
    }),
    changed: [{ senderId: found[0]?.id ?? '', status: 'none' }],
    reported: { receivers: 2, reports: 60, unauthenticated: 3 },
  };
}

export function tlsView(text: string): TlsView {
  const failureDetail = {
    ...{ resultType: 'certificate-expired', sendingMtaIp: text, receivingMxHostname: 'mx1.example.org' },
    ...{ receivingMxHelo: text, receivingIp: null, failedSessionCount: 12 },
    ...{ additionalInformation: text, failureReasonCode: text },
  };
  const reported = {
    report: { organizationName: text, dateRangeBegin: at(12), dateRangeEnd: at(13) },
    policies: [
      policy({
        policyString: [text],
        mxHost: [text],
        failureDetails: [{ ...failureDetail, resultType: 'validation-failure' }],
      }),
      policy({
        policyType: text,
        failureDetails: [{ ...failureDetail, resultType: text, receivingMxHostname: text }],
      }),
      policy({
        mxHost: [],
        failureDetails: [failureDetail, { ...failureDetail, resultType: 'tlsa-invalid' }],
      }),
    ],
  };
  const other = { ...reported, report: { ...reported.report, organizationName: 'other.example' } };
  return {
    ...{ days: { from: dayNumber(0), to: dayNumber(29) }, today: dayNumber(29), isPartial: true },
    timeline: Array.from({ length: 27 }, (_, n) => ({
      ...{ day: dayNumber(n), reports: 2, successful: 950 + n, failed: n % 5 === 0 ? 60 : 1 },
    })),
    failures: [
      ...tlsFailures([reported], { results: resultsWith(text), entries: changesWith(text) }),
      ...tlsFailures([{ ...other, policies: other.policies.slice(2) }], {
        results: resultsWith(text),
        entries: changesWith(text),
      }),
    ],
  };
}

const dispositions = (none: number, quarantine: number, reject: number) => ({ none, quarantine, reject });

const simulated: SimulationSummary = {
  ...{ messages: 36_400, passing: { current: 32_000, proposed: 32_000 }, unpredictable: 40 },
  ...{ current: dispositions(36_400, 0, 0), proposed: dispositions(32_000, 4_400, 0) },
  observed: dispositions(36_000, 300, 100),
  approved: { messages: 30_000, lost: { current: 0, proposed: 12 } },
  legacy: { ...dispositions(0, 0, 0), messages: 0 },
};

export function enforcementView(text: string): EnforcementView {
  const record = `v=DMARC1; p=quarantine; rua=mailto:${text}`;
  const assessment: Enforcement = {
    ...{ stage: 'monitoring', ready: false, thin: true, nextRecord: record, simulation: simulated },
    reports: { authenticated: 52, unauthenticated: 3 },
    rule: [
      {
        ...{ id: 'policy-days', name: 'Time at the present policy', required: '30 days', actual: '1 day' },
        measures: [{ measure: 'policyDays', unit: 'days', atLeast: 30, atMost: null, actual: 1 }],
        ...{ attested: false, holds: false, measured: true, advisory: false },
      },
      {
        ...{ id: 'approved-pass', name: 'Approved mail that passes', required: '98 %', actual: '96.5 %' },
        ...{ measures: [], attested: false, holds: false, measured: true, advisory: false },
      },
    ],
    blockers: [{ senderId: 'a', name: text, messages: 3600, reason: text, fix: text }],
    attested: { volume: null, seasonalSenders: null, forwardingLoss: null },
    lastStep: { at: dayNumber(3), policy: 'none', predictedLostShare: 0.4, actualLostShare: null },
  };
  const simulation: Simulation = {
    ...{ startDate: dayNumber(0), endDate: dayNumber(29), summary: simulated, unpredictable: [] },
    ...{ current: { dmarc: text, spf: text }, proposed: { dmarc: record, spf: text } },
    senders: [
      {
        ...{ id: 'a', name: text, status: null, messages: 3600, reasons: ['policy'], unpredictable: 0 },
        ...{ passing: { current: 3600, proposed: 0 }, current: dispositions(3600, 0, 0) },
        proposed: dispositions(0, 3600, 0),
      },
    ],
    others: { ...simulated, messages: 0 },
    basis: { reports: 60, reporters: 2, messages: 36_400, days: 30, authenticatedShare: 100 },
  };
  return {
    assessment,
    isRecordKnown: true,
    calculatedAt: at(29),
    ...{ undecided: [undecidedSender(text)], undecidedTotal: 12, decided: [undecidedSender(text)] },
    rows: { ...addressOf('a', text), changed: [{ senderId: 'a', status: 'approved' }] },
    trial: { dmarc: record, spf: text, result: { simulation } },
  };
}

const undecidedSender = (text: string): Sender => ({
  ...{ id: 'a', name: text, kind: 'network', status: null, suggestion: 'forwarder', note: text },
  ...{ changedAt: null, changedBy: null, messages: 3600, passedMessages: 3000, failedMessages: 600 },
  ...{ passRate: 83.33, dkimAligned: 3000, spfAligned: 0, disposition: dispositions(3000, 500, 100) },
  ...{ sources: 1, firstSeen: dayNumber(0), lastSeen: dayNumber(29) },
});

/** The address of a sender that only its network names, and who runs that. */
function addressOf(id: string, text: string) {
  const addresses = [{ name: text, messages: 3600, passedMessages: 3000 }];
  const details = new Map([[id, { addresses }]]);
  const ownerOf = () => ({ asn: 64_500, owner: text, country: 'DE' });
  return { details, networks: networksOf(details.values(), { sources: [], ownerOf }) };
}

function resultsWith(text: string) {
  const results = perfectResults('sends-and-receives');
  const finding = {
    id: 'mx-no-starttls',
    subject: '192.0.2.25',
    arguments: { host: text, ip: '192.0.2.25' },
  } as const;
  return {
    ...results,
    mx: mxResult({
      state: 'warning',
      records: [{ priority: 10, exchange: text }],
      hosts: [mxHost('mx1.example.org', 10, { tlsVersion: text }), mxHost(text, 20, { ip: text })],
      findings: [{ ...finding, severity: 'warning' }],
    }),
    spf: {
      ...results.spf,
      record: text,
      findings: [
        {
          id: 'spf-unknown-rule',
          severity: 'notice',
          arguments: { text },
          message: text,
          fix: text,
          cites: text,
        },
      ],
    },
    dkim: { ...results.dkim, selectors: [dkimKey(text, { record: text, keyType: text })] },
    dmarc: {
      ...results.dmarc,
      record: text,
      records: [text, text],
      rua: [text],
      policyDomain: text,
      subdomainPolicy: text,
    },
    mtaSts: { ...results.mtaSts, dnsRecord: text, policyMx: [text], policyMode: text },
    tlsRpt: { ...results.tlsRpt, record: text, rua: [text], state: 'unknown', asOf: at(20) },
    bimi: { ...results.bimi, record: text, location: text, authority: text },
  } as const;
}

const expired = {
  id: 'mx-certificate-expired',
  subject: '192.0.2.25',
  severity: 'warning',
  arguments: { host: 'mx1.example.org', ip: '192.0.2.25', date: '2026-01-05' },
} as const;

function changesWith(text: string): readonly ChecksEntry[] {
  const nothing = {
    recordsAdded: [],
    recordsRemoved: [],
    findingsAdded: [],
    findingsRemoved: [],
    omitted: 0,
  };
  return [
    {
      at: at(20),
      changes: [
        { ...nothing, check: 'mx', previousState: 'warning', newState: 'pass', findingsRemoved: [expired] },
        {
          ...{ ...nothing, check: 'dmarc', previousState: 'pass', newState: 'fail', omitted: 3 },
          ...{ recordsRemoved: ['v=DMARC1; p=none', text], recordsAdded: ['v=DMARC1; p=reject', text] },
          findingsAdded: [
            { id: text, severity: 'error', arguments: { text } },
            { id: text, severity: 'warning', arguments: {} },
          ],
        },
      ],
    },
    {
      at: at(10),
      changes: [
        { ...nothing, check: 'spf', previousState: 'absent', newState: 'pass', recordsAdded: [text] },
      ],
    },
    { at: at(0), changes: [{ ...nothing, check: 'mx', previousState: 'unknown', newState: 'pass' }] },
  ];
}

function planWith(text: string): Plan {
  const change: Change = {
    ...{ id: 'safe:_dmarc.example.org:TXT', class: 'safe', action: 'replace', type: 'TXT', ttl: 3600 },
    ...{
      name: `_dmarc.${owner}`,
      before: [text, text],
      after: ['v=DMARC1; p=none; rua=mailto:box@reports.example'],
    },
    ...{ resolves: ['dmarc-no-rua'], gain: 6, reason: text, evidence: [text], waitSeconds: 7200 },
    rollback: 'To undo it, publish the earlier records again.',
  };
  return {
    ...{
      score: 62,
      scoreAfter: 68,
      files: [{ url: text, content: `version: STSv1\nmode: testing\n${text}`, gain: 0 }],
    },
    changes: [
      change,
      {
        ...change,
        id: 'advice:example.org:MX',
        class: 'advice',
        action: 'remove',
        name: text,
        type: 'MX',
        after: [],
        gain: 0,
      },
      { ...change, id: 'needs-decision:example.org:TXT', class: 'needs-decision', name: text, gain: 9 },
    ],
    manual: [{ reason: text, resolves: ['mx-no-starttls'], gain: 5, evidence: [text] }],
  };
}
