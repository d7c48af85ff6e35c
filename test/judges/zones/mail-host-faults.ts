/** Faults of mail hosts: DANE, and what MX records lead to. */
import { X509Certificate } from 'node:crypto';
import type { TlsaRecord } from '../../../shared/protocol/dns.ts';
import { tlsaOf } from '../../kit/certificate-chains.ts';
import { expired, notYetValid, selfSigned } from '../../kit/certificates.ts';
import type { ZoneLiteral } from '../../kit/zone.ts';
import { zoneOf } from '../../shared/fixes/faulty-zones.ts';
import type { MailHost, Signing, ZoneFault } from './zone-fault.ts';

const stranger = new X509Certificate(selfSigned(['mx.stranger.test']).cert);
const made = (usage: number, selector: number, matchingType: number, length: number): TlsaRecord => ({
  usage,
  selector,
  matchingType,
  certificate: Buffer.alloc(length, 0xab),
});
export const leafRecord: MailHost['tlsa'] = (leaf) => [tlsaOf(leaf, 3, 1, 1)];
const authorityRecord: MailHost['tlsa'] = (_, authority) => [tlsaOf(authority, 2, 1, 1)];

const dane: Readonly<Record<string, MailHost & { readonly signing?: Signing }>> = {
  'none, 3 0 1': { tlsa: (leaf) => [tlsaOf(leaf, 3, 0, 1)] },
  'none, 3 1 2': { tlsa: (leaf) => [tlsaOf(leaf, 3, 1, 2)] },
  'none, 3 1 0': { tlsa: (leaf) => [tlsaOf(leaf, 3, 1, 0)] },
  'none, 2 1 1': { tlsa: authorityRecord },
  'none, 2 0 1': { tlsa: (_, authority) => [tlsaOf(authority, 2, 0, 1)] },
  'none, self-signed': { tlsa: leafRecord, selfSigned: true },
  'none, a stale record beside the right one': {
    tlsa: (leaf) => [tlsaOf(stranger, 3, 1, 1), tlsaOf(leaf, 3, 1, 1)],
  },
  'none, expired with 3 1 1': { tlsa: leafRecord, validity: expired },
  'none, another name with 3 1 1': { tlsa: leafRecord, names: ['mail.other.test'] },
  'another key': { tlsa: () => [tlsaOf(stranger, 3, 1, 1)] },
  'another certificate': { tlsa: () => [tlsaOf(stranger, 3, 0, 1)] },
  'another authority': { tlsa: () => [tlsaOf(stranger, 2, 1, 1)] },
  'two other keys': { tlsa: () => [tlsaOf(stranger, 3, 1, 1), tlsaOf(stranger, 3, 1, 2)] },
  'the leaf as authority': { tlsa: (leaf) => [tlsaOf(leaf, 2, 1, 1)] },
  'the authority as leaf': { tlsa: (_, authority) => [tlsaOf(authority, 3, 1, 1)] },
  'expired with 2 1 1': { tlsa: authorityRecord, validity: expired },
  'not valid yet with 2 1 1': { tlsa: authorityRecord, validity: notYetValid },
  'another name with 2 1 1': { tlsa: authorityRecord, names: ['mail.other.test'] },
  '2 1 1 without the authority in the chain': { tlsa: authorityRecord, leafAlone: true },
  '2 0 0 without the authority in the chain': {
    tlsa: (_, authority) => [tlsaOf(authority, 2, 0, 0)],
    leafAlone: true,
  },
  'usage 0 alone': { tlsa: (_, authority) => [tlsaOf(authority, 0, 1, 1)] },
  'usage 1 alone': { tlsa: (leaf) => [tlsaOf(leaf, 1, 1, 1)] },
  'usage 1 beside 3 1 1': { tlsa: (leaf) => [tlsaOf(leaf, 1, 1, 1), tlsaOf(leaf, 3, 1, 1)] },
  'an unknown usage': { tlsa: () => [made(7, 1, 1, 32)] },
  'an unknown selector': { tlsa: () => [made(3, 2, 1, 32)] },
  'an unknown matching type': { tlsa: () => [made(3, 1, 3, 48)] },
  'a digest that is too short': { tlsa: () => [made(3, 1, 1, 20)] },
  'a digest that is too long': { tlsa: () => [made(3, 1, 1, 33)] },
  'the stronger digest of another key': {
    tlsa: (leaf) => [tlsaOf(stranger, 3, 1, 2), tlsaOf(leaf, 3, 1, 1)],
  },
  'no TLS': { tlsa: leafRecord, certificate: null },
  'STARTTLS refused': { tlsa: leafRecord, smtp: { starttls: '454 TLS not available' } },
  'closed at STARTTLS': { tlsa: leafRecord, smtp: { afterStarttls: 'close' } },
  'TLS 1.0 alone': {
    tlsa: leafRecord,
    smtp: { tls: { minVersion: 'TLSv1', maxVersion: 'TLSv1', ciphers: 'DEFAULT@SECLEVEL=0' } },
  },
  'zone not signed': { tlsa: leafRecord, signing: { keys: [] } },
  'zone without DS': { tlsa: leafRecord, signing: { ds: () => [] } },
  'a broken signature of TLSA': {
    tlsa: leafRecord,
    signing: {
      served: (lines) =>
        lines.map((line) =>
          /\sRRSIG\s+TLSA\s/.test(line) ? line.replace(/\S(\S*)$/, (_, rest) => `x${rest}`) : line,
        ),
    },
  },
};

export const daneFaults: readonly ZoneFault[] = Object.entries(dane).map(
  ([fault, { signing, ...mailHost }]) => ({
    fault,
    class: 'DANE',
    records: (domain) => zoneOf(domain, { fault }),
    mailHost,
    ...(signing === undefined ? {} : { signing }),
  }),
);

/** A change of the records of a zone with one MX record. */
type MxChange = (domain: string) => ZoneLiteral;
const mxOf = (...mx: readonly (readonly [number, string])[]) => ({ MX: mx });
const spf = { TXT: ['v=spf1 mx -all'] };

const mxChanges: Readonly<Record<string, MxChange>> = {
  'to an alias': (domain) => ({
    [domain]: { ...mxOf([10, `alias.${domain}`]), ...spf },
    [`alias.${domain}`]: { CNAME: [`mx.${domain}`] },
  }),
  'to an address': (domain) => ({ [domain]: { ...mxOf([10, '192.0.2.1']), ...spf } }),
  'to a private address': (domain) => ({ [`mx.${domain}`]: { A: ['10.1.2.3'] } }),
  'to loopback': (domain) => ({ [`mx.${domain}`]: { A: ['127.0.0.1'] } }),
  'to localhost': (domain) => ({ [domain]: { ...mxOf([10, 'localhost']), ...spf } }),
  'to the domain itself': (domain) => ({
    [domain]: { ...mxOf([10, domain]), ...spf, A: ['192.0.2.1'] },
  }),
  'to a name that does not exist': (domain) => ({ [domain]: { ...mxOf([10, `gone.${domain}`]), ...spf } }),
  'twice to one host': (domain) => ({
    [domain]: { ...mxOf([10, `mx.${domain}`], [20, `mx.${domain}`]), ...spf },
  }),
  'to a host that does not listen': (domain) => ({ [`mx.${domain}`]: { A: ['192.0.2.250'] } }),
  'to a name with an underscore': (domain) => ({
    [domain]: { ...mxOf([10, `mx_1.${domain}`]), ...spf },
    [`mx_1.${domain}`]: { A: ['192.0.2.1'] },
  }),
  'to the zone of a lame server': (domain) => ({
    [domain]: { ...mxOf([10, `mx.lame.${domain}`]), ...spf },
    [`lame.${domain}`]: 'SERVFAIL',
  }),
  'to IPv6 alone': (domain) => ({ [`mx.${domain}`]: { AAAA: ['2001:db8::1'] } }),
};

const mxHosts: Readonly<Record<string, MailHost>> = {
  'without TLS': { tlsa: () => [], certificate: null },
  'with an expired certificate': { tlsa: () => [], validity: expired },
  'with a certificate of another name': { tlsa: () => [], names: ['mail.other.test'] },
  'with a self-signed certificate': { tlsa: () => [], selfSigned: true },
  'with a greeting of 554': { tlsa: () => [], smtp: { greeting: '554 no' } },
  'with a greeting of 421': { tlsa: () => [], smtp: { greeting: '421 later' } },
};

export const mxFaults: readonly ZoneFault[] = [
  ...Object.entries(mxChanges).map(
    ([fault, change]): ZoneFault => ({
      fault,
      class: 'MX',
      records: (domain) => ({ ...zoneOf(domain, { fault }), ...change(domain) }),
    }),
  ),
  ...Object.entries(mxHosts).map(
    ([fault, mailHost]): ZoneFault => ({
      fault,
      class: 'MX',
      records: (domain) => zoneOf(domain, { fault }),
      mailHost,
    }),
  ),
];
