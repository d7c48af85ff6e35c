/** What the owner of a domain sees when a proof of absence breaks: the table in docs/dnssec.md. */
import { expect, test } from '@jest/globals';
import { factsOf } from '../../../shared/alerts/facts.ts';
import { type MonitorState, nextMonitorState } from '../../../shared/alerts/monitor-state.ts';
import { inspectDomain } from '../../../shared/checks/inspect.ts';
import type { CheckResults } from '../../../shared/checks/results.ts';
import type { Network } from '../../../shared/network/ports.ts';
import { computeScore } from '../../../shared/score/score.ts';
import { readDocument, table } from '../../docs/documents.ts';
import { fakeWeb } from '../../kit/web.ts';
import type { DenialOptions } from '../protocol/dnssec/signed-denials.ts';
import {
  anchorOf,
  clock,
  delegation,
  makeKey,
  now,
  rdata,
  signed,
  world,
  zoneSets,
} from '../protocol/dnssec/signed-world.ts';

const MINUTE = 60_000;
const root = makeKey('');
const org = makeKey('org');
const example = makeKey('example.org');
const sets = [
  ...[root, org, example].flatMap(zoneSets),
  delegation(org, root),
  delegation(example, org),
  signed({ name: 'mx.example.org', type: 'A', rdata: [rdata.A('192.0.2.1')] }, example),
];

/** Checks the domain while the proof that there is no `question` has no signatures. */
function inspectWithout(question?: string): Promise<CheckResults> {
  const change: DenialOptions['change'] = (proof, name, type) =>
    `${name} ${type}` === question ? proof.map((set) => ({ ...set, signatures: [] })) : proof;
  const network: Network = {
    dns: world(sets, {}, { change }),
    clock,
    web: fakeWeb({}),
    smtp: {
      async probe({ hostname, address }) {
        const evidence = { hostname, address, milliseconds: 0 };
        return { status: 'found', starttls: { status: 'not-offered' }, recipient: 'accepted', evidence };
      },
    },
  };
  const checked = { domain: 'example.org', testEmailLocalPart: null, knownSelectors: [] };
  return inspectDomain(checked, { network, trustAnchors: [anchorOf(root)] });
}

/** The alerts when check runs find these results, one after the other. */
function alertsOf(runs: readonly CheckResults[]): string[] {
  let state: MonitorState | undefined;
  return runs.flatMap((results, at) => {
    const context = {
      domain: 'example.org',
      now: new Date(now.getTime() + at * MINUTE),
      threshold: 0,
      confirmAfterMilliseconds: MINUTE,
    };
    const step = nextMonitorState(state, factsOf(results, 'sends-and-receives'), context);
    state = step.state;
    return step.alerts.map(({ severity, title }) => `${severity}: ${title}`);
  });
}

test('a broken proof takes away the points of DNSSEC and raises alerts, as the documentation shows', async () => {
  const inOrder = await inspectWithout();
  const cases = [
    ['none', undefined],
    ['that `_dmarc.example.org` has no TXT record', '_dmarc.example.org TXT'],
    ['that `_mta-sts.example.org` has no TXT record', '_mta-sts.example.org TXT'],
    ['that `_25._tcp.mx.example.org` has no TLSA record', '_25._tcp.mx.example.org TLSA'],
  ] as const;
  const rows: string[][] = [];
  for (const [broken, question] of cases) {
    const results = await inspectWithout(question);
    const { score } = computeScore(results, 'sends-and-receives');
    const errors = [...results.mx.findings, ...results.dnssec.findings].filter(
      ({ id }) => id.includes('denial') || id.includes('dnssec'),
    );
    const alerts = alertsOf([inOrder, results, results]);
    rows.push([
      broken,
      `${score}`,
      errors.map(({ id }) => `\`${id}\``).join(', ') || 'none',
      alerts.join('; ') || 'none',
    ]);
  }
  expect(new Set(rows.map(([, score]) => score)).size).toBeGreaterThan(1);
  const head = ['Broken proof', 'Score', 'Errors', 'Alerts after the confirming check run'];
  expect(readDocument('docs/dnssec.md')).toContain(table(head, rows));
});
