import * as z from 'zod/mini';
import type { OrganizationStore } from '../../store/organizations.ts';
import { changesBetween } from '../changes.ts';
import type { CallerOf, InputOf, Operation } from '../operation.ts';
import type { Done } from '../outcome.ts';
import { MAX_DOMAIN_LIMIT, MAX_SCORE } from './limits.ts';

const upTo = (maximum: number, what: string) => {
  const message = `must be ${what} from 0 to ${maximum}`;
  return z.optional(z.nullable(z.int(message).check(z.minimum(0, message), z.maximum(maximum, message))));
};

export const operation = {
  name: 'limitOrganization',
  summary: 'Set how many domains an organization can register, and below which score it is alerted',
  scope: 'operator',
  /** `null` is the default of the service. */
  input: z.object({
    domains: upTo(MAX_DOMAIN_LIMIT, 'a number of domains'),
    scoreThreshold: upTo(MAX_SCORE, 'a score'),
  }),
  refusals: ['invalid_request'],
  uses: [],
} as const satisfies Operation;

export async function limitOrganization(
  { organization }: CallerOf<typeof operation>,
  { domains, scoreThreshold }: InputOf<typeof operation>,
  {
    organizations,
  }: { readonly organizations: Pick<OrganizationStore, 'get' | 'setDomainLimit' | 'setScoreThreshold'> },
): Promise<Done<null>> {
  const before = await organizations.get(organization);
  if (domains !== undefined) await organizations.setDomainLimit(organization, domains);
  if (scoreThreshold !== undefined) await organizations.setScoreThreshold(organization, scoreThreshold);
  const was = { domains: before?.domainLimit, scoreThreshold: before?.scoreThreshold };
  const is = {
    domains: domains === undefined ? was.domains : domains,
    scoreThreshold: scoreThreshold === undefined ? was.scoreThreshold : scoreThreshold,
  };
  return { value: null, subjects: [{ id: organization, changes: changesBetween(was, is) }] };
}
