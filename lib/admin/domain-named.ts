import { canonicalName } from '../../shared/protocol/domain-name.ts';
import type { Domain } from '../../shared/store/domains/domains.ts';
import { CommandError } from '../terminal/command-line.ts';
import type { AdminDependencies } from './command.ts';

/**
 * The domain of that name, of the organization `org` if it is given.
 * @throws CommandError if there is none, or several organizations have registered it.
 */
export async function domainNamed(
  name: string,
  org: string | undefined,
  { organizations, domains }: AdminDependencies,
): Promise<Domain> {
  const ids = org === undefined ? (await organizations.list()).map(({ id }) => id) : [org];
  const found = (await Promise.all(ids.map((id) => domains.named(id, canonicalName(name))))).filter(
    (domain) => domain !== undefined,
  );
  const [domain, ...others] = found;
  if (domain === undefined) throw new CommandError(`domain not found: ${name}`);
  if (others.length === 0) return domain;
  const owners = found.map(({ organization }) => organization).join(', ');
  throw new CommandError(`several organizations have registered ${name}; select one with --org: ${owners}`);
}
