/** Faults of DNSSEC: in keys, signatures, proofs of absence, and the delegation. */
import { zoneOf } from '../../shared/fixes/faulty-zones.ts';
import type { Signing, ZoneFault } from './zone-fault.ts';

const P256 = ['-a', 'ECDSAP256SHA256', '-f', 'KSK'];
const rsa = (algorithm: string, bits: number) => ['-a', algorithm, '-b', String(bits), '-f', 'KSK'];
const validity = (from: string, to: string) => ['-s', from, '-e', to];
const HOUR = 3600;
const DAY = 86_400;

/** A line of a signed zone: name, TTL, class, type and data. */
const typeOf = (line: string): string | undefined => line.split(/\s+/)[3];
const signed = (line: string): string | undefined =>
  typeOf(line) === 'RRSIG' ? line.split(/\s+/)[4] : undefined;
const without = (leftOut: (line: string) => boolean) => (lines: readonly string[]) =>
  lines.filter((line) => !leftOut(line));
const changed = (type: string, change: (line: string) => string) => (lines: readonly string[]) =>
  lines.map((line) => (typeOf(line) === type ? change(line) : line));
/** The first character of a signature in base64 becomes another one. */
const flipped = (type: string) => (lines: readonly string[]) =>
  lines.map((line) => {
    if (signed(line) !== type) return line;
    const parts = line.split(/\s+/);
    const data = parts[12] ?? '';
    parts[12] = `${data.startsWith('A') ? 'B' : 'A'}${data.slice(1)}`;
    return parts.join(' ');
  });
const withDs = (change: (parts: string[]) => string[]) => (made: readonly string[]) =>
  made.map((ds) => change(ds.split(' ')).join(' '));
const otherDigest = (digest = '') => digest.replaceAll(/[0-9A-F]/g, (it) => (it === 'A' ? 'B' : 'A'));
const sha1 = (made: readonly string[]) =>
  made.map((ds) => `${ds.split(' ').slice(0, 2).join(' ')} 1 ${'A'.repeat(40)}`);

const faults: Readonly<Record<string, Signing>> = {
  none: {},
  'RSA of 2048 bits': { keys: [rsa('RSASHA256', 2048)] },
  'RSASHA512 of 2048 bits': { keys: [rsa('RSASHA512', 2048)] },
  'P-384': { keys: [['-a', 'ECDSAP384SHA384', '-f', 'KSK']] },
  ED25519: { keys: [['-a', 'ED25519', '-f', 'KSK']] },
  'NSEC3 without iterations': { args: ['-3', '-', '-H', '0'] },
  'a key in waiting': { keys: [P256, P256], ds: (made) => made.slice(0, 1) },
  RSASHA1: { keys: [rsa('RSASHA1', 2048)] },
  NSEC3RSASHA1: { keys: [rsa('NSEC3RSASHA1', 2048)], args: ['-3', '-', '-H', '0'] },
  'RSA of 1024 bits': { keys: [rsa('RSASHA256', 1024)] },
  'RSA of 4096 bits': { keys: [rsa('RSASHA256', 4096)] },
  'not signed': { keys: [] },
  'no DS': { ds: () => [] },
  'DS of an unsigned zone': {
    keys: [],
    ds: () => [`12345 13 2 ${'AB'.repeat(32)}`],
  },
  'another digest': {
    ds: withDs(([tag = '', algorithm = '', type = '', digest]) => [
      tag,
      algorithm,
      type,
      otherDigest(digest),
    ]),
  },
  'another key tag': { ds: withDs(([tag = '', ...rest]) => [String((Number(tag) + 1) % 65_536), ...rest]) },
  'another algorithm': { ds: withDs(([tag = '', , ...rest]) => [tag, '8', ...rest]) },
  'an unknown digest type alone': {
    ds: withDs(([tag = '', algorithm = '', , digest = '']) => [tag, algorithm, '200', digest]),
  },
  'an unknown algorithm alone': { ds: withDs(([tag = '', , ...rest]) => [tag, '200', ...rest]) },
  'a stale DS': { ds: (made) => [...made, `54321 13 2 ${'CD'.repeat(32)}`] },
  'a stale DS of another algorithm': { ds: (made) => [...made, `54321 8 2 ${'CD'.repeat(32)}`] },
  'a wrong SHA-1 beside SHA-256': { ds: (made) => [...made, ...sha1(made)] },
  'DS of a revoked key': { keys: [[...P256, '-R', 'now-1d'], P256], ds: (made) => made.slice(0, 1) },
  expired: { args: validity('20240101000000', '20240201000000') },
  'expired an hour ago': { args: validity(`now-${10 * DAY}`, `now-${HOUR}`) },
  'not valid yet': { args: validity(`now+${DAY}`, `now+${30 * DAY}`) },
  'expires in an hour': { args: validity(`now-${10 * DAY}`, `now+${HOUR}`) },
  'expires in a day': { args: validity(`now-${10 * DAY}`, `now+${DAY}`) },
  'valid for ten years': { args: validity(`now-${HOUR}`, `now+${3650 * DAY}`) },
  'another MX after signing': { served: changed('MX', (line) => line.replace(/MX(\s+)10/, 'MX$111')) },
  'another SPF after signing': { served: changed('TXT', (line) => line.replace('v=spf1 mx', 'v=spf1 a mx')) },
  'another DMARC after signing': { served: changed('TXT', (line) => line.replace('p=reject', 'p=none')) },
  'another SOA after signing': { served: changed('SOA', (line) => line.replace(/ 3600 /, ' 3601 ')) },
  'another address after signing': { served: changed('A', (line) => line.replace('192.0.2.1', '192.0.2.3')) },
  'a broken signature of MX': { served: flipped('MX') },
  'a broken signature of TXT': { served: flipped('TXT') },
  'a broken signature of SOA': { served: flipped('SOA') },
  'a broken signature of NS': { served: flipped('NS') },
  'a broken signature of DNSKEY': { served: flipped('DNSKEY') },
  'a broken signature of NSEC': { served: flipped('NSEC') },
  'no signature of MX': { served: without((line) => signed(line) === 'MX') },
  'no signature of TXT': { served: without((line) => signed(line) === 'TXT') },
  'no signature of SOA': { served: without((line) => signed(line) === 'SOA') },
  'no signature of DNSKEY': { served: without((line) => signed(line) === 'DNSKEY') },
  'no signatures': { served: without((line) => typeOf(line) === 'RRSIG') },
  'no DNSKEY': { served: without((line) => typeOf(line) === 'DNSKEY' || signed(line) === 'DNSKEY') },
  'no NSEC': { served: without((line) => typeOf(line) === 'NSEC' || signed(line) === 'NSEC') },
  'expired on one server': {
    servedByNsd: (lines) =>
      lines.map((line) =>
        typeOf(line) === 'RRSIG'
          ? line.replace(/ 20\d{12} 20\d{12} /, ' 20240201000000 20240101000000 ')
          : line,
      ),
  },
  'no signatures on one server': {
    servedByNsd: without((line) => /^(RRSIG|NSEC|DNSKEY)$/.test(typeOf(line) ?? '')),
  },
  'NSEC3 with 100 iterations': { args: ['-3', '-', '-H', '100'] },
  'NSEC3 with 150 iterations': { args: ['-3', '-', '-H', '150'] },
  'NSEC3 with a salt': { args: ['-3', 'ABCDEF0123', '-H', '0'] },
  'NSEC3 with opt-out': { args: ['-3', '-', '-H', '0', '-A'] },
  'two algorithms, one without signatures': {
    keys: [P256, rsa('RSASHA256', 2048)],
    served: without(
      (line) => typeOf(line) === 'RRSIG' && line.split(/\s+/)[5] === '8' && signed(line) !== 'DNSKEY',
    ),
  },
  'CDS of another key': { extra: [`$. 300 IN CDS 54321 13 2 ${'CD'.repeat(32)}`] },
  'CDS that deletes': { extra: ['$. 300 IN CDS 0 0 0 00', '$. 300 IN CDNSKEY 0 3 0 AA=='] },
};

export const signingFaults: readonly ZoneFault[] = Object.entries(faults).map(([fault, signing]) => ({
  fault,
  class: 'DNSSEC',
  records: (domain) => zoneOf(domain, { fault }),
  signing,
}));
