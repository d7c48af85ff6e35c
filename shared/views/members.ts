import type * as z from 'zod/mini';
import { type member, showMember } from '../api/members.ts';
import { isMember } from '../store/api-tokens.ts';
import type { OrganizationStore } from '../store/organizations.ts';

/** The members of an organization, oldest first, with the day on which each last used the console. */
export async function membersOf(
  organization: string,
  { organizations }: { readonly organizations: Pick<OrganizationStore, 'listTokens' | 'tokenUses'> },
): Promise<z.output<typeof member>[]> {
  const [tokens, uses] = await Promise.all([
    organizations.listTokens(organization),
    organizations.tokenUses(organization),
  ]);
  const members = tokens.filter(isMember).filter(({ revokedAt }) => revokedAt === null);
  return members.map((one) => showMember(one, uses.get(one.id) ?? null));
}
