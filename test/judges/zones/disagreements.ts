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

export const disagreements: readonly Disagreement[] = [
  {
    judge: 'delv',
    who: 'ours',
    class: 'DNSSEC',
    faults: ['RSASHA1', 'NSEC3RSASHA1'],
    why: 'Validators must treat the zone as unsigned (RFC 9905 section 2); BIND 9.18 is older and still validates SHA-1.',
  },
  {
    judge: 'delv',
    who: 'ours',
    class: 'DNSSEC',
    faults: ['a stale DS', 'a stale DS of another algorithm', 'a wrong SHA-1 beside SHA-256'],
    why: 'One DS record that matches is sufficient (RFC 4035 section 5.3.1), so delv has nothing to say; the others are left over (section 2.4).',
  },
  {
    judge: 'delv',
    who: 'ours',
    class: 'DNSSEC',
    faults: ['expires in an hour', 'expires in a day', 'CDS of another key', 'CDS that deletes'],
    why: 'delv judges what is valid now; we warn of what is about to break (RFC 6781 section 4.4.2, RFC 7344 section 4.1, RFC 8078 section 4).',
  },
  {
    judge: 'delv',
    who: 'ours',
    class: 'DNSSEC',
    faults: [
      'two algorithms, one without signatures',
      ...['expired on one server', 'no signatures on one server'],
    ],
    why: 'One valid signature from one server is sufficient for delv and its resolver (RFC 4035 section 5.3.3); the zone must be signed by each algorithm (section 2.2), and by each server.',
  },
  ...['delv', 'dnsviz', 'Zonemaster'].map(
    (judge): Disagreement => ({
      judge,
      who: 'ours',
      class: 'DNSSEC',
      faults: ['another address after signing'],
      why: 'The address is that of the MX host, which they are not asked about; its set has a signature of its own (RFC 4035 section 2.2).',
    }),
  ),
  {
    judge: 'dnsviz',
    who: 'theirs',
    class: 'DNSSEC',
    faults: ['RSASHA512 of 2048 bits'],
    why: 'Every validator must support the algorithm (RFC 8624 section 3.1), so no mail is at risk; it is only not recommended for new zones.',
  },
  {
    judge: 'Zonemaster',
    who: 'theirs',
    class: 'DNSSEC',
    faults: ['RSASHA512 of 2048 bits'],
    why: 'As for dnsviz (RFC 8624 section 3.1).',
  },
  {
    judge: 'dnsviz',
    who: 'ours',
    class: 'DNSSEC',
    faults: ['no DS'],
    why: 'dnsviz shows the state of the delegation (insecure) and no warning; a zone that is signed in vain is worth one (RFC 4033 section 2).',
  },
  {
    judge: 'dnsviz',
    who: 'ours',
    class: 'DNSSEC',
    faults: ['a stale DS', 'expires in an hour', 'expires in a day'],
    why: 'dnsviz warns neither of a DS record without a key beside one with a key (RFC 4035 section 2.4) nor ahead of time (RFC 6781 section 4.4.2).',
  },
  {
    judge: 'dnsviz',
    who: 'ours',
    class: 'DNSSEC',
    faults: ['another DMARC after signing'],
    why: 'dnsviz looks up the names that it is given; the DMARC record is at another name (RFC 9989 section 4.4).',
  },
  {
    judge: 'dnsviz',
    who: 'theirs',
    class: 'DNSSEC',
    faults: ['a broken signature of NS'],
    why: 'Resolvers follow the NS records of the parent zone, which are not signed (RFC 4035 section 2.2), so the delivery of mail does not depend on this set.',
  },
  {
    judge: 'Zonemaster',
    who: 'ours',
    class: 'DNSSEC',
    faults: [
      ...['another MX after signing', 'another SPF after signing', 'another DMARC after signing'],
      ...[
        'a broken signature of MX',
        'a broken signature of TXT',
        'no signature of MX',
        'no signature of TXT',
      ],
    ],
    why: 'Zonemaster validates DNSKEY, SOA and NSEC records. Each set that mail needs has signatures of its own (RFC 4035 section 2.2), which can be broken alone.',
  },
  {
    judge: 'Zonemaster',
    who: 'ours',
    class: 'DNSSEC',
    faults: ['another algorithm', 'an unknown algorithm alone'],
    why: 'Zonemaster 5.0 leaves out DS records whose algorithm differs from that of the key; validators require the same one (RFC 4035 section 5.2).',
  },
  {
    judge: 'Zonemaster',
    who: 'ours',
    class: 'DNSSEC',
    faults: ['expires in a day', 'CDS that deletes'],
    why: 'Zonemaster warns in the last twelve hours only, and does not judge what a zone asks of its parent (RFC 6781 section 4.4.2, RFC 8078 section 4).',
  },
  {
    judge: 'Zonemaster',
    who: 'theirs',
    class: 'DNSSEC',
    faults: ['valid for ten years'],
    why: 'There is no limit: the owner weighs replays against outages (RFC 6781 section 4.4.2), and such signatures break no mail.',
  },
  {
    judge: 'Zonemaster',
    who: 'ours',
    class: 'MX',
    faults: [
      ...['null MX with a preference', 'dangling MX', 'MX without address', 'to an alias', 'to localhost'],
      ...['to a name that does not exist', 'to loopback', 'to a host that does not listen', 'without TLS'],
      ...[
        'with an expired certificate',
        'with a certificate of another name',
        'with a self-signed certificate',
      ],
      'with a greeting of 554',
    ],
    why: 'Zonemaster checks that a domain can receive mail at all, and neither the hosts nor their certificates (RFC 5321 section 5.1, RFC 7505 section 3).',
  },
  {
    judge: 'posttls-finger',
    who: 'ours',
    class: 'DANE',
    faults: ['usage 0 alone', 'usage 1 alone', 'an unknown usage'],
    why: 'Without a usable record, posttls-finger trusts the authorities of the web; for mail, the records have no effect (RFC 7672 section 3.1.3), which their owner should know.',
  },
  {
    judge: 'posttls-finger',
    who: 'ours',
    class: 'DANE',
    faults: ['zone not signed', 'zone without DS'],
    why: 'Senders ignore TLSA records without DNSSEC (RFC 7672 section 2.2.2), as posttls-finger does without a word; their owner should know.',
  },
  {
    judge: 'danetool',
    who: 'ours',
    class: 'DANE',
    faults: ['usage 0 alone', 'usage 1 alone'],
    why: 'danetool judges records for any protocol; for mail, these have no effect (RFC 7672 section 3.1.3).',
  },
  {
    judge: 'danetool',
    who: 'ours',
    class: 'DANE',
    faults: ['another name with 2 1 1'],
    why: 'danetool compares the certificate with the record alone; senders check the name, too (RFC 7672 section 3.2.2).',
  },
  {
    judge: 'danetool',
    who: 'ours',
    class: 'DANE',
    faults: ['the stronger digest of another key'],
    why: 'danetool accepts a match of any record; senders use only the strongest digest of a usage and selector (RFC 7671 section 9).',
  },
  {
    judge: 'danetool',
    who: 'ours',
    class: 'DANE',
    faults: ['TLS 1.0 alone'],
    why: "danetool says nothing of the version of TLS, which must no longer be used (RFC 8996 section 4); senders' libraries refuse it.",
  },
  {
    judge: 'danetool',
    who: 'theirs',
    class: 'DANE',
    faults: ['2 0 0 without the authority in the chain'],
    why: 'The record has the whole certificate, with which OpenSSL, and so Postfix, completes the chain; a server must send what a record has only the digest of (RFC 7671 section 5.2.2).',
  },
  {
    judge: 'checkdmarc',
    who: 'ours',
    class: 'DMARC',
    faults: ['upper case at quarantine'],
    why: 'Names of tags are case-sensitive (RFC 9989 section 4.7, RFC 6376 section 3.2): receivers may ignore the tag `P`, and with it the policy.',
  },
  {
    judge: 'checkdmarc',
    who: 'ours',
    class: 'DMARC',
    faults: ['public suffix'],
    why: 'A domain that is no public suffix must not say that it is one (RFC 9989 section 4.7, `psd`): its subdomains then have another organizational domain.',
  },
  {
    judge: 'checkdmarc',
    who: 'ours',
    class: 'SPF',
    faults: [
      'neutral for nobody',
      'nothing in SPF',
      'pass all',
      'neutral all',
      'no all',
      'exists for everyone',
      'wide range',
    ],
    why: 'The record is valid, and checkdmarc reports what it says; it authorizes everybody, or protects from nobody (RFC 7208 sections 4.7, 5.1, 5.7 and 8.2).',
  },
  {
    judge: 'checkdmarc',
    who: 'ours',
    class: 'SPF',
    faults: ['duplicate term'],
    why: 'Valid, and without effect: the first mechanism that matches decides (RFC 7208 section 4.6.2).',
  },
  {
    judge: 'checkdmarc',
    who: 'ours',
    class: 'TLS-RPT',
    faults: ['TLS-RPT mailbox of another domain'],
    why: 'Only the service knows whose mailbox it is; the record is valid (RFC 8460 section 3).',
  },
  {
    judge: 'checkdmarc',
    who: 'ours',
    class: 'TLS-RPT',
    faults: ['duplicate TLS-RPT address'],
    why: 'A field that is repeated is no syntax of the record, and senders may use either or none (RFC 8460 section 3).',
  },
  {
    judge: 'checkdmarc',
    who: 'theirs',
    class: 'MTA-STS',
    faults: ['none, an unknown field'],
    why: 'Fields that are unknown must be ignored (RFC 8461 section 3.2): that is no fault.',
  },
  {
    judge: 'checkdmarc',
    who: 'ours',
    class: 'MTA-STS',
    faults: ['mode none', 'max_age of a minute'],
    why: 'The policy is valid, and protects nobody (RFC 8461 sections 3.2 and 5).',
  },
  {
    judge: 'checkdmarc',
    who: 'ours',
    class: 'MTA-STS',
    faults: ['another mx in the policy', 'wildcard of another level'],
    why: 'checkdmarc says so of the MX records instead (RFC 8461 section 4.1).',
  },
  {
    judge: 'checkdmarc',
    who: 'theirs',
    class: 'MX',
    faults: ['to the domain itself'],
    why: 'We say so of the MTA-STS policy instead (RFC 8461 section 4.1).',
  },
  {
    judge: 'checkdmarc',
    who: 'theirs',
    class: 'MX',
    faults: ['twice to one host'],
    why: 'A second record of the same host only repeats a delivery that failed (RFC 5321 section 5.1): no mail is lost.',
  },
];
