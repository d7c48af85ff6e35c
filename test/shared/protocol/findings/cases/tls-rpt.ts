import { inspectTlsRpt } from '../../../../../shared/checks/tls-rpt/inspect.ts';
import { tlsRptRules } from '../../../../../shared/protocol/findings/tls-rpt.ts';
import { type Failure, type ZoneLiteral, zone } from '../../../../kit/zone.ts';
import { examplesOf, networkOf } from './example.ts';

const GOOD = 'v=TLSRPTv1; rua=mailto:tls@example.org';

/** The TXT records at _smtp._tls.example.org, or the failure of their lookup; with other names if given. */
type Input = readonly string[] | Failure | { readonly texts: readonly string[]; readonly zone: ZoneLiteral };

function inspect(input: Input) {
  const { texts, zone: around } =
    typeof input === 'object' && 'texts' in input ? input : { texts: input, zone: {} };
  const dns = zone({ '_smtp._tls.example.org': { TXT: texts }, ...around });
  return inspectTlsRpt('example.org', networkOf({ dns }), { mailbox: 'box@reports.example' });
}

export const tlsRptExamples = examplesOf<Input>('tls-rpt', tlsRptRules, inspect, {
  'tls-rpt-missing': [['v=spf1 -all'], [GOOD]],
  'tls-rpt-not-needed': [
    { texts: [], zone: { 'example.org': { MX: [[0, '']] } } },
    { texts: [], zone: { 'example.org': { MX: [[10, 'mx.example.org']] } } },
  ],
  'tls-rpt-multiple-records': [
    [GOOD, GOOD.replace('tls@', 'more@')],
    [GOOD, 'v=spf1 -all'],
  ],
  'tls-rpt-record-ignored': [['v=tlsrptv1; rua=mailto:tls@example.org'], [GOOD]],
  'tls-rpt-record-malformed': [[`${GOOD}; oops`], [`${GOOD}; oops=1`]],
  'tls-rpt-rua-missing': [['v=TLSRPTv1;'], [GOOD]],
  'tls-rpt-fields-repeated': [[`${GOOD}; rua=mailto:more@example.org`], [`${GOOD},mailto:more@example.org`]],
  'tls-rpt-uris-malformed': [['v=TLSRPTv1; rua=tls@example.org'], [GOOD]],
  'tls-rpt-uris-unsupported': [[`${GOOD},ftp://example.org/`], [`${GOOD},https://example.org/`]],
  'tls-rpt-no-usable-uri': [['v=TLSRPTv1; rua=ftp://example.org/'], [`${GOOD},ftp://example.org/`]],
  'tls-rpt-nothing-to-report': [
    [GOOD],
    { texts: [GOOD], zone: { '_mta-sts.example.org': { TXT: ['v=STSv1; id=1'] } } },
  ],
  'tls-rpt-wrong-mailbox': [
    ['v=TLSRPTv1; rua=mailto:bux@reports.example,https://example.org/'],
    ['v=TLSRPTv1; rua=mailto:bux@reports.example.org,MAILTO:box@reports.example'],
  ],
  'tls-rpt-mailbox-not-named': [[GOOD], [`${GOOD},mailto:box@reports.example`]],
  'tls-rpt-record-unavailable': ['SERVFAIL', []],
});
