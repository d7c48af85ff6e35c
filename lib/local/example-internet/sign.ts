/** Signs record sets with one ECDSA P-256 key per zone (RFC 6605), created at each start. */
import { generateKeyPairSync, sign } from 'node:crypto';
import { type Answer, type DnskeyData, type DsData, encode } from 'dns-packet';
import { decodeMessage } from '../../../shared/network/dns-wire.ts';
import { countLabels, signedOctets } from '../../../shared/protocol/dnssec/canonical.ts';
import { dsDigest, keyTag } from '../../../shared/protocol/dnssec/dnskey.ts';

interface ZoneSigner {
  readonly dnskey: DnskeyData;
  readonly ds: DsData;
  /** The RRSIG of one complete record set, valid from an hour before `now` for a week. */
  sign(set: readonly Answer[], now: Date): Answer;
}

const ECDSA_P256_SHA256 = 13;
const SHA256 = 2;
/** Zone key and secure entry point: one key signs everything (RFC 4034 section 2.1.1). */
const FLAGS = 257;
const PROTOCOL = 3;
const HOUR = 3600;
const WEEK = 7 * 86_400;

/** Creates the key of a zone. */
export function createZoneSigner(zone: string): ZoneSigner {
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const { x = '', y = '' } = publicKey.export({ format: 'jwk' });
  const key = Buffer.concat([Buffer.from(x, 'base64url'), Buffer.from(y, 'base64url')]);
  const rdata = Buffer.concat([Buffer.of(FLAGS >> 8, FLAGS & 0xff, PROTOCOL, ECDSA_P256_SHA256), key]);
  const tag = keyTag(rdata);
  const digest = Buffer.from(dsDigest(zone, rdata, SHA256) ?? []);
  return {
    dnskey: { flags: FLAGS, algorithm: ECDSA_P256_SHA256, key },
    ds: { keyTag: tag, algorithm: ECDSA_P256_SHA256, digestType: SHA256, digest },
    sign(set, now) {
      // Signatures cover the wire form, so sign the form that dns-packet sends to clients.
      const records = decodeMessage(encode({ type: 'response', answers: [...set] })).answers;
      const { name, type, ttl } = records[0] ?? { name: zone, type: '', ttl: 0 };
      const seconds = Math.floor(now.getTime() / 1000);
      const header = {
        typeCovered: type,
        algorithm: ECDSA_P256_SHA256,
        labels: countLabels(name),
        expiration: seconds + WEEK,
        inception: seconds - HOUR,
        keyTag: tag,
      };
      const octets = signedOctets(
        { name, type, ttl, rdata: records.map((record) => record.rdata), signatures: [] },
        { ...header, originalTtl: ttl, signerName: zone },
      );
      if (octets === undefined) throw new Error(`${name} ${type} cannot be signed`);
      const signature = sign('sha256', octets, { key: privateKey, dsaEncoding: 'ieee-p1363' });
      const data = { ...header, originalTTL: ttl, signersName: zone, signature };
      return { name, type: 'RRSIG', ttl, data };
    },
  };
}
