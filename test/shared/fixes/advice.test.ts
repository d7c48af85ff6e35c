/** What happens to legitimate mail if the owner publishes what a plan proposes. */
import { describe, expect, test } from '@jest/globals';
import type { UsageType } from '../../../shared/checks/state.ts';
import type { ReportedMail } from '../../../shared/fixes/facts.ts';
import type { Change } from '../../../shared/fixes/plan.ts';
import type { ZoneLiteral } from '../../kit/zone.ts';
import { zone } from '../../kit/zone.ts';
import { checkAndPlan, type Given, previewOf, setsOf } from './check-and-plan.ts';
import { type FaultyZone, MAILBOX, UNRELATED, zoneOf } from './faulty-zones.ts';

const DOMAIN = 'domain.test';
const OWN = `mailto:${MAILBOX}`;

interface Case extends Omit<FaultyZone, 'fault'>, Given {
  readonly usage?: UsageType;
}

const literalOf = (given: Case): ZoneLiteral => zoneOf(DOMAIN, { fault: '', ...given });

async function planFor({ usage = 'sends-and-receives', ...given }: Case) {
  const { plan } = await checkAndPlan(DOMAIN, usage, zone(literalOf(given)), given);
  const at = (name: string, type = 'TXT'): readonly Change[] =>
    plan.changes.filter((change) => change.name === name && change.type === type);
  return {
    plan,
    dmarc: at(`_dmarc.${DOMAIN}`),
    spf: at(DOMAIN),
    mx: at(DOMAIN, 'MX'),
    tls: at(`_smtp._tls.${DOMAIN}`),
    mtaSts: at(`_mta-sts.${DOMAIN}`),
  };
}

/** What a preview of the change introduces, apart from notices. */
async function introducedBy(given: Case, change: Change) {
  const { introduced } = await previewOf(DOMAIN, setsOf([change]), zone(literalOf(given)), given);
  return introduced.filter(({ severity }) => severity !== 'notice');
}

const last = (changes: readonly Change[]) => changes.map((one) => [one.class, one.after.at(-1)]);

describe('a parked domain is closed by a safe change only if nothing can be hurt:', () => {
  const parked = { usage: 'parked', mx: [], spf: [], dmarc: [] } as const;

  test('reports come and show no mail', async () => {
    const { dmarc, spf, mx } = await planFor(parked);
    expect([...last(dmarc), ...last(spf), ...last(mx)]).toEqual([
      ['safe', `v=DMARC1; p=reject; rua=${OWN}`],
      ['safe', 'v=spf1 -all'],
      ['safe', '0 .'],
    ]);
  });

  test('the answer with all TXT records, such as a long one, fits into 512 octets', async () => {
    // Besides it, the answer has a header of 12 octets, 17 of the question, 12 of each record, and the length of each string.
    const room = 512 - 12 - 17 - 3 * 12 - (1 + UNRELATED.length) - (1 + 'v=spf1 -all'.length) - 2;
    const proposed = async (length: number) =>
      last((await planFor({ ...parked, spf: ['x'.repeat(length)] })).spf);
    expect(await proposed(room)).toEqual([['safe', 'v=spf1 -all']]);
    expect(await proposed(room + 1)).toEqual([]);
  });

  test.each<[string, Partial<ReportedMail>]>([
    ['no authenticated report for 30 days', { isReported: false }],
    ['a subdomain sends', { isFromSubdomains: true }],
  ])('%s: it needs a decision', async (_, mail) => {
    const { dmarc, spf, mx } = await planFor({ ...parked, mail });
    expect([...last(dmarc), ...last(spf), ...last(mx)]).toEqual([
      ['safe', `v=DMARC1; p=none; rua=${OWN}`],
      ['needs-decision', `v=DMARC1; p=reject; rua=${OWN}`],
      ['needs-decision', 'v=spf1 -all'],
      ['needs-decision', '0 .'],
    ]);
  });

  test('reports show its mail: nothing rejects it', async () => {
    const { dmarc, mx } = await planFor({ ...parked, mail: { isAuthenticated: true } });
    expect([...last(dmarc), ...mx]).toEqual([['safe', `v=DMARC1; p=none; rua=${OWN}`]]);
  });

  test.each([['v=spf1 ip4:192.0.2.7 -all'], ['v=spf1 +all'], ['"v=spf1 mx -all"']])(
    'SPF authorizes or is meant to authorize somebody: %s',
    async (record) => {
      const { dmarc, mx } = await planFor({
        ...parked,
        spf: [record],
        dmarc: [`v=DMARC1; p=none; rua=${OWN}`],
      });
      expect([...last(dmarc), ...last(mx)]).toEqual([
        ['needs-decision', `v=DMARC1; p=reject; rua=${OWN}`],
        ['needs-decision', '0 .'],
      ]);
    },
  );

  test.each([['sp'], ['np']])('an explicit %s is kept, and needs a decision', async (tag) => {
    const { dmarc } = await planFor({ ...parked, dmarc: [`v=DMARC1; p=none; ${tag}=none; rua=${OWN}`] });
    expect(last(dmarc)).toEqual([['needs-decision', `v=DMARC1; p=reject; ${tag}=none; rua=${OWN}`]]);
    expect(dmarc[0]?.reason).toContain(`${tag}=none protects`);
  });
});

describe("the owner's own tags", () => {
  test.each([
    [
      'sends-and-receives',
      'v=DMARC1; p=none; sp=quarantine; np=reject; pct=50; t=y; fo=1; ri=3600; adkim=s; psd=n',
    ],
    ['sends-and-receives', 'v=DMARC1; p=quarantine; pct=100; rf=afrf; ri=86400; fo=1'],
    ['parked', 'v=DMARC1; p=none; pct=50; fo=1'],
    ['receives-only', 'v=DMARC1; p=reject; t=y; sp=none'],
  ] as const)('are never dropped by a safe change: %s, %s', async (usage, record) => {
    const { dmarc } = await planFor({ usage, dmarc: [record], mx: usage === 'parked' ? [] : [[10, 'mx.$']] });
    const [safe] = dmarc.filter((one) => one.class === 'safe');
    for (const tag of record.split('; ').filter((one) => !one.startsWith('p=')))
      expect(safe?.after[0]).toContain(tag);
  });

  test('t and pct are kept where several records are merged', async () => {
    const { dmarc } = await planFor({ dmarc: ['v=DMARC1; p=reject; t=y; pct=50', 'v=DMARC1; p=none'] });
    expect(last(dmarc)).toEqual([['needs-decision', `v=DMARC1; p=none; t=y; pct=50; rua=${OWN}`]]);
  });
});

describe('intended report addresses are repaired, not deleted:', () => {
  const both = 'mailto:a@ex.test,mailto:b@ex.test';
  test.each([
    ['an address without mailto:', 'none', 'rua=dmarc@ex.test', 'needs-decision', 'mailto:dmarc@ex.test'],
    ['the same at reject', 'reject', 'rua=dmarc@ex.test', 'needs-decision', 'mailto:dmarc@ex.test'],
    ['duplicate tags', 'none', 'rua=mailto:a@ex.test; rua=mailto:b@ex.test', 'safe', both],
    ['a semicolon', 'none', 'rua=mailto:a@ex.test; mailto:b@ex.test', 'safe', both],
    ['a semicolon at reject', 'reject', 'rua=mailto:a@ex.test; b@ex.test', 'needs-decision', both],
  ])('%s', async (_, p, tags, kind, uris) => {
    const more = () => ({ '*._report._dmarc.ex.test': { TXT: ['v=DMARC1'] } });
    const { dmarc } = await planFor({ dmarc: [`v=DMARC1; p=${p}; ${tags}`], more });
    const texts = dmarc.filter((one) => one.class === kind).map(({ after }) => after[0] ?? '');
    expect(texts.map((text) => text.split('; ').filter((tag) => tag.startsWith('rua')))).toContainEqual([
      expect.stringMatching(new RegExp(`^(?=.*${uris.replaceAll(',', '.*')}).*${OWN}`)),
    ]);
    expect(dmarc.at(-1)?.after[0]).toContain(`p=${p}`);
  });

  test('ruf, too', async () => {
    const { dmarc } = await planFor({ dmarc: [`v=DMARC1; p=none; rua=${OWN}; ruf=f@${DOMAIN}`] });
    expect(last(dmarc)).toEqual([['needs-decision', `v=DMARC1; p=none; rua=${OWN}; ruf=mailto:f@${DOMAIN}`]]);
  });

  test('an address elsewhere that does not authorize reports is not deleted either', async () => {
    const { dmarc, plan } = await planFor({ dmarc: ['v=DMARC1; p=none; rua=a@ex.test'] });
    for (const { after } of dmarc) expect(after[0]).toContain('a@ex.test');
    expect(plan.manual.flatMap(({ resolves }) => resolves)).toContain('dmarc-malformed-uri');
  });

  test.each([
    ['an address without mailto:', 'rua=tls@ex.test', 'mailto:tls@ex.test'],
    ['duplicate fields', 'rua=mailto:a@ex.test; rua=mailto:b@ex.test', both],
    ['a semicolon', 'rua=mailto:a@ex.test; mailto:b@ex.test', both],
    ['and other fields are kept', 'rua=a@ex.test; ext=1', 'mailto:a@ex.test'],
  ])('TLS-RPT: %s', async (_, fields, uris) => {
    const { tls } = await planFor({ tlsRpt: [`v=TLSRPTv1; ${fields}`] });
    const extension = fields.includes('ext=1') ? '; ext=1' : '';
    expect(tls.at(-1)?.after).toEqual([`v=TLSRPTv1; rua=${uris},${OWN}${extension}`]);
  });
});

describe('MTA-STS', () => {
  const policy = (mode: string, mx = `mx.${DOMAIN}`) =>
    `version: STSv1\nmode: ${mode}\nmx: ${mx}\nmax_age: 604800\n`;

  test.each<[string, Case, boolean]>([
    ['enforce that agrees', { mtaSts: [], policy: policy('enforce'), tls: true }, true],
    ['enforce without TLS', { mtaSts: [], policy: policy('enforce') }, false],
    [
      'enforce without the MX host',
      { mtaSts: [], policy: policy('enforce', 'other.test'), tls: true },
      false,
    ],
    [
      'enforce without the MX host behind a broken record',
      { mtaSts: ['v=STSv1;'], policy: policy('enforce', 'other.test'), tls: true },
      false,
    ],
    ['testing without the MX host', { mtaSts: [], policy: policy('testing', 'other.test') }, true],
    ['testing behind a broken record', { mtaSts: ['v=STSv1;'], policy: policy('testing') }, true],
    ['none', { mtaSts: [], policy: policy('none') }, false],
    ['an invalid policy behind a broken record', { mtaSts: ['v=STSv1;'], policy: 'oops' }, false],
    ['no policy behind a broken record', { mtaSts: ['v=STSv1;'], policy: null }, false],
  ])('a record is proposed only if no mail can be lost: %s', async (_, given, isProposed) => {
    const { mtaSts, plan } = await planFor(given);
    expect(mtaSts).toHaveLength(isProposed ? 1 : 0);
    const isEnforced = given.policy?.includes('enforce') === true;
    for (const change of mtaSts) {
      expect((await introducedBy(given, change)).filter(({ severity }) => severity === 'error')).toEqual([]);
      if (isEnforced) expect(change.reason).not.toContain('esting');
    }
    if (isEnforced)
      expect(
        JSON.stringify([
          plan.files,
          plan.manual.filter(({ resolves }) => resolves[0]?.startsWith('mta-sts')),
        ]),
      ).not.toContain('testing');
  });
});
