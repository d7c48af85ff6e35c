/** The rules of the DNSSEC check about CDS and CDNSKEY records, by which a zone asks its parent to change its DS records. */
import { type Rules, rule } from './finding.ts';

const DELETING = 'RFC 8078 section 4';

/** Key tags. */
interface Wanted {
  readonly zone: string;
  readonly wanted: readonly string[];
}

/** `key tag 1`, or `key tags 1, 2` */
export const keyTags = (tags: readonly (string | number)[]): string =>
  `${tags.length === 1 ? 'key tag' : 'key tags'} ${tags.join(', ')}`;

export const dnssecAutomationRules = {
  'dnssec-delete-requested': rule<{ zone: string }>({
    severity: 'warning',
    says: ({ zone }) =>
      `${zone} has a CDS or CDNSKEY record that asks its parent to remove the DS records. A registry that reads such records ends DNSSEC for the zone at any time, and DANE of its mail hosts with it.`,
    cites: DELETING,
    fix: ({ zone }) =>
      `If ${zone} is to stay signed, remove the record with algorithm 0, or let your DNS provider publish CDS records of its keys. If you are leaving DNSSEC, remove the keys only when the DS records are gone and their TTL has passed.`,
  }),
  'dnssec-delete-left': rule<{ zone: string }>({
    severity: 'notice',
    says: ({ zone }) =>
      `${zone} is signed and has no DS record, and a CDS or CDNSKEY record with algorithm 0 is left behind: a registry that reads such records removes a DS record that you add.`,
    cites: DELETING,
    fix: 'Remove the record with algorithm 0 before you add a DS record at your registrar.',
  }),
  'dnssec-cds-without-key': rule<Wanted>({
    severity: 'warning',
    says: ({ zone, wanted }) =>
      `The CDS or CDNSKEY records of ${zone} (${keyTags(wanted)}) match no key of the zone. If its parent took them over, all names of the zone would be bogus.`,
    cites: 'RFC 7344 section 4.1',
    fix: 'Remove these records, or let your DNS provider publish records of the present keys.',
  }),
  'dnssec-cds-contradiction': rule<{ zone: string }>({
    severity: 'warning',
    says: ({ zone }) =>
      `The CDS and CDNSKEY records of ${zone} are for different keys, so the result depends on which of them its parent reads.`,
    cites: 'RFC 7344 section 4',
    fix: 'Publish CDS and CDNSKEY records of the same keys, or only one of the two types.',
  }),
  'dnssec-cds-pending': rule<Wanted & { has: readonly string[] }>({
    severity: 'notice',
    says: ({ zone, wanted, has }) =>
      `${zone} asks its parent for DS records with the ${keyTags(wanted)}, and the parent has ${has.length === 0 ? 'none' : has.join(', ')}.`,
    cites: 'RFC 7344 section 6.1',
    fix: 'If that lasts for more than a few days, the registry does not read CDS records: change the DS records at your registrar. Do not remove a key before the DS record of its successor is published.',
  }),
} satisfies Rules;
