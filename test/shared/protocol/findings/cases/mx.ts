import { mxRules } from '../../../../../shared/protocol/findings/mx.ts';
import { examplesOf } from './example.ts';
import { inspectMxOf, type MxInput, rejected, unavailable, withTls } from './mx-world.ts';

const registry = { SOA: [{ mname: 'ns.example', rname: 'admin.example', serial: 1, minimum: 60 }] };
const anyHost = { '*.mx.example.org': { A: ['192.0.2.1'] } };

export const mxExamples = examplesOf<MxInput>('mx', mxRules, inspectMxOf, {
  'mx-record-unavailable': [{ mx: 'SERVFAIL' }, { domain: {} }],
  'mx-no-such-domain': [{ domain: 'gone' }, { domain: { CNAME: ['gone.example'] } }],
  'mx-missing': [{ domain: {} }, { domain: { A: ['192.0.2.1'] } }],
  'mx-implicit': [{ domain: { A: ['192.0.2.1'] } }, { domain: {} }],
  'mx-fallback-unavailable': [{ domain: { A: 'SERVFAIL' } }, { domain: {} }],
  'mx-null-mixed': [{ mx: [...nullMx(0), [10, 'mx.example.org']] }, { mx: nullMx(0) }],
  'mx-null-preference': [{ mx: nullMx(10) }, { mx: nullMx(0) }],
  'mx-null-beside-senders': [
    { domain: { MX: nullMx(0), TXT: ['v=spf1 redirect=_spf.example.net'] } },
    { domain: { MX: nullMx(0), TXT: ['v=spf1 exp=why.example.org -all'] } },
  ],
  'mx-address-literal': [{ mx: [[10, '192.0.2.1']] }, { mx: [[10, '192-0-2-1.mx.example.org']] }],
  'mx-invalid-name': [{ mx: [[10, '-.mx.example.org']] }, { mx: [[10, '_.mx.example.org']], zone: anyHost }],
  'mx-alias': [
    { host: { CNAME: ['target.example.org'] }, zone: { 'target.example.org': { A: ['192.0.2.1'] } } },
    { domain: { CNAME: ['target.example.org'] }, zone: { 'target.example.org': { MX: nullMx(0) } } },
  ],
  'mx-no-address': [{ host: {} }, { host: { AAAA: ['2001:db8::1'] } }],
  'mx-ipv6-only': [{ host: { AAAA: ['2001:db8::1'] } }, { host: { A: 'SERVFAIL', AAAA: ['2001:db8::1'] } }],
  'mx-dangling': [
    { mx: [[10, 'mx.gone.example']], zone: { example: registry } },
    { mx: [[10, 'mx.gone.example']], zone: { example: registry, 'gone.example': registry } },
  ],
  'mx-address-unavailable': [{ host: 'SERVFAIL' }, { host: { A: 'SERVFAIL', AAAA: ['2001:db8::1'] } }],
  'mx-address-not-public': [{ says: rejected('address-not-public') }, { says: rejected('greeting') }],
  'mx-many-hosts': [
    { mx: hosts(11), zone: anyHost },
    { mx: hosts(10), zone: anyHost },
  ],
  'mx-none-accepts': [{ says: rejected('greeting') }, { says: withTls() }],
  'mx-refused': [{ says: unavailable('connection-refused') }, { says: unavailable('closed') }],
  'mx-denied': [{ says: rejected('greeting') }, { says: unavailable('deferred') }],
  'mx-recipient-rejected': [
    { says: { ...withTls(), recipient: 'rejected' } },
    { says: { ...withTls(), recipient: 'deferred' } },
  ],
  'mx-acceptance-unknown': [
    { says: rejected('greeting'), reply: '554 5.7.1 blocked using zen.spamhaus.org' },
    { says: rejected('greeting'), reply: '554 5.7.1 go away' },
  ],
  'mx-deferred': [{ says: unavailable('deferred') }, { says: rejected('greeting') }],
  'mx-not-asked': [{ says: unavailable('closed') }, { says: unavailable('deferred') }],
  'mx-none-asked': [{ says: unavailable('timeout') }, { says: unavailable('closed') }],
  'mx-none-checked': [{ says: unavailable('deferred') }, { says: unavailable('timeout') }],
  'mx-port-25-not-asked': [{ says: unavailable('not-dialled') }, { says: unavailable('timeout') }],
});

function nullMx(preference: number): [number, string][] {
  return [[preference, '.']];
}

function hosts(count: number): [number, string][] {
  return Array.from({ length: count }, (_, index) => [10, `${index}.mx.example.org`]);
}
