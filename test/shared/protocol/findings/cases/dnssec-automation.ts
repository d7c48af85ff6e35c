import { generateKeyPairSync } from 'node:crypto';
import { automationFindings } from '../../../../../shared/checks/dnssec/automation.ts';
import { outcomeOf } from '../../../../../shared/checks/outcome.ts';
import type { DnskeyRecord, DsRecord } from '../../../../../shared/protocol/dns.ts';
import { dsDigest, type ZoneKey, zoneKeys } from '../../../../../shared/protocol/dnssec/dnskey.ts';
import { dnssecAutomationRules } from '../../../../../shared/protocol/findings/dnssec-automation.ts';
import { type ZoneNode, zone } from '../../../../kit/zone.ts';
import { examplesOf } from './example.ts';

const ZONE = 'example.org';

/** A key of a zone, with its DS record. */
function createKey() {
  const { publicKey } = generateKeyPairSync('ed25519');
  const key = publicKey.export({ type: 'spki', format: 'der' }).subarray(-32);
  const rdata = Buffer.concat([Buffer.of(1, 1, 3, 15), key]);
  const [zoneKey] = zoneKeys([rdata]);
  const digest = dsDigest(ZONE, rdata, 2);
  if (zoneKey === undefined || digest === undefined) throw new Error('no key');
  const dnskey: DnskeyRecord = { flags: 257, algorithm: 15, key };
  const ds: DsRecord = { keyTag: zoneKey.keyTag, algorithm: 15, digestType: 2, digest };
  return { zoneKey, dnskey, ds };
}

export const [present, next, foreign] = [createKey(), createKey(), createKey()];
const deleteCds: DsRecord = { keyTag: 0, algorithm: 0, digestType: 0, digest: Uint8Array.of(0) };
const deleteCdnskey: DnskeyRecord = { flags: 0, algorithm: 0, key: Uint8Array.of(0) };

interface Input extends Pick<ZoneNode, 'CDS' | 'CDNSKEY'> {
  /** The DS records of the parent; that of the present key by default. */
  readonly ds?: readonly DsRecord[];
  readonly keys?: readonly ZoneKey[];
}

export async function inspect({ ds = [present.ds], keys = [present.zoneKey], ...node }: Input) {
  const dns = zone({ [ZONE]: node });
  const asked = { cds: await dns.lookup(ZONE, 'CDS'), cdnskey: await dns.lookup(ZONE, 'CDNSKEY') };
  return outcomeOf(automationFindings(ZONE, keys, ds, asked));
}

export const dnssecAutomationExamples = examplesOf<Input>('dnssec', dnssecAutomationRules, inspect, {
  'dnssec-delete-requested': [{ CDS: [deleteCds] }, { CDS: [present.ds] }],
  'dnssec-delete-left': [
    { CDNSKEY: [deleteCdnskey], ds: [] },
    { CDNSKEY: [present.dnskey], ds: [] },
  ],
  'dnssec-cds-without-key': [{ CDS: [foreign.ds] }, { CDS: [foreign.ds, present.ds] }],
  'dnssec-cds-contradiction': [
    { CDS: [present.ds], CDNSKEY: [next.dnskey], keys: [present.zoneKey, next.zoneKey] },
    { CDS: [present.ds], CDNSKEY: [present.dnskey], keys: [present.zoneKey, next.zoneKey] },
  ],
  'dnssec-cds-pending': [
    { CDS: [next.ds], keys: [present.zoneKey, next.zoneKey] },
    { CDS: 'SERVFAIL', CDNSKEY: [next.dnskey], keys: [present.zoneKey, next.zoneKey] },
  ],
});
