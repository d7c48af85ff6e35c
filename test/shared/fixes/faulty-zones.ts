/** Faulty zones as data: one fault each, in a zone that is otherwise in order. `checks/worlds.test.ts` records what is said about them. */
import type { ZoneLiteral, ZoneNode } from '../../kit/zone.ts';

export const MAILBOX = 'box-1@reports.test';
const OWN = `mailto:${MAILBOX}`;
const RUA = `rua=${OWN}`;
/** A TXT value that has nothing to do with mail, and that every change of the set must keep. */
export const UNRELATED = 'site-verification=a "quoted"; value \\ $\u007bx}';

/** What a case changes of the zone in order. TXT values by role; undefined leaves them, and an empty list removes them. */
export interface FaultyZone {
  readonly fault: string;
  readonly spf?: readonly string[];
  readonly dmarc?: readonly string[];
  readonly tlsRpt?: readonly string[];
  readonly mtaSts?: readonly string[];
  readonly mx?: readonly (readonly [number, string])[];
  readonly more?: (domain: string) => ZoneLiteral;
}

const includes = (count: number) => (domain: string) =>
  Object.fromEntries(
    Array.from({ length: count }, (_, at) => [
      `i${at}.${domain}`,
      { TXT: [`v=spf1 ip4:192.0.2.${at} -all`] },
    ]),
  );
const noMail = { mx: [] } as const;

export const faultyZones: readonly FaultyZone[] = [
  { fault: 'none' },
  { fault: 'no records at all', spf: [], dmarc: [], tlsRpt: [], mtaSts: [], mx: [] },
  // DMARC
  { fault: 'no DMARC', dmarc: [] },
  { fault: 'no DMARC, no MX', dmarc: [], ...noMail },
  { fault: 'no rua', dmarc: ['v=DMARC1; p=none'] },
  { fault: 'no rua at reject', dmarc: ['v=DMARC1; p=reject'] },
  { fault: 'another rua', dmarc: ['v=DMARC1; p=reject; rua=mailto:a@other.test'] },
  { fault: 'two other rua', dmarc: ['v=DMARC1;p=none;rua=mailto:a@other.test,mailto:b@other.test;'] },
  { fault: 'mailbox of another domain', dmarc: ['v=DMARC1; p=none; rua=mailto:box-2@reports.test'] },
  { fault: 'white space first at none', dmarc: [` v=DMARC1; p=none; ${RUA}`] },
  { fault: 'white space first at reject', dmarc: [` v=DMARC1; p=reject; ${RUA}`] },
  { fault: 'empty tag', dmarc: [`v=DMARC1; p=reject;; ${RUA}`] },
  { fault: 'malformed tag', dmarc: [`v=DMARC1; p=reject; nonsense; ${RUA}`] },
  { fault: 'duplicate tags at none', dmarc: [`v=DMARC1; p=none; ${RUA}; p=reject`] },
  { fault: 'duplicate tags at reject', dmarc: [`v=DMARC1; p=reject; ${RUA}; p=none`] },
  { fault: 'duplicate subdomain policies', dmarc: [`v=DMARC1; p=reject; sp=none; ${RUA}; sp=quarantine`] },
  { fault: 'upper case at none', dmarc: [`v=DMARC1; P=none; ${RUA}`] },
  { fault: 'upper case at quarantine', dmarc: [`v=DMARC1; P=quarantine; ${RUA}`] },
  { fault: 'unknown tag', dmarc: [`v=DMARC1; p=reject; ${RUA}; x=y`] },
  { fault: 'invalid alignment', dmarc: [`v=DMARC1; p=reject; ${RUA}; aspf=strict`] },
  { fault: 'invalid policy', dmarc: [`v=DMARC1; p=monitor; ${RUA}`] },
  { fault: 'invalid subdomain policy', dmarc: [`v=DMARC1; p=reject; sp=monitor; ${RUA}`] },
  { fault: 'no policy that applies', dmarc: ['v=DMARC1; p=rejct'] },
  { fault: 'no policy', dmarc: [`v=DMARC1; ${RUA}`] },
  { fault: 'policy not second', dmarc: [`v=DMARC1; ${RUA}; p=none`] },
  { fault: 'weak subdomains', dmarc: [`v=DMARC1; p=reject; sp=none; ${RUA}`] },
  { fault: 'test mode', dmarc: [`v=DMARC1; p=reject; t=y; ${RUA}`] },
  { fault: 'partial', dmarc: [`v=DMARC1; p=quarantine; pct=30; ${RUA}`] },
  { fault: 'default of a removed tag', dmarc: [`v=DMARC1; p=reject; pct=100; ri=86400; ${RUA}`] },
  {
    fault: 'default of a removed tag in upper case',
    dmarc: [`v=DMARC1; p=reject; PCT=100; RI=86400; ${RUA}`],
  },
  { fault: 'other value of a removed tag', dmarc: [`v=DMARC1; p=reject; ri=3600; ${RUA}`] },
  { fault: 'invalid removed tag', dmarc: [`v=DMARC1; p=reject; pct=all; ${RUA}`] },
  { fault: 'fo without ruf', dmarc: [`v=DMARC1; p=reject; fo=1; ${RUA}`] },
  { fault: 'fo conflict', dmarc: [`v=DMARC1; p=reject; fo=0:1; ${RUA}; ruf=${OWN}`] },
  { fault: 'malformed rua', dmarc: [`v=DMARC1; p=reject; rua=a@b.test,${OWN}`] },
  { fault: 'unsupported rua', dmarc: [`v=DMARC1; p=reject; rua=https://b.test/,${OWN}`] },
  { fault: 'rua without address', dmarc: [`v=DMARC1; p=reject; rua=mailto:,${OWN}`] },
  { fault: 'size of rua', dmarc: [`v=DMARC1; p=reject; rua=${OWN}!10m`] },
  { fault: 'lower-case version at none', dmarc: ['v=dmarc1; p=none'] },
  { fault: 'lower-case version at reject', dmarc: ['v=dmarc1; p=reject'] },
  { fault: 'quotes', dmarc: [`"v=DMARC1; p=none; ${RUA}"`] },
  { fault: 'two DMARC records', dmarc: [`v=DMARC1; p=none; ${RUA}`, 'v=DMARC1; p=reject'] },
  {
    fault: 'two DMARC records with addresses elsewhere',
    dmarc: ['v=DMARC1; p=none; rua=mailto:a@other.test', 'v=DMARC1; p=reject; rua=mailto:a@third.test'],
  },
  {
    fault: 'lower-case version with an address elsewhere',
    dmarc: ['v=dmarc1; p=none; rua=mailto:a@other.test'],
  },
  { fault: 'public suffix', dmarc: [`v=DMARC1; p=reject; psd=y; ${RUA}`] },
  {
    fault: 'inherited DMARC',
    dmarc: [],
    more: (domain) => ({ [`_dmarc.${parentOf(domain)}`]: { TXT: [`v=DMARC1; p=reject; ${RUA}`] } }),
  },
  // SPF
  { fault: 'no SPF', spf: [] },
  { fault: 'no SPF, no MX', spf: [], ...noMail },
  { fault: 'softfail for nobody', spf: ['v=spf1 ~all'], ...noMail },
  { fault: 'neutral for nobody', spf: ['v=spf1 ?all'], ...noMail },
  { fault: 'nothing in SPF', spf: ['v=spf1'] },
  { fault: 'quoted SPF', spf: ['"v=spf1 mx -all"'] },
  { fault: 'two SPF records', spf: ['v=spf1 mx -all', 'v=spf1 ip4:192.0.2.7 ~all'] },
  { fault: 'a comma in SPF', spf: ['v=spf1 mx, -all'] },
  { fault: 'a comma in SPF beside a text that is not UTF-8', spf: ['v=spf1 mx, -all', 'caf\ufffd'] },
  { fault: 'ipv4 in SPF', spf: ['v=spf1 ipv4:192.0.2.7 -all'] },
  { fault: 'unknown mechanism', spf: ['v=spf1 foo -all'] },
  { fault: 'pass all', spf: ['v=spf1 mx +all'] },
  { fault: 'neutral all', spf: ['v=spf1 mx ?all'] },
  { fault: 'no all', spf: ['v=spf1 mx'] },
  { fault: 'term after all', spf: ['v=spf1 mx ~all ip4:192.0.2.7'] },
  { fault: 'redirect beside all', spf: ['v=spf1 mx ~all redirect=i0.$'], more: includes(1) },
  { fault: 'duplicate term', spf: ['v=spf1 mx ip4:192.0.2.7 MX ip4:192.0.2.7 -all'] },
  { fault: 'host bits', spf: ['v=spf1 mx ip4:192.0.2.7/28 -all'] },
  { fault: 'host bits of IPv6', spf: ['v=spf1 mx ?ip6:2001:db8::1/64 -all'] },
  { fault: 'mechanism as modifier', spf: ['v=spf1 mx ip4=192.0.2.7 -all'] },
  { fault: 'merged records', spf: ['v=spf1 mx v=spf1 ip4:192.0.2.7 -all'] },
  { fault: 'unknown modifier', spf: ['v=spf1 mx x=y -all'] },
  { fault: 'void lookup', spf: ['v=spf1 mx a:gone.$ -all'] },
  { fault: 'three void lookups', spf: ['v=spf1 mx a:g1.$ a:g2.$ a:g3.$ -all'] },
  { fault: 'include without record', spf: ['v=spf1 mx include:gone.$ -all'] },
  { fault: 'loop', spf: ['v=spf1 mx include:$ -all'] },
  {
    fault: 'too many lookups',
    spf: [`v=spf1 ${Array.from({ length: 11 }, (_, at) => `include:i${at}.$`).join(' ')} -all`],
    more: includes(11),
  },
  {
    fault: 'eleven lookups with a duplicate',
    spf: [`v=spf1 include:i0.$ ${Array.from({ length: 10 }, (_, at) => `include:i${at}.$`).join(' ')} -all`],
    more: includes(10),
  },
  {
    fault: 'many lookups with a duplicate',
    spf: [`v=spf1 include:i0.$ ${Array.from({ length: 7 }, (_, at) => `include:i${at}.$`).join(' ')} -all`],
    more: includes(7),
  },
  { fault: 'ptr', spf: ['v=spf1 ptr -all'] },
  { fault: 'exists for everyone', spf: ['v=spf1 exists:mx.$ -all'] },
  { fault: 'macros', spf: ['v=spf1 mx exists:%{i}.$ -all'] },
  { fault: 'wide range', spf: ['v=spf1 ip4:10.0.0.0/6 -all'] },
  {
    fault: 'long SPF',
    spf: [`v=spf1 ${Array.from({ length: 40 }, (_, at) => `ip4:192.0.${at}.1`).join(' ')} -all`],
  },
  {
    fault: 'failed SPF lookup',
    spf: ['v=spf1 include:broken.$ -all'],
    more: (domain) => ({ [`broken.${domain}`]: 'SERVFAIL' }),
  },
  // TLS-RPT
  { fault: 'no TLS-RPT', tlsRpt: [] },
  { fault: 'another TLS-RPT address', tlsRpt: ['v=TLSRPTv1; rua=mailto:a@other.test'] },
  { fault: 'TLS-RPT mailbox of another domain', tlsRpt: ['v=TLSRPTv1; rua=mailto:box-2@reports.test'] },
  { fault: 'TLS-RPT without address', tlsRpt: ['v=TLSRPTv1;'] },
  { fault: 'duplicate TLS-RPT address', tlsRpt: [`v=TLSRPTv1; rua=${OWN}; rua=mailto:a@other.test`] },
  { fault: 'malformed TLS-RPT', tlsRpt: [`v=TLSRPTv1; x; rua=${OWN}`] },
  { fault: 'TLS-RPT version', tlsRpt: [`v=TLSRPT1; rua=${OWN}`] },
  { fault: 'malformed TLS-RPT address', tlsRpt: [`v=TLSRPTv1; rua=a@b.test,${OWN}`] },
  { fault: 'unsupported TLS-RPT address', tlsRpt: ['v=TLSRPTv1; rua=ftp://a.test/'] },
  { fault: 'two TLS-RPT records', tlsRpt: [`v=TLSRPTv1; rua=${OWN}`, 'v=TLSRPTv1; rua=mailto:a@other.test'] },
  // MTA-STS
  { fault: 'no MTA-STS', mtaSts: [] },
  { fault: 'MTA-STS version', mtaSts: ['v=STSV1; id=1'] },
  { fault: 'no MTA-STS id', mtaSts: ['v=STSv1;'] },
  { fault: 'invalid MTA-STS id', mtaSts: ['v=STSv1; id=2026-11-01'] },
  { fault: 'malformed MTA-STS', mtaSts: ['v=STSv1; id=1; x'] },
  { fault: 'two MTA-STS records', mtaSts: ['v=STSv1; id=1', 'v=STSv1; id=2'] },
  // MX
  { fault: 'no MX', ...noMail },
  { fault: 'null MX with a preference', mx: [[10, '.']] },
  {
    fault: 'null MX among others',
    mx: [
      [0, '.'],
      [10, 'mx.$'],
    ],
  },
  {
    fault: 'dangling MX',
    mx: [
      [10, 'mx.$'],
      [20, 'mx.gone.test'],
    ],
  },
  {
    fault: 'MX without address',
    mx: [
      [10, 'mx.$'],
      [20, 'none.$'],
    ],
  },
  { fault: 'implicit MX', ...noMail, more: (domain) => ({ [domain]: { A: ['192.0.2.9'] } }) },
  // Names and lookups that nothing may be proposed for
  {
    fault: 'DMARC at an alias',
    dmarc: [],
    more: (domain) => ({
      [`_dmarc.${domain}`]: { CNAME: ['dmarc.other.test'] },
      'dmarc.other.test': { TXT: ['v=DMARC1; p=none'] },
    }),
  },
  { fault: 'failed DMARC lookup', more: (domain) => ({ [`_dmarc.${domain}`]: 'SERVFAIL' }) },
  {
    fault: 'failed TXT lookup',
    more: (domain) => ({ [domain]: { MX: [[10, `mx.${domain}`]], TXT: 'SERVFAIL' } }),
  },
  { fault: 'failed MX lookup', spf: [], dmarc: [], more: (domain) => ({ [domain]: { MX: 'TIMEOUT' } }) },
  {
    fault: 'hostile values',
    spf: ['v=spf1 mx -all', '";\n$INCLUDE /etc/passwd\n', '$\u007bfile("/etc/passwd")} %\u007b if true }'],
    tlsRpt: ['v=TLSRPTv1; rua=mailto:a@other.test', '\u0000\u001b[31m'],
    dmarc: ['v=DMARC1; p=none; rua=mailto:a@other.test', '\\" ) ( ;remove x TXT'],
  },
];

const parentOf = (domain: string): string => domain.slice(domain.indexOf('.') + 1);

/** The zone of a case. `$` in values is the domain. */
export function zoneOf(domain: string, faulty: FaultyZone): ZoneLiteral {
  const named = (text: string) => (text.includes('$\u007b') ? text : text.replaceAll('$', domain));
  const { spf = ['v=spf1 mx -all'], dmarc = [`v=DMARC1; p=reject; ${RUA}`] } = faulty;
  const { tlsRpt = [`v=TLSRPTv1; ${RUA}`], mtaSts = ['v=STSv1; id=1'], mx = [[10, 'mx.$']] } = faulty;
  const txt = (texts: readonly string[]) => (texts.length === 0 ? {} : { TXT: texts.map(named) });
  const more = faulty.more?.(domain) ?? {};
  const apex: ZoneNode = {
    MX: mx.map(([preference, host]) => [preference, named(host)] as const),
    ...txt([...spf, UNRELATED]),
  };
  const own = more[domain];
  return {
    [`_dmarc.${domain}`]: txt(dmarc),
    [`_smtp._tls.${domain}`]: txt(tlsRpt),
    [`_mta-sts.${domain}`]: txt(mtaSts),
    [`mx.${domain}`]: { A: ['192.0.2.1'], AAAA: ['2001:db8::1'] },
    '*._report._dmarc.reports.test': { TXT: ['v=DMARC1'] },
    '*._report._dmarc.other.test': { TXT: ['v=DMARC1'] },
    '*._report._dmarc.b.test': { TXT: ['v=DMARC1'] },
    ...more,
    [domain]: typeof own === 'string' ? own : { ...apex, ...own },
  };
}
