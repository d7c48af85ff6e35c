/**
 * Small zones, each with one fault or at one limit: what the checks find, and what score, compliance, alerts and the plan of
 * fixes say about it. Recordings have what is different from the zone that is in order; `$` is the domain.
 */
import { expect, test } from '@jest/globals';
import { factsOf } from '../../../shared/alerts/facts.ts';
import { nextMonitorState } from '../../../shared/alerts/monitor-state.ts';
import type { CheckResults } from '../../../shared/checks/results.ts';
import { checkNames, type UsageType, usageTypes } from '../../../shared/checks/state.ts';
import { listedStatuses } from '../../../shared/compliance/listed.ts';
import { nextFix } from '../../../shared/fixes/next-fix.ts';
import type { Plan } from '../../../shared/fixes/plan.ts';
import { computeScore } from '../../../shared/score/score.ts';
import { rsaForm } from '../../kit/dkim-signer.ts';
import { readable, unlike } from '../../kit/recorded.ts';
import { type Failure, type ZoneNode, zone } from '../../kit/zone.ts';
import { checkAndPlan, type Given, inDays } from '../fixes/check-and-plan.ts';
import { type FaultyZone, faultyZones, zoneOf } from '../fixes/faulty-zones.ts';

const DOMAIN = 'world.test';

interface World extends FaultyZone, Given {}

/** A zone in order, whose hosts have TLS, with more records. */
const more = (fault: string, node: ZoneNode | Failure, at = ''): World => ({
  ...{ fault, tls: true, more: (domain) => ({ [`${at}${domain}`]: node }) },
});
const policyWith = (lines: string, maxAge = 'max_age: 604800') => `version: STSv1\n${lines}\n${maxAge}\n`;
const enforced = policyWith(`mode: enforce\nmx: mx.${DOMAIN}`);
const selectors = (...records: readonly string[]) => ({
  more: (domain: string) =>
    Object.fromEntries(records.map((record, at) => [`s${at + 1}._domainkey.${domain}`, { TXT: [record] }])),
});
const certificate = (left: number, of: number): World => ({
  fault: `certificate with ${left} of ${of} days left`,
  tls: true,
  certificate: { validFrom: inDays(left - of), validTo: inDays(left) },
});
const caa = (tag: string, value: string) => ({ flags: 0, tag, value });

const worlds: readonly World[] = [
  ...faultyZones,
  { fault: 'TLS', tls: true },
  ...[0, 1, 2, 7, 13, 14, 15, 29, 30, 31].map((left) => certificate(left, 90)),
  ...[1, 2, 3].map((left) => certificate(left, 6)),
  certificate(131, 397),
  certificate(132, 397),
  certificate(133, 397),
  {
    fault: 'expired certificate',
    tls: true,
    certificate: {
      ...{ validFrom: inDays(-90), validTo: inDays(-0.001) },
      ...{ trusted: false, untrustedReason: 'CERT_HAS_EXPIRED' },
    },
  },
  {
    fault: 'certificate of tomorrow',
    tls: true,
    certificate: { validFrom: inDays(1), trusted: false, untrustedReason: 'CERT_NOT_YET_VALID' },
  },
  {
    fault: 'untrusted certificate',
    tls: true,
    certificate: { trusted: false, untrustedReason: 'SELF_SIGNED' },
  },
  { fault: 'certificate of another name', tls: true, certificate: { matchesName: false } },
  { fault: 'MTA-STS in enforce mode', tls: true, policy: enforced },
  { fault: 'MTA-STS in enforce mode without TLS', policy: enforced },
  { fault: 'no MTA-STS record in enforce mode', tls: true, policy: enforced, mtaSts: [] },
  { fault: 'no MTA-STS at all', tls: true, policy: null, mtaSts: [] },
  { fault: 'no MTA-STS policy', tls: true, policy: null },
  { fault: 'MTA-STS for another host', tls: true, policy: policyWith('mode: enforce\nmx: other.test') },
  { fault: 'MTA-STS in mode none', tls: true, policy: policyWith('mode: none') },
  ...[0, 86_399, 86_400, 604_799, 31_557_600, 31_557_601].map((age) => ({
    ...{ fault: `MTA-STS max_age ${age}`, tls: true },
    policy: policyWith(`mode: enforce\nmx: mx.${DOMAIN}`, `max_age: ${age}`),
  })),
  ...[1023, 1024, 2047, 2048].map((bits) => ({
    ...{ fault: `DKIM key of ${bits} bits`, tls: true },
    ...selectors(`v=DKIM1; k=rsa; p=${rsaForm(bits)}`),
  })),
  { fault: 'revoked DKIM key', tls: true, ...selectors('v=DKIM1; p=') },
  {
    fault: 'DKIM keys, one in test mode',
    tls: true,
    ...selectors(`v=DKIM1; p=${rsaForm(2048)}`, `v=DKIM1; t=y; p=${rsaForm(2048)}`),
  },
  { fault: 'Ed25519 DKIM key', tls: true, ...selectors(`v=DKIM1; k=ed25519; p=${'A'.repeat(43)}=`) },
  { fault: 'broken DKIM key', tls: true, ...selectors('v=DKIM1; p=AAAA') },
  more('IPv6 only', { AAAA: ['2001:db8::1'] }, 'mx.'),
  more('alias as MX host', { CNAME: ['mx.other.test'] }, 'mx.'),
  more('failed lookup of the MX host', 'SERVFAIL', 'mx.'),
  more('failed lookup of IPv4 of the MX host', { A: 'TIMEOUT', AAAA: ['2001:db8::1'] }, 'mx.'),
  more('failed TLS-RPT lookup', 'SERVFAIL', '_smtp._tls.'),
  more('failed MTA-STS lookup', 'TIMEOUT', '_mta-sts.'),
  more('failed BIMI lookup', 'SERVFAIL', 'default._bimi.'),
  more('failed DKIM lookup', 'SERVFAIL', 's1._domainkey.'),
  more('failed CAA lookup', { MX: [[10, `mx.${DOMAIN}`]], TXT: ['v=spf1 mx -all'], CAA: 'SERVFAIL' }),
  more('CAA', { CAA: [caa('issue', 'ca.example.net'), caa('iodef', 'mailto:a@world.test')] }),
  more('malformed CAA', { CAA: [caa('issue', 'ca example'), caa('isue', 'ca.example.net')] }),
  more('BIMI', { TXT: ['v=BIMI1; l=https://world.test/logo.svg'] }, 'default._bimi.'),
  more('BIMI that is declined', { TXT: ['v=BIMI1; l=; a='] }, 'default._bimi.'),
  more('name servers', { NS: ['ns1.world.test', 'ns2.other.test'] }),
  {
    fault: 'two MX hosts that tie',
    tls: true,
    mx: [
      [10, 'mx.$'],
      [10, 'mx2.$'],
    ],
    more: (domain) => ({ [`mx2.${domain}`]: { A: ['192.0.2.2'] } }),
  },
  { fault: 'SPF with 8 lookups', tls: true, ...lookups(8) },
  { fault: 'SPF with 9 lookups', tls: true, ...lookups(9) },
  { fault: 'SPF with 10 lookups', tls: true, ...lookups(10) },
];

function lookups(count: number) {
  const names = Array.from({ length: count }, (_, at) => `i${at}`);
  return {
    spf: [`v=spf1 ${names.map((name) => `include:${name}.$`).join(' ')} -all`],
    more: (domain: string) =>
      Object.fromEntries(
        names.map((name, at) => [`${name}.${domain}`, { TXT: [`v=spf1 ip4:192.0.2.${at} -all`] }]),
      ),
  };
}

const saidOf = (world: World, usage: UsageType) =>
  checkAndPlan(DOMAIN, usage, zone(zoneOf(DOMAIN, world)), world);

const scoreLines = (results: CheckResults, usage: UsageType) => {
  const { score, grade, confidence, components } = computeScore(results, usage);
  const parts = components.map(({ component, points, maximum, gain }): [string, string] => [
    component,
    `${points}/${maximum} +${gain}`,
  ]);
  return { is: `${score} ${grade} ${confidence}`, ...Object.fromEntries(parts) };
};

const planLines = ({ changes, files, manual, scoreAfter }: Plan) => ({
  changes: Object.fromEntries(
    changes.map(({ id, action, before, after, resolves, gain, waitSeconds }) => {
      const was = before.filter((value) => !after.includes(value));
      const is = after.filter((value) => !before.includes(value));
      return [
        `${action} ${id} +${gain}`,
        { was, is, resolves, ...(waitSeconds !== 3600 && { waitSeconds }) },
      ];
    }),
  ),
  manual: Object.fromEntries(manual.map(({ resolves, gain }) => [resolves.join(' '), gain])),
  ...(files.length > 0 && { files: files.map(({ content }) => content.trim().split('\r\n')) }),
  scoreAfter,
});

/** The alerts of a second check run that confirms a change. */
function alertsOf(before: CheckResults, after: CheckResults): readonly string[] {
  const context = { domain: DOMAIN, threshold: 70, confirmAfterMilliseconds: 60_000 };
  const facts = factsOf(after, 'sends-and-receives');
  const known = { baseline: factsOf(before, 'sends-and-receives'), isBelowThreshold: false };
  const { state } = nextMonitorState(known, facts, { ...context, now: inDays(0) });
  const { alerts } = nextMonitorState(state, facts, { ...context, now: inDays(1) });
  return alerts.map(({ severity, title }) => `${severity} ${title.replace(`: ${DOMAIN}`, '')}`);
}

/** The findings of each check, without what they are about: the tests of the checks record that. */
const findingsOf = (results: CheckResults) =>
  Object.fromEntries(
    checkNames.map((name) => {
      const parts = name === 'dkim' ? results.dkim.selectors : [];
      const ids = [results[name], ...parts].flatMap(({ findings }) => findings.map(({ id }) => id));
      return [name, [results[name].state, ...ids].join(' ')];
    }),
  );

async function everythingAbout(world: World) {
  const { results, plan } = await saidOf(world, 'sends-and-receives');
  const parked = await saidOf(world, 'parked');
  const first = nextFix(results, 'sends-and-receives');
  const said = {
    ...{ ...findingsOf(results), ...planLines(plan), parked: planLines(parked.plan).changes },
    first: first === null ? 'none' : `${first.finding.id} +${first.gain}`,
    score: scoreLines(results, 'sends-and-receives'),
    others: usageTypes.map((usage) => scoreLines(results, usage).is),
    listed: listedStatuses(results, []),
  };
  return { results, said };
}

/** The zones in order, without and with TLS. */
const inOrder = [
  await everythingAbout({ fault: 'none' }),
  await everythingAbout({ fault: 'none', tls: true }),
];

test.each([0, 1])('the zone that is in order: %i', (at) => {
  expect(readable(inOrder[at]?.said).replaceAll(DOMAIN, '$')).toMatchSnapshot();
});

test.each(worlds.map((world) => [world.fault, world] as const))('%s', async (_, world) => {
  const { results, said } = await everythingAbout(world);
  const usual = inOrder[world.tls === true ? 1 : 0];
  if (usual === undefined) throw new Error('no zone to compare with');
  const alerts = alertsOf(usual.results, results);
  const shown = unlike({ ...said, alerts }, { ...usual.said, alerts: [] });
  expect(readable(shown).replaceAll(DOMAIN, '$')).toMatchSnapshot();
});
