/** SPF records of example.org and of what they refer to, for recordings of their evaluation and of their expansion. */
import { listed } from '../../../kit/answers.ts';
import type { ZoneLiteral } from '../../../kit/zone.ts';

const host = { A: ['192.0.2.1'], AAAA: ['2001:db8::1'] };
const txt = (...texts: readonly string[]) => ({ TXT: texts });
const mx = (count: number) => ({
  MX: Array.from({ length: count }, (_, n) => [n, 'h.example.org'] as const),
});
const long = (count: number) =>
  Array.from({ length: count }, (_, n) => `ip4:198.51.100.${2 * n + 1}`).join(' ');

/** What the records can refer to. */
export const world: ZoneLiteral = {
  'h.example.org': host,
  'v4.example.org': { A: ['192.0.2.1'] },
  'v6.example.org': { AAAA: ['2001:db8::1'] },
  '*.far.example.org': { A: ['198.51.100.1'], AAAA: ['2001:db8:f::1'] },
  'broken.example.org': 'SERVFAIL',
  'half.example.org': { A: 'TIMEOUT', AAAA: ['2001:db8::1'] },
  'alias.example.org': { CNAME: ['h.example.org'] },
  'm.example.org': {
    MX: [
      [1, 'gone.example.org'],
      [2, 'v4.example.org'],
      [3, '.'],
    ],
  },
  'null.example.org': { MX: [[0, '.']] },
  'mbroken.example.org': { MX: [[1, 'broken.example.org']] },
  'mhalf.example.org': { MX: [[1, 'half.example.org']] },
  'm10.example.org': mx(10),
  'm11.example.org': mx(11),
  'pass.example.org': txt('v=spf1 +all'),
  'fail.example.org': txt('v=spf1 -all exp=its.example.org'),
  'soft.example.org': txt('v=spf1 ~all'),
  'neutral.example.org': txt('v=spf1'),
  'syntax.example.org': txt('v=spf1 ip4:x'),
  'two.example.org': txt('v=spf1 -all', 'v=spf1 ~all'),
  'meant.example.org': txt('"v=spf1 -all"', 'v=spf1\t-all', 'text'),
  'deep.example.org': txt('v=spf1 a:h.%{d} redirect=deep2.example.org'),
  'h.deep.example.org': host,
  'deep2.example.org': txt('v=spf1 include:net.example.org ?all exp=own.%{d}'),
  'net.example.org': txt('v=spf1 ip4:192.0.2.0/24 ip6:2001:db8::/32 -ip4:192.0.2.1 -all'),
  'loop.example.org': txt('v=spf1 include:EXAMPLE.org -all'),
  'self.example.org': txt('v=spf1 redirect=self.example.org'),
  'one.example.org': txt('v=spf1 a:h.example.org -all'),
  'wide.example.net': txt(
    'v=spf1 ip4:52.0.0.0/7 ip4:60.0.0.0/8 ip6:2600::/15 ip6:2800::/16 ip4:10.0.0.0/9 ptr -all',
  ),
  'long.example.net': txt(`v=spf1 ${long(30)} -all`),
  'long.example.org': txt(`v=spf1 ${long(30)} ip4:192.0.2.1 -all`),
  'its.example.org': txt('Its'),
  'own.example.org': txt('%{i} is none of %{d2}, says %{r} at %{t}; http://%{d}/?s=%{S}'),
  'parts.example.org': txt('No', 'Never'),
  'break.example.org': txt('a\r\nb'),
  'umlaut.example.org': txt('Größe'),
  'macro.example.org': txt('%{x}'),
  'own.deep2.example.org': txt('Deep'),
  '192.0.2.1.jo.example.org.list.example.org': { A: ['127.0.0.2'] },
  'unknown.p.example.org': host,
  'example.org.i.example.org': txt('v=spf1 a:h.example.org -all'),
  ...Object.fromEntries(
    Array.from({ length: 12 }, (_, n) => [
      `c${n}.example.org`,
      txt(`v=spf1 include:c${n + 1}.example.org -all`),
    ]),
  ),
  'c12.example.org': txt('v=spf1 +all'),
};

const numbered = (count: number, term: string, end = '') =>
  Array.from({ length: count }, (_, n) => `${term}${n}${end}.example.org`).join(' ');

/** The terms of records. */
export const records: readonly string[] = [
  ...listed(`-all | ~all | ?all | +all | ALL | ip4:192.0.2.9 | ?ip4:192.0.2.1 -ip4:192.0.2.0/24 +all | ip4:192.0.2.1 -all nonsense
    later=x ip4:192.0.2.1 -all | later=%x -all | include=x -all | v=spf1 -all | -all a:broken.example.org include:two.example.org
    -all redirect=gone.example.org | ip4:192.0.2.128/24 -all | ip4:0.0.0.0/0 -all | ip6:2001:db8::/32 -all | ip6:::ffff:192.0.2.1 -all
    a -all | a:h.example.org -all | a:h.example.org/24//128 -all | a:h.example.org/31//127 ~all | a:alias.example.org -all | a:v4.example.org ?all
    a:broken.example.org +all | a:half.example.org -all | a:h..example.org +all | -a:${'a'.repeat(64)}.example.org +all | a:v6.example.org ~all
    mx -all | mx:m.example.org -all | mx:null.example.org -all | mx:h.example.org -all | mx:mbroken.example.org -all | mx:mhalf.example.org -all
    mx:broken.example.org -all | mx:m10.example.org -all | mx:m11.example.org -all | mx:m.example.org/24 mx:m.example.org/24//64 -all
    ~include:pass.example.org -all | include:fail.example.org ~all | include:soft.example.org -all | include:neutral.example.org -all
    include:syntax.example.org +all | include:broken.example.org +all | include:gone.example.org +all | include:two.example.org -all
    include:meant.example.org -all | include:deep.example.org -all | -include:net.example.org ?all | include:loop.example.org -all
    include:self.example.org -all | include:${'a'.repeat(64)}.org -all | include:%{o}.i.example.org -all | include:%{l}._spf.google.com -all
    redirect=soft.example.org | redirect=deep.example.org ip4:192.0.2.9 | redirect=gone.example.org | redirect=example.org | redirect=two.example.org
    redirect=fail.example.org exp=own.example.org | redirect=broken.example.org | redirect=net.example.org ip4:192.0.2.2 | redirect=%{i}.example.org
    exists:%{i}.%{l}.%{o}.list.example.org -all | exists:v6.example.org -all | exists:h.example.org -all | exists:broken.example.org +all
    exists:gone.example.org -all | exists:%{p}.p.example.org -all | ptr -all | ptr:example.net -all | -ptr:gone.example.org ~all
    -all exp=own.example.org | ~all exp=own.example.org | -all exp=gone.example.org | -all exp=parts.example.org | -all exp=break.example.org
    -all exp=umlaut.example.org | -all exp=macro.example.org | -all exp=broken.example.org | -all exp=own.%{p}.example.org | -all exp=..
    include:fail.example.org -all exp=its.%{d} | include:deep2.example.org -all | a:x1.example.org exists:x2.example.org +all
    a:x1.example.org exists:x2.example.org mx:x3.example.org +all | a:v4.example.org a:v4.example.org/31 a:v4.example.org/30 -all
    a:v6.example.org a:v6.example.org/31 a:v6.example.org/30 -all | mx:x1.example.org exists:x2.example.org ptr -all
    include:c3.example.org -all | include:c2.example.org -all | include:c1.example.org -all
    ip4:192.0.2.1 IP4:192.0.2.1/32 -all | ip4:192.0.2.1 ~ip4:192.0.2.1 -all | a:h.example.org a:H.example.ORG. -all | a a:example.org -all
    exists:%{s}.x.org exists:%{S}.x.org -all | exists:%{i}.x.org exists:%{i}.x.org -all | x=1 x=1 -all | a:h.example.org a:h.example.org/24 -all
    ip4:192.0.2.0/24 ip4:192.0.2.7 -all | ip4:192.0.2.7/24 -all | -ip4:192.0.2.7 ip4:192.0.2.0/24 -all | ip4:192.0.2.0/25 ip4:192.0.2.128/25 -all
    include:one.example.org include:one.example.org -all | include:one.example.org a:h.example.org -all | include:one.example.org include:deep.example.org -all
    include:wide.example.net -all | ip4:172.0.0.0/15 -all | ip4:172.64.0.0/16 -all | ip6:2600::/31 -all | ip6:2600::/32 -all | -ip4:1.0.0.0/8 -all
    ip4:9.255.255.0/24 ip4:10.0.0.0/24 ip4:10.255.255.255 ip4:11.0.0.0 -all | ip4:100.63.255.255 ip4:100.64.0.0/16 ip4:100.128.0.0 -all
    ip4:127.0.0.1 ip4:169.254.1.1 ip4:172.15.255.255 ip4:172.16.0.0/16 ip4:172.31.255.255 ip4:172.32.0.0 -all | ip4:192.168.0.0/16 -all
    ip4:0.1.2.3 ip4:239.255.255.255 ip4:240.0.0.0 ip6:::1 ip6:::2 ip6:fbff:: ip6:fc00::/16 ip6:fdff:: ip6:fe7f:: ip6:fe80::1 -all
    include:long.example.net -all | include:long.example.org -all | include:long.example.org include:one.example.org mx:m.example.org -all`),
  ...[7, 8, 9, 10, 11].map((count) => `${numbered(count, 'a:', '.far')} ip4:192.0.2.1 -all`),
  ...[8, 9, 10].map((count) => `${numbered(count, 'mx:', '.far')} exists:%{p}.p.example.org -all`),
  ...[8, 9].map((count) => `${numbered(count, 'a:', '.far')} exists:%{p}.p.example.org -all`),
  `ip4:192.0.2.1 ${numbered(11, 'a:', '.far')}`,
  ...[19, 20, 21].map((count) => numbered(count, 'exists:%{i}')),
  `${long(21)} ip4:1.1.1.1 -all`,
  `${long(20)} -all`,
  `${long(21)} ip4:198.51.100.10 -all`,
  `${long(21)} ip4:198.51.100.1 -all`,
];
