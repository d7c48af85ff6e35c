import { domainNameProblem } from '../../shared/api/domain-names.ts';
import { parseDomainName } from '../../shared/protocol/domain-name.ts';

/** The name of a domain in canonical form: lower case, A-labels, no final dot. @throws TypeError if it is none. */
export function domainArgument(typed: string): string {
  const parsed = parseDomainName(typed);
  if (!parsed.ok) throw new TypeError(`invalid domain "${typed}": it ${domainNameProblem[parsed.problem]}`);
  return parsed.name;
}
