import { describe, expect, test } from '@jest/globals';
import { alertsOfSenders } from '../../../shared/enforcement/sender-alerts.ts';
import { senderGroups } from '../../../shared/enforcement/senders.ts';
import type { RecordSummary } from '../../../shared/reports/dmarc/summary/shapes.ts';
import type { SenderDecision } from '../../../shared/store/enforcement/decisions.ts';
import { dayNumber, history, newsletter, owner, ownMail, report, spoofed } from '../../kit/report-history.ts';

const TODAY = 30;
const day = dayNumber(TODAY);

const approved = (record: RecordSummary, status: SenderDecision['status'] = 'approved') => {
  const { id } = senderGroups(owner).groupOf(record);
  const decision = { senderId: id, status, note: null, envelopeDomains: [], changedAt: day, changedBy: null };
  return new Map<string, SenderDecision>([[id, decision]]);
};

function raised(
  of: (n: number) => readonly RecordSummary[],
  { decisions = new Map<string, SenderDecision>(), authenticated = true as boolean | null, from = 0 } = {},
) {
  const days = history(from, TODAY, (n) => [report(of(n), { authenticated })]);
  return alertsOfSenders(owner, days, { day, decisions }).map(({ draft, since }) => {
    // It is raised once, however many days find it.
    expect(draft.dedupeKey.endsWith(`#${since}`)).toBe(true);
    return draft;
  });
}

describe('a new sender that fails', () => {
  const from =
    (start: number, count = 100) =>
    (n: number) =>
      n >= start ? [ownMail(), spoofed({ count })] : [ownMail()];

  test('raises one alert on its first day, if it is large', () => {
    const alerts = raised(from(TODAY));
    expect(alerts).toEqual([
      expect.objectContaining({
        type: 'report_failure',
        dedupeKey: `report_failure#new-sender#${day}`,
        metadata: expect.objectContaining({ sender: '203.0.113.0/24', status: null, day, failed: 100 }),
      }),
    ]);
    expect(raised(from(TODAY, 99))).toEqual([]);
    expect(raised(from(TODAY - 1))).toEqual([]);
  });

  test('raises none if the owner decided, if reports are not authenticated, or without a history', () => {
    for (const status of ['unauthorized', 'forwarder'] as const) {
      expect(raised(from(TODAY), { decisions: approved(spoofed(), status) })).toEqual([]);
    }
    expect(raised(from(TODAY), { authenticated: null })).toEqual([]);
    expect(raised(from(TODAY), { from: TODAY - 6 })).toEqual([]);
    expect(raised(from(TODAY), { from: TODAY - 7 })).toHaveLength(1);
  });

  test('raises none if other customers send through a provider that is unauthorized', () => {
    const through = {
      dkimDomains: ['amazonses.com'],
      mailFrom: 'eu-west-1.amazonses.com',
      dkim: 'fail',
    } as const;
    const ses = ownMail({ ...through, spf: 'fail' });
    const signed = ownMail({ ...through, dkimDomains: [owner, 'amazonses.com'], dkim: 'pass' });
    const others = (n: number) => (n === TODAY ? [ownMail(), ses] : [ownMail()]);
    expect(raised(others, { decisions: approved(signed, 'unauthorized') })).toEqual([]);
    expect(raised(others, { decisions: approved(signed) })).toHaveLength(1);
  });

  test('raises one for all spoofers of a day', () => {
    const many = (n: number) =>
      n === TODAY
        ? Array.from({ length: 30 }, (_, at) => spoofed({ sourceIp: `203.0.${at}.1`, count: 100 + at }))
        : [ownMail()];
    expect(raised(many).map(({ metadata }) => 'sender' in metadata && metadata.sender)).toEqual([
      '203.0.29.0/24',
    ]);
  });
});

describe('an approved sender that stops passing', () => {
  const signed = newsletter({ dkimDomains: [owner, 'news.example.net'], dkim: 'pass', count: 50 });
  const unsigned = newsletter({ count: 50 });
  const decisions = approved(signed);
  const until = (last: number) => (n: number) => [n <= last ? signed : unsigned];

  test('raises an alert when a second day confirms it, and the same one later', () => {
    expect(raised(until(TODAY), { decisions })).toEqual([]);
    expect(raised(until(TODAY - 1), { decisions })).toEqual([]);
    const [alert, ...others] = raised(until(TODAY - 2), { decisions });
    expect(others).toEqual([]);
    expect(alert).toMatchObject({
      metadata: { status: 'approved', failureRate: 100, previousFailureRate: 0, day },
      dedupeKey: expect.stringMatching(new RegExp(`#${dayNumber(TODAY - 1)}$`)),
    });
    expect(raised(until(TODAY - 3), { decisions })[0]?.dedupeKey).toMatch(
      new RegExp(`#${dayNumber(TODAY - 2)}$`),
    );
  });

  test('raises none for one that always failed, for few messages, and without a history', () => {
    expect(raised(() => [unsigned], { decisions })).toEqual([]);
    const half = (n: number) => [signed, n % 2 === 0 ? unsigned : { ...unsigned, count: 40 }];
    expect(raised(half, { decisions })).toEqual([]);
    const few = (n: number) => [{ ...(n <= TODAY - 2 ? signed : unsigned), count: 9 }];
    expect(raised(few, { decisions })).toEqual([]);
    expect(raised(until(TODAY - 2), { decisions, from: TODAY - 6 })).toEqual([]);
  });
});
