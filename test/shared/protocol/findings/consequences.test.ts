/** What happens to legitimate mail if the owner does what the text of a finding says. */
import { readFileSync } from 'node:fs';
import { describe, expect, test } from '@jest/globals';
import { inspectDkim } from '../../../../shared/checks/dkim/inspect.ts';
import { inspectDmarc } from '../../../../shared/checks/dmarc/inspect.ts';
import { besideDane, inspectMtaSts } from '../../../../shared/checks/mta-sts/inspect.ts';
import { inspectSpf } from '../../../../shared/checks/spf/inspect.ts';
import { describeFor } from '../../../../shared/protocol/findings/catalogue.ts';
import type { DescribedFinding, Finding } from '../../../../shared/protocol/findings/finding.ts';
import { computeScore } from '../../../../shared/score/score.ts';
import { emptyResults, perfectResults } from '../../../kit/results.ts';
import { fakeWeb } from '../../../kit/web.ts';
import { type ZoneLiteral, zone } from '../../../kit/zone.ts';
import { networkOf } from './cases/example.ts';

const DOMAIN = 'example.org';
const RUA = 'rua=mailto:a@example.org';
const described = (findings: readonly Finding[]): readonly DescribedFinding[] =>
  findings.map(describeFor({ domain: DOMAIN }));

async function dmarcTexts(...records: readonly string[]) {
  const dns = zone({ [DOMAIN]: { A: ['192.0.2.1'] }, [`_dmarc.${DOMAIN}`]: { TXT: records } });
  return described((await inspectDmarc(DOMAIN, { dns })).findings);
}

async function mtaSts(policy: string | null, records: readonly string[]) {
  const url = `https://mta-sts.${DOMAIN}/.well-known/mta-sts.txt`;
  const web = fakeWeb(policy === null ? {} : { [url]: { type: 'text/plain', body: policy } });
  const dns = zone({
    [DOMAIN]: { MX: [] },
    ...(records.length > 0 ? { [`_mta-sts.${DOMAIN}`]: { TXT: records } } : {}),
  });
  return inspectMtaSts(DOMAIN, networkOf({ dns, web }));
}

describe('a correction that brings a DMARC policy into effect', () => {
  test.each([
    [
      'several records',
      ['v=DMARC1; p=reject; sp=none', `v=DMARC1; p=quarantine; ${RUA}`],
      'dmarc-multiple-records',
      'p=quarantine or p=reject; sp=none',
    ],
    ['the version', [`v=dmarc1; p=reject; ${RUA}`], 'dmarc-unreadable-version', 'p=reject'],
    ['a bad p', [`v=DMARC1; p=monitor; sp=reject; ${RUA}`], 'dmarc-invalid-value', 'sp=reject'],
    ['a bad p alone', [`v=DMARC1; p=rejct; ${RUA}`], 'dmarc-invalid-value', 'The policy of the record'],
    ['a bad sp', [`v=DMARC1; p=reject; sp=monitor; ${RUA}`], 'dmarc-invalid-subdomain-policy', 'p=reject'],
    [
      'a bad np',
      [`v=DMARC1; p=quarantine; np=monitor; ${RUA}`],
      'dmarc-invalid-subdomain-policy',
      'p=quarantine',
    ],
    ['a void record', ['v=DMARC1; p=reject; sp=bob'], 'dmarc-void-record', 'p=reject'],
  ])('%s: the fix says which, and gives p=none first', async (_, records, id, effect) => {
    const { fix } = (await dmarcTexts(...records)).find((found) => found.id === id) as DescribedFinding;
    expect(fix).toContain(
      `${effect} would then come into effect, so publish p=none without sp and np at first.`,
    );
    expect(fix).toMatch(/Read your DMARC reports for at least a month first\. If they show .*, you can /);
  });

  test('a bad value of another tag is set to what receivers apply now', async () => {
    const texts = await dmarcTexts(`v=DMARC1; p=reject; adkim=strict; ${RUA}`);
    expect(texts).toMatchObject([
      { id: 'dmarc-invalid-value', fix: expect.stringContaining('Set adkim=r,') },
    ]);
  });

  test.each([['v=DMARC1; sp=reject'], [`v=DMARC1; sp=reject; ${RUA}`]])(
    'a missing p is set to none, without sp: %s',
    async (record) => {
      const fixes = (await dmarcTexts(record)).map(({ fix }) => fix);
      expect(fixes).toContainEqual(
        'Add the tag p=none directly after "v=DMARC1;". Leave out sp and np at first: they would come into effect with it.',
      );
    },
  );
});

describe('DMARC', () => {
  test('p=none with pct gets no advice to add t=y', async () => {
    const texts = await dmarcTexts(`v=DMARC1; p=none; pct=50; ${RUA}`);
    expect(texts.map(({ id }) => id)).toEqual(['dmarc-removed-tag', 'dmarc-monitoring-only']);
    expect(JSON.stringify(texts)).not.toContain('t=y');
    // With a policy for subdomains, pct still decides something.
    const ids = (await dmarcTexts(`v=DMARC1; p=none; sp=reject; pct=50; ${RUA}`)).map(({ id }) => id);
    expect(ids).toContain('dmarc-partial');
  });

  test('a missing p means p=none for all receivers if there is a valid rua', async () => {
    const [missing] = await dmarcTexts(`v=DMARC1; ${RUA}`);
    expect(missing).toMatchObject({ id: 'dmarc-missing-policy', cites: 'RFC 9989 section 4.10.1' });
    expect(missing?.message).toMatch(
      /valid rua URI, receivers treat it as p=none, .*RFC 7489 \(section 6\.6\.3\)/,
    );
    expect(missing?.message).not.toContain('ignore');
  });
});

test('a record of somebody else that authorizes every host is to be included no more', async () => {
  const wide = { '_spf.wide.test': { TXT: ['v=spf1 +all'] } };
  const fixOf = async (record: string) => {
    const { findings } = await inspectSpf(DOMAIN, { dns: zone({ [DOMAIN]: { TXT: [record] }, ...wide }) });
    return described(findings).find(({ id }) => id === 'spf-pass-all')?.fix;
  };
  expect(await fixOf('v=spf1 include:_spf.wide.test -all')).toMatch(
    /^If _spf\.wide\.test is not yours, remove the include/,
  );
  expect(await fixOf('v=spf1 +all')).toMatch(/^List all your senders/);
});

describe('a name that nobody owns', () => {
  test('a void include says that anyone who registers it can send as the domain', async () => {
    const own = `old.${DOMAIN}`;
    const dns = zone({ [DOMAIN]: { TXT: [`v=spf1 include:_spf.gone.test a:gone.test a:${own} -all`] } });
    const texts = described((await inspectSpf(DOMAIN, { dns })).findings);
    // Nobody else can register a name of the domain.
    expect(texts.find(({ subject }) => subject === own)?.fix).toBe(
      'Remove the mechanism or correct its host name.',
    );
    for (const [id, name] of [
      ['spf-no-record-behind', '_spf.gone.test'],
      ['spf-void-lookup', 'gone.test'],
    ])
      expect(texts.find((found) => found.id === id)?.fix).toContain(
        `If nobody owns ${name}, anyone who registers it can send as your domain.`,
      );
  });

  const dkim = async (more: ZoneLiteral) => {
    const dns = zone({ [DOMAIN]: { A: ['192.0.2.1'] }, ...more });
    return described((await inspectDkim(DOMAIN, { dns })).findings);
  };

  test('a DKIM alias of a name that does not exist says the same', async () => {
    const texts = await dkim({ [`s1._domainkey.${DOMAIN}`]: { CNAME: ['s1.gone.test'] } });
    expect(texts.find(({ id }) => id === 'dkim-dangling-alias')).toMatchObject({
      ...{ severity: 'warning', subject: 's1' },
      fix: expect.stringContaining(
        'If nobody owns s1.gone.test, anyone who registers it can sign mail as your domain.',
      ),
    });
  });

  test('a wildcard alias has one finding, not one for each selector', async () => {
    const texts = await dkim({ [`*._domainkey.${DOMAIN}`]: { CNAME: ['gone.test'] } });
    expect(texts.filter(({ id }) => id === 'dkim-dangling-alias')).toMatchObject([{ subject: '*' }]);
  });

  test('a failed lookup behind the alias is no such name', async () => {
    const texts = await dkim({
      [`s1._domainkey.${DOMAIN}`]: { CNAME: ['s1.broken.test'] },
      's1.broken.test': 'SERVFAIL',
    });
    expect(texts.map(({ id }) => id)).not.toContain('dkim-dangling-alias');
  });
});

describe('MTA-STS', () => {
  const policy = (mode: string) => `version: STSv1\nmode: ${mode}\nmx: mx.${DOMAIN}\nmax_age: 604800\n`;

  test('withdrawing it through mode none is not told to go to testing', async () => {
    const results = {
      ...perfectResults('sends-and-receives'),
      mtaSts: await mtaSts(policy('none'), ['v=STSv1; id=2']),
    };
    const texts = described(results.mtaSts.findings);
    expect(texts).toMatchObject([{ id: 'mta-sts-mode-none', cites: 'RFC 8461 section 8.3' }]);
    const todos = computeScore(results, 'sends-and-receives').components.map(({ todo }) => todo);
    expect(JSON.stringify([texts, todos])).not.toContain('testing');
  });

  test('a policy in enforce mode without a record: the text does not speak of testing', async () => {
    const results = { ...perfectResults('sends-and-receives'), mtaSts: await mtaSts(policy('enforce'), []) };
    const [enforced] = described(results.mtaSts.findings);
    const todos = computeScore(results, 'sends-and-receives').components.map(({ todo }) => todo);
    expect(JSON.stringify(todos)).toContain('Publish the MTA-STS record');
    expect(JSON.stringify(todos)).not.toContain('testing');
    expect(enforced?.fix).toMatch(/^Make sure that the policy names every MX host/);
    expect(enforced?.fix).not.toContain('testing');
    const [tested] = described((await mtaSts(policy('testing'), [])).findings);
    expect(tested?.fix).toMatch(/^Set the mode of the policy to testing/);
  });

  test('where DANE protects mail, its absence is not called worse than it is', async () => {
    const absent = await mtaSts(null, []);
    const [open] = described(besideDane(absent, false).findings);
    expect(open?.message).toContain('an on-path attacker can force unencrypted delivery');
    const [protectedByDane] = described(besideDane(absent, true).findings);
    expect(protectedByDane?.message).toContain('DANE protects mail from senders that support it');
    expect(besideDane(emptyResults().mtaSts, true).findings).toEqual([]);
  });
});

test('the README publishes ~all for a domain that sends', () => {
  const readme = readFileSync(new URL('../../../../README.md', import.meta.url), 'utf8');
  const published = [...readme.matchAll(/"(v=spf1 [^"]*)"/g)].map(([, record]) => record);
  expect(published).toEqual(['v=spf1 mx ~all']);
});
