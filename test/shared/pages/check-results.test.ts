/** The parts of pages with the results of checks: the grade, what to fix, and each check with its evidence and findings. */
import { describe, expect, test } from '@jest/globals';
import type { CheckResults } from '../../../shared/checks/results.ts';
import { checkState } from '../../../shared/checks/state.ts';
import type { Change, Plan } from '../../../shared/fixes/plan.ts';
import { fixNext } from '../../../shared/pages/check-results/changes.ts';
import { gradeSection } from '../../../shared/pages/check-results/grade.ts';
import { checkSections } from '../../../shared/pages/check-results/sections.ts';
import {
  daysFromTo,
  markLegend,
  signCell,
  stateMark,
  yesNo,
} from '../../../shared/pages/check-results/text.ts';
import { findingList } from '../../../shared/pages/components/findings.ts';
import { html } from '../../../shared/pages/markup.ts';
import type { DescribedFinding } from '../../../shared/protocol/findings/finding.ts';
import { computeScore, NO_SUCH_DOMAIN } from '../../../shared/score/score.ts';
import { overviewView } from '../../kit/domain-views.ts';
import { outlineOf } from '../../kit/outline.ts';
import { dkimKey, emptyResults, mxHost, perfectResults, unknownResults } from '../../kit/results.ts';

const LONG = 'x'.repeat(5_000);
const checkStates = checkState.options;

test('states, days and answers in words', () => {
  const states = checkStates.map((state) => `${stateMark(state)}${signCell(state)}`);
  expect(`\n${[...states, markLegend].join('\n')}\n`).toMatchSnapshot();
  const shown = (to: string) => String(daysFromTo('2026-11-01T08:00:00Z', to));
  expect(shown('2026-11-01T20:00:00Z')).toBe('<time datetime="2026-11-01">1 Nov 2026</time>');
  expect(shown('2026-11-02T07:00:00Z')).toBe(
    '<time datetime="2026-11-01">1 Nov 2026</time> – <time datetime="2026-11-02">2 Nov 2026</time>',
  );
  expect([null, true, false].map(yesNo)).toEqual(['unknown', 'yes', 'no']);
});

test('the grade', () => {
  const score = computeScore(perfectResults('parked'), 'parked');
  const none = { ...score, score: null, grade: null, label: 'Not checked', confidence: 0.5 };
  const shown = [
    ...(['A', 'B', 'C', 'D', 'F'] as const).map((grade) => ({
      ...score,
      grade,
      confidence: grade === 'F' ? 0.9 : 1,
    })),
    { ...none, message: 'Run them again.' },
    { ...none, message: null },
    { ...none, exists: false, message: `${NO_SUCH_DOMAIN} Check the spelling.` },
    { ...none, exists: false, message: null },
  ].map((one) =>
    outlineOf(gradeSection({ checkedAt: '2026-01-30T08:00:00.000Z', score: one as never }, html``)),
  );
  expect(shown.join('')).toMatchSnapshot();
});

describe('what to fix', () => {
  const { plan } = overviewView('text');
  const [change] = plan.changes as [Change];
  const [manual] = plan.manual;
  if (manual === undefined) throw new Error('nothing by hand');
  const none: Plan = { ...plan, changes: [], manual: [], files: [] };
  const fix = (given: Partial<Plan>, room = 56_000) =>
    outlineOf(fixNext({ ...none, ...given }, room, ({ id }) => html`<b>${id}</b>`));

  test('nothing, and nothing that is known', () => {
    expect([fix({}), fix({ score: null })].join('')).toMatchSnapshot();
  });

  test('each class and action, with its points, records and time', () => {
    const changes: Change[] = [
      { ...change, before: [], after: [LONG], gain: 0, reason: LONG },
      { ...change, class: 'needs-decision', action: 'add', waitSeconds: 3599 },
      { ...change, class: 'advice', action: 'remove', after: [], waitSeconds: 3601 },
    ];
    expect(fix({ changes, scoreAfter: 62 })).toMatchSnapshot();
    const waits = [0, 59, 60, 61, 3599, 3600, 3601, 7200].map(
      (waitSeconds) => /old records for [^.]*/.exec(fix({ changes: [{ ...change, waitSeconds }] }))?.[0],
    );
    expect(waits).toMatchSnapshot();
  });

  test('what is most dangerous first, then by points; three, and the others folded', () => {
    const steps = [1, 9, 5].map((gain) => ({ ...change, id: `gain ${gain}`, gain }));
    const byHand = [0, 7].map((gain) => ({
      ...manual,
      gain,
      evidence: gain === 0 ? [] : [LONG],
      reason: LONG,
      resolves: ['dmarc-no-rua'],
    }));
    const order = (given: Partial<Plan>) =>
      fix(given)
        .match(/h3 .*|.*summary.*|.*ul.*|.*#file.*/g)
        ?.join('\n');
    const shown = [
      order({ changes: steps.slice(0, 2), files: plan.files }),
      order({ changes: steps, files: plan.files }),
      order({ changes: steps, manual: [{ ...manual, resolves: ['mx-no-starttls'] }] }),
      order({ changes: steps, manual: byHand, files: plan.files }),
      fix({ files: [{ url: 'https://x', content: 'a\r\nb\nc', gain: 0 }, ...plan.files] }),
    ];
    expect(`\n${shown.join('\n\n')}`).toMatchSnapshot();
    const sums = [
      [null, 68],
      [62, null],
      [68, 68],
      [62, 68],
    ] as const;
    expect(
      sums.map(
        ([score, scoreAfter]) => /p What is.*/.exec(fix({ changes: [change], score, scoreAfter }))?.[0],
      ),
    ).toMatchSnapshot();
  });

  test('records that do not fit are not for copying', () => {
    const records = Array.from({ length: 9 }, (_, n) => `${n} ${LONG.slice(0, 600)}`);
    const shown = fix(
      {
        changes: [
          { ...change, before: records, after: records },
          { ...change, id: 'second' },
        ],
      },
      8_000,
    );
    expect(shown.match(/.*(?:more, available|data-copy|<b>).*/g)).toMatchSnapshot();
  });
});

test('findings cite the section of their standard, and long ones are cut', () => {
  const cites = [
    'RFC 7208 section 4.6.4',
    'RFC 7208 sections 5.1 and 5.2.',
    'RFC 7489 appendix A',
    '<b>\u202e',
  ];
  const all = (['error', 'warning', 'notice', 'notice'] as const).map((severity, n) => ({
    ...{
      id: 'x',
      severity,
      arguments: {},
      message: n === 0 ? LONG : 'm',
      fix: n === 0 ? LONG : 'f',
      cites: cites[n] ?? '',
    },
  })) as unknown as DescribedFinding[];
  expect(
    [findingList([], 1), findingList(all, 9_000), findingList(all, 1_800)].map(outlineOf).join(''),
  ).toMatchSnapshot();
});

describe('the checks', () => {
  const shown = (
    results: CheckResults,
    room = 56_000,
    usage: 'sends-and-receives' | 'sends-only' | 'parked' = 'sends-and-receives',
  ) => outlineOf(checkSections(results, computeScore(results, usage), { domain: 'example.org' }, room));
  const perfect = perfectResults('sends-and-receives');

  test('of a domain where all is right, and with what can be seen beside the records', () => {
    expect(
      shown({
        ...perfect,
        bimi: { ...perfect.bimi, authority: LONG, location: LONG, logoValid: null as never },
        caa: {
          ...perfect.caa,
          certificates: [
            { host: 'a', issuer: LONG, permitted: null },
            { host: 'b', issuer: null, permitted: true },
            { host: 'c', issuer: 'CA', permitted: false },
          ] as never,
        },
      }),
    ).toMatchSnapshot();
  });

  test.each([
    ['without records', emptyResults(), 'parked'],
    ['whose lookups failed', unknownResults(), 'sends-only'],
  ] as const)('of a domain %s', (_what, results, usage) => {
    expect(
      shown(results, 56_000, usage).replaceAll(
        / {2}details#check-(?:dkim|tlsRpt|dnssec)[\s\S]*?(?= {2}details|$)/g,
        '',
      ),
    ).toMatchSnapshot();
  });

  test('of hosts and keys of which little is known, findings by severity, and old results', () => {
    const finding = (severity: 'error' | 'warning' | 'notice', message: string) => ({
      id: 'spf-unknown-rule',
      severity,
      arguments: {},
      ...({ message, fix: 'f', cites: 'c' } as const),
    });
    const host = (changes: object) =>
      mxHost(`mx${JSON.stringify(changes).length}.example`, 10, {
        tlsVersion: null,
        certificateExpiry: null,
        ...changes,
      });
    const some: CheckResults = {
      ...perfect,
      mx: {
        ...perfect.mx,
        emailReceptionCapability: null,
        hosts: [
          host({ ip: null }),
          host({ starttlsSupported: null }),
          host({ starttlsSupported: false }),
          host({ tlsVersion: LONG }),
          mxHost(LONG, 1),
        ],
      },
      spf: {
        ...perfect.spf,
        allPolicy: null,
        flattenedIps: Array(1000).fill('192.0.2.1'),
        record: LONG,
        asOf: '2026-01-20T08:00:00.000Z',
        findings: [finding('notice', 'n'), finding('error', LONG), finding('warning', 'w')],
      },
      dkim: {
        ...perfect.dkim,
        selectors: [dkimKey('a', { keyType: null, keySize: null, state: 'fail' }), dkimKey('b')],
      },
      dmarc: {
        ...perfect.dmarc,
        ...({ effectivePolicy: null, policyDomain: null, subdomainPolicy: 'none' } as const),
        rua: [LONG, 'b'],
      },
      mtaSts: {
        ...perfect.mtaSts,
        policyFetched: false,
        policyMode: 'testing',
        policyMx: [LONG],
        policyMaxAge: 129_599,
      },
      tlsRpt: { ...perfect.tlsRpt, rua: [LONG] },
    };
    expect(shown(some).replace(/ {2}details#check-bimi[\s\S]*/, '')).toMatchSnapshot();
    const long = 'y'.repeat(160);
    const worst = [
      [],
      [finding('error', long)],
      [finding('error', `${long}y`)],
      [finding('error', 'a'), finding('error', 'b')],
    ].map(
      (findings) =>
        /#check-spf.*\n *summary.*?(<span\.what.*)/.exec(
          shown({ ...perfect, spf: { ...perfect.spf, findings } }),
        )?.[1],
    );
    expect(worst).toMatchSnapshot();
  });

  test('that take too much room are cut', () => {
    const many = Array.from({ length: 40 }, (_, n) => `${n} ${LONG.slice(0, 200)}`);
    const hosts = many.map((name) => mxHost(name, 1));
    const shownIn = shown(
      { ...perfect, dmarc: { ...perfect.dmarc, records: many, rua: many }, mx: { ...perfect.mx, hosts } },
      20_000,
    );
    expect(shownIn.match(/details#check-(?:mx|dmarc)|and \d+ more/g)).toMatchSnapshot();
  });

  test('have a mark for each state', () => {
    expect(
      checkStates.map((state) =>
        /summary.*/.exec(shown({ ...perfect, mx: { ...perfect.mx, state } }))?.[0].slice(0, 90),
      ),
    ).toMatchSnapshot();
  });
});
