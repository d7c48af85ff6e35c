import { describe, expect, test } from '@jest/globals';
import { type Envelope, evaluateMessage, readMessage } from '../../../../shared/protocol/message/evaluate.ts';
import { byLateAnswer, listed, type Named } from '../../../kit/answers.ts';
import { rsaKey, signed } from '../../../kit/dkim-signer.ts';
import { type ZoneLiteral, zone } from '../../../kit/zone.ts';

const NOW = new Date('2026-01-01T00:00:00Z');
const key = rsaKey();

const envelope: Envelope = { ip: '192.0.2.7', helo: 'mail.example.org', mailFrom: 'bounce@example.org' };

const dmarc = (text: string) => ({ '_dmarc.example.org': { TXT: [`v=DMARC1; ${text}`] } });
const spf = (domain: string, text: string) => ({ [domain]: { TXT: [`v=spf1 ${text}`] } });
const passing = (domain: string) => spf(domain, 'ip4:192.0.2.7 -all');
const keyOf = (domain: string) => ({ [`s._domainkey.${domain}`]: { TXT: [key.record] } });

const plain = (from = 'a@example.org') => `From: ${from}\r\nSubject: x\r\n\r\nHello\r\n`;
const signedBy = (domain: string, from?: string) => signed(plain(from), { domain, selector: 's', key });

const run = (message: string, published: ZoneLiteral, how: Partial<Envelope> = {}) =>
  evaluateMessage(readMessage(Buffer.from(message)), { ...envelope, ...how }, zone(published), NOW);

describe('DMARC evaluation', () => {
  const inWords = async (message: string, published: ZoneLiteral, how: Partial<Envelope> = {}) => {
    const { dmarc: verdict, spf: own, dkim } = await run(message, published, how);
    const { result, policy, reason, domain, recordDomain, modes, spfAligned, dkimAligned } = verdict;
    const aligned = `SPF ${own.result} ${own.aligned}, DKIM ${dkim.signatures.map((one) => `${one.verdict} ${one.aligned}`).join()}`;
    const record = recordDomain === null ? '' : ` by ${recordDomain} ${modes?.spf}${modes?.dkim}`;
    return `${result} ${policy} ${reason ?? ''} for ${domain}${record} (${spfAligned} ${dkimAligned}; ${aligned})`;
  };

  test('has the recorded results for identifiers, authors and modes', async () => {
    const published: ZoneLiteral = Object.assign(
      {},
      ...['example.org', 'b.example.org', 'example.net', 'notexample.org'].flatMap((domain) => [
        passing(domain),
        keyOf(domain),
      ]),
    );
    const [authors, tags] = [
      ['a@example.org', 'a@sub.example.org'],
      ['p=reject', 'p=reject; aspf=s', 'p=reject; adkim=s'],
    ];
    const cases = authors.flatMap((author) =>
      tags.flatMap((of) =>
        ['example.org', 'b.example.org', 'notexample.org'].flatMap((mail) =>
          [undefined, 'example.org', 'b.example.org', 'example.net'].map(
            (signer): Named<readonly (string | undefined)[]> => [
              `${author}, ${of}, SPF ${mail}, DKIM ${signer}`,
              [author, of, mail, signer],
            ],
          ),
        ),
      ),
    );
    const answer = ([author, of = '', mail = '', signer]: readonly (string | undefined)[]) =>
      inWords(
        signer === undefined ? plain(author) : signedBy(signer, author),
        { ...published, ...dmarc(of) },
        { mailFrom: `x@${mail}` },
      );
    expect(await byLateAnswer(cases, answer)).toMatchSnapshot();
  });

  test('has the recorded results for records, authors and failed lookups', async () => {
    const sub = 'a@sub.example.org';
    const own = dmarc('p=reject');
    const good = { ...passing('example.org'), ...keyOf('example.org') };
    const bySub = signedBy('example.org', sub);
    const atSub = (text: string) => ({ '_dmarc.sub.example.org': { TXT: [`v=DMARC1; ${text}`] }, ...good });
    const failing = (name: string): ZoneLiteral => ({ [name]: 'SERVFAIL' });
    type Given = Parameters<typeof inWords>;
    const of = (name: string, ...given: Given): Named<Given> => [name, given];
    const tags =
      listed(`p=reject; t=y | p=quarantine; t=y | p=reject; pct=0 | p=quarantine; pct=0 | p=reject; pct=0; t=y
      p=reject; pct=1 | p=none; pct=0 | p=rejekt`);
    const cases = [
      of('a bounce', plain(), { ...own, ...passing('mail.example.org') }, { mailFrom: '' }),
      of('records only in a subdomain', bySub, atSub('p=reject')),
      of('psd=n in a subdomain', bySub, atSub('p=reject; psd=n')),
      of('sp', plain(sub), {
        ...dmarc('p=reject; sp=quarantine'),
        'sub.example.org': { MX: [[10, 'mx.example.org']] },
      }),
      ...tags.map((text) => of(text, plain(), dmarc(text))),
      of('no record', plain(), good),
      of('two records', plain(), {
        '_dmarc.example.org': { TXT: ['v=DMARC1; p=reject', 'v=DMARC1; p=none'] },
      }),
      of('no author', 'Subject: x\r\n\r\n', own),
      of('an author without a domain', plain('nobody'), own),
      of('two From fields', `From: a@example.org\r\n${signedBy('example.org')}`, { ...own, ...good }),
      of('authors of two domains', plain('a@example.org, b@example.net'), { ...own, ...good }),
      of('two From fields without domains', 'From: x\r\nFrom: y\r\n\r\n', own),
      of('no answer about the policy', plain(), { '_dmarc.example.org': 'SERVFAIL', ...good }),
      of(
        'no answer about the top-level domain',
        plain(),
        { ...own, '_dmarc.org': 'SERVFAIL', ...passing('b.example.org') },
        { mailFrom: 'x@b.example.org' },
      ),
      of('no answer about SPF', plain(), { ...own, 'example.org': 'TIMEOUT' }),
      of('no answer about SPF, but a signature', signedBy('example.org'), {
        ...own,
        ...keyOf('example.org'),
        'example.org': 'TIMEOUT',
      }),
      of('no answer about the key', signedBy('example.org'), {
        ...own,
        ...failing('s._domainkey.example.org'),
      }),
      of('no answer about the key of another domain', signedBy('example.net'), {
        ...own,
        ...failing('s._domainkey.example.net'),
      }),
      of('no answer about the organization of a signer', signedBy('example.net'), {
        ...own,
        ...keyOf('example.net'),
        ...failing('_dmarc.net'),
      }),
    ];
    expect(await byLateAnswer(cases, (of) => inWords(...of))).toMatchSnapshot();
  });

  test('is a temporary error if a signature of the author domain was not verified', async () => {
    const message = `DKIM-Signature: v=1; d=example.org; s=s; h=${'from:'.repeat(300)}; b=A\r\n${plain()}`;
    const { dmarc: verdict } = await run(message, dmarc('p=reject'));
    expect([verdict.result, verdict.reason]).toEqual(['temperror', 'limit']);
  });

  test('reports its reasons', async () => {
    const { dmarc: verdict, spf: own } = await run(plain('a@sub.example.org'), {
      ...dmarc('p=reject; adkim=s'),
      ...passing('example.org'),
    });
    expect(verdict).toEqual({
      result: 'pass',
      policy: 'reject',
      domain: 'sub.example.org',
      recordDomain: 'example.org',
      record: 'v=DMARC1; p=reject; adkim=s',
      modes: { spf: 'r', dkim: 's' },
      spfAligned: true,
      dkimAligned: false,
      reason: null,
    });
    expect(own).toMatchObject({ result: 'pass', domain: 'example.org', aligned: true });
  });
});

describe('SPF evaluation', () => {
  test('reports the matching term, and the explanation of the domain', async () => {
    const { spf: verdict } = await run(plain(), spf('example.org', 'a:other.example.org -all'));
    expect(verdict).toEqual({
      result: 'fail',
      domain: 'example.org',
      ip: '192.0.2.7',
      helo: 'mail.example.org',
      mailFrom: 'bounce@example.org',
      matched: { domain: 'example.org', term: '-all' },
      problem: null,
      explanation: null,
      lookups: 1,
      aligned: true,
    });
  });

  test('is skipped for an unknown IP address', async () => {
    const read = readMessage(Buffer.from(plain()));
    const { spf: verdict } = await evaluateMessage(read, undefined, zone(passing('example.org')), NOW);
    expect(verdict).toMatchObject({ result: 'none', domain: '', ip: null, lookups: 0, aligned: false });
  });
});
