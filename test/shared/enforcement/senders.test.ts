import { describe, expect, test } from '@jest/globals';
import { measure } from '../../../shared/enforcement/measures.ts';
import { isOtherCustomers } from '../../../shared/enforcement/sender-fields.ts';
import { senderGroups, sendersOf, statusAbout } from '../../../shared/enforcement/senders.ts';
import type { SenderStatus } from '../../../shared/enforcement/shapes.ts';
import type { RecordSummary } from '../../../shared/reports/dmarc/summary/shapes.ts';
import type { SenderDecision } from '../../../shared/store/enforcement/decisions.ts';
import { decisions } from '../../kit/readiness.ts';
import { dayNumber, forwarded, history, owner, ownMail, report, spoofed } from '../../kit/report-history.ts';

const { groupOf, statusOf } = senderGroups(owner);

const failing = { dkim: 'fail', spf: 'fail' } as const;

/** Mail that any customer of Amazon SES can send: its signature, and its default MAIL FROM domain. */
const ses = (changes: Partial<RecordSummary> = {}) =>
  ownMail({ dkimDomains: ['amazonses.com'], mailFrom: 'eu-west-1.amazonses.com', ...failing, ...changes });

const decided = (record: RecordSummary, status: SenderStatus) => decisions([record, status]);

const status = (record: RecordSummary, decisions: Map<string, SenderDecision>) =>
  statusOf(record, groupOf(record), decisions);

const signed = ses({ dkimDomains: ['amazonses.com', `mail.${owner}`], dkim: 'pass' });
const ownEnvelope = ses({ mailFrom: `bounce.${owner}`, spf: 'pass' });

describe('mail through a provider', () => {
  test.each([
    ['signed in the name of the owner', signed, 'Amazon SES'],
    ['with MAIL FROM in the domain', ownEnvelope, 'Amazon SES'],
    [
      'with MAIL FROM in the domain, without a pass',
      ses({ mailFrom: owner, spfResult: 'softfail' }),
      'Amazon SES, other customers',
    ],
    ['with the signature and MAIL FROM of the provider', ses(), 'Amazon SES, other customers'],
    ['with MAIL FROM of the provider alone', ses({ dkimDomains: [] }), 'Amazon SES, other customers'],
    [
      'of another customer, who signs with a domain',
      ses({ dkimDomains: ['amazonses.com', 'mail.evil.example'] }),
      'evil.example',
    ],
    [
      'of another customer, with MAIL FROM of a domain',
      ses({ mailFrom: 'bounce.evil.example' }),
      'evil.example',
    ],
    [
      'of another customer, whose name is in the domain of the provider',
      ses({ dkimDomains: ['evil.onmicrosoft.com'], mailFrom: owner, spfResult: 'fail' }),
      'evil.onmicrosoft.com',
    ],
    [
      'of Microsoft 365 without a key of the owner',
      ses({ dkimDomains: ['contoso.onmicrosoft.com'], mailFrom: owner, spf: 'pass' }),
      'Microsoft 365',
    ],
    [
      'of Google Workspace without a key of the owner',
      ses({ dkimDomains: ['example-org.20230601.gappssmtp.com'], mailFrom: owner, spf: 'pass' }),
      'Google Workspace',
    ],
    [
      'of another customer of Google Workspace, whose name stays when the key is renewed',
      ses({ dkimDomains: ['evil-example.20251104.gappssmtp.com'], mailFrom: owner, spfResult: 'fail' }),
      'evil-example.gappssmtp.com',
    ],
    [
      'in a bounce, with the HELO name of a server',
      ses({ dkimDomains: [], mailFrom: 'mout.kundenserver.de' }),
      'IONOS, other customers',
    ],
  ])('%s', (_, record, name) => {
    expect(groupOf(record).name).toBe(name);
  });

  test('of others has the id of the provider, with another beginning', () => {
    const [of, others] = [groupOf(signed), groupOf(ses())];
    expect(others).toEqual({
      id: of.id.replace('provider-', 'others-'),
      name: 'Amazon SES, other customers',
      kind: 'provider',
    });
    expect(others.id).toMatch(/^[A-Za-z0-9_-]{1,64}$/);
    expect([of, others].map(({ id }) => isOtherCustomers(id))).toEqual([false, true]);
  });
});

describe('an approval of a provider', () => {
  test('counts for mail with a sign of the owner', () => {
    const approved = decided(signed, 'approved');
    expect([signed, ownEnvelope].map((record) => status(record, approved))).toEqual(['approved', 'approved']);
  });

  test('counts for nothing that another customer sends', () => {
    const approved = decided(signed, 'approved');
    const attacks = [
      ses(),
      ses({ dkimDomains: [] }),
      ses({ mailFrom: 'bounce.evil.example' }),
      ses({ dkimDomains: ['amazonses.com', 'evil.example'] }),
      ses({ mailFrom: owner, spfResult: 'fail' }),
      ses({ headerFrom: `news.${owner}` }),
    ];
    for (const record of attacks) expect(status(record, approved)).toBeNull();
  });

  test('would count for nothing if the other customers were approved', () => {
    expect(status(ses(), decided(ses(), 'approved'))).toBeNull();
  });

  test('measures none of the mail of others as approved', async () => {
    const days = history(0, 40, () => [report([signed, ses({ count: 100_000 })])]);
    const measured = await measure(days, {
      domain: owner,
      decisions: decided(signed, 'approved'),
      keepsSubdomainPolicy: false,
      today: dayNumber(40),
    });
    const figures = measured.senders.map(({ group, all }) => [
      group.name,
      all.approved > 0,
      all.undecidedFailed > 0,
    ]);
    expect(figures).toEqual([
      ['Amazon SES', true, false],
      ['Amazon SES, other customers', false, true],
    ]);
  });
});

describe('the other customers of a provider', () => {
  test.each(['unauthorized', 'forwarder'] as const)(
    'are what the provider is until they are decided about: %s',
    (of) => {
      expect(status(ses(), decided(signed, of))).toBe(of);
    },
  );

  test('can be unauthorized while the provider is approved', async () => {
    const decisions = new Map([...decided(signed, 'approved'), ...decided(ses(), 'unauthorized')]);
    expect([signed, ses()].map((record) => status(record, decisions))).toEqual(['approved', 'unauthorized']);
    const listed = await sendersOf(
      owner,
      history(0, 1, () => [report([signed, ses()])]),
      decisions,
    );
    expect(new Map(listed.map((sender) => [sender.name, sender.status]))).toEqual(
      new Map([
        ['Amazon SES', 'approved'],
        ['Amazon SES, other customers', 'unauthorized'],
      ]),
    );
  });

  test('keep their own decision, and have that of the provider again without one', () => {
    const own = decided(ses(), 'forwarder');
    const ofProvider = decided(signed, 'unauthorized');
    const { id } = groupOf(ses());
    expect(statusAbout(id, new Map([...ofProvider, ...own]))).toBe('forwarder');
    expect(statusAbout(id, new Map([...ofProvider, ...decided(ses(), null)]))).toBe('unauthorized');
  });
});

describe('senders', () => {
  test('have ids that fit into a path, and suggestions that need two signs', async () => {
    const days = history(0, 9, (n) => [
      report([
        ownMail(),
        forwarded({ overrides: n === 0 ? ['forwarded'] : [] }),
        forwarded({ mailFrom: 'one-sign.example' }),
        spoofed({ sourceIp: null, mailFrom: null }),
        spoofed({ sourceIp: '2001:db8:1:2::3', mailFrom: null }),
      ]),
    ]);
    const senders = await sendersOf(owner, days, new Map());
    for (const { id } of senders) expect(id).toMatch(/^[A-Za-z0-9_-]{1,64}$/);
    expect(senders.map(({ name, suggestion }) => [name, suggestion]).toSorted()).toEqual([
      ['192.0.2.0/24', null],
      ['2001:db8:1::/48', null],
      ['forwarder.example', 'forwarder'],
      ['one-sign.example', null],
      ['unknown', null],
    ]);
    expect(senders[0]).toMatchObject({ firstSeen: dayNumber(0), lastSeen: dayNumber(9), messages: 1000 });
  });
});
