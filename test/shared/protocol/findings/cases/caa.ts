import { inspectCaa } from '../../../../../shared/checks/caa/inspect.ts';
import { caaRules } from '../../../../../shared/protocol/findings/caa.ts';
import { type ZoneLiteral, zone } from '../../../../kit/zone.ts';
import { examplesOf } from './example.ts';

const record = (value: string, tag = 'issue', flags = 0) => ({ flags, tag, value });
const at = (...records: readonly ReturnType<typeof record>[]) => ({ 'example.org': { CAA: records } });
const mine = record('letsencrypt.org');

/** Checks a domain whose MX host has a certificate of Let's Encrypt. */
const inspect = (literal: ZoneLiteral) =>
  inspectCaa(
    'example.org',
    zone({ 'mx.example.org': {}, ...literal }),
    Promise.resolve([{ host: 'mx.example.org', issuer: "Let's Encrypt", isWildcard: false }]),
  );

export const caaExamples = examplesOf<ZoneLiteral>('caa', caaRules, inspect, {
  'caa-missing': [{ 'example.org': {} }, { org: { CAA: [mine] } }],
  'caa-nothing-restricted': [at(record('mailto:a@example.org', 'iodef')), at(mine)],
  'caa-issuer-malformed': [at(mine, record('a_b.example')), at(mine, record('a-b.example'))],
  'caa-property-critical': [at(mine, record('1', 'isue', 128)), at(mine, record('1', 'isue'))],
  'caa-issuer-forbidden': [at(record('pki.goog')), at(record('pki.goog'), mine)],
  'caa-issuer-forbidden-elsewhere': [
    { 'mx.example.org': { CNAME: ['mx.host.example'] }, 'mx.host.example': { CAA: [record('pki.goog')] } },
    at(record('pki.goog')),
  ],
  'caa-record-unavailable': [
    { 'example.org': 'SERVFAIL' },
    { 'example.org': {}, 'mx.example.org': 'SERVFAIL' },
  ],
  'caa-host-unavailable': [{ ...at(mine), 'mx.example.org': 'SERVFAIL' }, at(mine)],
});
