import { removeMember } from '../../shared/operations/people/remove-member.ts';
import { memberDependencies } from '../../shared/runtime/dependencies/people.ts';
import { operationEndpoint } from '../operation-endpoint.ts';
import { routes } from './routes.ts';

export const handler = operationEndpoint(routes.removeMember, memberDependencies, removeMember, () => ({
  deleted: true as const,
}));
