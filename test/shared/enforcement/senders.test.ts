import { describe, expect, test } from '@jest/globals';
import { senderGroups, sendersOf } from '../../../shared/enforcement/senders.ts';
import { stageOf } from '../../../shared/enforcement/stage.ts';
import { nextRecord } from '../../../shared/protocol/dmarc/next-record.ts';
import type { SenderDecision } from '../../../shared/store/enforcement/decisions.ts';
import { broken, decisions, steady, TODAY } from '../../kit/readiness.ts';
import { dayNumber, forwarded, history, owner, ownMail, report, spoofed } from '../../kit/report-history.ts';

describe('senders', () => {
  test('approving a provider approves only mail with a sign of the tenant', async () => {
    const ses = ownMail({
      dkimDomains: ['amazonses.com'],
      mailFrom: 'eu-west-1.amazonses.com',
      dkim: 'fail',
      spf: 'fail',
    });
    const { groupOf, statusOf } = senderGroups(owner);
    expect(groupOf(ses)).toMatchObject({ name: 'Amazon SES', kind: 'provider' });
    const decided = decisions([ses, 'approved']);
    expect(statusOf(ses, groupOf(ses), decided)).toBeNull();
    const aligned = { ...ses, dkimDomains: ['amazonses.com', 'mail.example.org'] };
    expect(groupOf(aligned).id).toBe(groupOf(ses).id);
    expect(statusOf(aligned, groupOf(aligned), decided)).toBe('approved');
    const [id = ''] = decided.keys();
    const seen = new Map([
      [id, { ...(decided.get(id) as SenderDecision), envelopeDomains: ['eu-west-1.amazonses.com'] }],
    ]);
    expect(statusOf(ses, groupOf(ses), seen)).toBe('approved');
  });

  test('that are approved providers block with mail without a sign of the tenant only if that looks legitimate', async () => {
    const signed = ownMail({ dkimDomains: ['amazonses.com', owner], mailFrom: 'eu-west-1.amazonses.com' });
    const other = { ...signed, sourceIp: '198.51.100.7', dkimDomains: ['amazonses.com'] };
    const unsigned = { ...other, dkim: 'fail', spf: 'fail' } as const;
    const decided = decisions([signed, 'approved']);
    const regular = steady(() => [signed, unsigned]);
    expect(await broken(regular, { decided })).toEqual([]);
    const passing = { ...unsigned, dkim: 'pass' } as const;
    const passedOnce = steady((n) => (n === TODAY - 90 ? [signed, passing] : [signed, unsigned]));
    expect(await broken(passedOnce, { decided })).toEqual([
      'Senders without a decision that look legitimate',
    ]);
  });

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

describe('the next record', () => {
  const step = (text: string | null, target: 'none' | 'quarantine' | 'reject', policyDomain = owner) => [
    stageOf({ text, policyDomain }, owner),
    nextRecord({ text, policyDomain }, { domain: owner, mailbox: 'box@reports.example', target }),
  ];

  test('keeps what the step does not concern', async () => {
    expect(step('v=DMARC1; p=none; rua=mailto:a@b.example; adkim=s', 'quarantine')).toEqual([
      'monitoring',
      'v=DMARC1; p=quarantine; rua=mailto:a@b.example; adkim=s',
    ]);
    const toReject = 'v=DMARC1; p=reject; rua=mailto:a@b.example';
    for (const tags of ['p=reject; t=y', 'p=quarantine; pct=20']) {
      expect(step(`v=DMARC1; ${tags}; rua=mailto:a@b.example`, 'reject')).toEqual(['quarantine', toReject]);
    }
    expect(step('v=DMARC1; p=reject', 'reject')).toEqual(['reject', null]);
    expect(step('v=DMARC1; p=reject; sp=none', 'quarantine', 'example')).toEqual([
      'monitoring',
      'v=DMARC1; p=quarantine; rua=mailto:box@reports.example',
    ]);
  });

  test.each([
    [null, 'v=DMARC1; p=none; rua=mailto:box@reports.example'],
    ['v=DMARC1; p=none; fo=1', 'v=DMARC1; p=none; fo=1; rua=mailto:box@reports.example'],
    ['v=DMARC1; p=none; rua=box', 'v=DMARC1; p=none; rua=mailto:box@reports.example'],
  ])('asks for reports: %j', (text, next) => {
    expect(step(text, 'none')[1]).toBe(next);
  });
});
