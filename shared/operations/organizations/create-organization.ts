import * as z from 'zod/mini';
import type { Clock } from '../../network/ports.ts';
import { oneLine } from '../../protocol/one-line.ts';
import type { Organization, OrganizationStore } from '../../store/organizations.ts';
import type { InputOf, Operation } from '../operation.ts';
import type { Done } from '../outcome.ts';

const MAX_NAME = 200;

export const operation = {
  name: 'createOrganization',
  summary: 'Create an organization',
  scope: 'operator',
  input: z.object({ name: oneLine(MAX_NAME) }),
  refusals: ['invalid_request'],
  uses: [],
} as const satisfies Operation;

export async function createOrganization(
  { name }: InputOf<typeof operation>,
  {
    organizations,
    clock,
  }: { readonly organizations: Pick<OrganizationStore, 'create'>; readonly clock: Clock },
): Promise<Done<Organization>> {
  const value = await organizations.create(name, clock.now());
  return { value, subjects: [{ id: value.id, name }] };
}
