import { describe, expect, test } from '@jest/globals';
import { evaluate, type SpfEvaluation, type SpfRequest } from '../../../../shared/protocol/spf/evaluate.ts';
import { asWritten, byLateAnswer, listed, type Named } from '../../../kit/answers.ts';
import { type ZoneLiteral, zone } from '../../../kit/zone.ts';
import { records, world } from './spf-world.ts';

const request: SpfRequest = {
  ip: '192.0.2.1',
  mailFrom: 'jo@example.org',
  helo: 'mx.example.org',
  now: new Date('2026-01-01T00:00:00Z'),
};

const run = (record: string, others: ZoneLiteral = {}, options: Partial<SpfRequest> = {}) =>
  evaluate(
    { ...request, ...options },
    zone({ ...world, 'example.org': { ...own, TXT: [record] }, ...others }),
  );

const own = { A: ['192.0.2.1'], MX: [[10, 'h.example.org']] as const };

/** The result with what decided it. */
function inWords({ result, matched, problem, explanation, lookups, voidLookups }: SpfEvaluation): string {
  const term = matched === undefined ? '' : ` by ${matched.term.slice(0, 40)} of ${matched.domain}`;
  const why = problem === undefined ? '' : ` for ${Object.values(problem).join(' ').slice(0, 70)}`;
  const text = explanation === undefined ? '' : `: ${explanation}`;
  return `${result}${term}${why}${text} (${lookups}, ${voidLookups})`;
}

describe('recorded results, with the numbers of lookups and of void ones, of', () => {
  test('many records for a client of each family (RFC 7208 sections 4.6 to 6)', async () => {
    const both = async (terms: string) => {
      const [first, second] = await Promise.all([
        run(`v=spf1 ${terms}`),
        run(`v=spf1 ${terms}`, {}, { ip: '2001:db8::1' }),
      ]);
      const [four, six] = [inWords(first), inWords(second)];
      return four === six ? four : `${four}; IPv6 ${six}`;
    };
    expect(await byLateAnswer(asWritten(records), both)).toMatchSnapshot();
  });

  test('names without a record, and other identities (RFC 7208 sections 2.4, 4.3 and 4.4)', async () => {
    const others: ZoneLiteral = {
      localhost: { TXT: ['v=spf1 +all'] },
      'slow.example': 'TIMEOUT',
      'two.example': { TXT: ['spf', 'v=spf1 +all', 'v=spf10'] },
      'almost.example': { TXT: ['v=spf10 -all', 'v=spf1-all', ' v=spf1 -all'] },
      'joined.example': { TXT: [['v=spf1 ip4:192.', '0.2.1 -all']] },
      'unjoined.example': { TXT: [['v=spf1', '-all']] },
      'case.example': { TXT: ['V=sPf1 IP4:192.0.2.1 -ALL'] },
      'mx.example.org': { TXT: ['v=spf1 exists:%{l}.%{o} -all'] },
      'postmaster.mx.example.org': own,
      'postmaster.l.example': own,
      'a@b.l.example': own,
      'l.example': { TXT: ['v=spf1 exists:%{l}.l.example -all'] },
      'xn--bcher-kva.example': { TXT: ['v=spf1 +all'] },
    };
    const senders =
      listed(`jo@gone.example | jo@h.example.org | jo@almost.example | jo@${'a'.repeat(64)}.org | jo@example..org | jo@localhost
      jo@[192.0.2.1] | jo@[192.0.2.1].example | jo@broken.example.org | jo@slow.example | jo@two.example.org | jo@two.example | jo@joined.example
      jo@unjoined.example | jo@case.example | jo@CASE.example. | @l.example | a@b@l.example | jo@l.example | jo@bücher.example`);
    const answer = async (mailFrom: string) => {
      const evaluation = await run('v=spf1 -all', others, { mailFrom });
      return `${inWords(evaluation)} of ${evaluation.domain}`;
    };
    expect(await byLateAnswer(asWritten(['', ...senders]), answer)).toMatchSnapshot();
    const options: readonly Named<Partial<SpfRequest>>[] = [
      ['another domain', { domain: 'soft.example.org' }],
      ['no address', { ip: '192.0.2.999' }],
      ['mapped address', { ip: '::ffff:192.0.2.1' }],
      ['HELO name', { mailFrom: '', helo: 'Soft.example.org.' }],
      ['receiver', { domain: 'r.example.org', receiver: 'mx.example.net' }],
    ];
    const receivers = { 'r.example.org': { TXT: ['v=spf1 -all exp=own.example.org'] } };
    const optional = async (of: Partial<SpfRequest>) =>
      inWords(await run('v=spf1 ip4:192.0.2.1 -all', receivers, of));
    expect(await byLateAnswer(options, optional)).toMatchSnapshot('options');
  });

  test('names of clients (RFC 7208 section 5.5)', async () => {
    const named: ZoneLiteral = {
      'h.anexample.org': own,
      'h.example.net': own,
      'other.example.org': { A: ['192.0.2.2'] },
      'y.example.org': own,
      'h.example.org.ok.example.org': own,
      'example.org.ok.example.org': own,
      'h.example.net.ok.example.org': own,
      'unknown.ok.example.org': own,
    };
    const some = (count: number) => Array.from({ length: count }, (_, n) => `x${n}.example.net`).join(' ');
    const lists =
      listed(`h.example.org | h.anexample.org | other.example.org | broken.example.org h.example.org | example.org | H.example.net
      h.example.net h.example.org | h.example.org example.org | gone.example.org | ${some(9)} y.example.org | ${some(10)} y.example.org`);
    const answer = async (names: string) => {
      const reverse = { PTR: names === '' ? [] : names.split(' ') };
      const zones = {
        ...named,
        '1.2.0.192.in-addr.arpa': names === 'failing' ? ('SERVFAIL' as const) : reverse,
      };
      const of = (record: string) => run(record, zones);
      const [own_, other, p] = await Promise.all([
        of('v=spf1 ptr -all'),
        of('v=spf1 ptr:Example.NET -all'),
        of('v=spf1 exists:%{p}.ok.example.org -all'),
      ]);
      return [own_, other, p].map(inWords).join('; ');
    };
    expect(await byLateAnswer(asWritten(['', 'failing', ...lists]), answer)).toMatchSnapshot();
  });

  test('names that are too long (RFC 7208 section 7.3), and explanations', async () => {
    const label = (length: number) => 'a'.repeat(length);
    const answer = async (length: number) => {
      const mailFrom = `${label(63)}.${label(63)}.${label(length)}@example.org`;
      const dns = zone({
        'example.org': { TXT: [`v=spf1 exists:b.${label(50)}.%{l}.why.example.org -all`] },
      });
      await evaluate({ ...request, mailFrom }, dns);
      return `${dns.questions[1]
        ?.split('.')
        .map((part) => part.length)
        .join('.')}`;
    };
    const lengths = [55, 56, 57, 58, 63].map((length): Named<number> => [`${length}`, length]);
    expect(await byLateAnswer(lengths, answer)).toMatchSnapshot();
    const explanations = [999, 1000, 1001].map(async (length) => {
      const { explanation } = await run('v=spf1 -all exp=x.example.org', {
        'x.example.org': { TXT: [label(length)] },
      });
      return explanation?.length;
    });
    expect(await Promise.all(explanations)).toEqual([999, 1000, 1000]);
  });
});

test('lookups that the result does not need are not sent', async () => {
  const dns = zone({ ...world, 'example.org': { TXT: ['v=spf1 a:h.example.org mx -all'] } });
  await evaluate(request, dns);
  expect(dns.questions).toEqual(['example.org TXT', 'h.example.org A']);
});
