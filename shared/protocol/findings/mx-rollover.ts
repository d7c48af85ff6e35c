/** The rules of the MX check about TLSA records that the next certificate of a host does not match (RFC 7671 section 8). */
import { dayInWords } from '../time.ts';
import { type Rules, rule } from './finding.ts';

const ROLLOVER = 'RFC 7671 section 8.1';

interface Rollover {
  readonly host: string;
  /** The name of the TLSA records. */
  readonly name: string;
  /** The day on which the next renewal is expected. */
  readonly due: string;
  /** The parameters of the records that match today, such as `3 1 1`. */
  readonly records: readonly string[];
  /** What was seen. */
  readonly evidence: readonly string[];
  /** The record set to publish before the renewal; empty if only the owner knows the next key. */
  readonly publish: readonly string[];
}

/** First the record, then the certificate: in another order, senders with DANE do not deliver in between. */
const steps = ({ name, due, records, publish }: Rollover): string =>
  publish.length > 0
    ? `Publish these TLSA records at ${name} before ${dayInWords(due)}, the present ones included: ${publish.join('; ')}. The new one matches today and after the renewal. Preview the set first. Remove the old records only when the renewed certificate is served, and this check reports no mismatch.`
    : `Before ${dayInWords(due)}: create the key of the next certificate; publish a TLSA record 3 1 1 with its SHA-256 digest at ${name}, beside the present ones (${records.join(', ')}); wait twice the TTL of the records; then renew the certificate with that key. Remove the old records only when the new certificate is served. If your software can keep the key when it renews, and you publish 3 1 1, no renewal needs a change of DNS.`;

export const mxRolloverRules = {
  'mx-tlsa-renewal-breaks': rule<Rollover>({
    severity: 'notice',
    raisesAlert: true,
    says: ({ host, due, records, evidence }) =>
      `The next renewal of the certificate of the MX host ${host}, expected about ${dayInWords(due)}, leaves no TLSA record that matches (now ${records.join(', ')}): ${evidence.join('; ')}. From then on, senders with DANE do not deliver.`,
    cites: ROLLOVER,
    fix: steps,
    subject: 'host',
  }),
  'mx-tlsa-renewal-unknown': rule<Rollover & { prepared: boolean }>({
    severity: 'notice',
    says: ({ host, due, records, evidence, prepared }) =>
      `The certificate of the MX host ${host} is due for renewal about ${dayInWords(due)}, and nothing shows that a TLSA record matches after it (now ${records.join(', ')}): ${evidence.join('; ')}${prepared ? '; other records beside them may be for the next certificate' : ''}.`,
    cites: ROLLOVER,
    fix: steps,
    subject: 'host',
  }),
} satisfies Rules;
