/** The rules of the MX check about TLSA records that the next certificate of a host does not match (RFC 7671 section 8). */
import { dayInWords } from '../time.ts';
import { type Rules, rule } from './finding.ts';

const ROLLOVER = 'RFC 7671 section 8.1';

interface Rollover {
  readonly host: string;
  /** The name of the TLSA records. */
  readonly name: string;
  /** The day on which the next renewal is expected, or `DUE_NOW`. */
  readonly due: string;
  /** The parameters of the records that match today, such as `3 1 1`. */
  readonly records: readonly string[];
  /** What was seen. */
  readonly evidence: readonly string[];
  /** The record set to publish before the renewal, the new record last; empty if only the owner knows the next key. */
  readonly publish: readonly string[];
}

/** First the record, then the certificate: in another order, senders with DANE do not deliver in between. */
function steps({ name, due, records, publish }: Rollover): string {
  const before = due === DUE_NOW ? 'At once, before the certificate is renewed' : `Before ${dayInWords(due)}`;
  const added = publish.at(-1);
  if (added !== undefined)
    return `${before}, publish this TLSA record at ${name}, beside all that are there: ${added}. It matches today and after the renewal. Preview the set first. Remove the old records only when the renewed certificate is served, and this check reports no mismatch.`;
  // Senders use the strongest digest that a set has for a usage and selector (RFC 7671 section 9).
  const [next, digest] = records.includes('3 1 2') ? ['3 1 2', 'SHA-512'] : ['3 1 1', 'SHA-256'];
  return `${before}: create the key of the next certificate; publish a TLSA record ${next} with its ${digest} digest at ${name}, beside all that are there; wait twice the TTL of the records; then renew the certificate with that key. Remove the old records only when the new certificate is served. If your software does all of this at each renewal, nothing needs to be done. If it can keep the key when it renews, and you publish ${next}, no renewal needs a change of DNS.`;
}

const about = (due: string): string => (due === DUE_NOW ? due : `about ${dayInWords(due)}`);

/** In place of a day: the renewal is overdue. */
export const DUE_NOW = 'any day now';

export const mxRolloverRules = {
  'mx-tlsa-renewal-breaks': rule<Rollover>({
    severity: 'notice',
    raisesAlert: true,
    says: ({ host, due, records, evidence }) =>
      `The next renewal of the certificate of the MX host ${host}, expected ${about(due)}, leaves no TLSA record that matches (now ${records.join(', ')}), unless the records change before it: ${evidence.join('; ')}. Senders with DANE then do not deliver.`,
    cites: ROLLOVER,
    fix: steps,
    subject: 'host',
  }),
  'mx-tlsa-renewal-unknown': rule<Rollover & { prepared: boolean }>({
    severity: 'notice',
    says: ({ host, due, records, evidence, prepared }) =>
      `The certificate of the MX host ${host} is due for renewal ${about(due)}, and nothing shows that a TLSA record matches after it (now ${records.join(', ')}): ${evidence.join('; ')}${prepared ? '; other records beside them may be for the next certificate' : ''}.`,
    cites: ROLLOVER,
    fix: steps,
    subject: 'host',
  }),
} satisfies Rules;
