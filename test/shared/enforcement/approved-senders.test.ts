import { describe, expect, test } from '@jest/globals';
import type { CheckResults } from '../../../shared/checks/results.ts';
import {
  assess,
  assessed,
  atQuarantine,
  broken,
  decisions,
  quarantineRecord as record,
  recordWith,
  reporters,
  steady,
  TODAY,
} from '../../kit/readiness.ts';
import { history, newsletter, owner, ownMail, policy, reportFrom } from '../../kit/report-history.ts';

describe('approved mail', () => {
  test('that passes without a decision is among the 1,000 messages', async () => {
    const elsewhere = ownMail({ count: 8, sourceIp: '198.51.100.1' });
    // 30 days and 4 reporters: 1,080 messages.
    expect(
      await broken(
        steady(() => [ownMail({ count: 1 }), elsewhere], atQuarantine),
        { record },
      ),
    ).toEqual([]);
  });

  test('a tenant with its own DKIM in 60 networks has no blocker, and is ready once one sender is approved', async () => {
    const tenant = steady((n) =>
      Array.from({ length: 60 }, (_, at) =>
        ownMail({ count: 1 + (n % 3), sourceIp: `40.107.${at}.1`, mailFrom: owner }),
      ),
    );
    const { readiness } = await assessed(tenant, { decided: new Map() });
    expect(readiness.blockers).toEqual([]);
    expect(await broken(tenant, { decided: new Map() })).toEqual(['Approved mail that passes']);
    const decided = decisions([ownMail({ sourceIp: '40.107.7.1' }), 'approved']);
    expect(await assess(tenant, { decided })).toMatchObject({ ready: true, blockers: [] });
  });

  test('of 4 of 8 messages that fail decides nothing, and 6 of 12 do', async () => {
    const decided = decisions([ownMail(), 'approved'], [newsletter(), 'approved']);
    const once = (count: number) =>
      history(0, TODAY, (n) =>
        reporters.map((domain, at) =>
          reportFrom(
            domain,
            n === TODAY - 10 && at === 3
              ? [
                  ownMail(),
                  newsletter({ count }),
                  newsletter({ count, dkim: 'pass', dkimDomains: ['news.example.net', owner] }),
                ]
              : [ownMail()],
          ),
        ),
      );
    expect(await assess(once(4), { decided })).toMatchObject({ ready: true, blockers: [] });
    expect(await broken(once(6), { decided })).toEqual(['Approved mail that passes']);
    expect((await assess(once(6), { decided })).blockers).toMatchObject([{ messages: 6 }]);
  });

  test('has aligned DKIM, for reject', async () => {
    const unsigned = (p: 'none' | 'quarantine') =>
      steady(() => [ownMail({ dkimDomains: [], dkim: 'fail' })], { p });
    expect(await broken(unsigned('none'))).toEqual([]);
    expect(await broken(unsigned('quarantine'), { record })).toEqual(['Aligned DKIM of approved senders']);
    expect((await assess(unsigned('quarantine'), { record })).blockers).toHaveLength(1);
  });

  test('of a subdomain counts unless the subdomain keeps its policy', async () => {
    const below = 'news.example.org';
    const failing = ownMail({ count: 50, headerFrom: below, dkim: 'fail', spf: 'fail' });
    const days = (domain: string) =>
      history(0, TODAY, () =>
        reporters.flatMap((one) => [
          reportFrom(one, [ownMail()]),
          reportFrom(one, [failing], { policy: policy({ domain }) }),
        ]),
      );
    expect(await broken(days(owner))).toEqual(['Approved mail that passes']);
    // A record of its own.
    expect(await broken(days(below))).toEqual([]);
    // A policy in the record of the domain, which the next record keeps.
    expect(await assess(days(owner), { record: recordWith('p=none; sp=none') })).toMatchObject({
      ...{ ready: true, blockers: [] },
    });
    // The next record at the domain itself does not inherit it.
    const inherited = ({ dmarc }: CheckResults) => ({ dmarc: { ...dmarc, policyDomain: 'org' } });
    expect(
      await broken(days(owner), { record: recordWith('p=none; sp=none'), results: inherited }),
    ).toContain('Approved mail that passes');
  });
});
