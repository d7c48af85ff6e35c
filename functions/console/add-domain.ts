import { createDomainBody } from '../../shared/api/domains.ts';
import { domainPath } from '../../shared/pages/console/domain/frame.ts';
import { consolePages } from '../../shared/pages/console/layout.ts';
import { registrationDependencies } from '../../shared/runtime/dependencies/registration-dependencies.ts';
import { table } from '../../shared/runtime/dependencies/services.ts';
import { endpoint } from '../../shared/runtime/http/endpoint.ts';
import { ServiceError } from '../../shared/runtime/http/errors.ts';
import { parseAs } from '../../shared/runtime/http/middleware/parse-request.ts';
import { reply } from '../../shared/runtime/http/reply.ts';
import { directoryStore } from '../../shared/store/domains/directory.ts';
import { registerDomain, subjectOf } from '../domains/rules.ts';
import { routes } from './routes.ts';
import { showDomains } from './rules.ts';

export const handler = endpoint(
  routes.addDomain,
  () => ({ directory: directoryStore(table()), ...registrationDependencies() }),
  async ({ form: { formToken, ...typed }, ...request }, { directory, ...deps }) => {
    try {
      const domain = await registerDomain(request.organization, readDomain(typed), deps);
      return { ...reply('', { location: domainPath(domain.id) }), subjects: [subjectOf(domain)] };
    } catch (error) {
      if (!(error instanceof ServiceError)) throw error;
      const shown = { ...request, formToken, query: { page: 1, q: '' } };
      const refused = { typed, problem: problemOf(error) };
      const data = await showDomains(shown, { directory, clock: deps.clock }, refused);
      return { data, status: 400 as const, subjects: [] };
    }
  },
  consolePages,
);

/** @throws ServiceError `invalid_request`. */
function readDomain(typed: {
  readonly domain: string;
  readonly usageType: string;
  readonly testEmailLocalPart: string;
  readonly tags: string;
}) {
  const { testEmailLocalPart: mailbox, tags } = typed;
  const labels = tags.split(',').map((tag) => tag.trim());
  return parseAs(
    createDomainBody,
    {
      ...typed,
      testEmailLocalPart: mailbox === '' ? null : mailbox,
      tags: labels.filter((tag) => tag !== ''),
    },
    'form',
  );
}

const fieldNames: Readonly<Record<string, string>> = {
  domain: 'The domain',
  usageType: 'The usage',
  testEmailLocalPart: 'The mailbox',
  tags: 'Each tag',
};

/** The first problem as a sentence. */
function problemOf({ message, details }: ServiceError): string {
  const [first] = details ?? [];
  if (first === undefined) return message;
  const [, field = ''] = first.path.split('.');
  return `${fieldNames[field] ?? 'The form'} ${first.message}.`;
}
