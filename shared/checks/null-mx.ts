/** A domain that says that it accepts no mail. */
import type { Answer, MxRecord } from '../protocol/dns.ts';

/** Whether there is a null MX and no other MX record (RFC 7505 section 3). */
export const acceptsNoMail = (mx: Answer<MxRecord>): boolean =>
  mx.status === 'found' && mx.records.every(({ exchange }) => exchange === '');
