import { isMember, type Member, type TokenInfo } from '../../store/api-tokens.ts';
import type { MemberStore } from '../../store/members.ts';
import { ServiceError } from './errors.ts';

/** The person of a session, who operates the service. @throws ServiceError `forbidden`. */
export async function requireOperator(
  token: TokenInfo,
  members: Pick<MemberStore, 'isOperator'>,
): Promise<Member> {
  if (isMember(token) && (await members.isOperator(token.member.person))) return token;
  throw new ServiceError('forbidden', 'Only operators of the service can do this.');
}
