import { missing } from '../../shared/api/common.ts';
import { ONLY_MEMBERS } from '../../shared/operations/people/leave.ts';
import { askAboutMemberPage } from '../../shared/pages/console/ask.ts';
import { table } from '../../shared/runtime/dependencies/services.ts';
import { ServiceError } from '../../shared/runtime/http/errors.ts';
import { reply } from '../../shared/runtime/http/reply.ts';
import { covers, isMember } from '../../shared/store/api-tokens.ts';
import { organizationStore } from '../../shared/store/organizations.ts';
import { membersOf } from '../../shared/views/members.ts';
import { consoleEndpoint } from '../console-endpoint.ts';
import { routes } from './routes.ts';

export const handler = consoleEndpoint(
  routes.askAboutMembers,
  () => ({ organizations: organizationStore(table()) }),
  async ({ query: { about, id }, organization, token, formToken, flash }, deps) => {
    if (about === 'leave') {
      if (!isMember(token)) throw new ServiceError('forbidden', ONLY_MEMBERS);
      return reply(askAboutMemberPage({ formToken, flash }, { about, mail: token.name }));
    }
    if (!covers(token.scope, 'admin')) throw new ServiceError('forbidden');
    const member = (await membersOf(organization, deps)).find((one) => one.id === id);
    if (member === undefined) throw new ServiceError('not_found', missing.member);
    return reply(askAboutMemberPage({ formToken, flash }, { about, ...member, isOwn: id === token.id }));
  },
);
