import { generateKeyPairSync } from 'node:crypto';
import { servedFindings, signingFindings } from '../../../../../shared/checks/dnssec/signing.ts';
import { outcomeOf } from '../../../../../shared/checks/outcome.ts';
import type { DsRecord, RecordSet } from '../../../../../shared/protocol/dns.ts';
import { dsDigest, keyTag, zoneKeys } from '../../../../../shared/protocol/dnssec/dnskey.ts';
import { createEffort } from '../../../../../shared/protocol/dnssec/effort.ts';
import { createVerifier } from '../../../../../shared/protocol/dnssec/signature.ts';
import { dnssecSigningRules } from '../../../../../shared/protocol/findings/dnssec-signing.ts';
import { clock, makeKey, now, rdata, signed, unsigned } from '../../dnssec/signed-world.ts';
import { examplesOf } from './example.ts';

const ZONE = 'example.org';
const [first, second] = [makeKey(ZONE), makeKey(ZONE, 15)];
const soa = { name: ZONE, type: 'SOA', rdata: [rdata.SOA(ZONE)] };

function rsaKey(bits: number): Uint8Array {
  const { publicKey } = generateKeyPairSync('rsa', { modulusLength: bits });
  const { n = '', e = '' } = publicKey.export({ format: 'jwk' });
  const exponent = Buffer.from(e, 'base64url');
  return Buffer.concat([Buffer.of(1, 1, 3, 8, exponent.length), exponent, Buffer.from(n, 'base64url')]);
}

/** The DS record of a key. */
function dsOf(key: Uint8Array): DsRecord {
  const digest = dsDigest(ZONE, key, 2) ?? new Uint8Array();
  return { keyTag: keyTag(key), algorithm: key[3] ?? 0, digestType: 2, digest };
}

/** An NSEC3 set of this zone, without signatures. */
function nsec3(zone: string, iterations: number, salt: readonly number[]): RecordSet {
  const parameters = Buffer.of(1, 0, iterations >> 8, iterations & 0xff, salt.length, ...salt);
  const types = Buffer.of(0, 1, 0x40);
  const rest = [Buffer.of(20), Buffer.alloc(20, 1), types];
  const name = `${'0'.repeat(32)}.${zone}`;
  return { name, type: 'NSEC3', ttl: 300, rdata: [Buffer.concat([parameters, ...rest])], signatures: [] };
}

interface Input {
  readonly keys?: readonly Uint8Array[];
  readonly ds?: readonly Uint8Array[];
  readonly soa?: RecordSet;
  readonly denials?: readonly RecordSet[];
  /** The SOA records of the name servers. */
  readonly served?: readonly RecordSet[];
}

async function inspect({
  keys = [first.rdata],
  ds = [first.rdata],
  denials = [],
  served = [],
  ...rest
}: Input) {
  const soas = served.map((set, at) => ({ server: `ns${at}.example.org`, set }));
  return outcomeOf([
    ...signingFindings(ZONE, zoneKeys(keys), ds.map(dsOf), { soa: rest.soa ?? signed(soa, first), denials }),
    ...(await servedFindings(ZONE, zoneKeys(keys), soas, createVerifier(clock, createEffort()))),
  ]);
}

const good = signed(soa, first);
const expired = signed(soa, first, { expiration: now.getTime() / 1000 - 1 });
const both = { keys: [first.rdata, second.rdata], ds: [first.rdata, second.rdata] };

export const dnssecSigningExamples = examplesOf<Input>('dnssec', dnssecSigningRules, inspect, {
  // If all are bogus, the zone is.
  'dnssec-server-bogus': [{ served: [good, expired] }, { served: [expired, unsigned(soa)] }],
  'dnssec-key-short': [{ keys: [rsaKey(1024)] }, { keys: [rsaKey(1032)] }],
  'dnssec-algorithm-incomplete': [both, { ...both, soa: signed(signed(soa, first), second) }],
  'dnssec-nsec3-parameters': [
    { denials: [nsec3(ZONE, 0, [1])] },
    // The records of another zone, to which an alias leads.
    { denials: [nsec3(ZONE, 0, []), nsec3('example.net', 1, []), nsec3(`sub.${ZONE}`, 1, [])] },
  ],
});
