import type { Caller } from '../../operations/operation.ts';
import type { TokenInfo } from '../../store/api-tokens.ts';
import { isCurrent } from './entity-tag.ts';

interface Asking {
  readonly organization: string;
  readonly token: TokenInfo;
  readonly ifMatch: string | undefined;
}

/** Who asks for an operation with a request. */
export const asCaller = ({ organization, token, ifMatch }: Asking): Caller => ({
  organization,
  token,
  isCurrent: (version) => isCurrent(version, ifMatch),
});
