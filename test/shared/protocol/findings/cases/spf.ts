import { inspectSpf } from '../../../../../shared/checks/spf/inspect.ts';
import { spfRules } from '../../../../../shared/protocol/findings/spf.ts';
import { type ZoneLiteral, zone } from '../../../../kit/zone.ts';
import { examplesOf, networkOf } from './example.ts';

/** Names that the records refer to. */
const around: ZoneLiteral = {
  '_spf.example.net': { TXT: ['v=spf1 ip4:198.51.100.0/24 -all'] },
  'nested.example.net': { TXT: ['v=spf1 include:_spf.example.net -all'] },
  'broken.example.net': 'SERVFAIL',
  'mail.example.org': { A: ['192.0.2.1'], AAAA: ['2001:db8::1'] },
  '*.v4.example.org': { A: ['192.0.2.4'] },
  '*.both.example.org': { A: ['192.0.2.6'], AAAA: ['2001:db8::6'] },
  'ten.example.org': { MX: mxNames(10) },
  'eleven.example.org': { MX: mxNames(11) },
  'dead.example.org': {
    MX: [
      [10, 'mail.example.org'],
      [20, 'gone.example.org'],
    ],
  },
};

/** The text of the record of example.org, or all its TXT records. */
type Published = string | readonly string[];

export const spfExamples = examplesOf<Published>(
  'spf',
  spfRules,
  (published) => {
    const texts = typeof published === 'string' ? [published] : published;
    return inspectSpf('example.org', networkOf({ dns: zone({ ...around, 'example.org': { TXT: texts } }) }));
  },
  {
    'spf-missing': ['v=spf10 -all', 'v=spf1'],
    'spf-lookalike': ['"v=spf1 -all"', 'v=spf1 -all'],
    'spf-multiple-records': [
      ['v=spf1 -all', 'v=spf1 ~all'],
      ['v=spf1 -all', 'v=DMARC1; p=none'],
    ],
    'spf-syntax': ['v=spf1 ipv4:192.0.2.1 -all', 'v=spf1 ip4:192.0.2.1 -all'],
    'spf-too-many-lookups': [`v=spf1 ${lookups(11)} -all`, `v=spf1 ${lookups(10)} -all`],
    'spf-many-lookups': [`v=spf1 ${lookups(8)} -all`, `v=spf1 ${lookups(7)} -all`],
    'spf-too-many-void-lookups': [
      'v=spf1 a:gone1.example.org a:gone2.example.org a:gone3.example.org -all',
      'v=spf1 a:gone1.example.org a:gone2.example.org -all',
    ],
    'spf-void-lookups-of-family': [
      'v=spf1 a:1.v4.example.org a:2.v4.example.org a:3.v4.example.org -all',
      'v=spf1 a:1.v4.example.org a:2.v4.example.org -all',
    ],
    'spf-void-lookup': ['v=spf1 a:gone.example.org -all', 'v=spf1 a:1.v4.example.org -all'],
    'spf-no-record-behind': ['v=spf1 include:mail.example.org -all', 'v=spf1 include:_spf.example.net -all'],
    'spf-loop': ['v=spf1 include:example.org -all', 'v=spf1 a:example.org -all'],
    'spf-too-many-mx-names': ['v=spf1 mx:eleven.example.org -all', 'v=spf1 mx:ten.example.org -all'],
    'spf-dead-mx-hosts': ['v=spf1 mx:dead.example.org -all', 'v=spf1 mx:ten.example.org -all'],
    'spf-ptr': ['v=spf1 ptr -all', 'v=spf1 a:ptr.both.example.org -all'],
    'spf-pass-all': ['v=spf1 all', 'v=spf1 ~all'],
    'spf-neutral-all': ['v=spf1 ?all', 'v=spf1 ~all'],
    'spf-no-all': ['v=spf1 ip4:192.0.2.1', 'v=spf1 ip4:192.0.2.1 redirect=_spf.example.net'],
    'spf-exists-for-everyone': [
      'v=spf1 exists:mail.example.org -all',
      'v=spf1 exists:%{i}.both.example.org -all',
    ],
    'spf-term-after-all': ['v=spf1 -all ip4:192.0.2.1', 'v=spf1 ip4:192.0.2.1 -all'],
    'spf-redirect-beside-all': ['v=spf1 -all redirect=_spf.example.net', 'v=spf1 redirect=_spf.example.net'],
    'spf-duplicate-term': [
      'v=spf1 ip4:192.0.2.1 ip4:192.0.2.1/32 -all',
      'v=spf1 ip4:192.0.2.1 ip4:192.0.2.2 -all',
    ],
    'spf-repeated-include': [
      'v=spf1 include:nested.example.net include:_spf.example.net -all',
      'v=spf1 include:nested.example.net -all',
    ],
    'spf-mechanism-as-modifier': ['v=spf1 ip4=192.0.2.1 -all', 'v=spf1 ip4:192.0.2.1 -all'],
    'spf-merged-records': [
      'v=spf1 a:mail.example.org v=spf1 -all',
      'v=spf1 a:mail.example.org ver=spf1 -all',
    ],
    'spf-unknown-modifier': ['v=spf1 explain=why.example.org -all', 'v=spf1 exp=why.example.org -all'],
    'spf-record-too-long': [recordOf(451 - 'example.org'.length), recordOf(450 - 'example.org'.length)],
    'spf-wide-range': ['v=spf1 ip4:8.8.0.0/15 -all', 'v=spf1 ip4:8.8.0.0/16 -all'],
    'spf-special-range': ['v=spf1 ip4:172.31.0.0/24 -all', 'v=spf1 ip4:172.32.0.0/24 -all'],
    'spf-overlap': [
      'v=spf1 ip4:192.0.2.0/25 ip4:192.0.2.127 -all',
      'v=spf1 ip4:192.0.2.0/25 ip4:192.0.2.128 -all',
    ],
    'spf-bits-beyond-prefix': ['v=spf1 ip4:192.0.2.1/24 -all', 'v=spf1 ip4:192.0.2.0/24 -all'],
    'spf-depends-on-message': ['v=spf1 exists:%{i}.both.example.org -all', 'v=spf1 a:mail.%{d} -all'],
    'spf-lookup-unavailable': [
      'v=spf1 include:broken.example.net -all',
      'v=spf1 include:_spf.example.net -all',
    ],
    'spf-addresses-unavailable': [
      'v=spf1 exists:broken.example.net -all',
      'v=spf1 exists:mail.example.org -all',
    ],
    'spf-expansion-cut': [`v=spf1 ${'a '.repeat(501)}`, `v=spf1 ${'a '.repeat(500)}`],
  },
);

function lookups(count: number): string {
  return Array.from({ length: count }, (_, index) => `a:${index}.both.example.org`).join(' ');
}

function mxNames(count: number): [number, string][] {
  return Array.from({ length: count }, (_, index) => [10, `${index}.both.example.org`]);
}

function recordOf(octets: number): string {
  const [start, end] = ['v=spf1 padding=', ' -all'];
  return start + 'x'.repeat(octets - start.length - end.length) + end;
}
