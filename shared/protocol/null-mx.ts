/** A domain that says that it accepts no mail (RFC 7505 section 3). */
import type { Answer, MxRecord } from './dns.ts';

export const isNullMx = ({ exchange }: Pick<MxRecord, 'exchange'>): boolean => exchange === '';

/** Whether there is a null MX and no other MX record. */
export const acceptsNoMail = (mx: Answer<MxRecord>): boolean =>
  mx.status === 'found' && mx.records.every(isNullMx);
