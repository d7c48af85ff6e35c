import type { Domain } from './domain.ts';

/** The TXT record that proves the ownership of a domain. */
export interface VerificationRecord {
  readonly hostname: string;
  readonly type: 'TXT';
  readonly value: string;
}

/** @param naming `serviceLabel`: the name of the service in the record. */
export const verificationRecordOf = (
  { domain, verificationToken }: Pick<Domain, 'domain' | 'verificationToken'>,
  { serviceLabel }: { readonly serviceLabel: string },
): VerificationRecord => ({
  hostname: `_${serviceLabel}.${domain}`,
  type: 'TXT',
  value: `${serviceLabel}-verify=${verificationToken}`,
});
