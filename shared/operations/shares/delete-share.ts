import * as z from 'zod/mini';
import { oneOf } from '../../protocol/schema.ts';
import { SHARE_ID } from '../../store/shares.ts';
import type { InputOf, Operation, OutcomeOf } from '../operation.ts';
import { Refused } from '../outcome.ts';

/** Saved results, as in their paths: of the SPF checker and of the domain checker. */
const shareKinds = ['spf', 'check'] as const;

export type ShareKind = (typeof shareKinds)[number];

export const operation = {
  name: 'deleteShare',
  summary: 'Delete a saved result of a public tool',
  scope: 'operator',
  input: z.object({
    kind: oneOf(shareKinds),
    id: z.string().check(z.regex(SHARE_ID, 'must be the last part of the link of a saved result')),
  }),
  refusals: ['invalid_request', 'not_found'],
  uses: [],
} as const satisfies Operation;

export type Shares = Readonly<Record<ShareKind, { readonly remove: (shareId: string) => Promise<boolean> }>>;

export async function deleteShare(
  { kind, id }: InputOf<typeof operation>,
  { shares }: { readonly shares: Shares },
): Promise<OutcomeOf<typeof operation, { readonly deleted: true }>> {
  if (!(await shares[kind].remove(id)))
    return new Refused('not_found', `The saved result does not exist: /s/${kind}/${id}`);
  return { value: { deleted: true } };
}
