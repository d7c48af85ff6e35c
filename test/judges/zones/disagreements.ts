/**
 * Where other programs judge a faulty zone otherwise than the product, and why. The judge fails without an explanation, and
 * with one that is no longer needed. `npm run docs` prints the table.
 */
import type { FaultClass } from './zone-fault.ts';

export interface Disagreement {
  readonly judge: string;
  /** Who finds a fault there. */
  readonly who: 'ours' | 'theirs';
  readonly class: FaultClass;
  readonly faults: readonly string[];
  /** With the section that decides. */
  readonly why: string;
}

const ofMxHost =
  'The address is that of the MX host, which they are not asked about; its set has a signature of its own (RFC 4035 section 2.2).';

/** @param faults Faults, separated by semicolons, and why. */
const says = (
  judge: string,
  who: Disagreement['who'],
  of: FaultClass,
  faults: Readonly<Record<string, string>>,
): Disagreement[] =>
  Object.entries(faults).map(([names, why]) => ({ judge, who, class: of, faults: names.split('; '), why }));

export const disagreements: readonly Disagreement[] = [
  ...says('delv', 'ours', 'DNSSEC', {
    'RSASHA1; NSEC3RSASHA1':
      'Validators must treat the zone as unsigned (RFC 9905 section 2); BIND 9.18 is older and still validates SHA-1.',
    'a stale DS; a stale DS of another algorithm; a wrong SHA-1 beside SHA-256':
      'One DS record that matches is sufficient (RFC 4035 section 5.3.1), so delv has nothing to say; the others are left over (section 2.4).',
    'expires in an hour; expires in a day; CDS of another key; CDS that deletes':
      'delv judges what is valid now; we warn of what is about to break (RFC 6781 section 4.4.2, RFC 7344 section 4.1, RFC 8078 section 4).',
    'two algorithms, one without signatures; expired on one server; no signatures on one server':
      'One valid signature from one server is sufficient for delv and its resolver (RFC 4035 section 5.3.3); the zone must be signed by each algorithm (section 2.2), and by each server.',
    'another address after signing': ofMxHost,
  }),
  ...says('dnsviz', 'ours', 'DNSSEC', {
    'another address after signing': ofMxHost,
  }),
  ...says('Zonemaster', 'ours', 'DNSSEC', {
    'another address after signing': ofMxHost,
  }),
  ...says('dnsviz', 'theirs', 'DNSSEC', {
    'RSASHA512 of 2048 bits':
      'Every validator must support the algorithm (RFC 8624 section 3.1), so no mail is at risk; it is only not recommended for new zones.',
  }),
  ...says('Zonemaster', 'theirs', 'DNSSEC', {
    'RSASHA512 of 2048 bits': 'As for dnsviz (RFC 8624 section 3.1).',
  }),
  ...says('dnsviz', 'ours', 'DNSSEC', {
    'no DS':
      'dnsviz shows the state of the delegation (insecure) and no warning; a zone that is signed in vain is worth one (RFC 4033 section 2).',
    'a stale DS; expires in an hour; expires in a day':
      'dnsviz warns neither of a DS record without a key beside one with a key (RFC 4035 section 2.4) nor ahead of time (RFC 6781 section 4.4.2).',
    'another DMARC after signing':
      'dnsviz looks up the names that it is given; the DMARC record is at another name (RFC 9989 section 4.4).',
  }),
  ...says('dnsviz', 'theirs', 'DNSSEC', {
    'a broken signature of NS':
      'Resolvers follow the NS records of the parent zone, which are not signed (RFC 4035 section 2.2), so the delivery of mail does not depend on this set.',
  }),
  ...says('Zonemaster', 'ours', 'DNSSEC', {
    'another MX after signing; another SPF after signing; another DMARC after signing; a broken signature of MX; a broken signature of TXT; no signature of MX; no signature of TXT':
      'Zonemaster validates DNSKEY, SOA and NSEC records. Each set that mail needs has signatures of its own (RFC 4035 section 2.2), which can be broken alone.',
    'another algorithm; an unknown algorithm alone':
      'Zonemaster 5.0 leaves out DS records whose algorithm differs from that of the key; validators require the same one (RFC 4035 section 5.2).',
    'expires in a day; CDS that deletes':
      'Zonemaster warns in the last twelve hours only, and does not judge what a zone asks of its parent (RFC 6781 section 4.4.2, RFC 8078 section 4).',
  }),
  ...says('Zonemaster', 'theirs', 'DNSSEC', {
    'valid for ten years':
      'There is no limit: the owner weighs replays against outages (RFC 6781 section 4.4.2), and such signatures break no mail.',
  }),
  ...says('Zonemaster', 'ours', 'MX', {
    'null MX with a preference; dangling MX; MX without address; to an alias; to localhost; to a name that does not exist; to loopback; to a host that does not listen; without TLS; with an expired certificate; with a certificate of another name; with a self-signed certificate; with a greeting of 554':
      'Zonemaster checks that a domain can receive mail at all, and neither the hosts nor their certificates (RFC 5321 section 5.1, RFC 7505 section 3).',
  }),
  ...says('posttls-finger', 'ours', 'DANE', {
    'usage 0 alone; usage 1 alone; an unknown usage':
      'Without a usable record, posttls-finger trusts the authorities of the web; for mail, the records have no effect (RFC 7672 section 3.1.3), which their owner should know.',
    'zone not signed; zone without DS':
      'Senders ignore TLSA records without DNSSEC (RFC 7672 section 2.2.2), as posttls-finger does without a word; their owner should know.',
  }),
  ...says('danetool', 'ours', 'DANE', {
    'usage 0 alone; usage 1 alone':
      'danetool judges records for any protocol; for mail, these have no effect (RFC 7672 section 3.1.3).',
    'another name with 2 1 1':
      'danetool compares the certificate with the record alone; senders check the name, too (RFC 7672 section 3.2.2).',
    'the stronger digest of another key':
      'danetool accepts a match of any record; senders use only the strongest digest of a usage and selector (RFC 7671 section 9).',
    'TLS 1.0 alone':
      "danetool says nothing of the version of TLS, which must no longer be used (RFC 8996 section 4); senders' libraries refuse it.",
  }),
  ...says('danetool', 'theirs', 'DANE', {
    '2 0 0 without the authority in the chain':
      'The record has the whole certificate, with which OpenSSL, and so Postfix, completes the chain; a server must send what a record has only the digest of (RFC 7671 section 5.2.2).',
  }),
  ...says('checkdmarc', 'ours', 'DMARC', {
    'upper case at quarantine':
      'Names of tags are case-sensitive (RFC 9989 section 4.7, RFC 6376 section 3.2): receivers may ignore the tag `P`, and with it the policy.',
    'public suffix':
      'A domain that is no public suffix must not say that it is one (RFC 9989 section 4.7, `psd`): its subdomains then have another organizational domain.',
  }),
  ...says('checkdmarc', 'ours', 'SPF', {
    'neutral for nobody; nothing in SPF; pass all; neutral all; no all; exists for everyone; wide range':
      'The record is valid, and checkdmarc reports what it says; it authorizes everybody, or protects from nobody (RFC 7208 sections 4.7, 5.1, 5.7 and 8.2).',
    'duplicate term':
      'Valid, and without effect: the first mechanism that matches decides (RFC 7208 section 4.6.2).',
  }),
  ...says('checkdmarc', 'ours', 'TLS-RPT', {
    'TLS-RPT mailbox of another domain':
      'Only the service knows whose mailbox it is; the record is valid (RFC 8460 section 3).',
    'duplicate TLS-RPT address':
      'A field that is repeated is no syntax of the record, and senders may use either or none (RFC 8460 section 3).',
  }),
  ...says('checkdmarc', 'theirs', 'MTA-STS', {
    'none, an unknown field':
      'Fields that are unknown must be ignored (RFC 8461 section 3.2): that is no fault.',
  }),
  ...says('checkdmarc', 'ours', 'MTA-STS', {
    'mode none; max_age of a minute':
      'The policy is valid, and protects nobody (RFC 8461 sections 3.2 and 5).',
    'another mx in the policy; wildcard of another level':
      'checkdmarc says so of the MX records instead (RFC 8461 section 4.1).',
  }),
  ...says('checkdmarc', 'theirs', 'MX', {
    'to the domain itself': 'We say so of the MTA-STS policy instead (RFC 8461 section 4.1).',
    'twice to one host':
      'A second record of the same host only repeats a delivery that failed (RFC 5321 section 5.1): no mail is lost.',
  }),
];
