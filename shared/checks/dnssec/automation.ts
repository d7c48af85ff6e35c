/**
 * What a zone asks its parent to do with the DS records (RFC 7344, RFC 8078), beside what the parent has. Registries read CDS and
 * CDNSKEY records for years after they were published, so that one that was left behind still acts.
 */
import type { Answer, DnskeyRecord, DsRecord } from '../../protocol/dns.ts';
import {
  delegatedKeys,
  isSupportedDs,
  keyTag,
  matchesDs,
  type ZoneKey,
} from '../../protocol/dnssec/dnskey.ts';
import { dnssecAutomationRules } from '../../protocol/findings/dnssec-automation.ts';
import { type Finding, raiser } from '../../protocol/findings/finding.ts';

const raise = raiser(dnssecAutomationRules);

/** RFC 8078 section 4: a single record of this algorithm asks for the removal of all DS records. */
const DELETE = 0;

/** More are not compared: each pair costs a digest. */
const MAX_RECORDS = 16;

/** What a signed zone answers about its CDS and CDNSKEY records. */
export interface Asked {
  readonly cds: Answer<DsRecord>;
  readonly cdnskey: Answer<DnskeyRecord>;
}

/** Findings about a signed zone. A failed lookup says nothing. */
export function automationFindings(
  zone: string,
  keys: readonly ZoneKey[],
  ds: readonly DsRecord[],
  { cds, cdnskey }: Asked,
): readonly Finding[] {
  if (cds.status === 'unavailable' || cdnskey.status === 'unavailable') return [];
  const wanted = cds.status === 'found' && cds.aliases.length === 0 ? cds.records : [];
  const wantedKeys = cdnskey.status === 'found' && cdnskey.aliases.length === 0 ? cdnskey.records : [];
  if (wanted.length > MAX_RECORDS || wantedKeys.length > MAX_RECORDS) return [];
  if ([...wanted, ...wantedKeys].some(({ algorithm }) => algorithm === DELETE))
    return [
      ds.length > 0 ? raise('dnssec-delete-requested', { zone }) : raise('dnssec-delete-left', { zone }),
    ];
  const tags = [...wanted.map((one) => one.keyTag), ...wantedKeys.map((one) => keyTag(rdataOf(one)))];
  if (tags.length === 0) return [];
  const isServed = (of: ZoneKey) =>
    delegatedKeys(zone, [of], wanted).length > 0 || wantedKeys.some((one) => isSameKey(one, of));
  if (!keys.some(isServed) && (wantedKeys.length > 0 || wanted.some(isSupportedDs)))
    return [raise('dnssec-cds-without-key', { zone, wanted: shown(tags) })];
  const isContradicted = wanted.length > 0 && wantedKeys.length > 0 && !agree(zone, wanted, wantedKeys);
  const [asks, has] = [shown(tags), shown(ds.map((one) => one.keyTag))];
  return [
    ...(isContradicted ? [raise('dnssec-cds-contradiction', { zone })] : []),
    ...(asks.join() === has.join() ? [] : [raise('dnssec-cds-pending', { zone, wanted: asks, has })]),
  ];
}

/** RFC 7344 section 4: if both are published, they must be for the same keys. Digests that are not supported say nothing. */
function agree(zone: string, wanted: readonly DsRecord[], keys: readonly DnskeyRecord[]): boolean {
  const asKeys = keys.map(asZoneKey);
  const judged = wanted.filter(isSupportedDs);
  return (
    judged.every((ds) => asKeys.some((key) => matchesDs(zone, key, ds))) &&
    (judged.length < wanted.length || asKeys.every((key) => judged.some((ds) => matchesDs(zone, key, ds))))
  );
}

/** RFC 4034 section 2.1; the protocol is always 3. */
function rdataOf({ flags, algorithm, key }: DnskeyRecord): Uint8Array {
  return Buffer.concat([Buffer.of(flags >> 8, flags & 0xff, 3, algorithm), key]);
}

function asZoneKey(record: DnskeyRecord): ZoneKey {
  const rdata = rdataOf(record);
  return { flags: record.flags, algorithm: record.algorithm, keyTag: keyTag(rdata), rdata };
}

const isSameKey = (record: DnskeyRecord, { rdata }: ZoneKey): boolean =>
  Buffer.compare(rdataOf(record), rdata) === 0;

const shown = (tags: readonly number[]): string[] => [...new Set(tags)].toSorted((a, b) => a - b).map(String);
