/**
 * A small internet in which every domain is in order: signed and unsigned ones, with and without MTA-STS and BIMI, a
 * subdomain that inherits its policy, and a parked domain. Signatures are real, and so is trouble with them.
 */

import { createPublicKey, randomBytes } from 'node:crypto';
import type { CheckContext } from '../../shared/checks/inspect.ts';
import type { UsageType } from '../../shared/checks/state.ts';
import type { Clock, Network, Smtp, Web } from '../../shared/network/ports.ts';
import type {
  Denial,
  Dns,
  RecordData,
  RecordSet,
  RecordType,
  TlsaRecord,
} from '../../shared/protocol/dns.ts';
import { parentName } from '../../shared/protocol/dnssec/canonical.ts';
import { isWithin } from '../../shared/protocol/domain-name.ts';
import { createAuthority } from '../kit/certificates.ts';
import { fakeWeb } from '../kit/web.ts';
import { recordsOf, type ZoneLiteral, type ZoneNode, zone } from '../kit/zone.ts';
import { denialSets } from '../shared/protocol/dnssec/signed-denials.ts';
import {
  anchorOf,
  makeKey,
  now,
  rdata,
  signed,
  type TestKey,
} from '../shared/protocol/dnssec/signed-world.ts';

const DAY = 86_400_000;
export const start = now;

const authority = createAuthority();
const certificate = authority.issue(['*.example']);
const pinned = { usage: 3, selector: 1, matchingType: 1, certificate: certificate.spkiSha256 };

/** Signed zones, each delegated by its parent. */
const keys = ['', 'example', 'signed.example'].map((name) => makeKey(name));
const rootKey = keys[0] ?? makeKey('');
export const trustAnchors = [anchorOf(rootKey)];

export interface Shape {
  readonly domain: string;
  readonly usage: UsageType;
}

/** Domains that meet all or most requirements of their usage type. */
export const healthy: readonly Shape[] = [
  { domain: 'signed.example', usage: 'sends-and-receives' },
  { domain: 'news.signed.example', usage: 'sends-only' },
  { domain: 'plain.example', usage: 'sends-and-receives' },
  { domain: 'parked.example', usage: 'parked' },
];

/** A domain with permanent faults, which resolver trouble must neither hide nor multiply. */
export const faulty: Shape = { domain: 'faulty.example', usage: 'sends-and-receives' };

export const names: ZoneLiteral = {
  ...Object.fromEntries(keys.map((key) => [key.zone === '' ? '.' : key.zone, apexOf(key)])),
  'signed.example': {
    ...apexOf(keys[2] ?? rootKey),
    MX: [[10, 'mx.signed.example']],
    TXT: ['v=spf1 mx include:_spf.provider.example -all'],
  },
  'mx.signed.example': { A: ['192.0.2.1'], AAAA: ['2001:db8::1'] },
  '_25._tcp.mx.signed.example': { TLSA: [pinned] },
  's1._domainkey.signed.example': { TXT: [dkimKey()] },
  '_dmarc.signed.example': { TXT: ['v=DMARC1; p=reject; rua=mailto:signed@reports.example'] },
  'signed.example._report._dmarc.reports.example': { TXT: ['v=DMARC1'] },
  '_mta-sts.signed.example': { TXT: ['v=STSv1; id=20261121'] },
  'mta-sts.signed.example': { A: ['192.0.2.80'] },
  '_smtp._tls.signed.example': { TXT: ['v=TLSRPTv1; rua=mailto:tls@signed.example'] },
  'default._bimi.signed.example': { TXT: ['v=BIMI1; l=https://www.signed.example/logo.svg'] },
  'www.signed.example': { A: ['192.0.2.80'] },
  'news.signed.example': { MX: [[10, 'mx.signed.example']], TXT: ['v=spf1 ip4:198.51.100.7 -all'] },
  'k1._domainkey.news.signed.example': { TXT: [dkimKey()] },
  'plain.example': {
    SOA: [soaOf('plain.example')],
    MX: [
      [10, 'mx1.plain.example'],
      [20, 'mx2.plain.example'],
    ],
    TXT: ['site-verification=1', 'v=spf1 a:mx1.plain.example include:nested.provider.example ~all'],
  },
  'mx1.plain.example': { A: ['192.0.2.2'] },
  'mx2.plain.example': { A: ['192.0.2.3'] },
  'google._domainkey.plain.example': { CNAME: ['plain.keys.provider.example'] },
  'plain.keys.provider.example': { TXT: [dkimKey()] },
  '_dmarc.plain.example': { TXT: ['v=DMARC1; p=quarantine; rua=mailto:dmarc@plain.example'] },
  '_smtp._tls.plain.example': { TXT: ['v=TLSRPTv1; rua=mailto:tls@plain.example'] },
  'parked.example': { SOA: [soaOf('parked.example')], MX: [[0, '.']], TXT: ['v=spf1 -all'] },
  '_dmarc.parked.example': { TXT: ['v=DMARC1; p=reject; rua=mailto:parked@signed.example'] },
  'parked.example._report._dmarc.signed.example': { TXT: ['v=DMARC1'] },
  'provider.example': { SOA: [soaOf('provider.example')] },
  '_spf.provider.example': { TXT: ['v=spf1 ip4:198.51.100.0/24 -all'] },
  'nested.provider.example': { TXT: ['v=spf1 include:_spf.provider.example a:out.provider.example -all'] },
  'out.provider.example': { A: ['203.0.113.1'], AAAA: ['2001:db8:1::1'] },
  'faulty.example': {
    SOA: [soaOf('faulty.example')],
    MX: [
      [10, 'mx.faulty.example'],
      [20, 'alias.faulty.example'],
    ],
    TXT: ['v=spf1 ptr a:gone.faulty.example ?all'],
  },
  'mx.faulty.example': { A: ['192.0.2.4'] },
  'alias.faulty.example': { CNAME: ['mx.faulty.example'] },
  's1._domainkey.faulty.example': { TXT: ['v=DKIM1; p=oops!'] },
  's2._domainkey.faulty.example': { TXT: [dkimKey()] },
  '_dmarc.faulty.example': { TXT: ['v=DMARC1; p=none; rua=mailto:faulty@reports.example'] },
  '_mta-sts.faulty.example': { TXT: ['v=STSv1; id=1'] },
  'mta-sts.faulty.example': { A: ['192.0.2.80'] },
  '_smtp._tls.faulty.example': { TXT: ['v=TLSRPTv1;'] },
};

/** A Dns with these names, signed if their zone is signed. */
export function signedZone(literal: ZoneLiteral): Dns {
  const dns = zone(literal);
  const sets = new Map<string, RecordSet>();
  const expiration = start.getTime() / 1000 + 90 * 86_400;

  function setOf(name: string, type: RecordType): RecordSet {
    const known = sets.get(`${name} ${type}`);
    if (known !== undefined) return known;
    const node = literal[name === '' ? '.' : name];
    const octets = rdataOf(type, typeof node === 'object' ? node : {}, name);
    const holder = type === 'DS' ? parentName(name) : name;
    const key = keys.findLast(({ zone: apex }) => apex === '' || isWithin(holder, apex)) ?? rootKey;
    const isUnsigned = key.zone === 'example' && name !== 'example' && type !== 'DS';
    const plain = { name, type, rdata: octets, ttl: 300, signatures: [] };
    const made = isUnsigned ? plain : signed(plain, key, { expiration });
    sets.set(`${name} ${type}`, made);
    return made;
  }

  const allSets = () =>
    Object.entries(literal).flatMap(([name, node]) =>
      Object.keys(node).map((type) => setOf(name === '.' ? '' : name, type as RecordType)),
    );

  /** The name without records of the type, and what proves it. */
  function denialOf(queried: string, type: RecordType, aliases: readonly RecordSet[]): Denial {
    const last = literal[aliases.at(-1)?.name ?? ''];
    const name = aliases.length > 0 && typeof last === 'object' ? String(last.CNAME?.[0]) : queried;
    return {
      name,
      type,
      sets: [...aliases, ...denialSets(allSets(), name, type, { signature: { expiration } })],
    };
  }

  return {
    async lookup(name, type, options) {
      const answer = await dns.lookup(name, type, options);
      if (answer.status === 'unavailable' || options?.dnssec !== true) return answer;
      const aliases = answer.aliases.map((alias) => setOf(alias, 'CNAME'));
      return answer.status === 'found'
        ? { ...answer, sets: [...aliases, setOf(answer.name, type)] }
        : { ...answer, denial: denialOf(name, type, aliases) };
    },
  };
}

const LOGO =
  '<svg xmlns="http://www.w3.org/2000/svg" version="1.2" baseProfile="tiny-ps" viewBox="0 0 9 9"><title>Example</title><desc>A circle</desc><circle r="9"/></svg>';
const policyOf = (mx: string) => ({
  type: 'text/plain',
  body: `version: STSv1\nmode: enforce\nmx: ${mx}\nmax_age: 2419200\n`,
});
const pages = fakeWeb({
  'https://mta-sts.signed.example/.well-known/mta-sts.txt': policyOf('mx.signed.example'),
  'https://mta-sts.faulty.example/.well-known/mta-sts.txt': policyOf('mx.faulty.example'),
  'https://www.signed.example/logo.svg': { type: 'image/svg+xml', body: LOGO },
});

/** A checker of this internet through `dns`, which its web client uses too. */
export function checkContextOf(dns: Dns, clock: Clock): CheckContext {
  return { network: { dns, web: webThrough(dns), smtp, clock } satisfies Network, trustAnchors };
}

function webThrough(dns: Dns): Web {
  return {
    async get(request) {
      const address = await dns.lookup(new URL(request.url).hostname, 'A');
      const evidence = { url: request.url, milliseconds: 0 };
      if (address.status === 'absent') return { status: 'absent', reason: 'no-address', evidence };
      if (address.status === 'found') return pages.get(request);
      return { status: 'unavailable', reason: 'name-resolution', detail: address.reason, evidence };
    },
  };
}

const smtp: Smtp = {
  async probe({ hostname, address }) {
    return {
      status: 'found',
      starttls: {
        status: 'established',
        // The last host of the faulty domain uses an old TLS version.
        protocol: address === '192.0.2.4' ? 'TLSv1.1' : 'TLSv1.3',
        cipher: 'TLS_AES_256_GCM_SHA384',
        certificate: {
          validFrom: new Date(start.getTime() - 30 * DAY),
          validTo: new Date(start.getTime() + 90 * DAY),
          chain: [certificate.der, authority.der],
          trusted: true,
          matchesName: true,
        },
      },
      recipient: 'not-asked',
      evidence: { hostname, address, milliseconds: 1 },
    };
  },
};

function apexOf(key: TestKey): ZoneNode {
  const ds = key.zone === '' ? {} : { DS: [anchorOf(key).ds] };
  const { algorithm, rdata: octets } = key;
  return {
    SOA: [soaOf(key.zone)],
    DNSKEY: [{ flags: 257, algorithm, key: octets.subarray(4) }],
    ...ds,
  };
}

function soaOf(apex: string) {
  return { mname: `ns.${apex}`, rname: `host.${apex}`, serial: 1, minimum: 300 };
}

function rdataOf(type: RecordType, node: ZoneNode, name: string): Uint8Array[] {
  const key = keys.find(({ zone: apex }) => apex === name) ?? rootKey;
  return recordsOf(type, node).map((record) => {
    switch (type) {
      case 'TXT':
        return textOctets(record as string);
      case 'MX': {
        const { preference, exchange } = record as RecordData['MX'];
        return rdata.MX(preference, exchange);
      }
      case 'SOA':
        return rdata.SOA(name);
      case 'DNSKEY':
        return key.rdata;
      case 'DS':
        return rdata.DS(key);
      case 'TLSA': {
        const { usage, selector, matchingType, certificate: data } = record as TlsaRecord;
        return Buffer.concat([Buffer.of(usage, selector, matchingType), data]);
      }
      default:
        return rdata.name(String(record));
    }
  });
}

/** Character-strings of at most 255 octets (RFC 1035 section 3.3.14). */
function textOctets(text: string): Uint8Array {
  const deps = text.match(/.{1,255}/g) ?? [''];
  return Buffer.concat(deps.map((part) => rdata.TXT(part)));
}

/** The character-strings of a record with data in the form of a 2048-bit RSA key. */
function dkimKey(): readonly string[] {
  const modulus = randomBytes(256);
  modulus[0] = 0x80;
  modulus[255] = 1;
  const jwk = { kty: 'RSA', n: modulus.toString('base64url'), e: 'AQAB' };
  const key = createPublicKey({ key: jwk, format: 'jwk' }).export({ type: 'spki', format: 'der' });
  const text = key.toString('base64');
  return [`v=DKIM1; p=${text.slice(0, 200)}`, text.slice(200)];
}
