import type * as z from 'zod/mini';
import { showToken, type token } from '../api/tokens.ts';
import { isMember, type TokenInfo } from '../store/api-tokens.ts';
import type { OrganizationStore } from '../store/organizations.ts';

/** The tokens of an organization that were not revoked, oldest first, with the day of their last use. */
export async function tokensOf(
  organization: string,
  { organizations }: { readonly organizations: Pick<OrganizationStore, 'listTokens' | 'tokenUses'> },
): Promise<z.output<typeof token>[]> {
  const [tokens, uses] = await Promise.all([
    organizations.listTokens(organization),
    organizations.tokenUses(organization),
  ]);
  return tokensIn(tokens, uses);
}

/** Those among all tokens that are none of members. Few: their number is limited, and those that ended leave the list. */
export function tokensIn(
  tokens: readonly TokenInfo[],
  uses: ReadonlyMap<string, string>,
): z.output<typeof token>[] {
  const kept = tokens.filter((one) => !isMember(one) && one.revokedAt === null);
  return kept.map((one) => showToken(one, uses.get(one.id) ?? null));
}
