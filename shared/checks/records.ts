/** Records as text that can be compared between check runs. */

import type { DsRecord, MxRecord } from '../protocol/dns.ts';

/** An MX record as text; its exchange is a dot for a null MX. */
export const mxText = ({ preference, exchange }: MxRecord): string => `${preference} ${exchange || '.'}`;

/** A DS record as text. The digest is in upper-case hexadecimal, or its octets. */
export const dsText = ({
  keyTag,
  algorithm,
  digestType,
  digest,
}: Omit<DsRecord, 'digest'> & { readonly digest: string | Uint8Array }): string =>
  [
    keyTag,
    algorithm,
    digestType,
    typeof digest === 'string' ? digest : Buffer.from(digest).toString('hex').toUpperCase(),
  ].join(' ');

/** How the name servers of a zone begin among what a check depends on. */
export const NAME_SERVER = 'NS ';
