import * as z from 'zod/mini';
import { count, described, list, text } from '../../protocol/schema.ts';
import { isFalse, outcome, valid } from '../result-fields.ts';

export const dsRecord = z.object({
  keyTag: described(count, 'The key tag of the referenced DNSKEY record', 20326),
  algorithm: described(count, 'The algorithm of the referenced key, by its number at IANA', 13),
  digestType: described(count, 'The algorithm of the digest, by its number at IANA', 2),
  digest: described(text, 'The digest of the key in uppercase hexadecimal', '1F8A...9C04'),
});

export const dnssecResult = z.object({
  enabled: described(isFalse, 'Whether the parent zone has a DS record for the zone', true),
  valid,
  chainValid: described(isFalse, 'Whether the chain of trust from the root zone is valid', true),
  dsRecords: described(z._default(list(dsRecord), []), 'The DS records in the parent zone'),
  nameServers: described(
    z.exactOptional(list(text)),
    'The name servers of the zone; missing if their lookup failed',
    ['ns1.example.net', 'ns2.example.net'],
  ),
  ...outcome,
});

export type DnssecResult = z.infer<typeof dnssecResult>;
