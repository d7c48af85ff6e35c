import { CommandError } from '../terminal/command-line.ts';
import type { AdminDependencies } from './command.ts';

/** The ID of an organization that exists. @throws CommandError if there is none with this ID. */
export async function organizationNamed(
  id: string,
  { organizations }: Pick<AdminDependencies, 'organizations'>,
): Promise<string> {
  const organization = await organizations.get(id);
  if (organization === undefined) throw new CommandError(`organization not found: ${id}`);
  return organization.id;
}
