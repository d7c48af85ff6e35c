/** The catalogue of findings, rule by rule: an example of each in `cases`, and requirements for all of them. */
import { describe, expect, test } from '@jest/globals';
import { parseDmarcRecord } from '../../../../shared/protocol/dmarc/record.ts';
import { catalogue, describeFor, isFailedLookup } from '../../../../shared/protocol/findings/catalogue.ts';
import type { Finding } from '../../../../shared/protocol/findings/finding.ts';
import { sampleOf } from '../../../../shared/protocol/findings/sample.ts';
import { bimiExamples } from './cases/bimi.ts';
import { bimiEvidenceExamples } from './cases/bimi-evidence.ts';
import { bimiLogoExamples } from './cases/bimi-logo.ts';
import { caaExamples } from './cases/caa.ts';
import { dkimExamples } from './cases/dkim.ts';
import { dkimHistoryExamples } from './cases/dkim-history.ts';
import { dmarcExamples } from './cases/dmarc.ts';
import { dmarcDenialExamples } from './cases/dmarc-denial.ts';
import { dnssecExamples } from './cases/dnssec.ts';
import { dnssecAutomationExamples } from './cases/dnssec-automation.ts';
import { dnssecSigningExamples } from './cases/dnssec-signing.ts';
import { mtaStsExamples } from './cases/mta-sts.ts';
import { mxExamples } from './cases/mx.ts';
import { mxRolloverExamples } from './cases/mx-rollover.ts';
import { mxTlsExamples } from './cases/mx-tls.ts';
import { spfExamples } from './cases/spf.ts';
import { tlsRptExamples } from './cases/tls-rpt.ts';
import { unownedExamples } from './cases/unowned.ts';
import { zoneExamples } from './cases/zone.ts';

const tables = [
  mxExamples,
  mxTlsExamples,
  mxRolloverExamples,
  spfExamples,
  dkimExamples,
  dkimHistoryExamples,
  dmarcExamples,
  dmarcDenialExamples,
  mtaStsExamples,
  tlsRptExamples,
  bimiExamples,
  bimiLogoExamples,
  bimiEvidenceExamples,
  dnssecExamples,
  dnssecAutomationExamples,
  dnssecSigningExamples,
  caaExamples,
  zoneExamples,
  unownedExamples,
];

/** Guidance of the largest receivers, which has no sections and is not a standard. */
const GUIDANCE = 'Google Workspace Admin Help, Create a BIMI SVG file';
const STANDARD =
  /^(RFC \d{3,5}|draft-[a-z0-9-]+|SVG Tiny 1\.2) (section \d+(\.\d+)*|sections \d+(\.\d+)* and \d+(\.\d+)*)$/;

test('the catalogue contains the rules of every table, without id collisions', () => {
  const ids = tables.flatMap(({ rules }) => Object.keys(rules));
  expect(Object.keys(catalogue).toSorted()).toEqual(ids.toSorted());
});

test('every rule has an example, and every example has a rule', () => {
  for (const { rules, rows } of tables) expect(rows.map(({ id }) => id)).toEqual(Object.keys(rules));
});

describe('every rule', () => {
  test('is named after its component and a fact', () => {
    const misnamed = tables.flatMap(({ component, rules }) =>
      Object.keys(rules).filter((id) => !new RegExp(`^${component}(-[a-z0-9]+)+$`).test(id)),
    );
    expect(misnamed).toEqual([]);
  });

  test('cites a section of a standard; receiver guidance is never an error', () => {
    const groundless = Object.entries(catalogue).filter(
      ([, { cites, severity }]) => !STANDARD.test(cites) && !(cites === GUIDANCE && severity !== 'error'),
    );
    expect(groundless).toEqual([]);
  });

  test('describes the fix in a complete sentence', () => {
    const unhelpful = Object.entries(catalogue).filter(
      ([, { fix }]) => !/^[A-Z].*[^.]\.$/.test(sampleOf(fix)),
    );
    expect(unhelpful).toEqual([]);
  });

  test('names the values of the domain in its fix, not those of an example', () => {
    const generic = Object.entries(catalogue).filter(([, { fix }]) =>
      /example\.|\.\.\.|user@/.test(sampleOf(fix)),
    );
    expect(generic).toEqual([]);
  });

  test.each([
    ['spf-missing', 'warning'],
    ['dmarc-missing', 'warning'],
    ['spf-pass-all', 'warning'],
    ['dmarc-monitoring-only', 'notice'],
    ['dmarc-testing', 'notice'],
  ])('is as severe as what it violates: %s is a %s', (id, severity) => {
    expect(catalogue[id]?.severity).toBe(severity);
  });

  test.each([
    'dmarc-monitoring-only',
    'dmarc-weaker-subdomain-policy',
    'dmarc-testing',
    'dmarc-partial',
    'bimi-dmarc-not-enforced',
  ])('refers to the reports before it mentions a stronger policy: %s', (id) => {
    const fix = sampleOf(catalogue[id]?.fix ?? '');
    expect(fix).toMatch(/Read your DMARC reports for at least a month first\. If they show .*, you can /);
    expect(fix.slice(0, fix.indexOf('Read your'))).not.toMatch(/quarantine|reject|remove/i);
  });

  test.each([
    ['p=reject; t=y', /To test with RFC 7489 receivers as well, also set pct=0\./],
    ['p=reject; pct=20', /To go on testing, keep pct and add t=y:/],
    ['p=reject; t=y; pct=0', /^Read your DMARC reports .* you can remove t=y and pct\.$/],
  ])('says that a test of a DMARC policy needs both t and pct: %s', (tags, fix) => {
    const parsed = parseDmarcRecord(`v=DMARC1; ${tags}; rua=mailto:a@example.org`);
    const fixes = parsed.ok ? parsed.findings.map(describeFor({ domain: 'example.org' })) : [];
    expect(fixes.map((finding) => finding.fix)).toEqual([expect.stringMatching(fix)]);
  });

  test('is a notice if it reports a failed lookup', () => {
    const failed = Object.values(catalogue).filter(({ failedLookup }) => failedLookup !== undefined);
    expect(new Set(failed.map(({ severity }) => severity))).toEqual(new Set(['notice']));
  });

  test('reports a failed lookup only if its definition says so, whatever its id ends in', () => {
    expect(isFailedLookup({ id: 'bimi-dmarc-unavailable' })).toBe(true);
    expect(isFailedLookup({ id: 'bimi-tags-unknown' })).toBe(false);
  });

  test('is a notice if no action is needed', () => {
    const idle = Object.values(catalogue).filter(({ fix }) => sampleOf(fix).startsWith('No action needed'));
    expect(new Set(idle.map(({ severity }) => severity))).toEqual(new Set(['notice']));
  });
});

for (const { component, rules, rows } of tables) {
  describe(`the rules of ${component}, with a triggering and a non-triggering example`, () => {
    test.each(rows)('$id', async ({ id, times, raised, near }) => {
      const [outcome, other] = await Promise.all([raised(), near()]);
      const ofRule = outcome.findings.filter((finding) => finding.id === id);
      expect(ofRule).toHaveLength(times);
      expect(other.findings.filter((finding) => finding.id === id)).toEqual([]);
      for (const finding of [...outcome.findings, ...other.findings])
        expect(faultOf(finding)).toBeUndefined();

      const severity = rules[id]?.severity;
      const gravest = ['error', 'warning', 'notice'].find((it) =>
        outcome.findings.some((finding) => finding.severity === it),
      );
      if (severity === 'error') expect(['fail', 'absent']).toContain(outcome.state);
      if (gravest === 'notice') expect(outcome.state).not.toBe('fail');
      if (rules[id]?.failedLookup === 'check') expect(['unknown', 'fail']).toContain(outcome.state);
      if (outcome.state === 'unknown') expect(outcome.findings.some(isFailedLookup)).toBe(true);
    });
  });
}

/** The fault in the wording of a finding. */
function faultOf(finding: Finding): string | undefined {
  const { subject, id } = finding;
  const { message, fix } = describeFor({ domain: 'acme.test' })(finding);
  const rule = catalogue[id];
  if (rule === undefined) return `${id} is not in the catalogue`;
  for (const text of [message, fix]) if (/undefined|\[object|NaN|\s{2}/.test(text)) return text;
  if (!/^\S.+((\.{3}|[^.])\.|: .*[^.])$/.test(message) || message.length > 600) return message;
  if ((rule.subject === undefined) !== (subject === undefined)) return `the subject of ${id}`;
  return subject === 'undefined' ? `the subject of ${id}` : undefined;
}
