import { describe, expect, test } from '@jest/globals';
import * as z from 'zod/mini';
import { expand } from '../../../../shared/protocol/spf/expand.ts';
import {
  type ExpandedTerm,
  type Expansion,
  type ResolvedRecord,
  expansion as schema,
} from '../../../../shared/protocol/spf/expansion.ts';
import { asWritten, byLateAnswer, inShort, type Named, words } from '../../../kit/answers.ts';
import { messageOf } from '../../../kit/findings.ts';
import { type ZoneLiteral, type ZoneNode, zone } from '../../../kit/zone.ts';
import { records, world } from './spf-world.ts';

const txt = (...texts: string[]): ZoneNode => ({ TXT: texts });

/** Expands the record of example.org in a zone that includes `others`. */
const expanded = (record: string, others: ZoneLiteral = {}) =>
  expand('example.org', zone({ 'example.org': txt(record), ...others }));

const ids = ({ findings }: Expansion) => findings.map(({ id }) => id);

/** What is the same for most records is left out. */
function inWords(expansion: Expansion): string {
  expect(z.parse(schema, expansion)).toEqual(expansion);
  const {
    status,
    records: several = [],
    allPolicy,
    mechanisms,
    includeTree,
    flattened,
    findings,
  } = expansion;
  const { totalLookupCount: lookups, voidLookupCount: voids, detectedProviders, unknown } = expansion;
  const { networks, merged, kept, records: proposed } = flattened;
  const addresses = networks.map(({ network }) => network).join(' ');
  const ofTerms = first(mechanisms.map(termInWords).filter((text) => text !== '')).join('; ');
  const usual = {
    status: 'valid',
    several: [],
    allPolicy: '-all',
    lookups: 0,
    voids: '0 0',
    providers: [],
    unknown: [],
    ...{ addresses: '', merged: addresses, kept: [], proposed: [], below: [], terms: '' },
  };
  const said = {
    status,
    several,
    allPolicy,
    lookups,
    voids: `${voids.ip4} ${voids.ip6}`,
    providers: detectedProviders,
    unknown,
    addresses,
    merged: merged?.join(' ') ?? null,
    kept: first(kept),
    proposed: proposed.map(({ name, text }) => `${name} ${text}`),
    ...{ below: includeTree.map(nodeInWords), terms: ofTerms },
  };
  return inShort(said, findings, usual).replaceAll(' domain=example.org', '').replaceAll('.example.org', '.');
}

/** The first of a list, and how many more there are. */
const first = (texts: readonly string[]): readonly string[] =>
  texts.length > 5 ? [...texts.slice(0, 4), `${texts.length - 4} more`] : texts;

function termInWords({ text, domain, matches, lookups, totalLookups, state, ...more }: ExpandedTerm): string {
  const { ignored, fault, voidFor, unavailable = [], deadHosts, tooManyNames, dependsOnMessage } = more;
  const found =
    domain === null && state === 'not-asked' ? [] : [`${domain} ${state} ${lookups}/${totalLookups}`];
  const marks = [
    ignored,
    fault,
    voidFor && `void ${voidFor}`,
    ...unavailable,
    deadHosts && `dead ${deadHosts}`,
  ];
  const flags = [tooManyNames, dependsOnMessage ? 'depends' : undefined];
  const facts = [...found, ...[...marks, ...flags].filter((mark) => mark !== undefined)].join(', ');
  return facts === '' ? '' : `${text.slice(0, 30)}: ${facts}, ${matches.length} matches`;
}

const nodeInWords = ({
  domain,
  reachedBy,
  term,
  state,
  problem,
  lookups,
  totalLookups,
  children,
}: ResolvedRecord): string =>
  `${reachedBy} ${term} ${domain} ${state} ${problem ?? ''} ${lookups}/${totalLookups}${children.map((child) => ` (${nodeInWords(child)})`).join('')}`;

describe('recorded expansions', () => {
  const own = { A: ['192.0.2.1'], MX: [[10, 'h.example.org']] as const };
  const answer = async (record: string) =>
    inWords(await expand('example.org', zone({ ...world, 'example.org': { ...own, TXT: [record] } })));

  test('of many records', async () => {
    expect(await byLateAnswer(asWritten(records), (terms) => answer(`v=spf1 ${terms}`))).toMatchSnapshot();
  });

  test('of records at the recommended length', async () => {
    const lengths = [447, 448, 449, 450, 451, 452].map((length): Named<string> => {
      const text = `v=spf1 exists:%{i}${'x'.repeat(length - 35 - 'example.org'.length)}.example.org -all`;
      return [`${text.length + 'example.org'.length} octets`, text];
    });
    expect(await byLateAnswer(lengths, answer)).toMatchSnapshot();
  });

  test('of names without one record', async () => {
    const names = words(
      'gone.example.org meant.example.org two.example.org broken.example.org H.EXAMPLE.ORG. neutral.example.org',
    );
    expect(
      await byLateAnswer(asWritten(names), async (name) => inWords(await expand(name, zone(world)))),
    ).toMatchSnapshot();
  });
});

describe('lookups', () => {
  const others: ZoneLiteral = {
    'i.example.org': txt('v=spf1 a:h.example.org include:j.example.org exists:%{i}.x.example.org ~all'),
    'j.example.org': txt('v=spf1 ip4:192.0.2.0/24 mx:h.example.org redirect=k.example.org'),
    'k.example.org': txt('v=spf1 ptr -all'),
    'h.example.org': { A: ['192.0.2.1'], AAAA: ['2001:db8::1'], MX: [[1, 'h.example.org']] },
  };

  test('add up over the tree, each branch with its own count and a running total', async () => {
    const expansion = await expanded(
      'v=spf1 ip4:192.0.2.1 include:i.example.org a:h.example.org -all',
      others,
    );
    expect(expansion.totalLookupCount).toBe(8);
    expect(
      expansion.lookupBreakdown.map(({ domain, mechanism, depth, lookups, branchLookups, runningTotal }) =>
        [domain, mechanism, depth, lookups, branchLookups, runningTotal].join(' '),
      ),
    ).toEqual([
      'example.org include:i.example.org 0 1 7 1',
      'i.example.org a:h.example.org 1 1 1 2',
      'i.example.org include:j.example.org 1 1 4 3',
      'j.example.org mx:h.example.org 2 1 1 4',
      'j.example.org redirect=k.example.org 2 1 2 5',
      'k.example.org ptr 3 1 1 6',
      'i.example.org exists:%{i}.x.example.org 1 1 1 7',
      'example.org a:h.example.org 0 1 1 8',
    ]);
  });

  test('of terms that are never evaluated are not counted and not sent', async () => {
    const dns = zone({ 'example.org': txt('v=spf1 -all a include:i.example.org redirect=j.example.org') });
    const { totalLookupCount, mechanisms, lookupBreakdown } = await expand('example.org', dns);
    expect(totalLookupCount).toBe(0);
    expect(lookupBreakdown).toEqual([]);
    expect(mechanisms.map(({ ignored }) => ignored)).toEqual([
      undefined,
      'after-all',
      'after-all',
      'beside-all',
    ]);
    expect(dns.questions).toEqual(['example.org TXT']);
  });

  test('start as soon as their names are known, and equal ones are sent once', async () => {
    const dns = zone(
      {
        ...others,
        'example.org': txt('v=spf1 include:i.example.org include:j.example.org a:h.example.org -all'),
      },
      { delayMilliseconds: 5 },
    );
    await expand('example.org', dns);
    expect(dns.questions).toEqual([
      'example.org TXT',
      ...['i.example.org TXT', 'j.example.org TXT', 'h.example.org A', 'h.example.org AAAA'],
      ...['h.example.org MX', 'k.example.org TXT'],
    ]);
  });
});

describe('findings', () => {
  test('show untrusted text in printable form only', async () => {
    const { findings } = await expanded(`v=spf1 ip4:\u001b[31m${'x'.repeat(500)} -all`);
    expect(messageOf(findings[0])).toMatch(/^[\x20-\x7e]{1,250}$/);
  });
});

describe('every expansion is bounded', () => {
  /** Every record includes the next one twice: two to the power of the depth. */
  const doubling = Object.fromEntries(
    Array.from({ length: 40 }, (_, index) => [
      `d${index}.example.org`,
      txt(`v=spf1 include:d${index + 1}.example.org include:D${index + 1}.example.org -all`),
    ]),
  );

  test.each<[string, string, ZoneLiteral, string]>([
    ['includes that double at every level', 'v=spf1 include:d0.example.org -all', doubling, 'records'],
    [
      'endless new names',
      'v=spf1 include:%{d}.%{d} -all',
      { '*.example.org': txt('v=spf1 include:a.%{d} -all') },
      'records',
    ],
    ['thousands of terms', `v=spf1 ${'ip4:192.0.2.1 '.repeat(2000)}-all`, {}, 'terms'],
    [
      'thousands of hosts',
      `v=spf1 ${Array.from({ length: 480 }, (_, index) => `a:h${index}.example.org`).join(' ')} -all`,
      {},
      'questions',
    ],
    [
      'endless responses',
      'v=spf1 a:h.example.org -all',
      { 'h.example.org': { A: Array.from({ length: 5000 }, () => '192.0.2.1') } },
      'octets',
    ],
  ])('with %s', async (_, record, others, limit) => {
    const start = performance.now();
    const expansion = await expanded(record, others);
    expect(performance.now() - start).toBeLessThan(8_000);
    expect(expansion.findings).toContainEqual(
      expect.objectContaining({ id: 'spf-expansion-cut', subject: limit }),
    );
    expect(expansion.status).not.toBe('valid');
    expect(expansion.flattened.records).toEqual([]);
    expect(JSON.stringify(expansion).length).toBeLessThan(400_000);
  });

  test('no lookup starts after the time limit', async () => {
    let time = 0;
    const dns = zone({ '*.example.org': txt('v=spf1 include:a.%{d} -all') });
    const expansion = await expand('a.example.org', dns, {
      now: () => (time += 1000),
      limits: { milliseconds: 5500 },
    });
    expect(dns.questions).toHaveLength(5);
    expect(expansion.status).toBe('unknown');
    expect(ids(expansion)).toContain('spf-expansion-cut');
  });
});

test('the expansion can be serialized as JSON', async () => {
  const expansion = await expanded(
    'v=spf1 a/24//64 mx include:i.example.org exists:%{i}.x ip4:x redirect=y.example.org ?all',
  );
  expect(JSON.parse(JSON.stringify(expansion))).toEqual(expansion);
});
