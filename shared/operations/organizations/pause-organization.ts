import * as z from 'zod/mini';
import type { Clock } from '../../network/ports.ts';
import type { OrganizationStore } from '../../store/organizations.ts';
import { changesBetween } from '../changes.ts';
import type { CallerOf, InputOf, Operation } from '../operation.ts';
import type { Done } from '../outcome.ts';

export const operation = {
  name: 'pauseOrganization',
  summary: 'Pause an organization, or let it go on',
  description:
    'While it is paused, its domains are not checked and its mailboxes are not read on schedule, and no alerts, events and digests are sent. What its people ask for is still done, and report mails are kept.',
  scope: 'operator',
  input: z.object({ paused: z.boolean() }),
  refusals: ['invalid_request'],
  uses: [],
} as const satisfies Operation;

export async function pauseOrganization(
  { organization }: CallerOf<typeof operation>,
  { paused }: InputOf<typeof operation>,
  {
    organizations,
    clock,
  }: { readonly organizations: Pick<OrganizationStore, 'get' | 'setPaused'>; readonly clock: Clock },
): Promise<Done<null>> {
  const was = (await organizations.get(organization))?.pausedAt ?? null;
  if ((was !== null) === paused) return { value: null };
  await organizations.setPaused(organization, paused ? clock.now() : null);
  const changes = changesBetween({ paused: !paused }, { paused });
  return { value: null, subjects: [{ id: organization, changes }] };
}
