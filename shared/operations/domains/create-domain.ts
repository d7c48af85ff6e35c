import { domainNameProblem } from '../../api/domain-names.ts';
import { createDomainBody } from '../../api/domains.ts';
import type { Clock } from '../../network/ports.ts';
import { type DomainNameProblem, isWithin, nameInside, parseDomainName } from '../../protocol/domain-name.ts';
import type { Domain, DomainStore } from '../../store/domains/domains.ts';
import type { CallerOf, InputOf, Operation, OutcomeOf } from '../operation.ts';
import { invalid, Refused } from '../outcome.ts';
import { subjectOf } from './on-domain.ts';
import { settleTestMailbox } from './test-mailbox.ts';

export const operation = {
  name: 'createDomain',
  summary: 'Register a domain',
  description:
    'The name is stored in lower case, as A-labels. Public suffixes, IP addresses, and the mail domains of the service itself are rejected.',
  scope: 'write',
  input: createDomainBody,
  refusals: ['invalid_request', 'domain_limit_reached', 'domain_exists'],
  uses: ['organizations:write', 'mailboxes:write', 'directory:write'],
} as const satisfies Operation;

export interface RegistrationDependencies {
  readonly domains: Pick<DomainStore, 'register'>;
  /** The domains at which the service itself receives mail; they cannot be registered. */
  readonly ownDomains: readonly string[];
  /** How many domains an organization can register for which the operator set nothing else. */
  readonly defaultLimit: number;
  readonly clock: Clock;
}

export async function createDomain(
  { organization }: CallerOf<typeof operation>,
  { domain: typed, usageType, testEmailLocalPart = null, tags = [] }: InputOf<typeof operation>,
  { domains, ownDomains, defaultLimit, clock }: RegistrationDependencies,
): Promise<OutcomeOf<typeof operation, Domain>> {
  const domain = readMailDomain(typed, ownDomains);
  if (domain instanceof Refused) return domain;
  const mailbox = settleTestMailbox(usageType, testEmailLocalPart);
  if (mailbox instanceof Refused) return mailbox;
  const given = { domain, usageType, testEmailLocalPart: mailbox, tags };
  const outcome = await domains.register(organization, given, defaultLimit, clock.now());
  if (outcome.status === 'exists') return new Refused('domain_exists');
  if (outcome.status === 'limit-reached') return new Refused('domain_limit_reached');
  return { value: outcome.domain, subjects: [subjectOf(outcome.domain)] };
}

/** The name under which a domain is registered; refused if it is not a mail domain. */
function readMailDomain(typed: string, own: readonly string[]): string | Refused<'invalid_request'> {
  const parsed = parseDomainName(typed);
  if (!parsed.ok) return refusedName(problemWith(typed, parsed.problem));
  if (own.some((name) => isWithin(parsed.name, name)))
    return refusedName('must not be a domain whose mail this service itself receives');
  return parsed.name;
}

const refusedName = (message: string): Refused<'invalid_request'> => invalid({ path: 'domain', message });

/** Describes what is wrong with a name. If a name is embedded in other text, asks for the bare name. */
function problemWith(typed: string, problem: DomainNameProblem): string {
  const inside = parseDomainName(nameInside(typed));
  return inside.ok ? `must be only a domain name, such as ${inside.name}` : domainNameProblem[problem];
}
