/** The text of the attention item about the registration of a domain, and the stored facts that it depends on. */

import * as z from 'zod/mini';
import { keyTags } from '../protocol/findings/dnssec-automation.ts';
import { dayInWords } from '../protocol/time.ts';

export const registrationProblem = z.enum([
  'not-registered',
  'removed',
  'held',
  'expiring',
  'ds-differs',
  'unlocked',
]);

export type RegistrationProblem = z.infer<typeof registrationProblem>;

export const registrationFacts = z.object({
  /** The registered domain: the domain itself, or the one that it is in. */
  registered: z.string(),
  problems: z.array(registrationProblem),
  /** The status codes that hold or remove the domain. */
  statuses: z.array(z.string()),
  /** Days such as `2026-01-31`. */
  expires: z.nullable(z.string()),
  /** When the registry was asked; ISO 8601. */
  asOf: z.string(),
  /** The key tags of the DS records at the registry and in DNS. */
  registry: z.array(z.number()),
  dns: z.array(z.number()),
});

export type RegistrationFacts = z.infer<typeof registrationFacts>;

interface Subject {
  readonly domain: string;
  readonly about: { readonly facts: unknown };
}

const short: Readonly<Record<RegistrationProblem, (facts: RegistrationFacts) => string>> = {
  'not-registered': () => 'the registry does not know it',
  removed: ({ statuses }) => statuses.join(', '),
  held: ({ statuses }) => statuses.join(', '),
  expiring: ({ expires }) => `expires on ${dayInWords(expires ?? '')}`,
  'ds-differs': () => 'DS records differ',
  unlocked: () => 'no transfer lock',
};

const long: Readonly<Record<RegistrationProblem, (facts: RegistrationFacts) => string>> = {
  'not-registered': ({ registered }) =>
    `The registry has no domain ${registered}, and it does not exist in DNS: anybody can register it, and receive its mail. Register it again at once.`,
  removed: ({ registered, statuses }) =>
    `The registry is removing ${registered} (${statuses.join(', ')}): it is gone from DNS, and can soon be registered by others. Ask your registrar to restore it at once.`,
  held: ({ registered, statuses }) =>
    `The registry does not publish ${registered} in DNS (${statuses.join(', ')}), so no mail arrives, and mail from it fails. Ask your registrar why: often, the contact data was not confirmed, or an invoice was not paid.`,
  expiring: ({ registered, expires }) =>
    `The registration of ${registered} ends on ${dayInWords(expires ?? '')}. Renew it, or make sure that your registrar renews it by itself and that its payment data is valid. After that day, mail stops, and later somebody else can register the domain.`,
  'ds-differs': ({ registry, dns }) =>
    `The registry has ${tags(registry)}, and DNS has ${tags(dns)}, for more than two days. Publish the records of the keys that sign the zone at your registrar; a domain without matching records is bogus, or not protected.`,
  unlocked: ({ registered }) =>
    `Nothing at the registry prevents a transfer of ${registered} to another registrar. Turn on the transfer lock at your registrar, which costs nothing and can be turned off before a transfer.`,
};

const tags = (found: readonly number[]): string =>
  found.length === 0 ? 'no DS record' : `DS records with the ${keyTags(found)}`;

export function registrationTitle({ domain, about: { facts } }: Subject): string {
  const { data } = registrationFacts.safeParse(facts);
  const problems = data?.problems.map((problem) => short[problem](data)) ?? [];
  return `Registration of ${domain}${problems.length === 0 ? '' : `: ${problems.join('; ')}`}`;
}

export function registrationDetail({ about: { facts } }: Subject): string {
  const { data } = registrationFacts.safeParse(facts);
  if (data === undefined) return 'The registry says something about the domain that needs you.';
  return [
    ...data.problems.map((problem) => long[problem](data)),
    `The registry was asked on ${dayInWords(data.asOf)} by RDAP.`,
  ].join(' ');
}
