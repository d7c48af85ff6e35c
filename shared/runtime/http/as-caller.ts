import type { Caller } from '../../operations/operation.ts';
import type { Scope } from '../../protocol/scope.ts';
import type { TokenInfo } from '../../store/api-tokens.ts';
import { isCurrent } from './entity-tag.ts';

interface Asking<S extends Scope> {
  readonly organization: string;
  readonly token: TokenInfo;
  readonly may: S;
  readonly ifMatch: string | undefined;
}

/** Who asks for an operation with a request. */
export const asCaller = <S extends Scope>({ organization, token, may, ifMatch }: Asking<S>): Caller<S> => ({
  organization,
  token,
  may,
  isCurrent: (version) => isCurrent(version, ifMatch),
});
