/** Callers and outcomes of operations. */
import type { Caller } from '../../shared/operations/operation.ts';
import { type Outcome, Refused } from '../../shared/operations/outcome.ts';
import type { TokenInfo } from '../../shared/store/api-tokens.ts';

/** Who asks with this token, may do anything, and changes any version. */
export const callerWith = (token: TokenInfo): Caller<'admin'> => ({
  organization: token.organization,
  token,
  may: 'admin',
  isCurrent: () => true,
});

/** What an operation did; fails if it was refused. */
export function done<Value>(outcome: Outcome<Value>): Value {
  if (outcome instanceof Refused) throw new Error(`refused: ${outcome.message}`);
  return outcome.value;
}
