/** Domains at which the service received mail before the present one. */
import { isHostName } from '../../shared/protocol/host-name.ts';

export interface FormerDomain {
  readonly name: string;
  /** Whether its mail is still accepted. One that is removed stays in the list, which says how identities are identified. */
  readonly isAccepted: boolean;
}

/** `old.example.org=accepted,...`, the oldest first. @throws an Error whose message completes "formerReportsDomains ...". */
export function parseFormerDomains(text: string): readonly FormerDomain[] {
  const entries = text.split(',').filter((entry) => entry.trim() !== '');
  return entries.map((entry) => {
    const [name = '', state = 'accepted', ...rest] = entry.trim().split('=');
    if (!isHostName(name) || name !== name.toLowerCase() || rest.length > 0 || !states.includes(state))
      throw new Error(`must be a list of name=accepted or name=removed, oldest first; invalid: ${entry}`);
    return { name, isAccepted: state === 'accepted' };
  });
}

const states = ['accepted', 'removed'];

export const acceptedOf = (former: readonly FormerDomain[]): readonly string[] =>
  former.filter(({ isAccepted }) => isAccepted).map(({ name }) => name);
