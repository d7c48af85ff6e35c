/** Recommended changes of the MX records. */
import { type Facts, hasNoMxHost, isWithoutMail, type Proposal } from './facts.ts';

const NULL_MX = '0 .';

/** Safe changes: a null MX for a parked domain without MX records, and the right spelling of a null MX (RFC 7505). */
export async function safeMx(facts: Facts): Promise<readonly Proposal[]> {
  const { domain } = facts;
  const set = await facts.valuesAt(domain, 'MX');
  if (set === undefined) return [];
  const made = { class: 'safe', name: domain, type: 'MX', after: [NULL_MX] } as const;
  const [first, ...others] = set.values;
  if (first === undefined && isWithoutMail(facts))
    return [
      { ...made, reason: 'The domain is parked and has no MX host. A null MX says that it accepts no mail.' },
    ];
  if (first !== undefined && first !== NULL_MX && [first, ...others].every((value) => value.endsWith(' .')))
    return [{ ...made, reason: 'A null MX has preference 0.' }];
  return [];
}

/** A null MX for a parked domain that may still have mail: receivers can reject mail from such a domain (RFC 7505 section 4.2). */
export async function decideMx({
  domain,
  usageType,
  results,
  ...facts
}: Facts): Promise<readonly Proposal[]> {
  const set = await facts.valuesAt(domain, 'MX');
  if (set === undefined || set.values.length > 0) return [];
  if (usageType !== 'parked' || facts.mail.isAuthenticated || !hasNoMxHost(results.mx)) return [];
  const reason =
    'A null MX says that the domain accepts no mail. Receivers can also reject mail from it, so decide whether it really sends none.';
  return [{ class: 'needs-decision', name: domain, type: 'MX', after: [NULL_MX], reason }];
}

/** Advice: records that are broken whatever the owner intends. Which hosts receive mail is not ours to write. */
export async function adviseMx(facts: Facts): Promise<readonly Proposal[]> {
  const { domain, results, usageType } = facts;
  const set = await facts.valuesAt(domain, 'MX');
  // Beside the null MX of a parked domain, the others are wrong, or the usage type is.
  if (usageType === 'parked' && set?.values.some((value) => value.endsWith(' .'))) return [];
  const broken = new Set(
    results.mx.findings
      .filter(({ id }) =>
        [
          ...['mx-dangling', 'unowned-mx-alias', 'mx-address-literal', 'mx-invalid-name', 'mx-no-address'],
        ].includes(id),
      )
      .map(({ subject = '' }) => subject),
  );
  const values = set?.values ?? [];
  const hosts = values.filter(
    (value) => !value.endsWith(' .') && !broken.has(value.slice(value.indexOf(' ') + 1)),
  );
  if (hosts.length === 0 || hosts.length === values.length) return [];
  const reason = 'Removes MX records that cannot receive mail. Check which hosts are meant to receive it.';
  return [{ class: 'advice', name: domain, type: 'MX', after: hosts, reason }];
}
