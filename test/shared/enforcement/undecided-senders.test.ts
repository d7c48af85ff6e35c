import { describe, expect, test } from '@jest/globals';
import type { CheckResults } from '../../../shared/checks/results.ts';
import { dayInWords } from '../../../shared/protocol/time.ts';
import type { RecordSummary } from '../../../shared/reports/dmarc/summary/shapes.ts';
import {
  assess,
  atQuarantine,
  broken,
  decisions,
  quarantineRecord as record,
  reporters,
  steady,
  TODAY,
} from '../../kit/readiness.ts';
import {
  dayNumber,
  history,
  newsletter,
  owner,
  ownMail,
  policy,
  reportFrom,
  spoofed,
} from '../../kit/report-history.ts';

const inSpf = ({ spf }: CheckResults) => ({ spf: { ...spf, flattenedIps: ['203.0.113.0/24'] } });

describe('senders without a decision', () => {
  const name = 'Senders without a decision that look legitimate';
  const once = (record: RecordSummary) =>
    history(0, TODAY, (n) =>
      reporters.map((domain, at) =>
        reportFrom(domain, n === TODAY - 10 && at === 3 ? [ownMail(), record] : [ownMail()]),
      ),
    );
  const sender = (count: number) => spoofed({ count });
  test('block above 0.1 % of the messages of the domain, in SPF', async () => {
    // The domain has 30 * 400 messages.
    expect(await broken(once(sender(13)))).toEqual([]);
    expect(await broken(once(sender(13)), { results: inSpf })).toEqual([name]);
    expect(await broken(once(sender(12)), { results: inSpf })).toEqual([]);
  });

  test('are not hidden by forged mail, however much there is', async () => {
    const flood = steady((n) => [
      ...(n === TODAY - 10 ? [sender(13)] : []),
      ...[ownMail(), spoofed({ sourceIp: '198.18.0.1', count: 1_000_000 })],
    ]);
    expect(await broken(flood, { results: inSpf })).toEqual([name]);
  });

  test('block in the network of an MX host, or if any of their mail ever passed', async () => {
    const atMx = ({ mx }: CheckResults) => ({
      mx: { ...mx, hosts: mx.hosts.map((host) => ({ ...host, ip: '203.0.113.25' })) },
    });
    expect(await broken(once(sender(13)), { results: atMx })).toEqual([name]);
    const passedOnce = steady((n) => [
      ownMail(),
      ...(n === 50 ? [newsletter({ count: 1, dkim: 'pass' })] : []),
      ...(n === TODAY - 10 ? [newsletter({ count: 4 })] : []),
    ]);
    expect(await broken(passedOnce)).toEqual([name]);
    const { blockers } = await assess(passedOnce);
    expect(blockers).toMatchObject([{ name: 'example.net', messages: 16 }]);
    expect(blockers[0]?.reason).toBe(
      '16 messages without your decision fail DMARC, and look legitimate: some of its mail passed DMARC',
    );
  });

  test('that send every day block only beside another sign', async () => {
    const daily = steady(() => [ownMail(), spoofed({ count: 50 })]);
    expect(await assess(daily)).toMatchObject({ ready: true, blockers: [] });
    expect((await assess(daily, { results: inSpf })).blockers[0]?.reason).toContain(
      'your SPF record contains one of its addresses, and it sent on 60 of the last 60 days',
    );
  });

  test('whose mail passes need none', async () => {
    const passing = newsletter({ count: 500, dkimDomains: [owner, 'example.net'], dkim: 'pass' });
    expect(await assess(once(passing))).toMatchObject({ ready: true, blockers: [] });
  });

  test('that are the other customers of an approved provider block only beside a sign, and are not to be approved', async () => {
    const signed = ownMail({ dkimDomains: ['amazonses.com', owner], mailFrom: 'eu-west-1.amazonses.com' });
    const unsigned = spoofed({ dkimDomains: ['amazonses.com'], mailFrom: 'eu-west-1.amazonses.com' });
    const decided = decisions([ownMail(), 'approved'], [signed, 'approved']);
    const days = steady(() => [ownMail(), signed, unsigned]);
    expect(await broken(days, { decided })).toEqual([]);
    expect(await broken(days, { decided, results: inSpf })).toEqual([name]);
    expect((await assess(days, { decided, results: inSpf })).blockers).toMatchObject([
      { name: 'Amazon SES, other customers', fix: expect.not.stringContaining('approve') },
    ]);
  });

  test('that are all what an approved provider sends any more block, because it may have lost the key', async () => {
    const through = { sourceIp: '198.51.100.7', mailFrom: 'bounce.mcsv.net', spf: 'fail' } as const;
    const signed = ownMail(through);
    const unsigned = ownMail({ ...through, dkimDomains: [], dkim: 'fail' });
    const decided = decisions([ownMail(), 'approved'], [signed, 'approved']);
    const brokenFor = (days: number) => steady((n) => [ownMail(), n > TODAY - days ? unsigned : signed]);
    const sign = 'Senders without a decision that look legitimate';
    expect(await broken(brokenFor(6), { decided })).toEqual([]);
    expect(await broken(brokenFor(7), { decided })).toEqual([sign]);
    expect((await assess(brokenFor(7), { decided })).blockers).toMatchObject([
      {
        name: 'Mailchimp, other customers',
        reason: expect.stringContaining(
          `the provider sent no mail with a sign of yours after ${dayNumber(TODAY - 7)}`,
        ),
        fix: expect.stringContaining('let it sign with DKIM in the name of your domain'),
      },
    ]);
    const marked = decisions([ownMail(), 'approved'], [signed, 'approved'], [unsigned, 'unauthorized']);
    expect(await broken(brokenFor(7), { decided: marked })).toEqual([]);
  });

  test('do not block once they are marked', async () => {
    const decided = decisions([ownMail(), 'approved'], [sender(13), 'unauthorized']);
    expect(await broken(once(sender(13)), { decided, results: inSpf })).toEqual([]);
  });
});

describe('seasonal senders', () => {
  const name = 'Seasonal senders';
  const service = (passes: boolean, count = 100) =>
    newsletter({
      ...{ sourceIp: '198.51.100.99', count, dkim: passes ? 'pass' : 'fail' },
      dkimDomains: passes ? [owner, 'quarterly.example'] : ['quarterly.example'],
    });
  const decided = decisions([ownMail(), 'approved'], [service(false), 'approved']);
  /** Mail of one reporter on single days, this many days ago. */
  const on = (mail: Readonly<Record<number, readonly RecordSummary[]>>, p: 'none' | 'quarantine' = 'none') =>
    history(0, TODAY, (n) =>
      reporters.map((domain, at) =>
        reportFrom(domain, [ownMail(), ...(at === 3 ? (mail[TODAY - n] ?? []) : [])], {
          policy: policy({ p }),
        }),
      ),
    );

  test('passed when they were last active, in a history of 400 days', async () => {
    const quarterly = (passes: boolean, from = 0) =>
      steady((n) => (n % 90 === 0 && n < TODAY - 60 ? [ownMail(), service(passes)] : [ownMail()]), {
        ...atQuarantine,
        from,
      });
    expect(await broken(quarterly(true), { decided, record })).toEqual([]);
    expect(await broken(quarterly(false), { decided, record })).toEqual([name]);
    expect((await assess(quarterly(false), { decided, record })).blockers[0]?.name).toBe('quarterly.example');
    const short = quarterly(true, 100);
    expect(await broken(short, { decided, record })).toEqual([name]);
    const attested = ['seasonalSenders'] as const;
    expect(await broken(short, { decided, record, attested })).toEqual([]);
    expect(await broken(quarterly(false, 100), { decided, record, attested })).toEqual([name]);
  });

  test('are judged by their last active period, not by their last day', async () => {
    const failedBefore = on({ 72: [service(false, 10_000)], 70: [service(true, 1)] });
    expect(await broken(failedBefore, { decided })).toEqual([name]);
    const failedOnce = on({ 72: [service(true, 10_000)], 70: [service(false, 11)] });
    expect(await broken(failedOnce, { decided })).toEqual([]);
    // A period before the last one does not count, and neither do few messages.
    expect(await broken(on({ 200: [service(false)], 70: [service(true)] }), { decided })).toEqual([]);
    expect(await broken(on({ 70: [service(false, 4), service(true, 4)] }), { decided })).toEqual([]);
  });

  test('without a decision count: 100,000 failing messages 70 days ago did not pass', async () => {
    const failed = on({ 70: [service(false, 100_000)] });
    expect(await broken(failed)).toEqual([name]);
    expect((await assess(failed)).blockers).toMatchObject([
      {
        ...{ name: 'quarterly.example', messages: 100_000 },
        reason: `100,000 of 100,000 messages failed DMARC when it was last active, until ${dayInWords(dayNumber(TODAY - 70))}`,
        fix: expect.stringContaining('Decide whether you use this sender'),
      },
    ]);
    const marked = decisions([ownMail(), 'approved'], [service(false), 'unauthorized']);
    expect(await broken(failed, { decided: marked })).toEqual([]);
  });

  test('without a decision count with a sign of legitimacy, or if they are large and have a name of their own', async () => {
    expect(await broken(on({ 70: [spoofed({ count: 13 })] }), { results: inSpf })).toEqual([name]);
    expect(await broken(on({ 70: [spoofed({ count: 100_000 })] }))).toEqual([]);
    // The domain has 30 * 400 messages, of which quarantine may lose 2 %.
    expect(await broken(on({ 70: [service(false, 240)] }))).toEqual([]);
    expect(await broken(on({ 70: [service(false, 241)] }))).toEqual([name]);
  });
});
