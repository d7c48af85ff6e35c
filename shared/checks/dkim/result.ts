import * as z from 'zod/mini';
import { described, list, several, text } from '../../protocol/schema.ts';
import { isFalse, noCount, noText, outcome, record, valid, version } from '../result-fields.ts';

export const dkimResult = z.object({
  selector: described(text, 'The selector', 's1'),
  record: record('DKIM key', 'v=DKIM1; k=rsa; p=MIIBIjANBgkq...'),
  records: several,
  version: version('DKIM1'),
  keyType: described(noText, '`rsa` or `ed25519`', 'rsa'),
  keySize: described(noCount, 'Size of the key in bits', 2048),
  publicKey: described(
    noText,
    'Base64 as published, without whitespace; the empty string is a revoked key (RFC 6376 section 3.6.1)',
    'MIIBIjANBgkq...',
  ),
  valid,
  revoked: described(isFalse, 'Whether the key is revoked', false),
  alias: described(
    noText,
    'The target of the CNAME record at the name of the key; `null` without one',
    'selector1-example-org._domainkey.example.onmicrosoft.com',
  ),
  testing: described(
    isFalse,
    'Test mode (t=y): verifiers treat mail that is signed with this key as unsigned',
    false,
  ),
  ...outcome,
});

export type DkimResult = z.infer<typeof dkimResult>;

/** The DKIM check as a whole: one result per selector found, and findings about the search. */
export const dkimCheck = z.object({
  selectors: z._default(list(dkimResult), []),
  allUsed: described(
    z.exactOptional(z.boolean()),
    'Whether reports of large receivers saw mail with each valid key in the last 90 days; absent in checks that know no reports',
    true,
  ),
  ...outcome,
});

export type DkimCheck = z.infer<typeof dkimCheck>;
