import { describe, expect, test } from '@jest/globals';
import type { CheckResults } from '../../../shared/checks/results.ts';
import {
  assess,
  atQuarantine,
  broken,
  decisions,
  quarantineRecord as record,
  recordWith,
  reporters,
  rule,
  steady,
  TODAY,
} from '../../kit/readiness.ts';
import {
  forwarded,
  history,
  ownMail,
  policy,
  report,
  reportFrom,
  spoofed,
} from '../../kit/report-history.ts';

const own = steady(() => [ownMail()]);
const ownAtQuarantine = steady(() => [ownMail()], atQuarantine);

describe('a domain whose approved mail passes', () => {
  test('is ready for quarantine, and then for reject', async () => {
    expect(await assess(own)).toMatchObject({ ready: true, thin: false, blockers: [] });
    expect(await assess(ownAtQuarantine, { record })).toMatchObject({ ready: true });
    expect(await assess([], { record: recordWith('p=reject') })).toMatchObject({ ready: true, rule: [] });
    const none = ({ dmarc }: CheckResults) => ({
      dmarc: { ...dmarc, record: null, policyDomain: null, state: 'absent' as const },
    });
    expect(await assess([], { results: none })).toMatchObject({ ready: true, rule: [] });
    expect(await assess([], { isChecked: false })).toMatchObject({
      ...{ ready: false, rule: [{ actual: 'the DMARC record is unknown', holds: false }] },
    });
  });

  test('with spoofers is ready too, and spoofed mail is no blocker', async () => {
    const days = steady((n) => (n === TODAY - 10 ? [ownMail(), spoofed({ count: 500 })] : [ownMail()]));
    expect(await assess(days)).toMatchObject({ ready: true, blockers: [] });
  });
});

describe('thin data', () => {
  const few = history(0, TODAY, (n) => (n % 10 === 0 ? [report([ownMail({ count: 2 })])] : []));

  test('is not ready', async () => {
    expect(await broken([])).toEqual([
      'Time at the present policy',
      'Days with reports',
      'Receivers whose reports we could authenticate',
      'Messages of approved senders',
      'Approved mail that passes',
    ]);
    const unmeasured = (await assess([])).rule.filter(({ measured }) => !measured);
    expect(unmeasured.map(({ name }) => name)).toEqual([
      'Approved mail that passes',
      'Aligned DKIM of approved senders',
      'Senders without a decision that look legitimate',
      'Seasonal senders',
      'Approved mail lost to forwarders and lists',
    ]);
    expect((await rule('Seasonal senders', []))?.actual).toBe('passed, history of 0 days');
    expect((await rule('Approved mail lost to forwarders and lists', []))?.actual).toBe('0 %');
    expect(await broken(few)).toEqual([
      'Days with reports',
      'Receivers whose reports we could authenticate',
      'Messages of approved senders',
    ]);
  });

  test('is ready where the owner attests that there is no other mail, and is called thin', async () => {
    expect(await assess(few, { attested: ['volume'] })).toMatchObject({ ready: true, thin: true });
    // Another attestation that is needed does not make the data thin.
    const year = steady(() => [ownMail()], { ...atQuarantine, from: TODAY - 365 });
    expect(await broken(year, { record })).toEqual(['Seasonal senders']);
    expect(await assess(year, { record, attested: ['volume', 'seasonalSenders'] })).toMatchObject({
      ...{ ready: true, thin: false },
    });
    // An attestation says nothing about mail that fails.
    expect(await broken([], { attested: ['volume'] })).toContain('Approved mail that passes');
  });
});

describe('reports', () => {
  const atPresent = { record };
  const isMissing = ['Receivers whose reports we could authenticate'];

  test.each([
    'not-google.example',
    'google.com.example',
    'yahoo.com',
    'outlook.com',
    'gmail.com',
    'notgoogle.com',
  ])('whose mail comes from %s are of no large receiver, whatever they call themselves', async (domain) => {
    const days = history(0, TODAY, () =>
      [domain, 'b.example', 'c.example'].map((one) =>
        reportFrom(one, [ownMail()], {
          ...{ policy: policy(atQuarantine), reporter: 'Enterprise Outlook, google.com' },
        }),
      ),
    );
    expect(await broken(days, atPresent)).toEqual(isMissing);
  });

  test('of one organization are of one reporter, whatever they call themselves', async () => {
    const days = history(0, TODAY, () =>
      ['google.com', 'a.reports.example', 'b.reports.example', 'reports.example'].map((one) =>
        reportFrom(one, [ownMail()], { policy: policy(atQuarantine), reporter: `Reporter ${one}` }),
      ),
    );
    expect(await broken(days, atPresent)).toEqual(isMissing);
    expect((await rule('Receivers whose reports we could authenticate', days, atPresent))?.actual).toBe(
      '2, largest share 75 %',
    );
  });
});

test('a share at its limit holds', async () => {
  const of = (largest: number) =>
    history(0, TODAY, () =>
      [largest, 50, 50].map((count, at) =>
        reportFrom(reporters[at] ?? '', [ownMail({ count })], { policy: policy(atQuarantine) }),
      ),
    );
  const name = 'Receivers whose reports we could authenticate';
  expect(await rule(name, of(900), { record })).toMatchObject({
    actual: '3, largest share 90 %',
    holds: true,
  });
  expect(await rule(name, of(911), { record })).toMatchObject({ holds: false });
  const lost = forwarded({ count: 5, dkimDomains: [], dkim: 'fail', spfResult: 'pass' });
  const decided = decisions([ownMail(), 'approved'], [lost, 'forwarder']);
  const loss = (count: number) =>
    rule(
      'Approved mail lost to forwarders and lists',
      steady(() => [ownMail({ count }), lost], atQuarantine),
      {
        ...{ decided, record },
      },
    );
  expect(await loss(995)).toMatchObject({ actual: '0.5 %', holds: true });
  expect(await loss(800)).toMatchObject({ actual: '0.62 %', holds: false });
});

describe('forwarders and lists', () => {
  test('lose approved mail, which counts for reject, unless the owner accepts it', async () => {
    const relayed = forwarded({ count: 2 });
    const lost = forwarded({ count: 2, dkimDomains: [], dkim: 'fail', spfResult: 'pass' });
    const decided = decisions([ownMail(), 'approved'], [lost, 'forwarder'], [relayed, 'forwarder']);
    const records = () => [ownMail(), relayed, lost];
    expect(await broken(steady(records), { decided })).toEqual([]);
    const days = steady(records, atQuarantine);
    expect(await broken(days, { decided, record })).toEqual(['Approved mail lost to forwarders and lists']);
    expect(await broken(days, { decided, record, attested: ['forwardingLoss'] })).toEqual([]);
    expect(
      await broken(
        steady(() => [ownMail({ count: 1000 }), lost], atQuarantine),
        { decided, record },
      ),
    ).toEqual([]);
  });

  test('that rewrite From send no mail of the domain', async () => {
    const rewriting = ownMail({
      dkimDomains: ['lists.example'],
      overrides: ['mailing_list'],
      dkim: 'fail',
      spf: 'fail',
      mailFrom: 'lists.example',
      count: 1,
    });
    const before = steady((n) => (n < TODAY - 100 ? [ownMail(), rewriting] : [ownMail()]), atQuarantine);
    expect(await broken(before, { record })).toEqual([]);
  });
});

describe('a domain that sends no mail', () => {
  test('is ready for reject at once, unless authenticated reports show aligned mail', async () => {
    const spoofedOnly = steady(() => [spoofed()]);
    for (const usageType of ['parked', 'receives-only'] as const) {
      expect(await assess(spoofedOnly, { usageType })).toMatchObject({ ready: true, blockers: [] });
      expect(await assess(own, { usageType, decided: new Map() })).toMatchObject({ ready: false });
    }
  });
});
