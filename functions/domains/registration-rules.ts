/** Registering many domains, apart from `rules.ts`, because few handlers need the schema of a registration. */
import { createDomainBody } from '../../shared/api/domains.ts';
import type { RegistrationDependencies } from '../../shared/runtime/dependencies/registration-dependencies.ts';
import { ServiceError } from '../../shared/runtime/http/errors.ts';
import { parseAs } from '../../shared/runtime/http/middleware/parse-request.ts';
import type { Domain } from '../../shared/store/domains/domains.ts';
import { registerDomain } from './rules.ts';

/**
 * Registers domains, each independently of the others. Returns each domain, or why it was not registered, in order.
 * They are registered one after another: the first of two equal names wins, and all of them change the count of the
 * organization.
 */
export async function registerEach(
  organization: string,
  given: readonly unknown[],
  deps: RegistrationDependencies,
): Promise<(Domain | ServiceError)[]> {
  const outcomes: (Domain | ServiceError)[] = [];
  for (const one of given) {
    try {
      outcomes.push(await registerDomain(organization, parseAs(createDomainBody, one, 'body'), deps));
    } catch (error) {
      if (!(error instanceof ServiceError)) throw error;
      outcomes.push(error);
    }
  }
  return outcomes;
}
