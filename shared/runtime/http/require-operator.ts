import { isMember, type Member, type TokenInfo } from '../../store/api-tokens.ts';
import type { PersonStore } from '../../store/people.ts';
import { ServiceError } from './errors.ts';

/** The person of a session, who operates the service. @throws ServiceError `forbidden`. */
export async function requireOperator(token: TokenInfo, people: Pick<PersonStore, 'get'>): Promise<Member> {
  if (isMember(token) && (await people.get(token.member.person)).operator) return token;
  throw new ServiceError('forbidden', 'Only operators of the service can do this.');
}
