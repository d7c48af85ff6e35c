/** Parsers of untrusted input: they always end in time, and never throw. Some have a fuzz test of their own too. */
import { gzipSync } from 'node:zlib';
import { describe, expect, test } from '@jest/globals';
import { readDer, readObjectIdentifier } from '../../../shared/protocol/bimi/der.ts';
import { gunzip } from '../../../shared/protocol/bimi/gunzip.ts';
import { readLogotype } from '../../../shared/protocol/bimi/logotype.ts';
import { inspectEvidence } from '../../../shared/protocol/bimi/mark-certificate.ts';
import { parseXml } from '../../../shared/protocol/bimi/xml.ts';
import { parseDkimKey } from '../../../shared/protocol/dkim/key.ts';
import { spfTargets } from '../../../shared/protocol/dkim/selectors.ts';
import { parseDmarcRecord } from '../../../shared/protocol/dmarc/record.ts';
import { parseReportUris } from '../../../shared/protocol/dmarc/report-uri.ts';
import {
  parseTrustAnchors,
  printTrustAnchors,
  rootAnchors,
} from '../../../shared/protocol/dnssec/anchors.ts';
import { nameToWire } from '../../../shared/protocol/dnssec/canonical.ts';
import { publicKeyOf, zoneKeys } from '../../../shared/protocol/dnssec/dnskey.ts';
import { formatIp, formatPrefix, parseIp, parsePrefix } from '../../../shared/protocol/ip.ts';
import { mxMatcher } from '../../../shared/protocol/mta-sts/match.ts';
import { parsePolicy } from '../../../shared/protocol/mta-sts/policy.ts';
import { parseMtaStsRecord, readMtaStsRecords } from '../../../shared/protocol/mta-sts/record.ts';
import { parseMacroString } from '../../../shared/protocol/spf/macro.ts';
import { parseRecord } from '../../../shared/protocol/spf/record.ts';
import { parseTlsRptRecord } from '../../../shared/protocol/tls-rpt/record.ts';
import { isNamed, matchesLeaf, trustAnchors, usableTlsa } from '../../../shared/protocol/tlsa.ts';
import { words } from '../../kit/answers.ts';
import { createAuthority } from '../../kit/certificates.ts';
import { markChain } from '../../kit/mark-certificates.ts';
import { makeKey } from './dnssec/signed-world.ts';
import { mutations } from './mutations.ts';

/** The number of texts, and of binary inputs, which take longer. */
const COUNT = 3000;
const OCTETS_COUNT = 600;
const MANY_TAGS = Array.from({ length: 9000 }, (_, n) => `t${n}=x;`).join('');
const now = new Date('2026-06-01');

describe('random text that parses prints and parses the same:', () => {
  test('addresses', () => {
    expectRoundTrips(
      ['192.0.2.1', '2001:db8::1', '::', '::ffff:192.0.2.1', '1:2:3:4:5:6:7:8'],
      parseIp,
      formatIp,
    );
  });

  test('address ranges', () => {
    expectRoundTrips(['192.0.2.0/24', '0.0.0.0/0', '2001:db8::/32', '::/0'], parsePrefix, formatPrefix);
  });

  test('trust anchors', () => {
    const seeds = [printTrustAnchors(rootAnchors), `test. 300 IN DS 4711 13 2 ${'AB'.repeat(32)}`];
    const read = (text: string) => {
      const parsed = parseTrustAnchors(text);
      return parsed.ok ? parsed.anchors : undefined;
    };
    expectRoundTrips(seeds, read, printTrustAnchors);
  });

  test('macro strings, whose pieces add up to the whole string', () => {
    const seeds = ['%{ir}.%{v}._spf.%{d2}', '%{L5r+-}', 'a%%b%_c%-', '%{p}.example.org', '%{c} is not %{H}'];
    for (const use of ['term', 'explanation'] as const) {
      const read = (text: string) => {
        const parsed = parseMacroString(text, use);
        return parsed.ok ? parsed.value.pieces : undefined;
      };
      const print = (pieces: NonNullable<ReturnType<typeof read>>) =>
        pieces.map((piece) => (typeof piece === 'string' ? piece : piece.text)).join('');
      expectRoundTrips(seeds, read, print);
    }
  });

  test('report addresses, each of which parses the same alone', () => {
    const seeds = [
      'mailto:a@example.org',
      'mailto:a%2Cb@example.org!10m',
      'https://example.org/?a=b',
      'x:,y:',
    ];
    for (const text of mutations(seeds, COUNT)) {
      const { uris, malformed } = parseReportUris(text);
      expect(uris.length + malformed.length).toBe(text.split(',').length);
      for (const uri of uris) expect(parseReportUris(uri.uri).uris).toEqual([{ ...uri, sized: false }]);
    }
  });
});

describe('random text never causes an exception:', () => {
  test('names encoded for the wire', () => {
    for (const text of mutations(['example.org', `${'a'.repeat(63)}.org`, '*.a.b', ''], COUNT)) {
      expect(nameToWire(text)?.length ?? 0).toBeLessThanOrEqual(255);
    }
  });

  test('the targets of SPF records', () => {
    for (const text of mutations(['v=spf1 include:a.example -all', 'v=spf1 redirect=%{d}.example'], COUNT)) {
      for (const target of spfTargets(text)) expect(text).toContain(target);
    }
  });

  test('the patterns of MTA-STS policies, which match nothing but their names', () => {
    for (const text of mutations(['*.example.org', 'mx.example.org', '*', '*.'], COUNT)) {
      expect(mxMatcher([text])('a.b.elsewhere.example')).toBe(false);
    }
  });
});

describe('random octets never cause an exception:', () => {
  const authority = createAuthority();
  const host = authority.issue(['mx.example.org']);
  const marks = markChain({ logo: '<svg/>' });
  const leaf = Buffer.from(marks.leaf.replace(/-----.*?-----/g, ''), 'base64');

  test('DER', () => {
    for (const octets of mutatedOctets([leaf, authority.der])) {
      for (const element of readDer(octets) ?? []) {
        expect(typeof readObjectIdentifier(element.content)).toBe('string');
      }
    }
  });

  test('logos in certificates', () => {
    for (const octets of mutatedOctets([leaf])) {
      const logotype = readLogotype(octets);
      if (logotype !== undefined) expect(typeof logotype.uri).toBe('string');
    }
  });

  test('compressed logos', () => {
    for (const octets of mutatedOctets([gzipSync('<svg/>'), gzipSync(Buffer.alloc(100_000))])) {
      expect(gunzip(octets, 1000)?.length ?? 0).toBeLessThanOrEqual(1000);
    }
  });

  test('authority evidence files', () => {
    const expected = {
      selector: 'default',
      domains: ['example.org'],
      logo: null,
      anchors: [marks.root],
      now,
    };
    for (const text of mutations([marks.leaf + marks.issuer], OCTETS_COUNT)) {
      const { trust, certificate } = inspectEvidence(Buffer.from(text, 'latin1'), expected);
      if (trust === 'verified') expect(certificate?.names).toEqual(['example.org']);
    }
  });

  test('DNSSEC keys', () => {
    const keys = [8, 13, 15].map((algorithm) => Buffer.from(makeKey('example', algorithm).rdata));
    for (const octets of mutatedOctets(keys)) {
      for (const key of zoneKeys([octets])) {
        expect(key.keyTag).toBeLessThan(65_536);
        expect(['public', undefined]).toContain(publicKeyOf(key)?.type);
      }
    }
  });

  test('certificate chains of mail servers, which match only if their leaf is unchanged', () => {
    const record = { usage: 3, selector: 0, matchingType: 0, certificate: host.der };
    for (const octets of mutatedOctets([host.der])) {
      if (octets.subarray(0, host.der.length).equals(host.der)) continue;
      expect(matchesLeaf([record], [octets, authority.der])).toBe(false);
      expect(typeof isNamed([octets], ['mx.example.org'])).toBe('boolean');
      const issued = { ...record, usage: 2, certificate: octets };
      expect(trustAnchors([issued], [host.der, octets]).length).toBeLessThan(2);
      expect(usableTlsa([issued]).length).toBeLessThan(2);
    }
  });
});

/** A reader, texts whose `#` is long, and what is repeated there. */
type LongRow = readonly [
  string,
  (text: string) => unknown,
  frames: readonly string[],
  units: readonly string[],
];

test.each<LongRow>([
  ['DMARC records', parseDmarcRecord, ['v=DMARC1;p=none;#'], ['x;', 'p=none;', MANY_TAGS]],
  ['report addresses', parseDmarcRecord, ['v=DMARC1;p=none;rua=#'], ['x,', 'mailto:!1,']],
  ['TLS-RPT records', parseTlsRptRecord, ['v=TLSRPTv1;rua=#'], [...words(', % a mailto: ;'), ' ', ', ']],
  ['MTA-STS records', parseMtaStsRecord, ['v=STSv1;#'], ['; ', ' ', 'a=b;', '=', '\t;']],
  ['MTA-STS answers', (text) => readMtaStsRecords([text]), ['#'], ['; ', ' ', 'a=b;', '=', '\t;']],
  [
    'MTA-STS policies',
    (text) => parsePolicy(Buffer.from(text)),
    ['version: STSv1\nmode: none\nmax_age: 1\nx: #'],
    ['a', ' ', 'a: b ', 'a:\t', '\r', '\n', 'mx: a\n', 'a: \u0001'],
  ],
  ['DKIM keys', (text) => parseDkimKey(text, 's'), ['v=DKIM1; h=sha1#; p=A#x'], [' ', ...words('A = : x;')]],
  [
    'SPF records',
    parseRecord,
    words('a# a/# a:# a:x.a# a#b exists:# exists:%{d#} # #=').map((term) => `v=spf1 ${term}`),
    [' ', 'a ', ...words('a / 1 /24//64 . - .-+ %{ a-')],
  ],
  [
    'XML',
    (text) => parseXml(Buffer.from(text)),
    ['#', '<a>#', '<a x="#', '<a #'],
    ['<a ', 'x="" ', '<?xml ', ' ', ...words(`< <a> & &amp; <!-- ]]> </a> <![CDATA[ = "`)],
  ],
])('%s of 64 kB take linear time, and have few and short findings', (_what, read, frames, units) => {
  for (const text of frames.flatMap((frame) =>
    units.map((unit) => frame.replaceAll('#', unit.repeat(Math.ceil(65_000 / unit.length)))),
  )) {
    const before = process.cpuUsage();
    const { findings = [] } = Object(read(text));
    const { user, system } = process.cpuUsage(before);
    expect((user + system) / 1000).toBeLessThan(2000);
    expect(findings.length).toBeLessThan(5);
    expect(JSON.stringify(findings).length).toBeLessThan(4000);
  }
});

/** Parses mutations of the seeds. Enough of them must be valid for the test to be meaningful. */
function expectRoundTrips<T>(
  seeds: readonly string[],
  read: (text: string) => T | undefined,
  print: (value: T) => string,
): void {
  let readable = 0;
  for (const text of mutations(seeds, COUNT)) {
    const value = read(text);
    if (value === undefined) continue;
    readable += 1;
    expect(read(print(value))).toEqual(value);
  }
  expect(readable).toBeGreaterThan(COUNT / 10);
}

function* mutatedOctets(seeds: readonly Buffer[]): Generator<Buffer> {
  for (const text of mutations(
    seeds.map((seed) => seed.toString('latin1')),
    OCTETS_COUNT,
  )) {
    yield Buffer.from(text, 'latin1');
  }
}
